//! Renderers: they turn clouds into audio.

pub mod block;
pub(crate) mod buses;
pub mod cpu;
mod error;
pub(crate) mod lazy_slice;

pub use block::{Section, SectionWriter, SlotSummary, Span, VoiceBlock, Writing};
pub use buses::Buses;
pub use cpu::CpuRenderer;
pub use error::{PrepareError, Reason, Remedy, RenderError};
pub use lazy_slice::take_memory_at_once;

use crate::workers::Workers;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames of a tick, the unit of control: values are computed at tick edges and ramped inside.
pub const TICK: usize = 32;

/// The most ticks that one call of a renderer covers.
pub const MAX_TICKS: usize = 8;

/// The blocks that an engine has for a device when it renders offline.
pub const BLOCKS_AHEAD: usize = 18;

/// The most of these that a device has at the same time; the others are computed meanwhile.
pub const MOST_IN_FLIGHT: usize = BLOCKS_AHEAD / 2;

/// The load that a renderer is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Clouds that may sound at once; each has a slot in `0..slots`.
    pub slots: usize,
    /// Buses to mix into.
    pub buses: usize,
}

/// When the sound of blocks is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Due {
    /// In real time.
    #[default]
    InRealTime,
    /// In real time, and not after this moment: then sound would be missing.
    By(Instant),
    /// Whenever it is rendered: nothing is left out, however long that takes.
    Whenever,
}

/// Turns blocks of clouds into audio, and keeps their phases from block to block.
pub trait Renderer: Send {
    /// Allocates all that `render` needs.
    ///
    /// # Errors
    /// When memory, threads or a device are not available.
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError>;

    /// Its threads, once prepared, if it has any. Between the collection of one block and the next
    /// they are idle and help the engine.
    fn workers(&self) -> Option<Arc<Workers>> {
        None
    }

    /// Ends all clouds; the next render is like the first.
    fn reset(&mut self);

    /// Blocks that may be in flight at once, at least one: with two, the next block can be made
    /// and sent while a device still renders the last.
    fn depth(&self) -> usize {
        1
    }

    /// Has it get ready for so many slots at first, and for the others of its capacity when they are needed. Is called before
    /// `prepare`.
    fn begin_with(&mut self, _slots: usize) {}

    /// Slots that it is ready for; blocks use no others. Where these are fewer than its capacity, it gets ready for more by
    /// itself when half of them are in use.
    fn room(&self) -> usize {
        usize::MAX
    }

    /// Whether blocks are rendered by a device now, while the caller does something else.
    fn is_asynchronous(&self) -> bool {
        false
    }

    /// Limits how long each call but `prepare` may take: a call that takes longer fails. Returns whether it can do
    /// that; of a renderer that cannot, such as a driver, calls may hang.
    fn limit_calls(&mut self, _limit: Duration) -> bool {
        false
    }

    /// Says when the sound of the next blocks is needed.
    fn set_due(&mut self, _due: Due) {}

    /// Announces that a block will be submitted soon, so that sleeping threads can wake up.
    fn expect(&mut self) {}

    /// Takes a block to render, whose audio `collect` returns. At most [`Self::depth`] blocks are in
    /// flight; they are rendered in order. The caller does not change the block until it is collected:
    /// the renderer shares it, and a renderer that hangs keeps it.
    ///
    /// # Errors
    /// As `collect`; a block that was refused is not in flight.
    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError>;

    /// Whether the oldest block in flight is finished, so that `collect` does not wait for it. Renderers that cannot tell say
    /// that it is.
    fn is_finished(&mut self) -> bool {
        true
    }

    /// Replaces the first ticks of `buses` by the sum of the clouds of the oldest block in
    /// flight, as many ticks as it has. Sums in the order of slots, so that the result does not depend
    /// on how ticks are cut into blocks. Returns how many partials sounded in the last tick.
    ///
    /// # Errors
    /// When nothing is in flight, or a device fails or is late; then `buses` hold no valid audio, and
    /// the phases of the clouds are lost until the renderer is prepared again.
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
