//! Looking at sound that is done: how loud it is, and what it looks like.

pub mod canvas;
pub mod colour;
mod examine;
mod meter;
pub mod picture;
mod spectrogram;

pub use examine::{ExamineError, examine};
pub use meter::Meter;
pub use spectrogram::thumbnail;
