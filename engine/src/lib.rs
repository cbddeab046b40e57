//! The Myriad engine.
pub mod dsp;
pub mod render;
pub mod simd;
pub mod spectrum;
