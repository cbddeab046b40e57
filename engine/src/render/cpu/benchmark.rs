//! The bank alone, on partials with fixed pitches: the upper limit of a core's speed.

use super::bank::{Oscillators, advance};
use crate::render::TICK;
use crate::simd::{F32x16, LANES, Simd, Work};
use std::hint::black_box;

/// Partials of the bank: few enough to stay in the first-level cache.
pub const PARTIALS: usize = 1024;

const GROUPS: usize = PARTIALS / LANES;

/// Some ticks of [`PARTIALS`] partials, in the memory layout of the renderer.
#[derive(Clone, Copy, Debug)]
pub struct BankAlone {
    /// The number of ticks.
    pub ticks: usize,
    /// Whether oscillators are seeded again every tick, as a renderer does.
    pub seeding: bool,
}

impl Work for BankAlone {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut groups = [Oscillators::silent(s); GROUPS];
        for (index, group) in groups.iter_mut().enumerate() {
            *group = seeded(s, index);
        }
        let mut sum = [F32x16([0.0; LANES]); TICK];
        for _ in 0..self.ticks {
            if self.seeding {
                for (index, group) in groups.iter_mut().enumerate() {
                    *group = seeded(s, index);
                }
            }
            for side_by_side in groups.chunks(S::GROUPS) {
                advance::<S, false>(s, side_by_side, &mut sum);
            }
            black_box(&mut sum);
        }
    }
}

#[inline(always)]
fn seeded<S: Simd>(s: S, index: usize) -> Oscillators<S> {
    let phase = s.splat_u(black_box(index as u32 * 77_777));
    let increment = s.splat_u(black_box(1_000_000 + index as u32 * 20_000_000));
    let level = s.splat(1e-3);
    Oscillators::seed(s, phase, increment, level, level, s.splat(1.0 / 32.0)).0
}
