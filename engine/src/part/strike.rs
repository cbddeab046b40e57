//! Mallets and materials: which partials a strike excites, and how they decay.
//!
//! A soft mallet stays in contact for longer and so excites fewer high partials, as if these had
//! decayed already; it is computed as such a decay. A material loses a fraction of its energy in
//! every cycle: its decay rate is proportional to a power of the frequency, for every key.

use crate::dsp::fast::exp2;

/// Decay of a material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    /// Decibels a second at middle C.
    rate: f32,
    /// The rate is proportional to the frequency to this power.
    slope: f32,
}

/// In the order of the `strike.material` parameter's names after "off". Rates and slopes are those
/// of instruments made of them: a marimba, a nylon guitar, a wine glass, a vibraphone, a bell, a
/// tom.
const MATERIALS: [Material; 6] = [
    Material { rate: 55.0, slope: 1.1 },
    Material { rate: 14.0, slope: 0.8 },
    Material { rate: 11.0, slope: 0.6 },
    Material { rate: 5.0, slope: 0.5 },
    Material { rate: 2.5, slope: 0.7 },
    Material { rate: 45.0, slope: 0.4 },
];

/// Middle C in Hertz.
const MIDDLE: f32 = 261.63;

/// Powers of two that the softest mallet takes from ratio 1; [`makeup_gain`] compensates for it.
const SOFTEST: f32 = 4.0;

impl Material {
    /// The material that the parameter names; `None` uses the decay rate and slope instead.
    pub(super) fn named(choice: f32) -> Option<Self> {
        MATERIALS.get((choice as usize).checked_sub(1)?).copied()
    }

    /// Decibels a second of a first partial at `hertz`, and the power by which higher ones decay
    /// faster.
    pub(super) fn decay(self, hertz: f32) -> (f32, f32) {
        let higher = (hertz / MIDDLE).max(1e-3).log2();
        (self.rate * exp2(self.slope * higher), self.slope)
    }
}

/// The gain that compensates for the attenuation of ratio 1 by the mallet.
pub(super) fn makeup_gain(softness: f32) -> f32 {
    match softness == 0.0 {
        true => 1.0,
        false => exp2(softness),
    }
}

/// Attenuation by the mallet at the start: powers of two at ratio 1.
pub(super) fn softness(hardness: f32) -> f32 {
    SOFTEST * (1.0 - hardness) * (1.0 - hardness)
}
