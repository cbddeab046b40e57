//! Plain Rust lanes: correct everywhere, and the reference for the other levels.

use super::{F32x16, LANES, Simd, U32x16};

/// Lanes as arrays; the compiler vectorises what it can.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

#[inline(always)]
fn zip<A: Copy, B: Copy>(a: [A; LANES], b: [A; LANES], f: impl Fn(A, A) -> B) -> [B; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Simd for Portable {
    type F = [f32; LANES];
    type U = [u32; LANES];
    const GROUPS: usize = 1;

    inlined! {
        splat(self, x: f32) -> Self::F = [x; LANES];
        splat_u(self, x: u32) -> Self::U = [x; LANES];
        load(self, from: &F32x16) -> Self::F = from.0;
        store(self, x: Self::F, to: &mut F32x16) = to.0 = x;
        load_u(self, from: &U32x16) -> Self::U = from.0;
        store_u(self, x: Self::U, to: &mut U32x16) = to.0 = x;
        add(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| a + b);
        sub(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| a - b);
        mul(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| a * b);
        div(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| a / b);
        sqrt(self, a: Self::F) -> Self::F = a.map(f32::sqrt);
        min(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| if a < b { a } else { b });
        max(self, a: Self::F, b: Self::F) -> Self::F = zip(a, b, |a, b| if a > b { a } else { b });
        fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F =
            std::array::from_fn(|i| c[i] - a[i] * b[i]);
        where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F =
            std::array::from_fn(|i| if a[i] < b[i] { x[i] } else { y[i] });
        keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U =
            std::array::from_fn(|i| if a[i] < b[i] { x[i] } else { 0 });
        any_greater(self, a: Self::F, b: Self::F) -> bool =
            zip(a, b, |a, b| a > b).into_iter().any(|greater| greater);
        first(self, a: Self::F) -> f32 = a[0];
        add_u(self, a: Self::U, b: Self::U) -> Self::U = zip(a, b, u32::wrapping_add);
        sub_u(self, a: Self::U, b: Self::U) -> Self::U = zip(a, b, u32::wrapping_sub);
        mul_u(self, a: Self::U, b: Self::U) -> Self::U = zip(a, b, u32::wrapping_mul);
        xor_u(self, a: Self::U, b: Self::U) -> Self::U = zip(a, b, |a, b| a ^ b);
        shr_u<const BITS: i32>(self, a: Self::U) -> Self::U = a.map(|a| a >> BITS);
        shl_u<const BITS: i32>(self, a: Self::U) -> Self::U = a.map(|a| a << BITS);
        abs_i(self, a: Self::U) -> Self::U = a.map(|a| (a as i32).unsigned_abs());
        i_to_f(self, a: Self::U) -> Self::F = a.map(|a| a as i32 as f32);
        f_to_u(self, a: Self::F) -> Self::U = a.map(|a| a as u32);
        bits(self, a: Self::F) -> Self::U = a.map(f32::to_bits);
        float(self, a: Self::U) -> Self::F = a.map(f32::from_bits);
        gather(self, table: &[f32], index: Self::U) -> Self::F = gather(table, index);
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // Two roundings: `f32::mul_add` would be a call on machines without the instruction.
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F {
        // Double precision holds the product of two floats exactly.
        let exact = |i: usize| f64::from(a[i]) * f64::from(b[i]);
        std::array::from_fn(|i| (exact(i) - f64::from(product[i])) as f32)
    }
    #[inline(always)]
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F {
        sums(rows)
    }
}

#[inline(always)]
pub(super) fn gather(table: &[f32], index: [u32; LANES]) -> [f32; LANES] {
    let last = table.len() - 1;
    index.map(|i| table[(i as usize).min(last)])
}

#[inline(always)]
pub(super) fn sums(rows: &[F32x16; LANES]) -> [f32; LANES] {
    std::array::from_fn(|r| {
        let row = &rows[r].0;
        let eight: [f32; 8] = std::array::from_fn(|i| row[i] + row[i + 8]);
        let four: [f32; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    })
}
