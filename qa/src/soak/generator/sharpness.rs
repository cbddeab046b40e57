//! How sharp corners a patch's sound turns: what a detector of clicks must put up with.
//!
//! Sizes are twice the largest that was seen in hours of play, since the detector's own margin is
//! half of them.

use myriad_engine::Patch;
use myriad_engine::modulation::{Route, Source};
use myriad_engine::params::Param;

/// For how long after it a note's beginning may look like a click, and how large a one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::soak) struct Sharpness {
    pub(in crate::soak) seconds: f64,
    /// As a step of so much.
    pub(in crate::soak) size: f32,
}

impl Sharpness {
    /// Notes that swell: only a voice that gives way to them fades quickly.
    const SOFT: Self = Self {
        seconds: 0.01,
        size: 0.03,
    };
    /// Notes that are there at once.
    pub(super) const SHARP: Self = Self {
        seconds: 0.01,
        size: 1.0,
    };
    /// Drums: noise, and pitches that fall by octaves. No click can be told from that.
    pub(super) const STRUCK: Self = Self {
        seconds: 0.12,
        size: f32::INFINITY,
    };
    /// A parameter that jumps: of bells, all partials may change their places at once.
    pub(super) const JUMP: Self = Self {
        seconds: 0.12,
        size: f32::INFINITY,
    };
    /// Another patch, a wheel or a pedal. When exactly is not known beforehand.
    pub(super) const CHANGE: Self = Self {
        seconds: 0.12,
        size: 1.0,
    };
    /// What LFOs that jump otherwise do as long as a note sounds.
    const RESTLESS: f32 = 0.15;
    /// What delays that glide make of sound near the top, likewise: of a drum's noise, at most.
    const SWIRL: f32 = 0.2;
    /// How long echoes are loud enough to be told from silence, in seconds.
    const ECHOES: f64 = 4.0;

    /// Attacks below this are sharp, in seconds.
    const QUICK: f32 = 0.02;
    /// How far apart the generator's keys are at most, in octaves.
    const WIDEST: f64 = 5.0;
    /// A pitch envelope above this is a drum's, in semitones.
    const FALL: f32 = 6.0;
    /// LFOs that jump by more than this begin the note anew: in decibels, and in semitones.
    const STUTTER: f32 = 6.0;
    const TRILL: f32 = 1.0;

    /// That of a patch's notes.
    pub(super) fn of(patch: &Patch) -> Self {
        let mut sharpness = match falls(patch) {
            true => Self::STRUCK,
            false if patch.values[Param::Env1Attack] < Self::QUICK => Self::SHARP,
            false => Self::SOFT,
        };
        // Gliding notes spill over as long as they glide.
        let by_rate = patch.values[Param::PitchGlideMode] as usize % 2 == 1;
        let octaves = if by_rate { Self::WIDEST } else { 1.0 };
        sharpness.seconds += 1.5 * octaves * f64::from(patch.values[Param::PitchGlide]);
        sharpness
    }

    /// That of their ends: some fall back to the note before.
    pub(super) fn let_go(self) -> Self {
        Self {
            size: self.size.min(Self::SHARP.size),
            ..self
        }
    }

    /// What a note of `length` seconds does as long as it sounds.
    pub(super) fn throughout(patch: &Patch, length: f64) -> Option<Self> {
        let on = |switch: Param| patch.values[switch] != 0.0;
        let echoes = on(Param::DelayOn) && Self::of(patch) != Self::SOFT;
        let size = if on(Param::DriveOn) || falls(patch) {
            // What is overdriven fills the band up to its top, and so does a drum's noise.
            f32::INFINITY
        } else if on(Param::ArpMode) || echoes || stutters(patch) {
            // Keys that are held play notes of their own, and what begins sharply is heard again.
            Self::SHARP.size
        } else if on(Param::ChorusOn) || on(Param::FlangerOn) {
            Self::SWIRL
        } else if jumps(patch).next().is_some() {
            Self::RESTLESS
        } else {
            return None;
        };
        let release = f64::from(patch.values[Param::Env1Release]);
        let seconds = length + release + if echoes { Self::ECHOES } else { 0.0 };
        Some(Self { seconds, size })
    }
}

/// Whether an envelope throws the pitch down, as drums do.
fn falls(patch: &Patch) -> bool {
    patch.routes.iter().any(|route| {
        let envelope = matches!(
            route.source,
            Source::Env1 | Source::Env2 | Source::Env3 | Source::Env4
        );
        envelope && route.target == Param::PitchTune && route.amount.abs() > Sharpness::FALL
    })
}

/// Whether an LFO cuts its notes into many.
fn stutters(patch: &Patch) -> bool {
    jumps(patch).any(|route| match route.target {
        Param::AmpLevel => route.amount.abs() > Sharpness::STUTTER,
        Param::PitchTune => route.amount.abs() > Sharpness::TRILL,
        _ => false,
    })
}

/// Routes of LFOs that jump.
fn jumps(patch: &Patch) -> impl Iterator<Item = &Route> {
    /// Shapes that do not jump: sine, triangle and drift, as the table of parameters has them.
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
    fn pads_are_soft_strings_are_sharp_and_drums_are_struck() {
        let of = |name| Sharpness::of(factory::find(name).unwrap());
        assert_eq!(of("Aurora"), Sharpness::SOFT);
        assert_eq!(of("Steel String"), Sharpness::SHARP);
        assert_eq!(of("Skin and Shell"), Sharpness::STRUCK);
        assert!(of("Solar Lead").seconds > 0.1, "it glides");
        let throughout = |name| Sharpness::throughout(factory::find(name).unwrap(), 1.0);
        assert!(throughout("Throat Bass").is_some_and(|long| long.seconds > 1.0));
        assert_eq!(throughout("Aurora"), None);
        let size = |name| throughout(name).map(|long| long.size);
        assert_eq!(size("Glass Cracks"), Some(Sharpness::SHARP.size));
        assert_eq!(
            size("Square Deal"),
            Some(Sharpness::SHARP.size),
            "it trills"
        );
        assert_eq!(size("Skin and Shell"), Some(f32::INFINITY));
    }
}
