//! Repeatable random numbers: a hash without state.

/// A well-mixed hash ("lowbias32", Chris Wellons); `spectrum::math::hash` is the vector version.
pub fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}
