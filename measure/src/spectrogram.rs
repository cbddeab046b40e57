//! A spectrogram on a logarithmic frequency axis, computed block by block.
//!
//! It is the blend of several spectrograms: long windows resolve the pitch of low frequencies, short ones
//! the time of high frequencies.

use crate::{FLOOR_DB, WindowedFft, blackman_harris};
use std::ops::Range;

/// The lowest frequency shown.
const LOWEST_HZ: f32 = 25.0;
/// The highest frequency shown, or half the sample rate when that is lower.
const HIGHEST_HZ: f32 = 20_000.0;

/// Each window's length in seconds, the longest first, and the frequency that it is for.
const WINDOWS: [(f32, f32); 4] = [(0.5, 50.0), (0.3, 200.0), (0.1, 1000.0), (0.04, 5000.0)];

const LONGEST_WINDOW: usize = 1 << 16;

/// The most transforms of one column; long files are sampled.
const TRANSFORMS_PER_COLUMN: u64 = 4;

/// Levels over time and frequency, and the outline of the wave.
pub struct Spectrogram {
    /// Steps of time.
    pub columns: usize,
    /// Steps of frequency.
    pub rows: usize,
    /// The length of the sound.
    pub seconds: f64,
    /// The lowest and the highest frequency.
    pub frequencies: Range<f32>,
    /// The frequencies between which each row lies.
    edges: Vec<f32>,
    /// In decibels of a full-scale sine; column after column, the lowest frequency first.
    pub levels: Vec<f32>,
    /// The largest sample of each column.
    pub peaks: Vec<f32>,

    // Signal state.
    frames: u64,
    /// Left and right, from [`history_start`](Self::history_start) on.
    history: [Vec<f32>; 2],
    /// The frame that the history starts at, counted from half a window before the sound.
    history_start: u64,
    added: u64,
    /// The next transform, and how many there are.
    next: u64,
    count: u64,
    windows: Vec<WindowedFft>,
}

/// The levels of a whole sound: column after column, the lowest frequency first.
pub fn thumbnail(sound: [&[f32]; 2], sample_rate: u32, [columns, rows]: [usize; 2]) -> Vec<f32> {
    let mut picture = Spectrogram::new(sample_rate, sound[0].len() as u64, columns, rows);
    picture.add(sound);
    picture.finish();
    picture.levels
}

impl Spectrogram {
    /// Prepares for `frames` frames.
    pub fn new(sample_rate: u32, frames: u64, columns: usize, rows: usize) -> Self {
        let rate = sample_rate as f32;
        let highest = HIGHEST_HZ.min(rate / 2.0);
        let lowest = LOWEST_HZ.min(highest / 2.0);
        let windows: Vec<WindowedFft> = WINDOWS
            .iter()
            .map(|&(seconds, _)| {
                let length = ((seconds * rate) as usize).next_power_of_two();
                WindowedFft::new(length.clamp(64, LONGEST_WINDOW), rate, blackman_harris)
            })
            .collect();
        let longest = windows[0].length();
        let per_column = frames / columns as u64;
        let step = windows[2].length() as u64 / 2;
        let per_column = (per_column / step).clamp(1, TRANSFORMS_PER_COLUMN);
        Self {
            columns,
            rows,
            seconds: frames as f64 / f64::from(rate),
            edges: (0..=rows)
                .map(|row| lowest * (highest / lowest).powf(row as f32 / rows as f32))
                .collect(),
            frequencies: lowest..highest,
            levels: vec![FLOOR_DB; columns * rows],
            peaks: vec![0.0; columns],
            frames,
            history: [vec![0.0; longest / 2], vec![0.0; longest / 2]],
            history_start: 0,
            added: 0,
            next: 0,
            count: columns as u64 * per_column,
            windows,
        }
    }

    /// Adds the next frames, left and right.
    pub fn add(&mut self, block: [&[f32]; 2]) {
        for (history, channel) in self.history.iter_mut().zip(block) {
            history.extend_from_slice(channel);
        }
        for (frame, (left, right)) in (self.added..).zip(block[0].iter().zip(block[1])) {
            let column = frame * self.columns as u64 / self.frames.max(1);
            if let Some(peak) = self.peaks.get_mut(column as usize) {
                *peak = peak.max(left.abs()).max(right.abs());
            }
        }
        self.added += block[0].len() as u64;
        self.advance();
    }

