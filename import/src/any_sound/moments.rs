//! What sounds at each moment of a sound: the peaks of windows that never reach across an onset.

use super::super::sound::Sound;
use super::super::{ImportError, Progress};
use super::peaks::{self, Peak, Window};
use super::{grid, onsets};
use std::ops::Range;

/// Bands of the analysis: from which frequency on, and the length of the window in seconds. Low peaks are
/// close to each other, high ones are short.
const BANDS: [(f64, f64); 3] = [(grid::LOWEST, 0.06), (400.0, 0.04), (2_000.0, 0.03)];

/// Windows are at least so many frames long, so that nothing between two frames is lost.
const FEWEST_HOPS: f64 = 1.5;

/// A window that onsets cut is at least this share of its length.
const SHORTEST: f64 = 0.3;

/// The window of the first frame after an onset rises in this time, in seconds: what is short is all there.
const SHARP: f64 = 0.001;

/// In bands from this frequency on. Lower ones need all of the window to tell peaks apart.
const SHARP_FROM: f64 = 1_000.0;

/// The part of the sampling rate that is used, and the highest frequency in Hertz.
const BELOW_NYQUIST: f64 = 0.48;
const HIGHEST: f64 = 20_000.0;

/// The peaks at each of `frames` moments, `hop` seconds apart, and the onsets in samples.
pub(super) fn find(
    sound: &Sound,
    frames: usize,
    hop: f64,
    work: Range<f32>,
    progress: &Progress,
) -> Result<(Vec<Vec<Peak>>, Vec<usize>), ImportError> {
    progress.step(work.clone(), 0, frames)?;
    let onsets = onsets::find(sound);
    let mut moments = Vec::with_capacity(frames);
    for frame in 0..frames {
        progress.step(work.clone(), frame, frames)?;
        moments.push(at(sound, frame as f64 * hop * sound.rate, hop, &onsets));
    }
    Ok((moments, onsets))
}

/// The peaks at sample `moment`, lowest first.
fn at(sound: &Sound, moment: f64, hop: f64, onsets: &[usize]) -> Vec<Peak> {
    let after = onsets.partition_point(|&onset| onset as f64 <= moment);
    let begin = if after > 0 { onsets[after - 1] } else { 0 };
    let end = onsets.get(after).copied().unwrap_or(sound.samples.len());
    let is_first = moment - (begin as f64) < hop * sound.rate;
    let highest = HIGHEST.min(BELOW_NYQUIST * sound.rate);
    let mut found = Vec::new();
    for (index, &(low, seconds)) in BANDS.iter().enumerate() {
        let high = BANDS.get(index + 1).map_or(highest, |&(high, _)| high.min(highest));
        if low >= high {
            break;
        }
        let full = (seconds.max(FEWEST_HOPS * hop) * sound.rate) as usize;
        let half = 0.5 * full as f64;
        let mut first = (moment - half).max(begin as f64) as usize;
        let mut last = ((moment + half) as usize).min(end);
        let shortest = ((SHORTEST * full as f64) as usize).max(32).min(sound.samples.len());
        if last < first + shortest {
            // Rather longer to the left, where an onset is long ago, than into the next one.
            first = (first + shortest).min(end).saturating_sub(shortest);
            last = first + shortest;
        }
        let rise = match is_first && low >= SHARP_FROM {
            true => (SHARP * sound.rate) as usize,
            false => (last - first) / 2,
        };
        let window = Window { samples: first..last, rise, size: (2 * full).next_power_of_two() };
        found.extend(peaks::find(sound, moment, &window, low..high));
    }
    found
}
