//! Measured values, and how far the rounds of one run lie apart.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A value, with the lowest and the highest of the rounds: changes between them are noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Figure {
    /// The median of the rounds; none without rounds.
    pub(super) fn of_rounds(rounds: &[f64]) -> Option<Self> {
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self { value: at(&sorted, 0.5)?, low: *sorted.first()?, high: *sorted.last()? })
    }

    /// The same in another unit.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// Times of many blocks, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Percentiles {
    /// How many were measured. With fewer than 1,000, p99.9 is the worst block.
    pub blocks: usize,
    /// How many took longer than they sound.
    pub late: usize,
    pub p50: Figure,
    pub p95: Figure,
    pub p99: Figure,
    pub p99_9: Figure,
    pub max: Figure,
}

impl Percentiles {
    /// Over all rounds of times in seconds; the rounds' own percentiles are the spread.
    pub(super) fn of_rounds(rounds: &[Vec<f64>], period: Duration) -> Option<Self> {
        let rounds: Vec<Vec<f64>> = rounds.iter().map(|round| sorted(round)).collect();
        let all = sorted(&rounds.concat());
        let figure = |share: f64| -> Option<Figure> {
            let each: Vec<f64> = rounds.iter().filter_map(|round| at(round, share)).collect();
            let value = at(&all, share)?;
            let spread = Figure::of_rounds(&each)?;
            Some(Figure { value, ..spread }.scaled(1e6))
        };
        Some(Self {
            blocks: all.len(),
            late: all.iter().filter(|time| **time > period.as_secs_f64()).count(),
            p50: figure(0.5)?,
            p95: figure(0.95)?,
            p99: figure(0.99)?,
            p99_9: figure(0.999)?,
            max: figure(1.0)?,
        })
    }

    /// With their names, from the median to the worst.
    pub(super) fn named(&self) -> [(&'static str, Figure); 5] {
        [
            ("p50", self.p50),
            ("p95", self.p95),
            ("p99", self.p99),
            ("p99.9", self.p99_9),
            ("max", self.max),
        ]
    }
}

fn sorted(times: &[f64]) -> Vec<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times
}

/// The smallest of `sorted` that at least `share` of them do not exceed.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// The median; infinite without measurements.
pub(super) fn median(times: &[f64]) -> f64 {
    at(&sorted(times), 0.5).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_ranks() {
        let times: Vec<f64> = (1..=1000).map(f64::from).collect();
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (1.0, 1000.0)] {
            assert_eq!(at(&times, share), Some(expected));
        }
        assert_eq!(at(&[7.0], 0.001), Some(7.0));
        assert_eq!(at(&[], 0.5), None);
    }

    #[test]
    fn the_spread_is_that_of_the_rounds() {
        let rounds = [vec![1e-6, 2e-6, 3e-6], vec![4e-6, 5e-6, 9e-6]];
        let found = Percentiles::of_rounds(&rounds, Duration::from_micros(4)).unwrap();
        assert_eq!((found.blocks, found.late), (6, 2));
        assert!((found.p50.value - 3.0).abs() < 1e-9);
        assert!((found.p50.low - 2.0).abs() < 1e-9 && (found.p50.high - 5.0).abs() < 1e-9);
        assert!((found.max.value - 9.0).abs() < 1e-9 && (found.max.low - 3.0).abs() < 1e-9);
        assert_eq!(Percentiles::of_rounds(&[], Duration::ZERO), None);
    }
}