    /// Completes the last columns, as if silence followed the sound.
    pub fn finish(&mut self) {
        let silence = vec![0.0; self.windows[0].length()];
        for history in &mut self.history {
            history.extend_from_slice(&silence);
        }
        self.advance();
    }

    /// Makes every transform for which there is enough history, and drops history that is past.
    fn advance(&mut self) {
        let longest = self.windows[0].length();
        while self.next < self.count {
            let centre = (2 * self.next + 1) as f64 / (2 * self.count) as f64;
            // The history starts half a window before the sound, so this is where the window starts.
            let start = (centre * self.frames as f64) as u64;
            let offset = start.saturating_sub(self.history_start) as usize;
            if offset + longest > self.history[0].len() {
                self.forget(offset);
                return;
            }
            self.transform(offset, longest);
            self.next += 1;
        }
    }

    fn forget(&mut self, frames: usize) {
        let frames = frames.min(self.history[0].len());
        for history in &mut self.history {
            history.drain(..frames);
        }
        self.history_start += frames as u64;
    }

    /// Adds the transform whose longest window starts at `offset` in the history.
    fn transform(&mut self, offset: usize, longest: usize) {
        for window in &mut self.windows {
            let start = offset + (longest - window.length()) / 2;
            let range = start..start + window.length();
            window.transform(self.history.iter().map(|side| side[range.clone()].iter()));
        }
        let column = (self.next * self.columns as u64 / self.count) as usize;
        let cells = &mut self.levels[column * self.rows..][..self.rows];
        for (cell, edges) in cells.iter_mut().zip(self.edges.windows(2)) {
            *cell = cell.max(blend(&self.windows, edges[0], edges[1]));
        }
    }
}

/// The level between two frequencies, blended from the two windows for the frequencies around them.
fn blend(windows: &[WindowedFft], low: f32, high: f32) -> f32 {
    let upper = WINDOWS.iter().position(|&(_, hz)| low < hz).unwrap_or(WINDOWS.len());
    let (Some(below), Some(above)) = (upper.checked_sub(1), windows.get(upper)) else {
        let only = upper.min(windows.len() - 1);
        return windows[only].level(low, high);
    };
    let (from, to) = (WINDOWS[below].1, WINDOWS[upper].1);
    let mix = (low / from).ln() / (to / from).ln();
    let (a, b) = (windows[below].level(low, high), above.level(low, high));
    a + (b - a) * mix
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]
mod tests {
    use super::*;
    use std::f32::consts::TAU;

    #[test]
    fn a_sine_is_a_line_at_its_frequency_and_level() {
        let rate = 48_000;
        let tone: Vec<f32> = (0..rate)
            .map(|n| 0.1 * (TAU * (n as f32 * 1000.0 / rate as f32).fract()).sin())
            .collect();
        let mut spectrogram = Spectrogram::new(rate, u64::from(rate), 10, 300);
        for block in tone.chunks(777) {
            spectrogram.add([block, block]);
        }
        spectrogram.finish();
        let column = &spectrogram.levels[5 * 300..6 * 300];
        let loudest = (0..300).max_by(|&a, &b| column[a].total_cmp(&column[b])).unwrap();
        let Range { start, end } = spectrogram.frequencies;
        let hz = start * (end / start).powf((loudest as f32 + 0.5) / 300.0);
        assert!((hz / 1000.0).log2().abs() < 0.1, "{hz}");
        assert!((column[loudest] + 20.0).abs() < 1.0, "{}", column[loudest]);
        assert!(column[10] < -100.0);
        assert!((spectrogram.peaks[5] - 0.1).abs() < 1e-3);
    }

    #[test]
    fn tiny_sounds_are_no_trouble() {
        for frames in [0, 1, 100] {
            let mut spectrogram = Spectrogram::new(8000, frames, 50, 50);
            let block = vec![0.5; frames as usize];
            spectrogram.add([&block, &block]);
            spectrogram.finish();
            assert_eq!(spectrogram.levels.len(), 2500);
        }
    }
}
