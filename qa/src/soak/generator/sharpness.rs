//! How large the transients of a patch's own sound are, which the click detector must not report.
//!
//! Sizes are twice the largest that was measured in hours of play, because the detector's margin halves
//! them.

use myriad_engine::Patch;
use myriad_engine::modulation::{Route, Source};
use myriad_engine::params::Param;

/// For how long a transient may look like a click, and how large a one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::soak) struct Sharpness {
    pub(in crate::soak) seconds: f64,
    /// The size of the step that it looks like.
    pub(in crate::soak) size: f32,
}

/// Parameters that make noise of any patch.
pub(super) const NOISY: [Param; 2] = [Param::ShapeBandwidth, Param::LayerBandwidth];

impl Sharpness {
    /// Notes with a slow attack: only a voice that is stolen for them fades quickly, and envelopes of their
    /// first noise end.
    const SOFT: Self = Self { seconds: 0.04, size: 0.05 };
    /// Notes with a quick attack. The largest are hard hammers on all strings of a chord.
    pub(super) const SHARP: Self = Self { seconds: 0.01, size: 3.5 };
    /// Drums and other noise, and pitches that fall by octaves, which no click can be told from.
    pub(super) const STRUCK: Self = Self { seconds: 0.12, size: f32::INFINITY };
    /// A parameter that jumps: all partials of a bell may change their pitch at once.
    pub(super) const JUMP: Self = Self { seconds: 0.12, size: f32::INFINITY };
    /// Another patch, a wheel or a pedal, whose exact time is not known.
    pub(super) const CHANGE: Self = Self { seconds: 0.12, size: 1.0 };
    /// The steps of LFOs with jumps, as long as a note sounds.
    const RESTLESS: f32 = 0.15;
    /// What modulated delays make of high frequencies, likewise: of a drum's noise, at most.
    const SWIRL: f32 = 0.2;
    /// Breath and bow noise in a layer beside the tone, likewise.
    const BREATH: f32 = 0.2;
    /// How long echoes are audible, in seconds.
    const ECHOES: f64 = 4.0;

    /// Attacks below this are sharp, in seconds.
    const QUICK: f32 = 0.02;
    /// The range of the generator's keys, in octaves.
    const WIDEST: f64 = 5.0;
    /// A pitch envelope above this is a drum's, in semitones.
    const FALL: f32 = 6.0;
    /// Partials that are wider than this are noise, in cents.
    const NOISE: f32 = 100.0;
    /// The jumps of LFOs that divide notes into many.
    const STUTTERS: f32 = 3.5;
    /// LFOs that jump by more than this are like new notes, in decibels; and like a [`Self::JUMP`], in semitones.
    const STUTTER: f32 = 6.0;
    const TRILL: f32 = 1.0;

    /// The sharpness of a patch's attacks.
    pub(super) fn of(patch: &Patch) -> Self {
        let mut sharpness = match falls(patch) || is_noise(patch) {
            true => Self::STRUCK,
            false if patch.values[Param::Env1Attack] < Self::QUICK => Self::SHARP,
            false => Self::SOFT,
        };
        // Gliding notes reach the top of the band as long as they glide.
        let by_rate = patch.values[Param::PitchGlideMode] as usize % 2 == 1;
        let octaves = if by_rate { Self::WIDEST } else { 1.0 };
        sharpness.seconds += 1.5 * octaves * f64::from(patch.values[Param::PitchGlide]);
        sharpness
    }

    /// The sharpness of their releases: some return to the note before.
    pub(super) fn let_go(self) -> Self {
        Self { size: self.size.min(Self::SHARP.size), ..self }
    }

    /// The transients of a note of `length` seconds as long as it sounds.
    pub(super) fn throughout(patch: &Patch, length: f64) -> Option<Self> {
        let on = |switch: Param| patch.values[switch] != 0.0;
        let echoes = on(Param::DelayOn) && Self::of(patch) != Self::SOFT;
        let size = if on(Param::DriveOn) || falls(patch) || is_noise(patch) {
            // Distortion fills the band up to its top, and so does a drum's noise.
            f32::INFINITY
        } else if jumps_by(patch, Param::PitchTune, Self::TRILL) {
            // All partials of a chord change their pitch at once. In 80 hours of play, chimes that jump by octaves
            // looked once like a step of 2.1, where they are no louder than 0.5.
            Self::JUMP.size
        } else if jumps_by(patch, Param::AmpLevel, Self::STUTTER) {
            Self::STUTTERS
        } else if on(Param::ArpMode) || echoes {
            // An arpeggio plays notes of its own, and a delay repeats sharp attacks.
            Self::SHARP.size
        } else if on(Param::ChorusOn) || on(Param::FlangerOn) {
            Self::SWIRL
        } else if is_breathy(patch) {
            Self::BREATH
        } else if jumps(patch).next().is_some() {
            Self::RESTLESS
        } else {
            return None;
        };
        let Self { seconds, .. } = Self::noise(patch, length);
        Some(Self { seconds: seconds + if echoes { Self::ECHOES } else { 0.0 }, size })
    }

