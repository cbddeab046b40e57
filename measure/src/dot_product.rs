/// The sum of the products of two slices of equal length, a multiple of eight. It is here because this crate is
/// optimised in tests too.
pub fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    debug_assert!(a.len() == b.len() && a.len().is_multiple_of(8));
    // Eight sums, which the compiler vectorises.
    let mut sums = [0.0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}
