//! Loudness and spectrograms of sounds, and the drawing of pictures: pixels for spectrograms, SVG for plots.

pub mod canvas;
pub mod colour;
mod inspect;
mod meter;
pub mod picture;
mod spectrogram;
pub(crate) mod windowed_fft;

pub use inspect::{InspectError, inspect};
pub use meter::Meter;
pub use spectrogram::thumbnail;
