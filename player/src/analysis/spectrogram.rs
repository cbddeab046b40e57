//! A spectrogram on a logarithmic frequency axis, computed while the sound streams by.
//!
//! Ears hear low notes by pitch and high ones by time, and so does this: windows that are
//! long for the bass and short for the treble blend into each other along the frequency axis.

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::f32::consts::TAU;
use std::ops::Range;
use std::sync::Arc;

/// The lowest frequency shown.
const LOWEST_HZ: f32 = 25.0;
/// The highest frequency shown, or half the sample rate when that is lower.
const HIGHEST_HZ: f32 = 20_000.0;
/// What stands for nothing at all.
const FLOOR_DB: f32 = -200.0;

/// Each window's length in seconds, and the frequency that it is made for.
const WINDOWS: [(f32, f32); 4] = [(0.5, 50.0), (0.3, 200.0), (0.1, 1000.0), (0.04, 5000.0)];

/// Windows longer than this gain nothing but time.
const LONGEST_WINDOW: usize = 1 << 16;

/// The most moments that one column looks at; long files are sampled rather than read whole.
const MOMENTS_PER_COLUMN: u64 = 4;

/// Levels over time and frequency, and the outline of the wave.
pub struct Spectrogram {
    pub columns: usize,
    pub rows: usize,
    pub seconds: f64,
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
    heard: u64,
    /// The next moment to look at.
    moment: u64,
    moments: u64,
    lenses: Vec<Lens>,
}

/// The levels of a whole sound in a small picture: column after column, the lowest frequency first.
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
        let lenses: Vec<Lens> = WINDOWS
            .iter()
            .map(|&(seconds, _)| Lens::new((seconds * rate) as usize, rate))
            .collect();
        let longest = lenses.iter().map(Lens::length).max().unwrap_or(0);
        let per_column = frames / columns as u64;
        let step = lenses.get(2).map_or(1, |lens| lens.length() as u64 / 2);
        let moments_per_column = (per_column / step.max(1)).clamp(1, MOMENTS_PER_COLUMN);
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
            heard: 0,
            moment: 0,
            moments: columns as u64 * moments_per_column,
            lenses,
        }
    }

    /// Hears a block.
    pub fn add(&mut self, block: [&[f32]; 2]) {
        for (history, channel) in self.history.iter_mut().zip(block) {
            history.extend_from_slice(channel);
        }
        for (frame, (left, right)) in (self.heard..).zip(block[0].iter().zip(block[1])) {
            let column = frame * self.columns as u64 / self.frames.max(1);
            if let Some(peak) = self.peaks.get_mut(column as usize) {
                *peak = peak.max(left.abs()).max(right.abs());
            }
        }
        self.heard += block[0].len() as u64;
        self.look();
    }

    /// Looks at what is left: the end of the sound, followed by silence.
    pub fn finish(&mut self) {
        let silence = vec![0.0; self.longest()];
        for history in &mut self.history {
            history.extend_from_slice(&silence);
        }
        self.look();
    }

    fn longest(&self) -> usize {
        self.lenses.iter().map(Lens::length).max().unwrap_or(0)
    }

    /// Looks at every moment for which enough has been heard, and forgets what is past.
    fn look(&mut self) {
        let longest = self.longest();
        while self.moment < self.moments {
            let centre = (2 * self.moment + 1) as f64 / (2 * self.moments) as f64;
            // History is half a window ahead of the sound, so this is where the window starts.
            let start = (centre * self.frames as f64) as u64;
            let offset = start.saturating_sub(self.history_start) as usize;
            if offset + longest > self.history[0].len() {
                self.forget(offset);
                return;
            }
            self.look_at(offset, longest);
            self.moment += 1;
        }
    }

    fn forget(&mut self, frames: usize) {
        let frames = frames.min(self.history[0].len());
        for history in &mut self.history {
            history.drain(..frames);
        }
        self.history_start += frames as u64;
    }

    /// Adds the moment whose longest window starts at `offset` in the history.
    fn look_at(&mut self, offset: usize, longest: usize) {
        for lens in &mut self.lenses {
            let start = offset + (longest - lens.length()) / 2;
            let window = start..start + lens.length();
            lens.look([&self.history[0][window.clone()], &self.history[1][window]]);
        }
        let column = (self.moment * self.columns as u64 / self.moments) as usize;
        let cells = &mut self.levels[column * self.rows..][..self.rows];
        for (cell, edges) in cells.iter_mut().zip(self.edges.windows(2)) {
            *cell = cell.max(blend(&self.lenses, edges[0], edges[1]));
        }
    }
}

