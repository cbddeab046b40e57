//! Spectral dynamics: changes of a partial's level that depend on the level. Contrast raises levels to
//! a power, a gate silences quiet ones, and smear makes levels follow slowly.

use super::{Cloud, math};
use crate::dsp::fast::exp2;
use crate::simd::Simd;

/// This contrast raises the power by one.
pub const CONTRAST_UNIT: f32 = 8_192.0;

/// This many steps halve the result of [`part_of`].
const STEPS: f32 = 4_096.0;

/// A smeared level below this becomes zero, or it would never end: -180 dB.
const NOTHING: f32 = 1e-9;

/// A number from 1 down to `2^-16`, which clouds store in two bytes as its logarithm.
#[inline(always)]
pub fn part_of(steps: u16) -> f32 {
    exp2(f32::from(steps) * (-1.0 / STEPS))
}

/// The steps of a number from 0 to 1; see [`part_of`].
pub fn steps_of(part: f32) -> u16 {
    (-STEPS * part.max(1e-6).log2() + 0.5) as u16
}

/// The shift of the loudest level in a cloud's flags, and its steps per octave.
const LOUDEST_BIT: u32 = 3;
const LOUDEST_STEPS: f32 = 4.0;

/// The flags of a cloud whose table has `loudest` as its loudest level: contrast leaves about that level
/// unchanged, so that no gain has to compensate.
pub fn loudest_flags(loudest: f32) -> u8 {
    let steps = -LOUDEST_STEPS * loudest.max(1e-6).log2();
    (steps.round().clamp(0.0, 31.0) as u8) << LOUDEST_BIT
}

/// The power that contrast raises levels to, and the gain afterwards as a power of two.
#[inline(always)]
pub fn contrast_of(cloud: &Cloud) -> (f32, f32) {
    let more = f32::from(cloud.contrast) / CONTRAST_UNIT;
    let loudest = f32::from(cloud.flags >> LOUDEST_BIT) / -LOUDEST_STEPS;
    (1.0 + more, -more * loudest)
}

/// A level of the table, raised to the power of the contrast.
#[inline(always)]
pub(super) fn contrasted<S: Simd>(s: S, cloud: &Cloud, level: S::F) -> S::F {
    let (power, gain) = contrast_of(cloud);
    let octaves = s.fma(math::log2_exact(s, level), s.splat(power), s.splat(gain));
    math::exp2(s, octaves)
}

/// Zero below the threshold, unchanged above twice the threshold, a ramp in between.
#[inline(always)]
pub(super) fn gated<S: Simd>(s: S, cloud: &Cloud, level: S::F) -> S::F {
    let above = s.fma(level, s.splat(1.0 / part_of(cloud.gate)), s.splat(-1.0));
    s.mul(level, s.min(s.max(above, s.splat(0.0)), s.splat(1.0)))
}

/// The level at the end of this tick, on its way from `from` to `to`. `fade` is the fade towards
/// Nyquist, which also applies to a level that is held.
#[inline(always)]
pub fn smeared<S: Simd>(s: S, smear: u16, from: S::F, to: S::F, fade: S::F) -> S::F {
    // At the maximum the level is held forever.
    let step = if smear == u16::MAX { 0.0 } else { part_of(smear) };
    let level = s.mul(s.fma(s.sub(to, from), s.splat(step), from), fade);
    match smear == u16::MAX {
        true => level,
        false => s.max(s.sub(level, s.splat(NOTHING)), s.splat(0.0)),
    }
}
