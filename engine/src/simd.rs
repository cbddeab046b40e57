//! Sixteen lanes of arithmetic, and the run-time choice of the instructions behind them.
//!
//! Signal code is written once against [`Simd`] and compiled for every instruction set. An
//! implementation is a token: it exists only if the machine has the instructions, so that
//! calling through it is safe. Every implementation has sixteen lanes, whatever its
//! registers hold, so the layout of data and the order of sums do not depend on the machine.

/// Methods of [`Simd`] that are one expression, each inlined always: a row of a table says which
/// instruction a level uses for what.
macro_rules! inlined {
    ($($name:ident $(<const $bits:ident: i32>)? ($this:ident $(, $argument:ident: $type:ty)*)
        $(-> $output:ty)? = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name $(<const $bits: i32>)? ($this $(, $argument: $type)*) $(-> $output)? {
            $body
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::Wasm;

/// What every processor of this architecture has.
#[cfg(target_arch = "x86_64")]
pub type Baseline = Sse2;
/// What every processor of this architecture has.
#[cfg(target_arch = "aarch64")]
pub type Baseline = Neon;
/// What this module was compiled for.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Baseline = Wasm;
/// What every processor of this architecture has.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub type Baseline = Portable;

#[cfg(target_arch = "x86_64")]
const BASELINE: Baseline = Sse2;
#[cfg(target_arch = "aarch64")]
const BASELINE: Baseline = Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
const BASELINE: Baseline = Wasm;
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
const BASELINE: Baseline = Portable;

/// Lanes of every vector.
pub const LANES: usize = 16;

/// Sixteen `f32` in memory, aligned for whole-vector access.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct F32x16(pub [f32; LANES]);

impl F32x16 {
    /// The numbers of consecutive vectors, one after the other.
    #[inline(always)]
    pub fn flat(rows: &[F32x16]) -> &[f32] {
        // SAFETY: the struct is an array of sixteen floats and, at 64 bytes, has no padding.
        unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), rows.len() * LANES) }
    }
}

/// Sixteen `u32` in memory, aligned for whole-vector access.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct U32x16(pub [u32; LANES]);

/// Vector arithmetic for one instruction set.
///
/// `add`, `sub`, `mul`, `div` and `sqrt` round once each, as IEEE 754 says, so code made of
/// them gives the same bits everywhere. `fma` may round once or twice: use it for levels, never
/// for phases.
pub trait Simd: Copy + Send + Sync + 'static {
    /// Sixteen `f32`.
    type F: Copy;
    /// Sixteen `u32`.
    type U: Copy;
    /// Groups of sixteen partials that the bank advances in parallel: enough independent
    /// recurrences to hide their latency, few enough to stay in registers.
    const GROUPS: usize;

    /// All lanes `x`.
    fn splat(self, x: f32) -> Self::F;
    /// All lanes `x`.
    fn splat_u(self, x: u32) -> Self::U;
    /// Lanes from memory.
    fn load(self, from: &F32x16) -> Self::F;
    /// Lanes to memory.
    fn store(self, x: Self::F, to: &mut F32x16);
    /// Lanes from memory.
    fn load_u(self, from: &U32x16) -> Self::U;
    /// Lanes to memory.
    fn store_u(self, x: Self::U, to: &mut U32x16);
    /// `a + b`.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a × b`.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a ÷ b`.
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a ÷ b` for levels, within 3e-7 of it: quicker where dividing is slow. Both are zero or of a magnitude from
    /// 1e-30 to 1e30, and `b` is not zero.
    #[inline(always)]
    fn quotient(self, a: Self::F, b: Self::F) -> Self::F {
        self.div(a, b)
    }
    /// The square root.
    fn sqrt(self, a: Self::F) -> Self::F;
    /// The smaller one.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger one.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a × b + c`.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `c - a × b`.
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The exact rounding error of `product`, which is `a × b` rounded.
    fn product_error(self, a: Self::F, b: Self::F, product: Self::F) -> Self::F;
    /// Where `a < b` the lane of `x`, elsewhere that of `y`.
    fn where_less(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F;
    /// Where `a < b` the lane of `x`, elsewhere zero.
    fn keep_where_less(self, a: Self::F, b: Self::F, x: Self::U) -> Self::U;
    /// Whether any lane of `a` exceeds the same lane of `b`.
    fn any_greater(self, a: Self::F, b: Self::F) -> bool;
    /// The value of lane 0.
    fn first(self, a: Self::F) -> f32;
    /// `a + b`, wrapping.
    fn add_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// `a - b`, wrapping.
    fn sub_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// `a × b`, wrapping.
    fn mul_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// Exclusive or.
    fn xor_u(self, a: Self::U, b: Self::U) -> Self::U;
    /// Logical shift right by `BITS`.
    fn shr_u<const BITS: i32>(self, a: Self::U) -> Self::U;
    /// Shift left by `BITS`.
    fn shl_u<const BITS: i32>(self, a: Self::U) -> Self::U;
    /// The magnitude of lanes read as signed numbers; `-2^31` stays as it is.
    fn abs_i(self, a: Self::U) -> Self::U;
    /// Lanes read as signed numbers, as floats.
    fn i_to_f(self, a: Self::U) -> Self::F;
    /// Floats in `0..2^31`, rounded towards zero.
    fn f_to_u(self, a: Self::F) -> Self::U;
    /// The bits of floats.
    fn bits(self, a: Self::F) -> Self::U;
    /// Floats of bits.
    fn float(self, a: Self::U) -> Self::F;
    /// `table[index]` in every lane; indices past the end read the last entry.
    fn gather(self, table: &[f32], index: Self::U) -> Self::F;
    /// Adds a lane, rounded towards zero, to each of at most sixteen sums, which wrap. Lanes are in `0..2^63`.
    #[inline(always)]
    fn accumulate(self, a: Self::F, sums: &mut [u64]) {
        let mut lanes = F32x16([0.0; LANES]);
        self.store(a, &mut lanes);
        for (sum, lane) in sums.iter_mut().zip(lanes.0) {
            // SAFETY: a number in the type's range. (A conversion that checks this takes longer.)
            *sum = sum.wrapping_add(unsafe { lane.to_int_unchecked::<i64>() } as u64);
        }
    }
    /// The sum of each of sixteen vectors: lane `i` of the result is the sum of `rows[i]`, its
    /// lanes folded in halves (16 to 8 to 4 to 2 to 1).
    fn sums(self, rows: &[F32x16; LANES]) -> Self::F;
    /// Rows and columns exchanged: lane `i` of vector `j` of the result is lane `j` of `rows[i]`.
    #[inline(always)]
    fn transpose(self, rows: [Self::U; LANES]) -> [Self::U; LANES] {
        let mut lanes = [const { U32x16([0; LANES]) }; LANES];
        rows.into_iter().zip(&mut lanes).for_each(|(row, lanes)| self.store_u(row, lanes));
        std::array::from_fn(|column| {
            self.load_u(&U32x16(std::array::from_fn(|row| lanes[row].0[column])))
        })
    }
}

/// Work written once for every instruction set.
///
/// A trait and not a closure, because its body must be inlined (`#[inline(always)]`) into the
/// function that enables the instructions; the compiler may leave a closure outside, where every
/// operation becomes a call.
pub trait Work {
    /// The result.
    type Output;
    /// Does the work with the instructions of `s`.
    fn run<S: Simd>(self, s: S) -> Self::Output;
}

/// The instruction sets that Myriad has code for, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the architecture has: SSE2, NEON, WebAssembly's vectors, or plain Rust.
    Baseline,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 F and DQ.
    Avx512,
}

