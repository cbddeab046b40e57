//! Spectral dynamics: what is done to the level of a partial because of what it is. Contrast raises
//! levels to a power, a gate silences the quiet ones, and smeared levels take their time.

use super::{Cloud, math};
use crate::dsp::fast::exp2;
use crate::simd::Simd;

/// A contrast of so much is a power of one more.
pub const CONTRAST_UNIT: f32 = 8_192.0;

/// So many steps halve what [`part_of`] tells.
const STEPS: f32 = 4_096.0;

/// What is left of a smeared level becomes silence here, or it would go on for ever: -180 dB.
const NOTHING: f32 = 1e-9;

/// A number from 1 down to `2^-16`, which clouds hold in two bytes: its logarithm.
#[inline(always)]
pub fn part_of(steps: u16) -> f32 {
    exp2(f32::from(steps) * (-1.0 / STEPS))
}

/// The steps of a number from 0 to 1; see [`part_of`].
pub fn steps_of(part: f32) -> u16 {
    (-STEPS * part.max(1e-6).log2() + 0.5) as u16
}

/// Bits of a cloud's flags below those of its loudest level, and steps of these from octave to octave.
const LOUDEST_BIT: u32 = 3;
const LOUDEST_STEPS: f32 = 4.0;

/// What marks a cloud whose table has `loudest` as its loudest level: about that is left as it is by
/// contrast, so that no gain has to make up for it.
pub fn loudest_flags(loudest: f32) -> u8 {
    let steps = -LOUDEST_STEPS * loudest.max(1e-6).log2();
    (steps.round().clamp(0.0, 31.0) as u8) << LOUDEST_BIT
}

/// The power that contrast raises levels to, and the power of two that these are multiplied with then.
#[inline(always)]
pub fn contrast_of(cloud: &Cloud) -> (f32, f32) {
    let more = f32::from(cloud.contrast) / CONTRAST_UNIT;
    let loudest = f32::from(cloud.flags >> LOUDEST_BIT) / -LOUDEST_STEPS;
    (1.0 + more, -more * loudest)
}

/// A level of the table, with more or less contrast to the others.
#[inline(always)]
pub(super) fn contrasted<S: Simd>(s: S, cloud: &Cloud, level: S::F) -> S::F {
    let (power, gain) = contrast_of(cloud);
    let octaves = s.fma(math::log2_exact(s, level), s.splat(power), s.splat(gain));
    math::exp2(s, octaves)
}

/// Silent below the threshold, as it is from twice that on, a ramp in between.
#[inline(always)]
pub(super) fn gated<S: Simd>(s: S, cloud: &Cloud, level: S::F) -> S::F {
    let above = s.fma(level, s.splat(1.0 / part_of(cloud.gate)), s.splat(-1.0));
    s.mul(level, s.min(s.max(above, s.splat(0.0)), s.splat(1.0)))
}

/// Where a level comes to in this tick that was `from` and is to be `to`. `fade` is what Nyquist
/// leaves of it: what is held must not stay behind there.
#[inline(always)]
pub fn smeared<S: Simd>(s: S, smear: u16, from: S::F, to: S::F, fade: S::F) -> S::F {
    // At its end the level is held for good.
    let step = if smear == u16::MAX {
        0.0
    } else {
        part_of(smear)
    };
    let level = s.mul(s.fma(s.sub(to, from), s.splat(step), from), fade);
    match smear == u16::MAX {
        true => level,
        false => s.max(s.sub(level, s.splat(NOTHING)), s.splat(0.0)),
    }
}
