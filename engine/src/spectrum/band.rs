//! Bands: partials that are narrow bands of noise instead of sines, as in PADsynth, but in real time.
//!
//! A partial's pitch and level change randomly. Their values at a tick's end are interpolated between
//! the points of a lattice, whose heights are hashes of seed, partial and point: the same on every
//! machine, whatever the block sizes. A wider band moves further and faster, so that its noise keeps
//! its colour. With the numbers below a band is bell-shaped, as wide at half its power as asked for,
//! and 40 dB down at twice that distance from its middle.

use super::{Cloud, math, number, of_fraction};
use crate::simd::Simd;

/// The largest pitch deviation in bandwidths; most values are near the middle.
const REACH: f32 = 1.25;

/// The largest width as a fraction of the pitch, so that no band reaches zero.
const WIDEST: f32 = 0.6;

/// Compensates the average power that random levels between 0 and 1 lose.
const MAKE_UP: f32 = 1.8;

/// Levels change fully from this bandwidth on, three cents, and less below: a sine is constant.
const FULL: f32 = 0.001_734;

/// Bits of a position between two points of the lattice, and of a speed below 1.
const FRACTION: i32 = 20;
const SPEED: f32 = 64.0;

/// The speed of the noise takes steps of the growth: a continuous change would make the position of
/// a long note jump.
const STEPS: f32 = 4.0;

/// Sixteen bands of `cloud` around `frequency`: their present frequencies, and the factors of their
/// levels. `noise` is the depth of both for each band, 1 where absent.
#[inline(always)]
pub(super) fn wander<S: Simd>(
    s: S,
    cloud: &Cloud,
    log2_ratio: S::F,
    noise: Option<S::F>,
    group: usize,
    frequency: S::F,
) -> (S::F, S::F) {
    let own = own_hash(s, cloud, group);
    let band_growth = of_fraction(cloud.band_growth);
    let steps = (band_growth * STEPS + 0.5) as u32 as f32 / STEPS;
    let speed = math::exp2_exact(s, s.mul(log2_ratio, s.splat(steps)));
    let position = s.mul_u(s.f_to_u(s.mul(speed, s.splat(SPEED))), s.splat_u(cloud.band_clock));
    let position = s.add_u(position, own);
    let between = s.i_to_f(s.shr_u::<{ 32 - FRACTION }>(s.shl_u::<{ 32 - FRACTION }>(position)));
    let between = s.mul(between, s.splat(1.0 / (1 << FRACTION) as f32));
    // Smoothstep, 3x² - 2x³: flat at both ends.
    let bent = s.sub(s.splat(3.0), s.add(between, between));
    let way = s.mul(s.mul(between, between), bent);

    let here = point(s, own, position);
    let next = point(s, own, s.add_u(position, s.splat_u(1 << FRACTION)));
    let mixed = |a: S::F, b: S::F| s.add(a, s.mul(s.sub(b, a), way));

    let growth = math::exp2_exact(s, s.mul(log2_ratio, s.splat(band_growth)));
    let width = s.mul(growth, s.splat(cloud.bandwidth * cloud.increment));
    let mut width = s.min(width, s.mul(frequency, s.splat(WIDEST)));
    let aside = s.mul(mixed(lean(s, here), lean(s, next)), s.splat(REACH / 255.0));

    let level = mixed(s.i_to_f(s.shr_u::<16>(here)), s.i_to_f(s.shr_u::<16>(next)));
    let mut depth = s.splat((cloud.bandwidth / FULL).min(1.0));
    if let Some(noise) = noise {
        (width, depth) = (s.mul(width, noise), s.mul(depth, noise));
    }
    let away = s.fma(level, s.splat(MAKE_UP / 65_535.0), s.splat(-1.0));
    let level = s.fma(away, depth, s.splat(1.0));
    (s.add(frequency, s.mul(width, aside)), level)
}

/// A hash that differs for every partial.
#[inline(always)]
pub(super) fn own_hash<S: Simd>(s: S, cloud: &Cloud, group: usize) -> S::U {
    let number = s.f_to_u(number(s, group));
    let x = s.add_u(number, s.splat_u(cloud.seed));
    math::hash(s, s.mul_u(x, s.splat_u(0x9E37_79B1)))
}

/// The lattice's point below a position.
#[inline(always)]
fn point<S: Simd>(s: S, own: S::U, position: S::U) -> S::U {
    let index = s.shr_u::<FRACTION>(position);
    math::hash(s, s.add_u(own, s.mul_u(index, s.splat_u(0x85EB_CA6B))))
}

/// The sum of two bytes of a point, -255 to 255: most often near zero.
#[inline(always)]
fn lean<S: Simd>(s: S, point: S::U) -> S::F {
    let low = s.shr_u::<24>(s.shl_u::<24>(point));
    let high = s.shr_u::<24>(s.shl_u::<16>(point));
    s.i_to_f(s.sub_u(s.add_u(low, high), s.splat_u(255)))
}
