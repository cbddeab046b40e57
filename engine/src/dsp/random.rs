//! Repeatable randomness: a hash of a number, no state.

/// A well-mixed hash ("lowbias32", Chris Wellons); `spectrum::math::hash` is its vector twin.
pub fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}
