//! Looking at sound that is done: how loud it is, and what it looks like.

pub(crate) mod canvas;
pub(crate) mod colour;
mod examine;
mod meter;
pub(crate) mod picture;
mod spectrogram;
pub(crate) mod svg;

pub(crate) use examine::{ExamineError, examine};
pub(crate) use meter::Meter;
pub(crate) use spectrogram::thumbnail;
