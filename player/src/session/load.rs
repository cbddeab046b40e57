//! A constant load for measurements: a number of held voices, each with a number of partials.

use myriad_engine::params::Param;
use myriad_engine::{EventKind, Patch};
use myriad_live::stream::Control;
use std::str::FromStr;

/// The keys that are held: low ones, so that every partial lies below Nyquist and is rendered.
const KEYS: std::ops::Range<u8> = 12..36;

/// The value of `--load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub voices: usize,
    pub partials: usize,
}

impl Load {
    const MOST_VOICES: usize = 1_024;
    const MOST_PARTIALS: usize = 1_024;
    const USUAL_PARTIALS: usize = 64;
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (voices, partials) = text.split_once(['x', '×']).unwrap_or((text, ""));
        let number = |text: &str, usual: usize, most: usize, what: &str| match text.trim() {
            "" => Ok(usual),
            text => match text.parse() {
                Ok(count) if (1..=most).contains(&count) => Ok(count),
                _ => Err(format!("{what} go from 1 to {most}")),
            },
        };
        if voices.trim().is_empty() {
            return Err("give VOICES or VOICESxPARTIALS".to_owned());
        }
        Ok(Self {
            voices: number(voices, 0, Self::MOST_VOICES, "voices")?,
            partials: number(partials, Self::USUAL_PARTIALS, Self::MOST_PARTIALS, "partials")?,
        })
    }
}

impl Load {
    /// `patch` with the voices and partials of the load, without unison and decay, and with all voices
    /// together about as loud as one.
    pub fn patch(self, patch: &Patch) -> Patch {
        let mut patch = patch.clone();
        let quieter = 10.0 * (self.voices as f32).log10();
        let level = patch.values[Param::AmpLevel] - quieter;
        for (param, value) in [
            (Param::SourcePartials, self.partials as f32),
            (Param::VoiceLimit, self.voices as f32),
            (Param::VoiceMode, 0.0),
            (Param::VoiceRetrigger, 0.0),
            (Param::UnisonVoices, 1.0),
            (Param::DecayRate, 0.0),
            (Param::Env1Sustain, 1.0),
            (Param::PitchTranspose, 0.0),
            (Param::AmpLevel, level),
        ] {
            patch.values.set(param, value);
        }
        patch
    }

    /// Starts the voices within a second, on repeated keys.
    pub fn press(self, control: &Control, part: u8) {
        let now = control.time();
        let step = f64::from(control.sample_rate()) / self.voices as f64;
        for (index, key) in (0..self.voices).zip(KEYS.cycle()) {
            let time = now + (index as f64 * step) as u64;
            control.send_at(time, part, EventKind::NoteOn { key, velocity: 0.8 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_parsed() {
        let load = |voices, partials| Ok(Load { voices, partials });
        assert_eq!("1024x64".parse(), load(1024, 64));
        assert_eq!("12".parse(), load(12, 64));
        assert_eq!("3×1024".parse(), load(3, 1024));
        for wrong in ["", "x64", "0", "2000", "1x0", "1x2000", "one", "-1"] {
            assert!(wrong.parse::<Load>().is_err(), "{wrong}");
        }
    }
}
