//! Which figures changed since another run by more than noise.

use super::figure::Figure;
use super::report::{Better, Report};
use serde::{Deserialize, Serialize};

/// Smaller changes are ignored, however close the rounds are.
const LEAST: f64 = 0.05;

/// A figure that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub figure: String,
    pub before: Figure,
    pub after: Figure,
    /// Above 1 is better than before, below is worse.
    pub factor: f64,
}

/// All figures whose rounds do not overlap, the worst first, and how many were compared.
pub(super) fn changes(before: &Report, after: &Report) -> (Vec<Change>, usize) {
    let known = before.figures();
    let mut compared = 0;
    let mut changes = Vec::new();
    for (figure, after, better) in after.figures() {
        let Some((_, before, _)) = known.iter().find(|(name, ..)| *name == figure) else {
            continue;
        };
        compared += 1;
        if let Some(factor) = factor(*before, after, better) {
            changes.push(Change { figure, before: *before, after, factor });
        }
    }
    changes.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    (changes, compared)
}

/// The factor of [`Change`]; none when the difference may be noise.
fn factor(before: Figure, after: Figure, better: Better) -> Option<f64> {
    let apart = before.high < after.low || after.high < before.low;
    let ratio = after.value / before.value;
    let factor = match better {
        Better::More => ratio,
        Better::Less => 1.0 / ratio,
    };
    (apart && (ratio - 1.0).abs() > LEAST && factor.is_finite()).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(low: f64, value: f64, high: f64) -> Figure {
        Figure { value, low, high }
    }

    #[test]
    fn only_what_is_beyond_noise_counts() {
        let before = figure(9.0, 10.0, 11.0);
        let slower = factor(before, figure(18.0, 20.0, 22.0), Better::Less);
        assert_eq!(slower, Some(0.5));
        let more = factor(before, figure(18.0, 20.0, 22.0), Better::More);
        assert_eq!(more, Some(2.0));
        // Rounds overlap.
        assert_eq!(factor(before, figure(10.5, 15.0, 20.0), Better::Less), None);
        // Apart, but by little.
        let steady = figure(10.0, 10.0, 10.0);
        assert_eq!(factor(steady, figure(10.2, 10.2, 10.2), Better::Less), None);
    }
}
