//! Measures sound: its spectrum and its loudness.
//!
//! The Fourier transform is generic and takes half a minute to compile. Here it is compiled once, in
//! one precision, for everything that needs it.

mod dot_product;
mod fft;
mod meter;
mod output_tap;
mod spectrogram;
mod windowed_fft;

pub use dot_product::dot_product;
pub use fft::{forward, inverse};
pub use meter::{Meter, loudest_half_second};
pub use output_tap::{Output, OutputTap};
pub use realfft::num_complex::Complex;
pub use spectrogram::{Spectrogram, thumbnail};
pub use windowed_fft::{FLOOR_DB, WindowedFft, blackman_harris, hann};
