//! Functions that CPU and GPU compute from the same polynomials.

use crate::simd::Simd;
use std::f32::consts::{FRAC_PI_2, LN_2};

/// `2^x`, within 2e-7 relative. Rounds operation by operation, so it is bit-equal everywhere.
#[inline(always)]
pub fn exp2<S: Simd>(s: S, x: S::F) -> S::F {
    /// Adding this to a float leaves its nearest integer in the lowest bits of the sum.
    const MAGIC: f32 = 12_582_912.0;
    /// Minimax for 2^x on -0.5..0.5.
    const C: [f32; 7] = [
        1.0,
        LN_2,
        0.240_226_47,
        0.055_503_29,
        0.009_618_489,
        0.001_339_993_1,
        0.000_153_458_12,
    ];
    let x = s.min(s.max(x, s.splat(-126.0)), s.splat(126.0));
    let shifted = s.add(x, s.splat(MAGIC));
    let fraction = s.sub(x, s.sub(shifted, s.splat(MAGIC)));
    let mut p = s.splat(C[6]);
    for &c in C[..6].iter().rev() {
        p = s.add(s.mul(p, fraction), s.splat(c));
    }
    // The integer part goes straight into the exponent.
    s.float(s.add_u(s.bits(p), s.shl_u::<23>(s.bits(shifted))))
}

/// `sin(π/2 × t)` for t in -1..1, within 2e-7.
#[inline(always)]
pub fn quarter_sine<S: Simd>(s: S, t: S::F) -> S::F {
    /// Minimax for sin(π/2 t) / t in powers of t².
    const C: [f32; 5] = [
        FRAC_PI_2,
        -0.645_963_4,
        0.079_688_48,
        -0.004_672_228,
        0.000_150_820_56,
    ];
    let t2 = s.mul(t, t);
    let mut p = s.splat(C[4]);
    for &c in C[..4].iter().rev() {
        p = s.fma(p, t2, s.splat(c));
    }
    s.mul(p, t)
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
