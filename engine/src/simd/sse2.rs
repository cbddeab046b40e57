//! SSE2, which every 64-bit x86 processor has: four registers hold the sixteen lanes.

use super::{F32x16, LANES, Simd, U32x16, portable};
use std::arch::x86_64::*;

/// Lanes as four registers each. No proof is needed: the instructions are part of the architecture.
#[derive(Clone, Copy, Debug)]
pub struct Sse2;

/// The same intrinsic on each quarter of the lanes.
macro_rules! each {
    (|$quarter:ident| $intrinsic:expr) => {
        [
            each!($quarter, 0, $intrinsic),
            each!($quarter, 1, $intrinsic),
            each!($quarter, 2, $intrinsic),
            each!($quarter, 3, $intrinsic),
        ]
    };
    ($quarter:ident, $index:literal, $intrinsic:expr) => {{
        let $quarter: usize = $index;
        // SAFETY: SSE2 is part of the architecture; memory is that of whole vectors.
        #[allow(unused_unsafe)]
        unsafe {
            $intrinsic
        }
    }};
}

impl Simd for Sse2 {
    type F = [__m128; 4];
    type U = [__m128i; 4];
    const GROUPS: usize = 1;

    inlined! {
        splat(self, x: f32) -> Self::F = each!(|_q| _mm_set1_ps(x));
        splat_u(self, x: u32) -> Self::U = each!(|_q| _mm_set1_epi32(x as i32));
        load(self, from: &F32x16) -> Self::F = each!(|q| _mm_load_ps(from.0.as_ptr().add(4 * q)));
        load_u(self, from: &U32x16) -> Self::U =
            each!(|q| _mm_load_si128(from.0.as_ptr().add(4 * q).cast()));
        add(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_add_ps(a[q], b[q]));
        sub(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_sub_ps(a[q], b[q]));
        mul(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_mul_ps(a[q], b[q]));
        div(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_div_ps(a[q], b[q]));
        sqrt(self, a: Self::F) -> Self::F = each!(|q| _mm_sqrt_ps(a[q]));
        min(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_min_ps(a[q], b[q]));
        max(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| _mm_max_ps(a[q], b[q]));
        // Two roundings, as in the portable lanes.
        fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            each!(|q| _mm_add_ps(_mm_mul_ps(a[q], b[q]), c[q]));
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            each!(|q| _mm_sub_ps(c[q], _mm_mul_ps(a[q], b[q])));
        product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F =
            each!(|q| product_error(a[q], b[q], product[q]));
        where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F = each!(|q| {
            let less = _mm_cmplt_ps(a[q], b[q]);
            _mm_or_ps(_mm_and_ps(less, x[q]), _mm_andnot_ps(less, y[q]))
        });
        keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U =
            each!(|q| _mm_and_si128(_mm_castps_si128(_mm_cmplt_ps(a[q], b[q])), x[q]));
        any_greater(self, a: Self::F, b: Self::F) -> bool =
            each!(|q| _mm_movemask_ps(_mm_cmpgt_ps(a[q], b[q]))) != [0; 4];
        first(self, a: Self::F) -> f32 = each!(|q| _mm_cvtss_f32(a[q]))[0];
        add_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| _mm_add_epi32(a[q], b[q]));
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| _mm_sub_epi32(a[q], b[q]));
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| multiply(a[q], b[q]));
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| _mm_xor_si128(a[q], b[q]));
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U = each!(|q| _mm_srli_epi32::<BITS>(a[q]));
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U = each!(|q| _mm_slli_epi32::<BITS>(a[q]));
        abs_i(self, a: Self::U) -> Self::U = each!(|q| {
            let sign = _mm_srai_epi32::<31>(a[q]);
            _mm_sub_epi32(_mm_xor_si128(a[q], sign), sign)
        });
        i_to_f(self, a: Self::U) -> Self::F = each!(|q| _mm_cvtepi32_ps(a[q]));
        f_to_u(self, a: Self::F) -> Self::U = each!(|q| _mm_cvttps_epi32(a[q]));
        bits(self, a: Self::F) -> Self::U = each!(|q| _mm_castps_si128(a[q]));
        float(self, a: Self::U) -> Self::F = each!(|q| _mm_castsi128_ps(a[q]));
    }

    #[inline(always)]
    fn store(self, x: Self::F, to: &mut F32x16) {
        let to = to.0.as_mut_ptr();
        each!(|q| _mm_store_ps(to.add(4 * q), x[q]));
    }
    #[inline(always)]
    fn store_u(self, x: Self::U, to: &mut U32x16) {
        let to = to.0.as_mut_ptr();
        each!(|q| _mm_store_si128(to.add(4 * q).cast(), x[q]));
    }
    #[inline(always)]
    fn gather(self, table: &[f32], index: Self::U) -> Self::F {
        let mut lanes = U32x16([0; LANES]);
        self.store_u(index, &mut lanes);
        self.load(&F32x16(portable::gather(table, lanes.0)))
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        each!(|q| {
            let four = |i: usize| {
                let row = self.load(&rows[4 * q + i]);
                _mm_add_ps(_mm_add_ps(row[0], row[2]), _mm_add_ps(row[1], row[3]))
            };
            let (mut a, mut b, mut c, mut d) = (four(0), four(1), four(2), four(3));
            _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
            _mm_add_ps(_mm_add_ps(a, c), _mm_add_ps(b, d))
        })
    }
}

/// The low halves of products: SSE2 multiplies two lanes of four at a time.
#[inline(always)]
fn multiply(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of the architecture.
    #[allow(unused_unsafe)]
    unsafe {
        let even = _mm_mul_epu32(a, b);
        let odd = _mm_mul_epu32(_mm_srli_si128::<4>(a), _mm_srli_si128::<4>(b));
        let even = _mm_shuffle_epi32::<0b00_00_10_00>(even);
        let odd = _mm_shuffle_epi32::<0b00_00_10_00>(odd);
        _mm_unpacklo_epi32(even, odd)
    }
}

/// By double precision, which holds the product of two floats exactly.
#[inline(always)]
fn product_error(a: __m128, b: __m128, product: __m128) -> __m128 {
    // SAFETY: SSE2 is part of the architecture.
    #[allow(unused_unsafe)]
    unsafe {
        let half = |a, b, product| {
            let exact = _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b));
            _mm_cvtpd_ps(_mm_sub_pd(exact, _mm_cvtps_pd(product)))
        };
        let high = |x| _mm_movehl_ps(x, x);
        _mm_movelh_ps(half(a, b, product), half(high(a), high(b), high(product)))
    }
}
