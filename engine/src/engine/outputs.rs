//! Outputs besides the main one: stereo buses for key zones and layers that ask for one.
//!
//! They are mixed beside the parts' buses and pass by the effects; the limiter's gain is that of everything
//! together, so that the outputs add up to what a single output would have.

use super::Engine;

/// Outputs besides the main one.
pub const OUTPUTS: usize = 8;

/// Where outputs are among the buses of an engine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutputBuses {
    /// The bus of the first.
    first: u32,
    /// Those that are open, a bit each.
    open: u8,
}

impl OutputBuses {
    /// The outputs behind the buses of `parts`.
    pub(super) fn new(parts: usize, open: u8) -> Self {
        Self { first: parts as u32, open }
    }

    /// The bus of output 1 to 8; `main` for 0 and those that are not open.
    pub(crate) fn bus(self, output: u8, main: u32) -> u32 {
        match output {
            1..=8 if self.open >> (output - 1) & 1 == 1 => self.first + u32::from(output) - 1,
            _ => main,
        }
    }
}

impl Engine {
    /// The longest block of which outputs are complete.
    pub const MAX_OUTPUT_FRAMES: usize = 65_536;

    /// What the last block sent to an output, 0 to 7, with the limiter's gain. Silent unless the
    /// configuration opened it; at most the first [`Engine::MAX_OUTPUT_FRAMES`] frames of the block.
    pub fn output(&self, output: usize) -> [&[f32]; 2] {
        self.output.master.output(output)
    }
}
