//! The limiter: keeps the level below the ceiling, without latency.
//!
//! It has no look-ahead, so it adds no latency. A peak reduces the gain at once, exactly to the
//! ceiling; the gain is then held for half a period of low notes, and recovers.

use super::ramp::{Glide, amplitude};
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;

/// Half a period of the lowest notes, so that the gain does not follow their waveform.
const HOLD_SECONDS: f32 = 0.012;

#[derive(Debug)]
pub(super) struct Ceiling {
    // Signal state.
    envelope: f32,
    held: usize,
    // Parameters.
    gain: Glide,
    ceiling: Glide,
    sample_rate: f32,
}

impl Ceiling {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            envelope: 0.0,
            held: 0,
            gain: Glide::default(),
            ceiling: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Ceiling {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        let release = (-1.0 / (values[Param::LimiterRelease] * self.sample_rate)).exp();
        let hold = (HOLD_SECONDS * self.sample_rate) as usize;
        let mut gain = self.gain.ramp(amplitude(values[Param::LimiterGain]));
        let mut ceiling = self.ceiling.ramp(amplitude(values[Param::LimiterCeiling]));
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let (gain, ceiling) = (gain.next(), ceiling.next());
            let peak = gain * left.abs().max(right.abs());
            if peak >= self.envelope {
                (self.envelope, self.held) = (peak, hold);
            } else if self.held > 0 {
                self.held -= 1;
            } else {
                self.envelope = (self.envelope * release).max(peak);
            }
            let factor = gain * (ceiling / self.envelope.max(ceiling));
            *left *= factor;
            *right *= factor;
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK
    }
}
