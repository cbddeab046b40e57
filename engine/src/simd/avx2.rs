//! AVX2 with FMA: two registers hold the sixteen lanes.

use super::{F32x16, LANES, Simd, U32x16, Work};
use std::arch::x86_64::*;

/// Proof that this machine has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The token, where the machine has the instructions.
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }

    /// Runs `work` compiled for these instructions.
    #[inline(always)]
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,fma")]
        fn inner<W: Work>(token: Avx2, work: W) -> W::Output {
            work.run(token)
        }
        // SAFETY: the token exists only where `detect` found the instructions.
        unsafe { inner(self, work) }
    }
}

/// The same intrinsic on the low and the high eight lanes.
macro_rules! both {
    (|$half:ident| $intrinsic:expr) => {
        [both!($half, 0, $intrinsic), both!($half, 1, $intrinsic)]
    };
    ($half:ident, $index:literal, $intrinsic:expr) => {{
        let $half: usize = $index;
        // SAFETY: `self` exists only where `detect` found the instructions.
        unsafe { $intrinsic }
    }};
}

impl Simd for Avx2 {
    type F = [__m256; 2];
    type U = [__m256i; 2];
    const GROUPS: usize = 2;

    inlined! {
        splat(self, x: f32) -> Self::F = both!(|_h| _mm256_set1_ps(x));
        splat_u(self, x: u32) -> Self::U = both!(|_h| _mm256_set1_epi32(x as i32));
        load(self, from: &F32x16) -> Self::F =
            both!(|h| _mm256_load_ps(from.0.as_ptr().add(8 * h)));
        load_u(self, from: &U32x16) -> Self::U =
            both!(|h| _mm256_load_si256(from.0.as_ptr().add(8 * h).cast()));
        add(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_add_ps(a[h], b[h]));
        sub(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_sub_ps(a[h], b[h]));
        mul(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_mul_ps(a[h], b[h]));
        div(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_div_ps(a[h], b[h]));
        quotient(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| {
            let inverse = _mm256_rcp_ps(b[h]);
            let quotient = _mm256_mul_ps(a[h], inverse);
            _mm256_fmadd_ps(_mm256_fnmadd_ps(b[h], quotient, a[h]), inverse, quotient)
        });
        sqrt(self, a: Self::F) -> Self::F = both!(|h| _mm256_sqrt_ps(a[h]));
        min(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_min_ps(a[h], b[h]));
        max(self, a: Self::F, b: Self::F) -> Self::F = both!(|h| _mm256_max_ps(a[h], b[h]));
        fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            both!(|h| _mm256_fmadd_ps(a[h], b[h], c[h]));
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            both!(|h| _mm256_fnmadd_ps(a[h], b[h], c[h]));
        product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F =
            both!(|h| _mm256_fmsub_ps(a[h], b[h], product[h]));
        where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F =
            both!(|h| _mm256_blendv_ps(y[h], x[h], _mm256_cmp_ps::<_CMP_LT_OQ>(a[h], b[h])));
        add_u(self, a: Self::U, b: Self::U) -> Self::U = both!(|h| _mm256_add_epi32(a[h], b[h]));
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = both!(|h| _mm256_sub_epi32(a[h], b[h]));
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = both!(|h| _mm256_mullo_epi32(a[h], b[h]));
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = both!(|h| _mm256_xor_si256(a[h], b[h]));
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            both!(|h| _mm256_srli_epi32::<BITS>(a[h]));
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            both!(|h| _mm256_slli_epi32::<BITS>(a[h]));
        abs_i(self, a: Self::U) -> Self::U = both!(|h| _mm256_abs_epi32(a[h]));
        i_to_f(self, a: Self::U) -> Self::F = both!(|h| _mm256_cvtepi32_ps(a[h]));
        f_to_u(self, a: Self::F) -> Self::U = both!(|h| _mm256_cvttps_epi32(a[h]));
        bits(self, a: Self::F) -> Self::U = both!(|h| _mm256_castps_si256(a[h]));
        float(self, a: Self::U) -> Self::F = both!(|h| _mm256_castsi256_ps(a[h]));
    }

    #[inline(always)]
    fn store(self, x: Self::F, to: &mut F32x16) {
        let to = to.0.as_mut_ptr();
        both!(|h| _mm256_store_ps(to.add(8 * h), x[h]));
    }
    #[inline(always)]
    fn store_u(self, x: Self::U, to: &mut U32x16) {
        let to = to.0.as_mut_ptr();
        both!(|h| _mm256_store_si256(to.add(8 * h).cast(), x[h]));
    }
    #[inline(always)]
    fn keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U {
        both!(|h| {
            let less = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a[h], b[h]));
            _mm256_and_si256(less, x[h])
        })
    }
    #[inline(always)]
    fn any_greater(self, a: Self::F, b: Self::F) -> bool {
        let greater = both!(|h| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a[h], b[h])));
        greater[0] | greater[1] != 0
    }
    #[inline(always)]
    fn first(self, a: Self::F) -> f32 {
        // SAFETY: the token.
        unsafe { _mm256_cvtss_f32(a[0]) }
    }
    #[inline(always)]
    fn gather(self, table: &[f32], index: Self::U) -> Self::F {
        let last = self.splat_u(table.len() as u32 - 1);
        // Every index is clamped into the table.
        both!(|h| {
            let index = _mm256_min_epu32(index[h], last[h]);
            _mm256_i32gather_ps::<4>(table.as_ptr(), index)
        })
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        both!(|h| {
            let eight = |i: usize| {
                let row = self.load(&rows[8 * h + i]);
                _mm256_add_ps(row[0], row[1])
            };
            let four: [__m256; 4] = std::array::from_fn(|i| {
                let (a, b) = (eight(i), eight(i + 4));
                _mm256_add_ps(
                    _mm256_permute2f128_ps::<0x20>(a, b),
                    _mm256_permute2f128_ps::<0x31>(a, b),
                )
            });
            let two: [__m256; 2] = std::array::from_fn(|i| {
                let (a, b) = (four[2 * i], four[2 * i + 1]);
                _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b))
            });
            _mm256_add_ps(
                _mm256_shuffle_ps::<0x44>(two[0], two[1]),
                _mm256_shuffle_ps::<0xEE>(two[0], two[1]),
            )
        })
    }
}
