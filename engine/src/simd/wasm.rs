//! WebAssembly's 128-bit vectors: four of them hold the sixteen lanes.
//!
//! Compiled with the feature `relaxed-simd`, products are fused where the processor can, and
//! conversions and selections are one instruction each; which module a page loads is decided when
//! it runs (`web/page/engine.js`). Without it, every operation gives the bits of the portable lanes.

use super::{F32x16, LANES, Simd, U32x16};
use std::arch::wasm32::*;

/// Lanes as four vectors each. No proof is needed: a module with these instructions does not load
/// where they are missing.
#[derive(Clone, Copy, Debug)]
pub struct Wasm;

/// The same intrinsic on each quarter of the lanes.
macro_rules! each {
    (|$q:ident| $intrinsic:expr) => {
        [
            each!($q, 0, $intrinsic),
            each!($q, 1, $intrinsic),
            each!($q, 2, $intrinsic),
            each!($q, 3, $intrinsic),
        ]
    };
    ($q:ident, $index:literal, $intrinsic:expr) => {{
        let $q: usize = $index;
        // SAFETY: memory is that of whole vectors.
        #[allow(unused_unsafe)]
        unsafe {
            $intrinsic
        }
    }};
}

impl Simd for Wasm {
    type F = [v128; 4];
    type U = [v128; 4];
    const GROUPS: usize = 1;

    inlined! {
        splat(self, x: f32) -> Self::F = [f32x4_splat(x); 4];
        splat_u(self, x: u32) -> Self::U = [u32x4_splat(x); 4];
        load(self, from: &F32x16) -> Self::F =
            each!(|q| v128_load(from.0.as_ptr().add(4 * q).cast()));
        load_u(self, from: &U32x16) -> Self::U =
            each!(|q| v128_load(from.0.as_ptr().add(4 * q).cast()));
        add(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_add(a[q], b[q]));
        sub(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_sub(a[q], b[q]));
        mul(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_mul(a[q], b[q]));
        div(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_div(a[q], b[q]));
        sqrt(self, a: Self::F) -> Self::F = each!(|q| f32x4_sqrt(a[q]));
        // `pmin(x, y)` is `y < x ? y : x`: one instruction on x86, unlike `min`.
        min(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_pmin(b[q], a[q]));
        max(self, a: Self::F, b: Self::F) -> Self::F = each!(|q| f32x4_pmax(b[q], a[q]));
        fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            each!(|q| ops::fma(a[q], b[q], c[q]));
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            each!(|q| ops::fnma(a[q], b[q], c[q]));
        product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F =
            each!(|q| ops::product_error(a[q], b[q], product[q]));
        where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F =
            each!(|q| ops::select(x[q], y[q], f32x4_lt(a[q], b[q])));
        keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U =
            each!(|q| v128_and(f32x4_lt(a[q], b[q]), x[q]));
        first(self, a: Self::F) -> f32 = f32x4_extract_lane::<0>(a[0]);
        add_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| u32x4_add(a[q], b[q]));
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| u32x4_sub(a[q], b[q]));
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| u32x4_mul(a[q], b[q]));
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = each!(|q| v128_xor(a[q], b[q]));
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U = each!(|q| u32x4_shr(a[q], BITS as u32));
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U = each!(|q| u32x4_shl(a[q], BITS as u32));
        abs_i(self, a: Self::U) -> Self::U = each!(|q| i32x4_abs(a[q]));
        i_to_f(self, a: Self::U) -> Self::F = each!(|q| f32x4_convert_i32x4(a[q]));
        f_to_u(self, a: Self::F) -> Self::U = each!(|q| ops::truncate(a[q]));
        bits(self, a: Self::F) -> Self::U = a;
        float(self, a: Self::U) -> Self::F = a;
        gather(self, table: &[f32], index: Self::U) -> Self::F = each!(|q| gather(table, index[q]));
    }

    #[inline(always)]
    fn store(self, x: Self::F, to: &mut F32x16) {
        let to = to.0.as_mut_ptr();
        each!(|q| v128_store(to.add(4 * q).cast(), x[q]));
    }
    #[inline(always)]
    fn store_u(self, x: Self::U, to: &mut U32x16) {
        let to = to.0.as_mut_ptr();
        each!(|q| v128_store(to.add(4 * q).cast(), x[q]));
    }
    #[inline(always)]
    fn any_greater(self, a: Self::F, b: Self::F) -> bool {
        let [p, q, r, s] = each!(|q| f32x4_gt(a[q], b[q]));
        v128_any_true(v128_or(v128_or(p, q), v128_or(r, s)))
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        each!(|q| {
            let four = |i: usize| {
                let row = self.load(&rows[4 * q + i]);
                f32x4_add(f32x4_add(row[0], row[2]), f32x4_add(row[1], row[3]))
            };
            let [a, b, c, d] = transpose([four(0), four(1), four(2), four(3)]);
            f32x4_add(f32x4_add(a, c), f32x4_add(b, d))
        })
    }
}

