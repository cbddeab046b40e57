//! Renderers: what turns clouds into sound.

pub mod block;
pub mod cpu;
mod error;

pub use block::{Buses, SlotSummary, VoiceBlock, Writing};
pub use cpu::CpuRenderer;
pub use error::{PrepareError, Reason, Remedy, RenderError};

use std::sync::Arc;

/// Frames of a tick, the unit of control: values are computed at tick edges and ramped inside.
pub const TICK: usize = 32;

/// The most ticks that one call of a renderer covers.
pub const MAX_TICKS: usize = 8;

/// What a renderer must be ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Clouds that may sound at once; they are known by slots `0..slots`.
    pub slots: usize,
    /// Buses to mix into.
    pub buses: usize,
}

/// Turns blocks of clouds into audio, and keeps their phases from block to block.
pub trait Renderer: Send {
    /// Allocates all that `render` needs.
    ///
    /// # Errors
    /// When memory, threads or a device cannot be had.
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError>;

    /// Forgets all sound; the next render is like the first.
    fn reset(&mut self);

    /// Blocks that may be under way at once, at least one: with two, the next block can be made
    /// and sent while a device still works on the last.
    fn depth(&self) -> usize {
        1
    }

    /// Says that a block will be submitted in a moment: who sleeps may wake up meanwhile.
    fn expect(&mut self) {}

    /// Takes a block to render, which `collect` gives back as sound. At most [`Self::depth`]
    /// blocks are under way; they are rendered in order. Whoever submits leaves the block alone
    /// until it is collected: the renderer shares it, and one that hangs keeps it.
    ///
    /// # Errors
    /// As `collect`; a block that was refused is not under way.
    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError>;

    /// Replaces the first ticks of `buses` by the sum of the clouds of the oldest block that is
    /// under way, as many ticks as it has. Sums in the order of slots, so that the result does
    /// not depend on how ticks are cut into blocks. Returns how many partials were sounded in the
    /// last tick.
    ///
    /// # Errors
    /// When nothing is under way, or a device fails or is late; then `buses` hold nothing of use,
    /// and what the renderer remembers of its clouds is lost until it is prepared again.
    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError>;

    /// Submits a block and collects it.
    ///
    /// # Errors
    /// As `collect`.
    fn render(&mut self, block: &Arc<VoiceBlock>, buses: &mut Buses) -> Result<usize, RenderError> {
        self.submit(block)?;
        self.collect(buses)
    }
}
