//! The spectrum of the output, in bands of equal width on a logarithmic axis.

use super::FLOOR_DB;
use myriad_measure::{WindowedFft, hann};

/// The number of bands.
pub const BANDS: usize = 320;

/// The frequencies of the lowest and the highest band.
pub const LOWEST: f32 = 27.5;
pub const HIGHEST: f32 = 18_000.0;

/// Frames of a transform: a sixth of a second at 48 kHz.
const WINDOW: usize = 8_192;

/// How fast a band falls, in decibels a second.
const FALL: f32 = 60.0;

/// The frequency of the lower edge of a band.
fn edge(band: usize) -> f32 {
    LOWEST * (HIGHEST / LOWEST).powf(band as f32 / BANDS as f32)
}

/// Spectrum of the last frames of a signal.
pub(crate) struct Spectrum {
    fft: WindowedFft,
    /// The last samples, a ring buffer.
    recent: Vec<f32>,
    next: usize,
    bands: [f32; BANDS],
}

impl Spectrum {
    pub(crate) fn new(rate: f32) -> Self {
        Self {
            fft: WindowedFft::new(WINDOW, rate, hann),
            recent: vec![0.0; WINDOW],
            next: 0,
            bands: [FLOOR_DB; BANDS],
        }
    }

    pub(crate) fn push(&mut self, sample: f32) {
        self.recent[self.next] = sample;
        self.next = (self.next + 1) % WINDOW;
    }

    /// Levels in dBFS.
    pub(crate) fn bands(&self) -> &[f32; BANDS] {
        &self.bands
    }

    /// Computes the bands, `seconds` after the last time.
    pub(crate) fn update(&mut self, seconds: f32) {
        let (newer, older) = self.recent.split_at(self.next);
        self.fft.transform([older.iter().chain(newer)]);
        for (index, band) in self.bands.iter_mut().enumerate() {
            let level = self.fft.level(edge(index), edge(index + 1));
            *band = level.max(*band - FALL * seconds).max(FLOOR_DB);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::TAU;

    #[test]
    fn a_sine_is_a_peak_at_its_pitch_and_level() {
        let mut spectrum = Spectrum::new(48_000.0);
        for n in 0..WINDOW {
            spectrum.push(0.5 * (TAU * 440.0 * n as f32 / 48_000.0).sin());
        }
        spectrum.update(0.02);
        let bands = spectrum.bands().iter().enumerate();
        let (band, level) = bands.max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        let (low, high) = (edge(band), edge(band + 1));
        assert!(low < 446.0 && high > 434.0, "{low} to {high}");
        assert!((level + 6.02).abs() < 1.5, "{level}");
        assert_eq!(spectrum.bands()[BANDS - 1], FLOOR_DB);
    }
}
