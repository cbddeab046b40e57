//! The sine bank: sixteen oscillators a group, a few groups side by side.
//!
//! A sine advances by the delta form of the two-term recurrence, `d -= k y; y += d` with
//! `k = 4 sin²(w/2)`: two dependent operations a sample, and, unlike the Chebyshev form
//! `y' = 2cos(w) y - y''`, exact for low pitches in single precision. With the ramp of the level
//! and its product that is four operations for sixteen partials and a sample, which is the
//! limit: two cycles on a machine with two 512-bit ports.

use crate::render::TICK;
use crate::simd::{F32x16, Simd};
use crate::spectrum::math::{cosine, four_sine_squared, sine};

/// The most groups that are advanced together.
pub const MAX_SIDE_BY_SIDE: usize = 8;

/// Sixteen oscillators at the start of a tick.
#[derive(Clone, Copy)]
pub struct Oscillators<S: Simd> {
    // Signal.
    y: S::F,
    d: S::F,
    level: S::F,
    // Parameters.
    k: S::F,
    level_step: S::F,
}

impl<S: Simd> Oscillators<S> {
    /// Silence.
    #[inline(always)]
    pub fn silent(s: S) -> Self {
        let zero = s.splat(0.0);
        Self {
            y: zero,
            d: zero,
            level: zero,
            k: zero,
            level_step: zero,
        }
    }

    /// Sines at `phase`, turning by `increment` a sample, levels leading from `from` to `to` in
    /// `1 / step` samples.
    #[inline(always)]
    pub fn seed(s: S, phase: S::U, increment: S::U, from: S::F, to: S::F, step: S::F) -> Self {
        let half_angle = s.mul(s.i_to_f(increment), s.splat(1.0 / (1u32 << 31) as f32));
        let k = four_sine_squared(s, half_angle);
        // sin(θ) - sin(θ - w) = 2 sin(w/2) cos(θ - w/2), and 2 sin(w/2) is the root of k.
        let middle = s.sub_u(phase, s.shr_u::<1>(increment));
        Self {
            y: sine(s, phase),
            d: s.mul(s.sqrt(k), cosine(s, middle)),
            level: from,
            k,
            level_step: s.mul(s.sub(to, from), step),
        }
    }
}

/// Adds one tick of `groups` to `sum`: lane i of `sum[t]` is the sum of all lanes i at frame t.
/// Where nothing has been added yet (`FIRST`), replaces what is there.
#[inline(always)]
pub fn advance<S: Simd, const FIRST: bool>(
    s: S,
    groups: &[Oscillators<S>],
    sum: &mut [F32x16; TICK],
) {
    macro_rules! by_count {
        ($($count:literal),*) => {
            match groups.len() {
                $($count => side_by_side::<S, $count, FIRST>(s, groups, sum),)*
                _ => {}
            }
        };
    }
    by_count!(1, 2, 3, 4, 5, 6, 7, 8);
}

#[inline(always)]
fn side_by_side<S: Simd, const N: usize, const FIRST: bool>(
    s: S,
    groups: &[Oscillators<S>],
    sum: &mut [F32x16; TICK],
) {
    let mut groups: [Oscillators<S>; N] = std::array::from_fn(|i| groups[i]);
    for frame in sum {
        let mut mix = if FIRST { s.splat(0.0) } else { s.load(frame) };
        for o in &mut groups {
            mix = s.fma(o.level, o.y, mix);
            o.d = s.fnma(o.k, o.y, o.d);
            o.y = s.add(o.y, o.d);
            o.level = s.add(o.level, o.level_step);
        }
        s.store(mix, frame);
    }
}
