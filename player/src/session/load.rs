//! A constant load for measurements: a number of held voices, each with unison copies of a number of partials.

use myriad_engine::params::Param;
use myriad_engine::{EventKind, Patch};
use myriad_live::stream::Control;
use std::str::FromStr;

/// The value of `--load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub voices: usize,
    /// Unison copies of each voice.
    pub copies: usize,
    /// Of each copy.
    pub partials: usize,
}

impl Load {
    const MOST_VOICES: usize = 4_096;
    const MOST_COPIES: usize = 16;
    const MOST_PARTIALS: usize = 1_024;
    const USUAL_PARTIALS: usize = 64;
    /// Of an engine.
    const MOST_CLOUDS: usize = 65_536;
    /// Of a part.
    const VOICES_A_PART: usize = 1_024;
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str, most: usize, what: &str| match text.trim().parse() {
            Ok(count) if (1..=most).contains(&count) => Ok(count),
            _ => Err(format!("{what} go from 1 to {most}")),
        };
        let parts: Vec<&str> = text.split(['x', '×']).collect();
        let (voices, copies, partials) = match parts[..] {
            [voices] => (voices, None, None),
            [voices, partials] => (voices, None, Some(partials)),
            [voices, copies, partials] => (voices, Some(copies), Some(partials)),
            _ => return Err("give VOICES, VOICESxPARTIALS or VOICESxCOPIESxPARTIALS".to_owned()),
        };
        let load = Self {
            voices: number(voices, Self::MOST_VOICES, "voices")?,
            copies: copies.map_or(Ok(1), |text| number(text, Self::MOST_COPIES, "copies"))?,
            partials: partials.map_or(Ok(Self::USUAL_PARTIALS), |text| {
                number(text, Self::MOST_PARTIALS, "partials")
            })?,
        };
        match load.clouds() <= Self::MOST_CLOUDS {
            true => Ok(load),
            false => Err(format!("voices times copies go up to {}", Self::MOST_CLOUDS)),
        }
    }
}

impl Load {
    /// Clouds of all voices.
    pub fn clouds(self) -> usize {
        self.voices * self.copies
    }

    /// Parts that share the voices.
    pub fn parts(self) -> usize {
        self.voices.div_ceil(Self::VOICES_A_PART)
    }

    /// The most voices of a part.
    pub fn voices_a_part(self) -> usize {
        self.voices.min(Self::VOICES_A_PART)
    }

    /// `patch` with the voices, copies and partials of the load, without decay, and with all voices together about as
    /// loud as one.
    pub fn patch(self, patch: &Patch) -> Patch {
        let mut patch = patch.clone();
        let quieter = 10.0 * (self.voices as f32).log10();
        let level = patch.values[Param::AmpLevel] - quieter;
        for (param, value) in [
            (Param::SourcePartials, self.partials as f32),
            (Param::VoiceLimit, self.voices_a_part() as f32),
            (Param::VoiceMode, 0.0),
            (Param::VoiceRetrigger, 0.0),
            (Param::UnisonVoices, self.copies as f32),
            (Param::DecayRate, 0.0),
            (Param::Env1Sustain, 1.0),
            (Param::PitchTranspose, 0.0),
            (Param::AmpLevel, level),
        ] {
            patch.values.set(param, value);
        }
        patch
    }

    /// An octave or two of low keys, so that every partial lies below Nyquist and is rendered.
    fn keys(self) -> std::ops::Range<u8> {
        match self.partials <= 256 {
            true => 12..36,
            // Up to 18.4 Hz.
            false => 3..15,
        }
    }

    /// The velocity of its notes.
    pub const VELOCITY: f32 = 0.8;

    /// The notes that start the voices within a second, on repeated keys: the frame and the key of each.
    pub fn notes(self, sample_rate: f32) -> impl Iterator<Item = (u64, u8)> {
        let step = f64::from(sample_rate) / self.voices as f64;
        let frames = (0..self.voices).map(move |index| (index as f64 * step) as u64);
        frames.zip(self.keys().cycle())
    }

    /// Starts the voices in parts from `first_part` on.
    pub fn press(self, control: &Control, first_part: u8) {
        let now = control.time();
        for (index, (frame, key)) in self.notes(control.sample_rate()).enumerate() {
            let part = first_part + (index / Self::VOICES_A_PART) as u8;
            let velocity = Self::VELOCITY;
            control.send_at(now + frame, part, EventKind::NoteOn { key, velocity });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_parsed() {
        let load = |voices, copies, partials| Ok(Load { voices, copies, partials });
        assert_eq!("1024x64".parse(), load(1024, 1, 64));
        assert_eq!("12".parse(), load(12, 1, 64));
        assert_eq!("3×1024".parse(), load(3, 1, 1024));
        assert_eq!("1600x16x1024".parse(), load(1600, 16, 1024));
        for wrong in
            ["", "x64", "0", "5000", "1x0", "1x2000", "1x17x64", "4096x16x1x1", "one", "-1"]
        {
            assert!(wrong.parse::<Load>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_share_the_voices() {
        let load = |voices| Load { voices, copies: 2, partials: 64 };
        assert_eq!([load(1).parts(), load(1_024).parts(), load(1_025).parts()], [1, 1, 2]);
        assert_eq!((load(3_000).voices_a_part(), load(3_000).clouds()), (1_024, 6_000));
    }
}
