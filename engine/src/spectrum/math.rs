//! Functions that CPU and GPU compute from the same polynomials.

use crate::dsp::fast::{EXP2, QUARTER_SINE, ROUND};
use crate::simd::Simd;

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
    // The integer part is added to the exponent.
    s.float(s.add_u(s.bits(p), s.shl_u::<23>(s.bits(shifted))))
}

/// The logarithm of a number above zero, within 1e-7 and half a unit of the result; -127 for zero.
/// Rounds operation by operation, so that it is bit-equal everywhere.
#[inline(always)]
pub fn log2_exact<S: Simd>(s: S, x: S::F) -> S::F {
    /// One and the root of a half, as bits.
    const ONE: u32 = 0x3F80_0000;
    const ROOT: u32 = 0x3F35_04F3;
    /// For log2(1 + y) / y from the root of a half to that of two, in powers of y.
    const C: [f32; 9] = [
        std::f32::consts::LOG2_E,
        -0.721_347_33,
        0.480_910_6,
        -0.360_704_84,
        0.287_918_33,
        -0.238_920_35,
        0.215_669_86,
        -0.207_421_03,
        0.126_148_46,
    ];
    let bits = s.bits(x);
    // The exponent, less one below the root of a half, and the rest of the number.
    let exponent = s.shr_u::<23>(s.add_u(bits, s.splat_u(ONE - ROOT)));
    let rest = s.add_u(s.sub_u(bits, s.shl_u::<23>(exponent)), s.splat_u(ONE));
    let y = s.sub(s.float(rest), s.splat(1.0));
    let mut p = s.splat(C[8]);
    for &c in C[..8].iter().rev() {
        p = s.add(s.mul(p, y), s.splat(c));
    }
    s.add(s.mul(p, y), s.sub(s.i_to_f(exponent), s.splat(127.0)))
}

/// The distance of `x` from the nearest whole number, -0.5 to 0.5; bit-equal everywhere.
#[inline(always)]
pub fn from_whole<S: Simd>(s: S, x: S::F) -> S::F {
    s.sub(x, s.sub(s.add(x, s.splat(ROUND)), s.splat(ROUND)))
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

/// `4 sin²(π/2 × t)` for t in 0..1, within about one unit in the last place (two where the
/// machine cannot fuse).
///
/// The angle of a sine recurrence depends on this number, and its error accumulates with every
/// sample; so products keep their rounding errors, and only the last step rounds.
#[inline(always)]
pub fn four_sine_squared<S: Simd>(s: S, t: S::F) -> S::F {
    match s.any_greater(t, s.splat(0.5)) {
        true => four_sine_squared_folded(s, t),
        false => four_sine_squared_below_half(s, t),
    }
}

/// The same for t in 0..0.5: a polynomial in t², whose first term is exact.
#[inline(always)]
fn four_sine_squared_below_half<S: Simd>(s: S, t: S::F) -> S::F {
    /// π² in single precision, and the remainder.
    const PI_SQUARED: (f32, f32) = (9.869_604, 2.903_716e-7);
    /// Minimax for (4 sin²(π/2 t) / t² - π²) / t² on 0..0.5, in powers of t².
    const C: [f32; 4] = [-8.117_423, 2.670_486, -0.470_181_95, 0.049_314_04];
    let square = s.mul(t, t);
    let rest = s.product_error(t, t, square);
    let mut p = s.splat(C[3]);
    for &c in C[..3].iter().rev() {
        p = s.fma(p, square, s.splat(c));
    }
    let pi_squared = s.splat(PI_SQUARED.0);
    let small = s.mul(square, s.fma(p, square, s.splat(PI_SQUARED.1)));
    s.fma(square, pi_squared, s.fma(rest, pi_squared, small))
}

/// The same for t in 0..1. Above the middle, 4 sin²(x) = 4 - 4 sin²(π/2 - x), so that the
/// argument stays small.
#[inline(always)]
fn four_sine_squared_folded<S: Simd>(s: S, t: S::F) -> S::F {
    let four = s.splat(4.0);
    let half = s.splat(0.5);
    let below = four_sine_squared_below_half(s, s.min(t, s.sub(s.splat(1.0), t)));
    s.where_less(t, half, below, s.sub(four, below))
}

/// The cosine of an integer phase.
#[inline(always)]
pub fn cosine<S: Simd>(s: S, phase: S::U) -> S::F {
    // cos is even, and cos(x) = sin(π/2 - |x|): two integer operations fold the turn into
    // the half turn that the polynomial covers, without a comparison.
    let folded = s.sub_u(s.splat_u(1 << 30), s.abs_i(phase));
    quarter_sine(s, s.mul(s.i_to_f(folded), s.splat(1.0 / (1u32 << 30) as f32)))
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
