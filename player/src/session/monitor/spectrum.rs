//! The spectrum of the output, in bands of equal width on a keyboard.

use super::FLOOR_DB;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::f32::consts::TAU;
use std::sync::Arc;

/// How many bands there are.
pub const BANDS: usize = 320;

/// The frequencies between which they lie.
pub const LOWEST: f32 = 27.5;
pub const HIGHEST: f32 = 18_000.0;

/// Frames that are looked at together: a sixth of a second.
const WINDOW: usize = 8_192;

/// How fast a band falls back, in decibels a second.
const FALL: f32 = 60.0;

/// The frequency at a place between the lowest (0) and the highest (1).
fn frequency_at(place: f32) -> f32 {
    LOWEST * (HIGHEST / LOWEST).powf(place)
}

/// Looks at the last moments of a signal.
pub(crate) struct Spectrum {
    rate: f32,
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// The last samples, a ring.
    recent: Vec<f32>,
    next: usize,
    /// For the transform.
    input: Vec<f32>,
    output: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    bands: [f32; BANDS],
}

impl Spectrum {
    pub(crate) fn new(rate: f32) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(WINDOW);
        let hann = |n| 0.5 - 0.5 * (TAU * n as f32 / WINDOW as f32).cos();
        Self {
            rate,
            window: (0..WINDOW).map(hann).collect(),
            recent: vec![0.0; WINDOW],
            next: 0,
            input: fft.make_input_vec(),
            output: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            fft,
            bands: [FLOOR_DB; BANDS],
        }
    }

    pub(crate) fn push(&mut self, sample: f32) {
        self.recent[self.next] = sample;
        self.next = (self.next + 1) % WINDOW;
    }

    pub(crate) fn bands(&self) -> &[f32; BANDS] {
        &self.bands
    }

    /// Looks again, `seconds` after the last time.
    pub(crate) fn update(&mut self, seconds: f32) {
        let (newer, older) = self.recent.split_at(self.next);
        let samples = older.iter().chain(newer).zip(&self.window);
        for (slot, (sample, window)) in self.input.iter_mut().zip(samples) {
            *slot = sample * window;
        }
        // Fails only for buffers of other lengths.
        let _ = self
            .fft
            .process_with_scratch(&mut self.input, &mut self.output, &mut self.scratch);
        for (index, band) in self.bands.iter_mut().enumerate() {
            let edge = |index: usize| {
                frequency_at(index as f32 / BANDS as f32) / self.rate * WINDOW as f32
            };
            let level = strongest(&self.output, edge(index), edge(index + 1));
            // A sine at full scale fills its bin with a quarter of the window's length.
            let level = super::decibels(level * 4.0 / WINDOW as f32);
            *band = level.max(*band - FALL * seconds);
        }
    }
}

/// The strongest bin between two places, or what lies between the bins of a narrow band.
fn strongest(bins: &[Complex<f32>], from: f32, to: f32) -> f32 {
    let level = |bin: usize| bins.get(bin).map_or(0.0, |bin| bin.norm());
    let (first, last) = (from.ceil() as usize, to.ceil() as usize);
    if first < last {
        return (first..last).map(level).fold(0.0, f32::max);
    }
    let low = from as usize;
    level(low) + (level(low + 1) - level(low)) * (from - low as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_a_peak_at_its_pitch_and_level() {
        let mut spectrum = Spectrum::new(48_000.0);
        for n in 0..WINDOW {
            spectrum.push(0.5 * (TAU * 440.0 * n as f32 / 48_000.0).sin());
        }
        spectrum.update(0.02);
        let (band, level) = spectrum
            .bands()
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1))
            .unwrap();
        let low = frequency_at(band as f32 / BANDS as f32);
        let high = frequency_at((band + 1) as f32 / BANDS as f32);
        assert!(low < 446.0 && high > 434.0, "{low} to {high}");
        assert!((level + 6.02).abs() < 1.5, "{level}");
        assert_eq!(spectrum.bands()[BANDS - 1], FLOOR_DB);
    }
}
