//! The compressor: reduces the level above a threshold, by a ratio, with a soft knee.
//!
//! The gain is computed in decibels and smoothed there, with separate attack and release
//! (Giannoulis, Massberg and Reiss, "Digital Dynamic Range Compressor Design", JAES 2012). Both
//! channels have the gain of the louder one, which keeps the stereo image.

use super::ramp::{Glide, amplitude};
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;

/// Decibels of a power of two.
pub(super) const DB_PER_LOG2: f32 = 6.020_6;

#[derive(Debug)]
pub(super) struct Compressor {
    // Signal state: gain reduction in decibels, with the release alone and with the attack too.
    releasing: f32,
    reduction: f32,
    // Parameters.
    gain: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Compressor {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            releasing: 0.0,
            reduction: 0.0,
            gain: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

/// Gain reduction in decibels for a level `over` decibels above the threshold.
#[inline(always)]
pub(crate) fn excess(over: f32, slope: f32, knee: f32) -> f32 {
    let into = (over + 0.5 * knee).clamp(0.0, knee);
    let bend = into * into / (2.0 * knee.max(1e-3));
    slope * (bend + (over - 0.5 * knee).max(0.0))
}

impl Effect for Compressor {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        let threshold = values[Param::CompressorThreshold];
        let slope = 1.0 - 1.0 / values[Param::CompressorRatio];
        let knee = values[Param::CompressorKnee];
        let step = |seconds: f32| 1.0 - (-1.0 / (seconds * self.sample_rate)).exp();
        let attack = step(values[Param::CompressorAttack]);
        let release = step(values[Param::CompressorRelease]);
        let mut gain = self.gain.ramp(amplitude(values[Param::CompressorGain]));
        let mut mix = self.mix.ramp(values[Param::CompressorMix]);
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let peak = left.abs().max(right.abs()).max(1e-9);
            let wanted = excess(DB_PER_LOG2 * peak.log2() - threshold, slope, knee);
            self.releasing += (wanted - self.releasing) * release;
            self.releasing = self.releasing.max(wanted);
            self.reduction += (self.releasing - self.reduction) * attack;
            let wet = gain.next() * (-self.reduction / DB_PER_LOG2).exp2();
            let factor = 1.0 + (wet - 1.0) * mix.next();
            *left *= factor;
            *right *= factor;
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_smooth_and_ends_on_the_ratio() {
        let slope = 0.75;
        assert_eq!(excess(-3.1, slope, 6.0), 0.0);
        assert!((excess(12.0, slope, 6.0) - 9.0).abs() < 1e-5);
        assert!((excess(3.0, slope, 6.0) - excess(3.01, slope, 6.0)).abs() < 0.02);
        assert!((excess(12.0, slope, 0.0) - 9.0).abs() < 1e-3);
    }
}
