//! AVX-512: one register holds all sixteen lanes.

use super::{F32x16, LANES, Simd, U32x16, Work};
use std::arch::x86_64::*;

/// Proof that this machine has AVX-512 F and DQ.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The token, where the machine has the instructions.
    pub fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }

    /// Runs `work` compiled for these instructions.
    #[inline(always)]
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        fn inner<W: Work>(token: Avx512, work: W) -> W::Output {
            work.run(token)
        }
        // SAFETY: the token exists only where `detect` found the instructions.
        unsafe { inner(self, work) }
    }
}

/// Calls an intrinsic under the token's guarantee.
macro_rules! op {
    ($intrinsic:expr) => {
        // SAFETY: `self` exists only where `detect` found the instructions.
        unsafe { $intrinsic }
    };
}

impl Simd for Avx512 {
    type F = __m512;
    type U = __m512i;
    const GROUPS: usize = 8;

    inlined! {
        splat(self, x: f32) -> Self::F = op!(_mm512_set1_ps(x));
        splat_u(self, x: u32) -> Self::U = op!(_mm512_set1_epi32(x as i32));
        load(self, from: &F32x16) -> Self::F = op!(_mm512_load_ps(from.0.as_ptr()));
        store(self, x: Self::F, to: &mut F32x16) = op!(_mm512_store_ps(to.0.as_mut_ptr(), x));
        load_u(self, from: &U32x16) -> Self::U = op!(_mm512_load_si512(from.0.as_ptr().cast()));
        store_u(self, x: Self::U, to: &mut U32x16) =
            op!(_mm512_store_si512(to.0.as_mut_ptr().cast(), x));
        add(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_add_ps(a, b));
        sub(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_sub_ps(a, b));
        mul(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_mul_ps(a, b));
        div(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_div_ps(a, b));
        quotient(self, a: Self::F, b: Self::F) -> Self::F = op!({
            let inverse = _mm512_rcp14_ps(b);
            let quotient = _mm512_mul_ps(a, inverse);
            _mm512_fmadd_ps(_mm512_fnmadd_ps(b, quotient, a), inverse, quotient)
        });
        sqrt(self, a: Self::F) -> Self::F = op!(_mm512_sqrt_ps(a));
        min(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_min_ps(a, b));
        max(self, a: Self::F, b: Self::F) -> Self::F = op!(_mm512_max_ps(a, b));
        fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F = op!(_mm512_fmadd_ps(a, b, c));
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F = op!(_mm512_fnmadd_ps(a, b, c));
        product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F =
            op!(_mm512_fmsub_ps(a, b, product));
        any_greater(self, a: Self::F, b: Self::F) -> bool =
            op!(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b)) != 0;
        first(self, a: Self::F) -> f32 = op!(_mm512_cvtss_f32(a));
        add_u(self, a: Self::U, b: Self::U) -> Self::U = op!(_mm512_add_epi32(a, b));
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = op!(_mm512_sub_epi32(a, b));
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = op!(_mm512_mullo_epi32(a, b));
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = op!(_mm512_xor_si512(a, b));
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            op!(_mm512_srl_epi32(a, _mm_cvtsi32_si128(BITS)));
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            op!(_mm512_sll_epi32(a, _mm_cvtsi32_si128(BITS)));
        abs_i(self, a: Self::U) -> Self::U = op!(_mm512_abs_epi32(a));
        i_to_f(self, a: Self::U) -> Self::F = op!(_mm512_cvtepi32_ps(a));
        f_to_u(self, a: Self::F) -> Self::U = op!(_mm512_cvttps_epi32(a));
        bits(self, a: Self::F) -> Self::U = op!(_mm512_castps_si512(a));
        float(self, a: Self::U) -> Self::F = op!(_mm512_castsi512_ps(a));
    }

    #[inline(always)]
    fn where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F {
        op!(_mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), y, x))
    }
    #[inline(always)]
    fn keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U {
        op!(_mm512_maskz_mov_epi32(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), x))
    }
    #[inline(always)]
    fn gather(self, table: &[f32], index: Self::U) -> Self::F {
        let last = self.splat_u(table.len() as u32 - 1);
        // SAFETY: the token, and every index is clamped into the table.
        unsafe {
            let index = _mm512_min_epu32(index, last);
            _mm512_i32gather_ps::<4>(index, table.as_ptr())
        }
    }
    #[inline(always)]
    fn transpose(self, rows: [Self::U; LANES]) -> [Self::U; LANES] {
        // In every quarter of a register: pairs, then fours of rows.
        let pairs: [__m512i; LANES] = std::array::from_fn(|i| {
            let (a, b) = (rows[i & !1], rows[i | 1]);
            op!(if i % 2 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) })
        });
        let fours: [__m512i; LANES] = std::array::from_fn(|i| {
            let (four, column) = (i & !3, i % 4);
            let (a, b) = (pairs[four + column / 2], pairs[four + 2 + column / 2]);
            op!(match column % 2 {
                0 => _mm512_unpacklo_epi64(a, b),
                _ => _mm512_unpackhi_epi64(a, b),
            })
        });
        // Quarters of registers: `fours[4 * four + column]` has columns `column`, 4 more, 8 more and 12 more.
        let halves: [__m512i; LANES] = std::array::from_fn(|i| {
            let (a, b) = (fours[(i & 8) + i % 4], fours[(i & 8) + 4 + i % 4]);
            op!(match i & 4 {
                0 => _mm512_shuffle_i32x4::<0x88>(a, b),
                _ => _mm512_shuffle_i32x4::<0xDD>(a, b),
            })
        });
        std::array::from_fn(|i| {
            let (a, b) = (halves[i % 8], halves[8 + i % 8]);
            op!(match i & 8 {
                0 => _mm512_shuffle_i32x4::<0x88>(a, b),
                _ => _mm512_shuffle_i32x4::<0xDD>(a, b),
            })
        })
    }
    #[inline(always)]
    fn accumulate(self, a: Self::F, sums: &mut [u64]) {
        let lower = op!(_mm512_castps512_ps256(a));
        let upper = op!(_mm512_extractf32x8_ps::<1>(a));
        for (lanes, sums) in [lower, upper].into_iter().zip(sums.chunks_mut(LANES / 2)) {
            let present = ((1_u32 << sums.len()) - 1) as __mmask8;
            let place = sums.as_mut_ptr().cast::<i64>();
            op!({
                // SAFETY: only lanes of the slice are read and written.
                let sum = _mm512_maskz_loadu_epi64(present, place);
                let sum = _mm512_add_epi64(sum, _mm512_cvttps_epi64(lanes));
                _mm512_mask_storeu_epi64(place, present, sum);
            });
        }
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        let row = |i: usize| self.load(&rows[i]);
        // Each step halves the lanes of a sum and doubles the rows in a register.
        let halves: [__m512; 8] = std::array::from_fn(|i| {
            let (a, b) = (row(i), row(i + 8));
            op!(_mm512_add_ps(
                _mm512_shuffle_f32x4::<0x44>(a, b),
                _mm512_shuffle_f32x4::<0xEE>(a, b)
            ))
        });
        let quarters: [__m512; 4] = std::array::from_fn(|i| {
            let (a, b) = (halves[i], halves[i + 4]);
            op!(_mm512_add_ps(
                _mm512_shuffle_f32x4::<0x88>(a, b),
                _mm512_shuffle_f32x4::<0xDD>(a, b)
            ))
        });
        let pairs: [__m512; 2] = std::array::from_fn(|i| {
            let (a, b) = (quarters[2 * i], quarters[2 * i + 1]);
            op!(_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)))
        });
        op!({
            let sums = _mm512_add_ps(
                _mm512_shuffle_ps::<0x44>(pairs[0], pairs[1]),
                _mm512_shuffle_ps::<0xEE>(pairs[0], pairs[1]),
            );
            // Rows stand as 0-3, 8-11, 4-7, 12-15: swap the middle quarters.
            _mm512_shuffle_f32x4::<0xD8>(sums, sums)
        })
    }
}