/// The level between two frequencies, from the two lenses made for what lies around them.
fn blend(lenses: &[Lens], low: f32, high: f32) -> f32 {
    let upper = WINDOWS
        .iter()
        .position(|&(_, hz)| low < hz)
        .unwrap_or(WINDOWS.len());
    let (Some(below), Some(above)) = (upper.checked_sub(1), lenses.get(upper)) else {
        let only = upper.min(lenses.len() - 1);
        return lenses[only].level(low, high);
    };
    let (from, to) = (WINDOWS[below].1, WINDOWS[upper].1);
    let mix = (low / from).ln() / (to / from).ln();
    let (a, b) = (lenses[below].level(low, high), above.level(low, high));
    a + (b - a) * mix
}

/// A window of one length and its Fourier transform.
struct Lens {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    input: Vec<f32>,
    spectrum: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    /// The power of each bin, that of a full-scale sine being 1.
    powers: Vec<f32>,
    bins_per_hz: f32,
}

impl Lens {
    fn new(about: usize, rate: f32) -> Self {
        let length = about.next_power_of_two().clamp(64, LONGEST_WINDOW);
        let fft = RealFftPlanner::new().plan_fft_forward(length);
        let window: Vec<f32> = (0..length).map(|n| blackman_harris(n, length)).collect();
        // A full-scale sine then has magnitude 1 in its bin.
        let gain = 2.0 / window.iter().sum::<f32>();
        Self {
            window: window.into_iter().map(|w| w * gain).collect(),
            input: fft.make_input_vec(),
            spectrum: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            powers: vec![0.0; length / 2 + 1],
            bins_per_hz: length as f32 / rate,
            fft,
        }
    }

    fn length(&self) -> usize {
        self.window.len()
    }

    /// Takes the louder channel's spectrum of one moment.
    fn look(&mut self, channels: [&[f32]; 2]) {
        self.powers.fill(0.0);
        for channel in channels {
            let windowed = channel.iter().zip(&self.window).map(|(x, w)| x * w);
            for (input, value) in self.input.iter_mut().zip(windowed) {
                *input = value;
            }
            // Lengths match by construction, so this does not fail.
            let _ = self.fft.process_with_scratch(
                &mut self.input,
                &mut self.spectrum,
                &mut self.scratch,
            );
            for (power, bin) in self.powers.iter_mut().zip(&self.spectrum) {
                *power = power.max(bin.norm_sqr());
            }
        }
    }

    /// The highest level between two frequencies; interpolated where bins are further apart.
    fn level(&self, low: f32, high: f32) -> f32 {
        let (low, high) = (low * self.bins_per_hz, high * self.bins_per_hz);
        let bin = (((low + high) / 2.0) as usize).min(self.powers.len() - 2);
        let fraction = ((low + high) / 2.0 - bin as f32).clamp(0.0, 1.0);
        let [before, after] = [bin, bin + 1].map(|bin| decibels(self.powers[bin]));
        let inside = (low.ceil() as usize)..(high.ceil() as usize).min(self.powers.len());
        let inside = self.powers.get(inside).unwrap_or_default();
        let highest = inside
            .iter()
            .fold(0.0f32, |highest, &power| highest.max(power));
        decibels(highest).max(before + (after - before) * fraction)
    }
}

fn decibels(power: f32) -> f32 {
    if power > 1e-20 {
        10.0 * power.log10()
    } else {
        FLOOR_DB
    }
}

/// Harris, "On the use of windows for harmonic analysis", 1978: four terms, side lobes at -92 dB.
fn blackman_harris(n: usize, length: usize) -> f32 {
    const TERMS: [f32; 4] = [0.35875, -0.48829, 0.14128, -0.01168];
    let turn = TAU * n as f32 / length as f32;
    TERMS
        .iter()
        .zip(0u8..)
        .map(|(term, k)| term * (turn * f32::from(k)).cos())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let loudest = (0..300)
            .max_by(|&a, &b| column[a].total_cmp(&column[b]))
            .unwrap();
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
