//! The bit crusher: rounds samples to a few bits, at a lower sample rate.
//!
//! Neither step is band-limited: aliasing and the stairs of the rounding are what the effect is for.

use super::ramp::Glide;
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;

#[derive(Debug)]
pub(super) struct Crusher {
    // Signal state: the last input and the sample that is held, of left and right.
    last: [f32; 2],
    held: [f32; 2],
    /// Lowered samples since the last one was taken.
    phase: f32,
    // Parameters.
    step: Glide,
    rate: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Crusher {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            last: [0.0; 2],
            held: [0.0; 2],
            phase: 1.0,
            step: Glide::default(),
            rate: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Crusher {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        // Full scale is from -1 to 1.
        let mut step = self.step.ramp((1.0 - values[Param::CrusherBits]).exp2());
        let mut rate = self.rate.ramp((values[Param::CrusherRate] / self.sample_rate).min(1.0));
        let mut mix = self.mix.ramp(values[Param::CrusherMix]);
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let (step, rate, mix) = (step.next(), rate.next(), mix.next());
            let input = [*left, *right];
            self.phase += rate;
            if self.phase >= 1.0 {
                self.phase -= 1.0;
                // The sample is due between two of the input.
                let ago = (self.phase / rate).min(1.0);
                for (side, held) in self.held.iter_mut().enumerate() {
                    let due = input[side] + (self.last[side] - input[side]) * ago;
                    *held = (due / step).round() * step;
                }
            }
            self.last = input;
            *left += (self.held[0] - *left) * mix;
            *right += (self.held[1] - *right) * mix;
        }
    }

    fn memory(&self, values: &EffectValues) -> usize {
        (self.sample_rate / values[Param::CrusherRate]) as usize + TICK
    }
}