impl Level {
    /// Every level, slowest first.
    const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Whether this machine can run it.
    fn is_available(self) -> bool {
        match self {
            Level::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Every level this machine can run, slowest first. Allocates.
    pub fn available() -> Vec<Level> {
        Self::ALL.into_iter().filter(|level| level.is_available()).collect()
    }

    /// The fastest level this machine can run. Never allocates.
    pub fn best() -> Level {
        let fastest = Self::ALL.into_iter().rev().find(|level| level.is_available());
        fastest.unwrap_or(Level::Baseline)
    }

    /// Runs `work`, compiled for this level; for the baseline where the machine lacks it.
    #[inline]
    pub fn dispatch<W: Work>(self, work: W) -> W::Output {
        // The baseline once, since all of this is inlined.
        #[cfg(target_arch = "x86_64")]
        {
            if self == Level::Avx512
                && let Some(token) = Avx512::detect()
            {
                return token.run(work);
            }
            if self == Level::Avx2
                && let Some(token) = Avx2::detect()
            {
                return token.run(work);
            }
        }
        work.run(BASELINE)
    }

    /// The common name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Baseline if cfg!(target_arch = "aarch64") => "NEON",
            Level::Baseline if cfg!(target_feature = "relaxed-simd") => "relaxed SIMD",
            Level::Baseline if cfg!(target_feature = "simd128") => "SIMD128",
            Level::Baseline => "portable",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exchanges rows and columns of numbers that are all different.
    struct Transpose;

    impl Work for Transpose {
        type Output = [U32x16; LANES];

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let number = |row: usize, column: usize| (LANES * row + column) as u32;
            let row = |row| U32x16(std::array::from_fn(|column| number(row, column)));
            let mut columns = [U32x16([0; LANES]); LANES];
            let transposed = s.transpose(std::array::from_fn(|index| s.load_u(&row(index))));
            transposed.into_iter().zip(&mut columns).for_each(|(x, to)| s.store_u(x, to));
            columns
        }
    }

    #[test]
    fn every_level_adds_lanes_to_sums() {
        struct Accumulate<'a>(&'a mut [u64]);
        impl Work for Accumulate<'_> {
            type Output = ();
            #[inline(always)]
            fn run<S: Simd>(self, simd: S) {
                let lanes = std::array::from_fn(|lane| 1.5 + (lane as f32 * 2.6).exp2());
                simd.accumulate(simd.load(&F32x16(lanes)), self.0);
            }
        }
        for level in Level::available() {
            for count in 0..=LANES {
                let mut sums = [u64::MAX - 3; LANES + 1];
                level.dispatch(Accumulate(&mut sums[..count]));
                for (lane, sum) in sums.into_iter().enumerate() {
                    let added = (1.5 + (lane as f32 * 2.6).exp2()) as u64;
                    let added = if lane < count { added } else { 0 };
                    assert_eq!(sum, (u64::MAX - 3).wrapping_add(added), "{level:?} {lane}");
                }
            }
        }
    }

    #[test]
    fn every_level_exchanges_rows_and_columns() {
        for level in Level::available() {
            for (column, rows) in level.dispatch(Transpose).iter().enumerate() {
                let expected: [u32; LANES] =
                    std::array::from_fn(|row| (LANES * row + column) as u32);
                assert_eq!(rows.0, expected, "{}", level.name());
            }
        }
    }
}
