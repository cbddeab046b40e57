//! The second table of a cloud: partials are interpolated towards it, or multiplied with it.

use super::tables::Tables;
use super::{Cloud, FRACTION, Row, Second, math, read_level};
use crate::simd::Simd;

/// The rows of a second table that a cloud reads.
#[derive(Clone, Copy, Debug)]
pub struct SecondRows<'a> {
    ratio: &'a Row,
    log2_ratio: &'a Row,
    /// Levels of the frames below and above its position.
    pub(crate) frames: [&'a Row; 2],
    /// For tracks, the relative deviation of the ratios between this frame and the next.
    bend: Option<&'a Row>,
    /// Position between the frames.
    pub(crate) morph: f32,
    /// The position between the tables, or the power of the factor.
    part: f32,
    multiplies: bool,
}

impl<'a> SecondRows<'a> {
    /// The rows of `second`; `None` when it has no share.
    #[inline(always)]
    pub(super) fn of(second: &Second, tables: &'a Tables) -> Option<Self> {
        if second.share == 0 {
            return None;
        }
        let tracks = second.table & Second::TRACKS != 0;
        let table = second.table & !Second::TRACKS;
        Some(Self {
            ratio: tables.row(table),
            log2_ratio: tables.row(table + 1),
            frames: [
                tables.row(second.frame),
                tables.row(second.frame + if tracks { 2 } else { 1 }),
            ],
            bend: tracks.then(|| tables.row(second.frame + 1)),
            morph: f32::from(second.morph) * (1.0 / Second::MORPH),
            part: f32::from(second.share).abs() * (1.0 / FRACTION),
            multiplies: second.share < 0,
        })
    }

    /// Ratios interpolated from `first`. Equal ratios stay bit-equal.
    #[inline(always)]
    pub(super) fn ratio<S: Simd>(&self, s: S, group: usize, first: S::F) -> S::F {
        if self.multiplies {
            return first;
        }
        let mut second = s.load(&self.ratio[group]);
        if let Some(bend) = self.bend {
            second = s.add(second, s.mul(second, s.load(&bend[group])));
        }
        self.between(s, first, second)
    }

    /// The same for their logarithms.
    #[inline(always)]
    pub(super) fn log2_ratio<S: Simd>(&self, s: S, group: usize, first: S::F) -> S::F {
        match self.multiplies {
            true => first,
            false => self.between(s, first, s.load(&self.log2_ratio[group])),
        }
    }

    #[inline(always)]
    fn between<S: Simd>(&self, s: S, first: S::F, second: S::F) -> S::F {
        s.add(first, s.mul(s.sub(second, first), s.splat(self.part)))
    }

    /// A level interpolated from `first` to `second`, or multiplied: for single partials.
    pub(crate) fn joined(&self, first: f32, second: f32) -> f32 {
        match self.multiplies {
            true => first * second.powf(self.part),
            false => first + (second - first) * self.part,
        }
    }

    /// The same for sixteen partials, whose second levels are read here.
    #[inline(always)]
    pub(super) fn level<S: Simd>(&self, s: S, cloud: &Cloud, group: usize, first: S::F) -> S::F {
        let second = read_level(s, cloud.formant, self.frames, self.morph, group);
        match self.multiplies {
            true => {
                let octaves = s.mul(math::log2_exact(s, second), s.splat(self.part));
                s.mul(first, math::exp2(s, octaves))
            }
            false => s.fma(s.sub(second, first), s.splat(self.part), first),
        }
    }
}