#[inline(always)]
fn gather(table: &[f32], index: v128) -> v128 {
    let index = u32x4_min(index, u32x4_splat((table.len() - 1) as u32));
    f32x4(
        table[u32x4_extract_lane::<0>(index) as usize],
        table[u32x4_extract_lane::<1>(index) as usize],
        table[u32x4_extract_lane::<2>(index) as usize],
        table[u32x4_extract_lane::<3>(index) as usize],
    )
}

/// Vector `i` of the result has lane `i` of every row.
#[inline(always)]
fn transpose([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let low = [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d)];
    let high = [i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d)];
    [
        i32x4_shuffle::<0, 1, 4, 5>(low[0], low[1]),
        i32x4_shuffle::<2, 3, 6, 7>(low[0], low[1]),
        i32x4_shuffle::<0, 1, 4, 5>(high[0], high[1]),
        i32x4_shuffle::<2, 3, 6, 7>(high[0], high[1]),
    ]
}

/// Operations that give the bits of the portable lanes.
#[cfg(not(target_feature = "relaxed-simd"))]
mod ops {
    use super::*;

    #[inline(always)]
    pub(super) fn fma(a: v128, b: v128, c: v128) -> v128 {
        f32x4_add(f32x4_mul(a, b), c)
    }
    #[inline(always)]
    pub(super) fn fnma(a: v128, b: v128, c: v128) -> v128 {
        f32x4_sub(c, f32x4_mul(a, b))
    }
    /// By double precision, which holds the product of two floats exactly.
    #[inline(always)]
    pub(super) fn product_error(a: v128, b: v128, product: v128) -> v128 {
        let half = |a, b, product| {
            let [a, b, product] = [a, b, product].map(|x| f64x2_promote_low_f32x4(x));
            f32x4_demote_f64x2_zero(f64x2_sub(f64x2_mul(a, b), product))
        };
        let high = |x| i64x2_shuffle::<1, 1>(x, x);
        let (low, high) = (half(a, b, product), half(high(a), high(b), high(product)));
        i64x2_shuffle::<0, 2>(low, high)
    }
    #[inline(always)]
    pub(super) fn select(x: v128, y: v128, mask: v128) -> v128 {
        v128_bitselect(x, y, mask)
    }
    #[inline(always)]
    pub(super) fn truncate(a: v128) -> v128 {
        i32x4_trunc_sat_f32x4(a)
    }
}

/// Operations of which the processor may choose the rounding. The page loads this module only where
/// products are fused, which [`product_error`](ops::product_error) needs.
#[cfg(target_feature = "relaxed-simd")]
mod ops {
    use super::*;

    #[inline(always)]
    pub(super) fn fma(a: v128, b: v128, c: v128) -> v128 {
        f32x4_relaxed_madd(a, b, c)
    }
    #[inline(always)]
    pub(super) fn fnma(a: v128, b: v128, c: v128) -> v128 {
        f32x4_relaxed_nmadd(a, b, c)
    }
    #[inline(always)]
    pub(super) fn product_error(a: v128, b: v128, product: v128) -> v128 {
        f32x4_relaxed_madd(a, b, f32x4_neg(product))
    }
    #[inline(always)]
    pub(super) fn select(x: v128, y: v128, mask: v128) -> v128 {
        i32x4_relaxed_laneselect(x, y, mask)
    }
    #[inline(always)]
    pub(super) fn truncate(a: v128) -> v128 {
        i32x4_relaxed_trunc_f32x4(a)
    }
}
