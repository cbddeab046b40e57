//! Functions that CPU and GPU compute from the same polynomials.

use crate::dsp::fast::{EXP2, QUARTER_SINE, ROUND};
use crate::simd::Simd;
use std::f32::consts::FRAC_PI_2;

/// `2^x` for x up to 126, within 2e-7 relative.
#[inline(always)]
pub fn exp2<S: Simd>(s: S, x: S::F) -> S::F {
    exp2_by(s, x, |p, x, c| s.fma(p, x, c))
}

/// The same, rounding operation by operation, so that it is bit-equal everywhere.
#[inline(always)]
pub fn exp2_exact<S: Simd>(s: S, x: S::F) -> S::F {
    exp2_by(s, x, |p, x, c| s.add(s.mul(p, x), c))
}

#[inline(always)]
fn exp2_by<S: Simd>(s: S, x: S::F, step: impl Fn(S::F, S::F, S::F) -> S::F) -> S::F {
    let x = s.max(x, s.splat(-126.0));
    let shifted = s.add(x, s.splat(ROUND));
    let fraction = s.sub(x, s.sub(shifted, s.splat(ROUND)));
    let mut p = s.splat(EXP2[6]);
    for &c in EXP2[..6].iter().rev() {
        p = step(p, fraction, s.splat(c));
    }
    // The integer part goes straight into the exponent.
    s.float(s.add_u(s.bits(p), s.shl_u::<23>(s.bits(shifted))))
}

/// `sin(π/2 × t)` for t in -1..1, within 2e-7.
#[inline(always)]
pub fn quarter_sine<S: Simd>(s: S, t: S::F) -> S::F {
    let t2 = s.mul(t, t);
    let mut p = s.splat(QUARTER_SINE[4]);
    for &c in QUARTER_SINE[..4].iter().rev() {
        p = s.fma(p, t2, s.splat(c));
    }
    s.mul(p, t)
}

/// `4 sin²(π/2 × t)` for t in 0..1, within about one unit in the last place.
///
/// A sine recurrence turns by an angle that this number fixes, and every sample adds its error
/// again; so products carry their rounding errors along, and only the last step rounds.
#[inline(always)]
pub fn four_sine_squared<S: Simd>(s: S, t: S::F) -> S::F {
    /// What π/2 has beyond single precision.
    const FRAC_PI_2_REST: f32 = -4.371_139e-8;
    /// Minimax for (sin(π/2 u) - π/2 u) / u³ on 0..0.5, in powers of u².
    const C: [f32; 3] = [-0.645_963_5, 0.079_679_67, -0.004_600_198_3];
    let half = s.splat(0.5);
    let upper = s.any_greater(t, half);
    // Above the middle, 4 sin²(x) = 4 - 4 sin²(π/2 - x): the argument stays small.
    let u = if upper {
        s.min(t, s.sub(s.splat(1.0), t))
    } else {
        t
    };
    let (half_pi, rest) = (s.splat(FRAC_PI_2), s.splat(FRAC_PI_2_REST));
    let high = s.mul(u, half_pi);
    let u2 = s.mul(u, u);
    let cubic = s.fma(s.fma(s.splat(C[2]), u2, s.splat(C[1])), u2, s.splat(C[0]));
    let low = s.fma(u, rest, s.product_error(u, half_pi, high));
    let low = s.fma(s.mul(u2, u), cubic, low);
    let square = s.mul(high, high);
    let square_low = s.fma(
        low,
        s.add(s.add(high, high), low),
        s.product_error(high, high, square),
    );
    let four = s.splat(4.0);
    let below = s.mul(four, s.add(square, square_low));
    if !upper {
        return below;
    }
    let above = s.fnma(four, square_low, s.fnma(four, square, four));
    s.where_less(t, half, below, above)
}

/// The cosine of an integer phase.
#[inline(always)]
pub fn cosine<S: Simd>(s: S, phase: S::U) -> S::F {
    // cos is even, and cos(x) = sin(π/2 - |x|): two integer operations fold the turn into
    // the half turn that the polynomial covers, without a comparison.
    let folded = s.sub_u(s.splat_u(1 << 30), s.abs_i(phase));
    quarter_sine(
        s,
        s.mul(s.i_to_f(folded), s.splat(1.0 / (1u32 << 30) as f32)),
    )
}

/// The sine of an integer phase.
#[inline(always)]
pub fn sine<S: Simd>(s: S, phase: S::U) -> S::F {
    cosine(s, s.sub_u(phase, s.splat_u(1 << 30)))
}

/// A well-mixed hash of every lane ("lowbias32", Chris Wellons).
#[inline(always)]
pub fn hash<S: Simd>(s: S, x: S::U) -> S::U {
    let x = s.xor_u(x, s.shr_u::<16>(x));
    let x = s.mul_u(x, s.splat_u(0x7FEB_352D));
    let x = s.xor_u(x, s.shr_u::<15>(x));
    let x = s.mul_u(x, s.splat_u(0x846C_A68B));
    s.xor_u(x, s.shr_u::<16>(x))
}
