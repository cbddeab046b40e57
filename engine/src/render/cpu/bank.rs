//! The sine bank: groups of sixteen oscillators, several groups in parallel.
//!
//! A sine advances by the delta form of the two-term recurrence, `d -= k y; y += d` with
//! `k = 4 sin²(w/2)`: two dependent operations per sample, and, unlike the Chebyshev form
//! `y' = 2cos(w) y - y''`, exact for low pitches in single precision. With the ramp of the level
//! and the multiply-add that is four operations per sample for sixteen partials: two cycles on a
//! machine with two 512-bit ports, which is the limit.
//!
//! For WebAssembly the inner loop is a function of its own: browsers' compilers keep few values of a
//! long function in registers, which cost a fifth of the speed.

use crate::render::TICK;
use crate::simd::{F32x16, Simd};
use crate::spectrum::math::{cosine, four_sine_squared, quarter_sine, sine};

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
        Self { y: zero, d: zero, level: zero, k: zero, level_step: zero }
    }

    /// Sines at `phase`, turning by `increment` per sample, with levels from `from` to `to` in
    /// `1 / step` samples. Also returns the steepest step between two samples, 2 sin(w/2).
    #[inline(always)]
    pub fn seed(
        s: S,
        phase: S::U,
        increment: S::U,
        from: S::F,
        to: S::F,
        step: S::F,
    ) -> (Self, S::F) {
        let half_angle = s.mul(s.i_to_f(increment), s.splat(1.0 / (1u32 << 31) as f32));
        let half_sine = quarter_sine(s, half_angle);
        let slope = s.add(half_sine, half_sine);
        let (y, d) = Self::start(s, phase, increment, slope);
        let oscillators = Self {
            y,
            d,
            level: from,
            k: four_sine_squared(s, half_angle),
            level_step: s.mul(s.sub(to, from), step),
        };
        (oscillators, slope)
    }

    /// A sine at `phase`, and its difference to the sample before:
    /// sin(θ) - sin(θ - w) = 2 sin(w/2) cos(θ - w/2).
    #[inline(always)]
    fn start(s: S, phase: S::U, increment: S::U, slope: S::F) -> (S::F, S::F) {
        let middle = s.sub_u(phase, s.shr_u::<1>(increment));
        (sine(s, phase), s.mul(slope, cosine(s, middle)))
    }

    /// Adds the present sample to `mix`, and advances to the next.
    #[inline(always)]
    fn step(&mut self, s: S, mix: S::F) -> S::F {
        let mix = s.fma(self.level, self.y, mix);
        self.d = s.fnma(self.k, self.y, self.d);
        self.y = s.add(self.y, self.d);
        self.level = s.add(self.level, self.level_step);
        mix
    }

    /// The same oscillators half a tick later, seeded again from their `phase` at that time.
    #[inline(always)]
    pub fn half_a_tick_later(&self, s: S, phase: S::U, increment: S::U, slope: S::F) -> Self {
        let (y, d) = Self::start(s, phase, increment, slope);
        Self { y, d, level: s.fma(self.level_step, s.splat(HALF as f32), self.level), ..*self }
    }
}

/// Half a tick.
const HALF: usize = TICK / 2;

/// Adds one tick of `groups` to `sum`: lane i of `sum[t]` is the sum of all lanes i at frame t.
/// With `FIRST`, overwrites `sum`.
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

#[cfg_attr(not(target_arch = "wasm32"), inline(always))]
#[cfg_attr(target_arch = "wasm32", inline(never))]
fn side_by_side<S: Simd, const N: usize, const FIRST: bool>(
    s: S,
    groups: &[Oscillators<S>],
    sum: &mut [F32x16; TICK],
) {
    let mut groups = some::<S, N>(groups);
    for frame in sum {
        let mut mix = if FIRST { s.splat(0.0) } else { s.load(frame) };
        for o in &mut groups {
            mix = o.step(s, mix);
        }
        s.store(mix, frame);
    }
}

/// Replaces `sum` by one tick of two groups at most, each given at the start and half a
/// tick later. So few recurrences do not hide their latency; cut in halves they are twice as many
/// and half as long.
#[inline(always)]
pub fn advance_halves<S: Simd>(
    s: S,
    first: &[Oscillators<S>],
    second: &[Oscillators<S>],
    sum: &mut [F32x16; TICK],
) {
    let (early, late) = sum.split_at_mut(HALF);
    match (first, second) {
        ([a], [b]) => two_side_by_side(s, [*a], [*b], early, late),
        ([a, c], [b, d]) => two_side_by_side(s, [*a, *c], [*b, *d], early, late),
        _ => {}
    }
}

/// Replaces both `sums` by one tick of as many groups each, as many together as are advanced side by side.
#[inline(always)]
pub fn advance_two<S: Simd>(
    s: S,
    first: &[Oscillators<S>],
    second: &[Oscillators<S>],
    sums: [&mut [F32x16; TICK]; 2],
) {
    let [a, b] = sums;
    match first.len() {
        1 => two_side_by_side(s, some::<S, 1>(first), some(second), a, b),
        2 => two_side_by_side(s, some::<S, 2>(first), some(second), a, b),
        3 => two_side_by_side(s, some::<S, 3>(first), some(second), a, b),
        4 => two_side_by_side(s, some::<S, 4>(first), some(second), a, b),
        _ => {}
    }
}

#[inline(always)]
fn some<S: Simd, const N: usize>(groups: &[Oscillators<S>]) -> [Oscillators<S>; N] {
    std::array::from_fn(|i| groups[i])
}

#[inline(always)]
fn two_side_by_side<S: Simd, const N: usize>(
    s: S,
    mut first: [Oscillators<S>; N],
    mut second: [Oscillators<S>; N],
    first_sum: &mut [F32x16],
    second_sum: &mut [F32x16],
) {
    for sums in first_sum.iter_mut().zip(second_sum) {
        for (groups, frame) in [(&mut first, sums.0), (&mut second, sums.1)] {
            let mut mix = s.splat(0.0);
            for o in groups {
                mix = o.step(s, mix);
            }
            s.store(mix, frame);
        }
    }
}
