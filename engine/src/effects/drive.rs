//! Drive: a waveshaper at eight times the sample rate.
//!
//! In addition, the curves are averaged between samples (antiderivative antialiasing: Parker,
//! Zavalishin and Le Bivic, DAFx 2016), so that aliasing is far below the sound.

use super::oversample::{FACTOR, Resampler};
use super::ramp::{Glide, amplitude};
use super::{Effect, EffectContext, EffectValues, GONE, Stereo};
use crate::params::Param;
use crate::render::TICK;
use std::f32::consts::TAU;

/// The level at which the loudness does not depend on the drive: that of a few notes.
const REFERENCE: f32 = 0.1;
/// Offset of the warm curve from its centre.
const BIAS: f32 = 0.6;
/// Cutoff of the high-pass that removes the DC of the warm curve.
const BLOCKED_HZ: f32 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    Soft,
    Warm,
    Hard,
    Fold,
}

impl Curve {
    /// In the order of the parameter's names.
    const ALL: [Curve; 4] = [Curve::Soft, Curve::Warm, Curve::Hard, Curve::Fold];

    /// The mean of the curve between two samples.
    #[inline(always)]
    fn mean(self, a: f32, b: f32) -> f32 {
        match self {
            Curve::Soft => soft_mean(a, b),
            Curve::Warm => soft_mean(a + BIAS, b + BIAS) - BIAS / (1.0 + BIAS * BIAS).sqrt(),
            Curve::Hard => {
                let area = |x: f32| match x.abs() {
                    far if far > 1.0 => far - 0.5,
                    _ => 0.5 * x * x,
                };
                match (a - b).abs() < 1e-3 {
                    true => (0.5 * (a + b)).clamp(-1.0, 1.0),
                    false => (area(a) - area(b)) / (a - b),
                }
            }
            Curve::Fold => {
                let half = 0.5 * (a - b);
                let spread = match half.abs() < 1e-2 {
                    true => 1.0 - half * half / 6.0,
                    false => half.sin() / half,
                };
                (0.5 * (a + b)).sin() * spread
            }
        }
    }

    /// The gain with which the reference level stays the same.
    fn make_up(self, gain: f32) -> f32 {
        let driven = self.mean(gain * REFERENCE, gain * REFERENCE).abs();
        REFERENCE / driven.max(0.5 * REFERENCE)
    }
}

/// Output for a constant input `level` driven by `amount_db`, without tone and mix.
pub(crate) fn bent(kind: usize, amount_db: f32, level: f32) -> f32 {
    let curve = Curve::ALL[kind.min(Curve::ALL.len() - 1)];
    let gain = amplitude(amount_db);
    curve.make_up(gain) * curve.mean(gain * level, gain * level)
}

/// The mean of `x / sqrt(1 + x²)`, whose integral is `sqrt(1 + x²)`: the difference quotient of
/// that, in a form without cancellation.
#[inline(always)]
fn soft_mean(a: f32, b: f32) -> f32 {
    (a + b) / ((1.0 + a * a).sqrt() + (1.0 + b * b).sqrt())
}

#[derive(Debug)]
pub(super) struct Drive {
    // Signal state, of left and right.
    up: [Resampler; 2],
    down: [Resampler; 2],
    last: [f32; 2],
    shift: [f32; 2],
    dark: [f32; 2],
    // Parameters.
    gain: Glide,
    make_up: Glide,
    mix: Glide,
    darkness: Glide,
    sample_rate: f32,
}

impl Drive {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            up: std::array::from_fn(|_| Resampler::new()),
            down: std::array::from_fn(|_| Resampler::new()),
            last: [0.0; 2],
            shift: [0.0; 2],
            dark: [0.0; 2],
            gain: Glide::default(),
            make_up: Glide::default(),
            mix: Glide::default(),
            darkness: Glide::default(),
            sample_rate,
        }
    }

    #[inline(always)]
    fn bend(&mut self, curve: Curve, sound: &mut Stereo, values: &EffectValues) {
        let gain = amplitude(values[Param::DriveAmount]);
        let level = amplitude(values[Param::DriveLevel]);
        let lost = curve.make_up(gain);
        let tone = 1.0 - (-TAU * values[Param::DriveTone] / self.sample_rate).exp();
        let block = 1.0 - (-TAU * BLOCKED_HZ / self.sample_rate).exp();
        let ramps = [
            self.gain.ramp(gain),
            self.make_up.ramp(level * lost),
            self.mix.ramp(values[Param::DriveMix]),
            self.darkness.ramp(tone),
        ];
        for (side, sound) in sound.iter_mut().enumerate() {
            let [mut gain, mut make_up, mut mix, mut darkness] = ramps;
            for sample in sound {
                let (gain, make_up, mix) = (gain.next(), make_up.next(), mix.next());
                let mut fine = self.up[side].up(*sample);
                for fine in &mut fine {
                    let driven = gain * *fine;
                    let bent = curve.mean(driven, self.last[side]);
                    self.last[side] = driven;
                    // Dry and wet are downsampled together, so that they stay in phase.
                    *fine += (make_up * bent - *fine) * mix;
                }
                let out = self.down[side].down(fine);
                self.shift[side] += (out - self.shift[side]) * block;
                let out = out - self.shift[side];
                self.dark[side] += (out - self.dark[side]) * darkness.next();
                *sample = self.dark[side];
            }
        }
    }
}

impl Effect for Drive {
    fn reset(&mut self) {
        self.up.iter_mut().for_each(Resampler::reset);
        self.down.iter_mut().for_each(Resampler::reset);
        [self.last, self.shift, self.dark] = [[0.0; 2]; 3];
        for glide in [&mut self.gain, &mut self.make_up, &mut self.mix, &mut self.darkness] {
            glide.reset();
        }
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        // A loop for each curve, so that the branch is outside of it.
        match Curve::ALL[values[Param::DriveType] as usize] {
            Curve::Soft => self.bend(Curve::Soft, sound, values),
            Curve::Warm => self.bend(Curve::Warm, sound, values),
            Curve::Hard => self.bend(Curve::Hard, sound, values),
            Curve::Fold => self.bend(Curve::Fold, sound, values),
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK * FACTOR
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        let slowest = BLOCKED_HZ.min(values[Param::DriveTone]);
        -GONE.ln() / (TAU * slowest)
    }
}
