//! The chorus: three modulated delays for each side.

use super::line::DelayLine;
use super::ramp::{Glide, Ramp};
use super::sweep::Sweep;
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;

const VOICES: usize = 3;
/// Mean delay, and the modulation at full depth.
const LATE_SECONDS: f32 = 0.011;
const SWAY_SECONDS: f32 = 0.006;

#[derive(Debug)]
pub(super) struct Chorus {
    // Signal state.
    lines: [DelayLine; 2],
    sweep: Sweep,
    delays: [[Glide; VOICES]; 2],
    // Parameters.
    mix: Glide,
    sample_rate: f32,
}

impl Chorus {
    pub(super) fn new(sample_rate: f32) -> Self {
        let longest = ((LATE_SECONDS + SWAY_SECONDS) * sample_rate) as usize + 2;
        Self {
            lines: std::array::from_fn(|_| DelayLine::new(longest)),
            sweep: Sweep::default(),
            delays: Default::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Chorus {
    fn reset(&mut self) {
        self.lines.iter_mut().for_each(DelayLine::reset);
        self.sweep = Sweep::default();
        self.delays = Default::default();
        self.mix.reset();
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        self.sweep.tick(values[Param::ChorusRate], self.sample_rate);
        let mix = self.mix.ramp(values[Param::ChorusMix]);
        let sway = values[Param::ChorusDepth] * SWAY_SECONDS;
        for (side, sound) in sound.iter_mut().enumerate() {
            let turned = side as f32 * 0.25 * values[Param::ChorusWidth];
            let mut delays: [Ramp; VOICES] = std::array::from_fn(|voice| {
                let turns = voice as f32 / VOICES as f32 + turned;
                let late = LATE_SECONDS + sway * self.sweep.at(turns);
                self.delays[side][voice].ramp((late * self.sample_rate).max(1.0))
            });
            let (mut mix, line) = (mix, &mut self.lines[side]);
            for sample in sound {
                line.push(*sample);
                let voices = delays.iter_mut().map(|delay| line.tap_between(delay.next()));
                // Three uncorrelated signals are as loud as the square root of three.
                let wet = voices.sum::<f32>() * 0.577;
                *sample += (wet - *sample) * mix.next();
            }
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        ((LATE_SECONDS + SWAY_SECONDS) * self.sample_rate) as usize
    }
}
