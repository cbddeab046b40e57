//! NEON: four registers hold the sixteen lanes. Every 64-bit ARM has it.

use super::{F32x16, LANES, Simd, U32x16, portable};
use std::arch::aarch64::*;

/// 64-bit ARM always has NEON, so this token needs no proof.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

/// The same intrinsic on each quarter of the lanes.
macro_rules! all {
    (|$q:ident| $intrinsic:expr) => {
        [
            all!($q, 0, $intrinsic),
            all!($q, 1, $intrinsic),
            all!($q, 2, $intrinsic),
            all!($q, 3, $intrinsic),
        ]
    };
    ($q:ident, $index:literal, $intrinsic:expr) => {{
        let $q: usize = $index;
        // SAFETY: NEON is part of the architecture; memory is that of whole vectors.
        #[allow(unused_unsafe)]
        unsafe {
            $intrinsic
        }
    }};
}

impl Neon {
    #[inline(always)]
    fn array_u(self, x: [uint32x4_t; 4]) -> [u32; LANES] {
        let mut out = U32x16([0; LANES]);
        self.store_u(x, &mut out);
        out.0
    }
}

impl Simd for Neon {
    type F = [float32x4_t; 4];
    type U = [uint32x4_t; 4];
    const GROUPS: usize = 1;

    inlined! {
        splat(self, x: f32) -> Self::F = all!(|_q| vdupq_n_f32(x));
        splat_u(self, x: u32) -> Self::U = all!(|_q| vdupq_n_u32(x));
        load(self, from: &F32x16) -> Self::F = all!(|q| vld1q_f32(from.0.as_ptr().add(4 * q)));
        load_u(self, from: &U32x16) -> Self::U = all!(|q| vld1q_u32(from.0.as_ptr().add(4 * q)));
        add(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vaddq_f32(a[q], b[q]));
        sub(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vsubq_f32(a[q], b[q]));
        mul(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vmulq_f32(a[q], b[q]));
        div(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vdivq_f32(a[q], b[q]));
        sqrt(self, a: Self::F) -> Self::F = all!(|q| vsqrtq_f32(a[q]));
        min(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vminq_f32(a[q], b[q]));
        max(self, a: Self::F, b: Self::F) -> Self::F = all!(|q| vmaxq_f32(a[q], b[q]));
        fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            all!(|q| vfmaq_f32(c[q], a[q], b[q]));
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            all!(|q| vfmsq_f32(c[q], a[q], b[q]));
        product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F =
            all!(|q| vfmaq_f32(vnegq_f32(product[q]), a[q], b[q]));
        where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F =
            all!(|q| vbslq_f32(vcltq_f32(a[q], b[q]), x[q], y[q]));
        keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U =
            all!(|q| vandq_u32(vcltq_f32(a[q], b[q]), x[q]));
        add_u(self, a: Self::U, b: Self::U) -> Self::U = all!(|q| vaddq_u32(a[q], b[q]));
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = all!(|q| vsubq_u32(a[q], b[q]));
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = all!(|q| vmulq_u32(a[q], b[q]));
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = all!(|q| veorq_u32(a[q], b[q]));
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            all!(|q| vshlq_u32(a[q], vdupq_n_s32(-BITS)));
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U =
            all!(|q| vshlq_u32(a[q], vdupq_n_s32(BITS)));
        abs_i(self, a: Self::U) -> Self::U =
            all!(|q| vreinterpretq_u32_s32(vabsq_s32(vreinterpretq_s32_u32(a[q]))));
        i_to_f(self, a: Self::U) -> Self::F = all!(|q| vcvtq_f32_s32(vreinterpretq_s32_u32(a[q])));
        f_to_u(self, a: Self::F) -> Self::U = all!(|q| vcvtq_u32_f32(a[q]));
        bits(self, a: Self::F) -> Self::U = all!(|q| vreinterpretq_u32_f32(a[q]));
        float(self, a: Self::U) -> Self::F = all!(|q| vreinterpretq_f32_u32(a[q]));
        gather(self, table: &[f32], index: Self::U) -> Self::F =
            self.load(&F32x16(portable::gather(table, self.array_u(index))));
    }

    #[inline(always)]
    fn store(self, x: Self::F, to: &mut F32x16) {
        let to = to.0.as_mut_ptr();
        all!(|q| vst1q_f32(to.add(4 * q), x[q]));
    }
    #[inline(always)]
    fn store_u(self, x: Self::U, to: &mut U32x16) {
        let to = to.0.as_mut_ptr();
        all!(|q| vst1q_u32(to.add(4 * q), x[q]));
    }
    #[inline(always)]
    fn any_greater(self, a: Self::F, b: Self::F) -> bool {
        let greater: [u32; 4] = all!(|q| vmaxvq_u32(vcgtq_f32(a[q], b[q])));
        greater.iter().any(|&lane| lane != 0)
    }
    #[inline(always)]
    fn first(self, a: Self::F) -> f32 {
        // SAFETY: NEON is part of the architecture.
        #[allow(unused_unsafe)]
        unsafe {
            vgetq_lane_f32::<0>(a[0])
        }
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        self.load(&F32x16(portable::sums(rows)))
    }
}
