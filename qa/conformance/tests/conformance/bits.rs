//! Every level computes what the portable one does.

use myriad_engine::simd::{F32x16, LANES, Level, Portable, Simd, U32x16, Work};

fn numbers(seed: u32) -> F32x16 {
    let mut x = seed;
    F32x16(std::array::from_fn(|_| {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 8) as f32 / (1 << 23) as f32 - 1.0
    }))
}

fn f<S: Simd>(s: S, x: S::F) -> [u32; LANES] {
    let mut out = F32x16([0.0; LANES]);
    s.store(x, &mut out);
    out.0.map(f32::to_bits)
}

fn u<S: Simd>(s: S, x: S::U) -> [u32; LANES] {
    let mut out = U32x16([0; LANES]);
    s.store_u(x, &mut out);
    out.0
}

/// Everything that must give the same bits at every level, in one list.
struct ExactResults;

impl Work for ExactResults {
    type Output = Vec<[u32; LANES]>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let (a, b) = (s.load(&numbers(1)), s.load(&numbers(2)));
        let bits = s.bits(s.mul(a, b));
        let index = s.shr_u::<27>(bits);
        let table: Vec<f32> = (0..20).map(|i| i as f32).collect();
        let rows: [F32x16; LANES] = std::array::from_fn(|i| numbers(i as u32 + 10));
        vec![
            f(s, s.add(a, b)),
            f(s, s.sub(a, b)),
            f(s, s.mul(a, b)),
            f(s, s.div(a, b)),
            f(s, s.sqrt(s.mul(a, a))),
            f(s, s.min(a, b)),
            f(s, s.max(a, b)),
            f(s, s.product_error(a, b, s.mul(a, b))),
            f(s, s.where_less(a, b, b, a)),
            u(s, s.keep_where_less(a, b, bits)),
            u(s, s.add_u(bits, index)),
            u(s, s.sub_u(index, bits)),
            u(s, s.mul_u(bits, bits)),
            u(s, s.xor_u(bits, index)),
            u(s, s.shl_u::<5>(bits)),
            u(s, s.abs_i(bits)),
            f(s, s.i_to_f(bits)),
            u(s, s.f_to_u(s.mul(s.mul(a, a), s.splat(2e9)))),
            f(s, s.float(bits)),
            f(s, s.gather(&table, index)),
            f(s, s.sums(&rows)),
            [s.any_greater(a, b) as u32; LANES],
            [s.any_greater(a, a) as u32; LANES],
            [s.first(a).to_bits(); LANES],
        ]
    }
}

/// Compares a level with plain Rust.
pub(crate) fn are_equal(level: Level) {
    let expected = ExactResults.run(Portable);
    assert_eq!(level.dispatch(ExactResults), expected, "{}", level.name());
}
