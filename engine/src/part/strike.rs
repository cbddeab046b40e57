//! Mallets and materials: what a stroke leaves out, and how what is struck dies away.
//!
//! A soft mallet touches for long and evens out what is quick: highs are missing as if they had
//! decayed already, so that is what is done. A material loses a share of every cycle, the more the
//! quicker: its rate goes with the frequency to a power, whatever the key.

use crate::dsp::fast::exp2;

/// How a material dies away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    /// Decibels a second at middle C.
    rate: f32,
    /// The rate goes with the frequency to this power.
    slope: f32,
}

/// In the order of the `strike.material` parameter's names after "own". Rates and slopes are those of
/// instruments made of them: a marimba, a nylon guitar, a wine glass, a vibraphone, a bell, a tom.
const MATERIALS: [Material; 6] = [
    Material {
        rate: 55.0,
        slope: 1.1,
    },
    Material {
        rate: 14.0,
        slope: 0.8,
    },
    Material {
        rate: 11.0,
        slope: 0.6,
    },
    Material {
        rate: 5.0,
        slope: 0.5,
    },
    Material {
        rate: 2.5,
        slope: 0.7,
    },
    Material {
        rate: 45.0,
        slope: 0.4,
    },
];

/// Middle C in Hertz.
const MIDDLE: f32 = 261.63;

/// Powers of two that the softest mallet takes from ratio 1, which is made up for.
const SOFTEST: f32 = 4.0;

impl Material {
    /// The one that the parameter names; none leaves the decay's own knobs.
    pub(super) fn named(choice: f32) -> Option<Self> {
        MATERIALS.get((choice as usize).checked_sub(1)?).copied()
    }

    /// Decibels a second of a first partial at `hertz`, and the power by which higher ones lose more.
    pub(super) fn decay(self, hertz: f32) -> (f32, f32) {
        let higher = (hertz / MIDDLE).max(1e-3).log2();
        (self.rate * exp2(self.slope * higher), self.slope)
    }
}

/// The gain that makes up for what a mallet takes from ratio 1.
pub(super) fn made_up(softness: f32) -> f32 {
    match softness == 0.0 {
        true => 1.0,
        false => exp2(softness),
    }
}

/// What a mallet takes from the start: powers of two of ratio 1.
pub(super) fn softness(hardness: f32) -> f32 {
    SOFTEST * (1.0 - hardness) * (1.0 - hardness)
}
