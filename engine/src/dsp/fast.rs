//! Elementary functions for control values: a few operations each, without library calls.

use std::f32::consts::{FRAC_PI_2, LN_2};

/// Minimax for `2^x` on -0.5..0.5, in powers of x.
pub const EXP2: [f32; 7] =
    [1.0, LN_2, 0.240_226_47, 0.055_503_29, 0.009_618_489, 0.001_339_993_1, 0.000_153_458_12];

/// Adding this to a float leaves its nearest integer in the lowest bits of the sum.
pub const ROUND: f32 = 12_582_912.0;

/// Minimax for `sin(π/2 t) / t` on -1..1, in powers of t².
pub const QUARTER_SINE: [f32; 5] =
    [FRAC_PI_2, -0.645_963_4, 0.079_688_48, -0.004_672_228, 0.000_150_820_56];

/// `2^x` within 2e-7 relative; x is kept to -126..126.
#[inline]
pub fn exp2(x: f32) -> f32 {
    let x = x.clamp(-126.0, 126.0);
    let shifted = x + ROUND;
    let fraction = x - (shifted - ROUND);
    let p = EXP2.iter().rev().fold(0.0, |p, c| p * fraction + c);
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// `2^x - 1` within 3e-7 relative, also near zero; x is kept to -126..126.
#[inline]
pub fn exp2_less_one(x: f32) -> f32 {
    let x = x.clamp(-126.0, 126.0);
    let shifted = x + ROUND;
    let fraction = x - (shifted - ROUND);
    let p = fraction * EXP2[1..].iter().rev().fold(0.0, |p, c| p * fraction + c);
    let power = f32::from_bits(1.0f32.to_bits().wrapping_add(shifted.to_bits() << 23));
    power * p + (power - 1.0)
}

/// `sin(π/2 t)` for t in -1..1, within 2e-7.
#[inline]
pub fn quarter_sine(t: f32) -> f32 {
    let t2 = t * t;
    t * QUARTER_SINE.iter().rev().fold(0.0, |p, c| p * t2 + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_are_accurate() {
        for i in -1000..=1000 {
            let x = i as f32 * 0.01;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 3e-7, "{x}");
            let exact = (f64::from(x).exp2() - 1.0) as f32;
            assert!((exp2_less_one(x) - exact).abs() <= 3e-7 * exact.abs(), "{x}");
            let t = i as f32 * 0.001;
            assert!((quarter_sine(t) - (FRAC_PI_2 * t).sin()).abs() < 3e-7, "{t}");
        }
    }
}
