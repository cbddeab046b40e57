//! The frequencies of the partials: peaks move, partials stay, and a peak is played by the nearest one.
//!
//! A step of phase is half a turn at most, so a partial reaches half a cycle a frame to either side of its own
//! frequency. Short sounds have frames close together and partials that reach each other everywhere; they are at
//! equal distances, as `source.formant` expects. Long sounds have fewer partials than that takes: there the
//! distance grows with the frequency, like the ear's own.

use myriad_engine::tracks::MAX_CELLS;

/// The lowest frequency of a peak.
pub(super) const LOWEST: f64 = 20.0;

/// The shortest distance of two partials, in Hertz: peaks are no closer.
const CLOSEST: f64 = 40.0;

/// Where distances grow, they are at first this part of the reach of a partial to both sides, and then this
/// share of the frequency.
const LOW_SHARE: f64 = 0.9;
const GROWTH: f64 = 1.0 / 12.0;

/// The most partials of a voice.
const MOST_PARTIALS: usize = 1_024;

/// The frequencies of the partials, up to `highest`, where a table has so many frames, which are `hop` seconds
/// apart.
pub(super) fn frequencies(highest: f64, hop: f64, frames: usize) -> Vec<f64> {
    let most = (MAX_CELLS / frames).clamp(1, MOST_PARTIALS);
    let equal = (highest / most as f64).max(CLOSEST);
    match equal * hop <= 1.0 {
        true => {
            let count = ((highest / equal).ceil() as usize).clamp(1, most);
            (0..count).map(|n| (n as f64 + 0.5) * equal).collect()
        }
        false => growing(highest, hop, most),
    }
}

/// At most `most` frequencies whose distances grow.
fn growing(highest: f64, hop: f64, most: usize) -> Vec<f64> {
    let with = |growth: f64| {
        let (mut found, mut at) = (Vec::new(), LOWEST);
        while at < highest && found.len() <= most {
            let distance = (growth * at).max(LOW_SHARE / hop);
            found.push(at + 0.5 * distance);
            at += distance;
        }
        found
    };
    // The least growth that is enough.
    let (mut low, mut high) = (0.0, GROWTH);
    while with(high).len() > most && high < 1.0 {
        high *= 2.0;
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        match with(middle).len() > most {
            true => low = middle,
            false => high = middle,
        }
    }
    let mut found = with(high);
    found.truncate(most);
    found
}

/// The index of the frequency nearest to `hertz`.
pub(super) fn nearest(frequencies: &[f64], hertz: f64) -> usize {
    let next = frequencies.partition_point(|&other| other < hertz);
    match next {
        0 => 0,
        _ if next == frequencies.len() => next - 1,
        _ if frequencies[next] - hertz < hertz - frequencies[next - 1] => next,
        _ => next - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length of a sound and every bandwidth: the frequencies rise, fit into a table, and reach the top.
    #[test]
    fn partials_reach_everywhere() {
        for frames in [4, 10, 100, 400, 512] {
            for hop in [0.005, 0.01, 0.02, 0.04, 0.1] {
                for highest in [21.0, 100.0, 5_000.0, 20_000.0] {
                    let found = frequencies(highest, hop, frames);
                    assert!(!found.is_empty() && found.len() * frames <= MAX_CELLS);
                    assert!(found.is_sorted_by(|a, b| a < b));
                    let gap = (highest - found[found.len() - 1]) / highest;
                    assert!(gap < 0.5, "{frames} frames of {hop} s to {highest} Hz: {found:?}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_is_found() {
        let frequencies = [10.0, 20.0, 40.0];
        for (hertz, index) in [(1.0, 0), (14.0, 0), (16.0, 1), (29.0, 1), (31.0, 2), (99.0, 2)] {
            assert_eq!(nearest(&frequencies, hertz), index);
        }
    }
}
