//! A windowed Fourier transform, and levels between frequencies.

use crate::fft::PLANNER;
use realfft::RealToComplex;
use realfft::num_complex::Complex;
use std::f32::consts::TAU;
use std::sync::Arc;

/// The level of silence, in decibels of a full-scale sine.
pub const FLOOR_DB: f32 = -200.0;

/// A window and its Fourier transform.
pub struct WindowedFft {
    fft: Arc<dyn RealToComplex<f64>>,
    window: Vec<f32>,
    input: Vec<f64>,
    spectrum: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
    /// The power of each bin; a full-scale sine has 1.
    powers: Vec<f32>,
    bins_per_hz: f32,
}

impl WindowedFft {
    /// `shape` gives the window from 0 to 1.
    pub fn new(length: usize, rate: f32, shape: fn(f32) -> f32) -> Self {
        let fft = PLANNER.with_borrow_mut(|planner| planner.plan_fft_forward(length));
        let at = |n: usize| shape(n as f32 / length as f32);
        let window: Vec<f32> = (0..length).map(at).collect();
        // A full-scale sine has magnitude 1 in its bin.
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

    /// How many samples the window has.
    pub fn length(&self) -> usize {
        self.window.len()
    }

    /// Transforms as many samples as the window has; with several channels, the loudest counts.
    pub fn transform<'a, C: Iterator<Item = &'a f32>>(
        &mut self,
        channels: impl IntoIterator<Item = C>,
    ) {
        self.powers.fill(0.0);
        for channel in channels {
            let windowed = channel.zip(&self.window).map(|(x, w)| x * w);
            for (input, value) in self.input.iter_mut().zip(windowed) {
                *input = f64::from(value);
            }
            // Does not fail: the lengths match.
            let _ = self.fft.process_with_scratch(
                &mut self.input,
                &mut self.spectrum,
                &mut self.scratch,
            );
            for (power, bin) in self.powers.iter_mut().zip(&self.spectrum) {
                *power = power.max(bin.norm_sqr() as f32);
            }
        }
    }

    /// The highest level between two frequencies in decibels, interpolated where bins are further apart.
    pub fn level(&self, low: f32, high: f32) -> f32 {
        let (low, high) = (low * self.bins_per_hz, high * self.bins_per_hz);
        let bin = (((low + high) / 2.0) as usize).min(self.powers.len() - 2);
        let fraction = ((low + high) / 2.0 - bin as f32).clamp(0.0, 1.0);
        let [before, after] = [bin, bin + 1].map(|bin| decibels(self.powers[bin]));
        let inside = (low.ceil() as usize)..(high.ceil() as usize).min(self.powers.len());
        let inside = self.powers.get(inside).unwrap_or_default();
        let highest = inside.iter().fold(0.0f32, |highest, &power| highest.max(power));
        decibels(highest).max(before + (after - before) * fraction)
    }
}

fn decibels(power: f32) -> f32 {
    if power > 1e-20 { 10.0 * power.log10() } else { FLOOR_DB }
}

/// Harris, "On the use of windows for harmonic analysis", 1978: four terms, side lobes at -92 dB.
pub fn blackman_harris(at: f32) -> f32 {
    const TERMS: [f32; 4] = [0.35875, -0.48829, 0.14128, -0.01168];
    let terms = TERMS.iter().zip(0u8..);
    terms.map(|(term, k)| term * (TAU * at * f32::from(k)).cos()).sum()
}

/// The raised cosine.
pub fn hann(at: f32) -> f32 {
    0.5 - 0.5 * (TAU * at).cos()
}