    /// Noise as long as a note of `length` seconds sounds.
    pub(super) fn noise(patch: &Patch, length: f64) -> Self {
        // The drums of a kit ring on by themselves.
        let release = match patch.key_zones.is_empty() {
            true => f64::from(patch.values[Param::Env1Release]),
            false => Self::ECHOES,
        };
        Self { seconds: length + release, size: f32::INFINITY }
    }
}

/// Whether an envelope sweeps the pitch down, as in drums.
fn falls(patch: &Patch) -> bool {
    patch.routes.iter().any(|route| {
        let envelope =
            matches!(route.source, Source::Env1 | Source::Env2 | Source::Env3 | Source::Env4);
        envelope && route.target == Param::PitchTune && route.amount.abs() > Sharpness::FALL
    })
}

/// Whether it is a drum kit, or its partials are bands of noise, up to the top of what can be heard.
fn is_noise(patch: &Patch) -> bool {
    !patch.key_zones.is_empty() || patch.values[Param::ShapeBandwidth] > Sharpness::NOISE
}

/// Whether its layer is noise beside the tone.
fn is_breathy(patch: &Patch) -> bool {
    patch.values[Param::LayerMode] != 0.0 && patch.values[Param::LayerBandwidth] > Sharpness::NOISE
}

/// Whether an LFO jumps and moves `target` by more than `most`.
fn jumps_by(patch: &Patch, target: Param, most: f32) -> bool {
    jumps(patch).any(|route| route.target == target && route.amount.abs() > most)
}

/// Routes of LFOs whose shape has jumps.
fn jumps(patch: &Patch) -> impl Iterator<Item = &Route> {
    /// Shapes without jumps: sine, triangle and drift, as the table of parameters has them.
    const SMOOTH: [f32; 3] = [0.0, 1.0, 6.0];
    let lfos = [
        (Source::Lfo1, Param::Lfo1Shape),
        (Source::Lfo2, Param::Lfo2Shape),
        (Source::Lfo3, Param::Lfo3Shape),
        (Source::Lfo4, Param::Lfo4Shape),
        (Source::Lfo5, Param::Lfo5Shape),
        (Source::Lfo6, Param::Lfo6Shape),
    ];
    patch.routes.iter().filter(move |route| {
        lfos.iter()
            .any(|(lfo, shape)| route.source == *lfo && !SMOOTH.contains(&patch.values[*shape]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::factory;

    #[test]
    fn pads_strings_and_drums_are_told_apart() {
        let of = |name| Sharpness::of(&factory::find(name).unwrap());
        assert_eq!(of("Aurora"), Sharpness::SOFT);
        assert_eq!(of("Steel String"), Sharpness::SHARP);
        assert_eq!(of("Skin and Shell"), Sharpness::STRUCK);
        assert!(of("Solar Lead").seconds > 0.1, "it glides");
        let throughout = |name| Sharpness::throughout(&factory::find(name).unwrap(), 1.0);
        assert!(throughout("Throat Bass").is_some_and(|long| long.seconds > 1.0));
        assert_eq!(throughout("Aurora"), None);
        let size = |name| throughout(name).map(|long| long.size);
        assert_eq!(size("Stutter Gate"), Some(Sharpness::STUTTERS));
        assert_eq!(size("Square Deal"), Some(f32::INFINITY), "it trills");
        assert_eq!(size("Porch Chimes"), Some(f32::INFINITY), "so does the wind");
        assert_eq!(size("Fret Squeak"), Some(f32::INFINITY));
        assert_eq!(size("Acoustic Kit"), Some(f32::INFINITY));
        assert_eq!(size("Skin and Shell"), Some(f32::INFINITY));
        assert_eq!(size("Lacquer Sax"), Some(Sharpness::BREATH));
    }
}
