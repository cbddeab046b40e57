//! The Fourier transform of real signals of any length.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;
use std::cell::RefCell;

thread_local! {
    /// Keeps the plans of lengths that were used before.
    pub(crate) static PLANNER: RefCell<RealFftPlanner<f64>> = RefCell::new(RealFftPlanner::new());
}

/// The spectrum from DC to Nyquist, not normalised. The samples are overwritten.
pub fn forward(samples: &mut [f64]) -> Vec<Complex<f64>> {
    let fft = PLANNER.with_borrow_mut(|planner| planner.plan_fft_forward(samples.len()));
    let mut spectrum = fft.make_output_vec();
    // Does not fail: the lengths match.
    let _ = fft.process(samples, &mut spectrum);
    spectrum
}

/// The signal of `length` samples whose spectrum this is, times `length`. The spectrum is overwritten.
pub fn inverse(spectrum: &mut [Complex<f64>], length: usize) -> Vec<f64> {
    let fft = PLANNER.with_borrow_mut(|planner| planner.plan_fft_inverse(length));
    let mut samples = fft.make_output_vec();
    // Fails only for another length, or where DC or Nyquist has an imaginary part, which is ignored.
    let _ = fft.process(spectrum, &mut samples);
    samples
}
