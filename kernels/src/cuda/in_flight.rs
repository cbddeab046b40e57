//! In-flight slots: what a block needs on host and device while the GPU renders it. A block gets the
//! slot that it had before, so that its memory stays pinned and its graphs fit.

use super::driver::{Context, Event, Failed, Pinned, Registered, Stream};
use super::graph::{Events, Graph, Marks};
use super::launch::{Launcher, Places, Size};
use super::memory::{QueueMemory, Words};
use super::turn::Turn;
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{BLOCKS_AHEAD, MAX_TICKS, VoiceBlock};
use std::sync::Weak;

/// Slots of a GPU: one for each block that an engine has.
pub(super) const IN_FLIGHT_SLOTS: usize = BLOCKS_AHEAD;

/// Queues of a GPU: so many blocks are fetched, rendered or mixed at the same time. Slots have them in turn.
pub(super) const QUEUES: usize = 6;
const _: () = assert!(IN_FLIGHT_SLOTS.is_multiple_of(QUEUES), "blocks in turn use queues in turn");

/// A queue, and the buffers of the block that runs on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RenderQueue {
    pub(super) stream: Stream,
    pub(super) memory: QueueMemory,
}

impl RenderQueue {
    pub(super) fn new(context: &mut Context, words: &Words) -> Result<Self, Failed> {
        Ok(Self { stream: Stream::new()?, memory: QueueMemory::new(context, words)? })
    }
}

/// Voices of a block that are pinned at least. To pin all that an offline render has room for would take longer than
/// to render some seconds.
const FEWEST_PINNED: usize = 4_096;

#[derive(Debug)]
pub(super) struct InFlightSlot {
    pub(super) source: Source,
    pub(super) queue: RenderQueue,
    /// The uploads of all pieces in the host's memory.
    pub(super) host: Pinned,
    /// Which list of items the first upload holds, as the packer counts.
    pub(super) list: u64,
    /// The uploads of all pieces in the device's memory.
    device: CUdeviceptr,
    /// The mixed audio that the device writes.
    pub(super) mixed: Pinned,
    /// Recorded when the block and all before it are rendered.
    pub(super) rendered: Event,
    /// Whether the last block of the slot records it by itself.
    pub(super) records_rendered: bool,
    pub(super) marks: Marks,
    /// Graphs for each number of ticks from one on.
    graphs: Vec<Graphs>,
    is_used: bool,
    /// Counts up; a new block gets the least recently used slot.
    last_used: u64,
}

/// The graphs for a number of ticks, with the size that each covers and when it is rendered: for a block that is alone, and
/// for one that is not.
type Graphs = [(Graph, Size, Turn); 2];

/// The pinned memory of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    block: u64,
    /// Dead when the block was dropped or another renderer has pinned it.
    pin: Weak<()>,
    /// How many of its voices are pinned.
    count: usize,
    /// The device's address of its voices.
    pub(super) voices: CUdeviceptr,
}

impl Source {
    fn pinned(context: &Context, block: &VoiceBlock) -> Result<Self, Failed> {
        let memory = block.memory();
        // Another renderer may have pinned it before, or fewer of its voices.
        memory.set_pin(None);
        let count = block.memory_in_use().next_power_of_two().max(FEWEST_PINNED);
        let registered = Registered::new(context, memory.bytes(count))?;
        let source =
            Self { block: block.id(), pin: registered.watch(), count, voices: registered.address };
        memory.set_pin(Some(Box::new(registered)));
        Ok(source)
    }

    fn is_of(&self, block: &VoiceBlock) -> bool {
        self.block == block.id()
            && self.pin.strong_count() > 0
            && block.memory_in_use() <= self.count
    }
}

impl InFlightSlot {
    pub(super) fn new(
        context: &mut Context,
        words: &Words,
        queue: RenderQueue,
    ) -> Result<Self, Failed> {
        Ok(Self {
            source: Source::default(),
            queue,
            host: context.pinned_words(words.uploads)?,
            list: 0,
            device: context.device_words(words.uploads)?,
            mixed: context.pinned_words(words.mixed)?,
            rendered: Event::new()?,
            records_rendered: false,
            marks: [Event::new()?, Event::new()?, Event::new()?, Event::new()?],
            graphs: Vec::with_capacity(MAX_TICKS),
            is_used: false,
            last_used: 0,
        })
    }

    /// Addresses of an upload that starts `words` words into the slot's uploads.
    pub(super) fn places(&self, ticks: usize, words: usize) -> Places {
        let offset = 4 * words as CUdeviceptr;
        Places {
            ticks,
            // Host and device share one address space on every system we run on.
            host: self.host.address() as CUdeviceptr + offset,
            device: self.device + offset,
            memory: self.queue.memory,
            mixed: self.mixed.address() as CUdeviceptr,
        }
    }

    /// The events of a block. One that is alone does not record when it is rendered, which would take time.
    pub(super) fn events(&self, turn: Turn, marked: bool) -> Events {
        Events {
            turn,
            rendered: (!turn.is_alone() || marked).then_some(self.rendered),
            marks: marked.then_some(self.marks),
        }
    }

    /// The event that tells that the slot's block is rendered. One that does not record it is waited for as a whole.
    pub(super) fn rendered(&self) -> Result<Event, Failed> {
        if !self.records_rendered {
            self.queue.stream.record(self.rendered)?;
        }
        Ok(self.rendered)
    }

    /// Makes graphs for every number of ticks. Until they are changed, those that wait for a block wait for `before`.
    pub(super) fn make_graphs(
        &mut self,
        launcher: &Launcher,
        before: Event,
        marked: bool,
    ) -> Result<(), Failed> {
        for ticks in 1..=MAX_TICKS {
            let places = self.places(ticks, 0);
            let graph = |turn| {
                let events = self.events(turn, marked);
                let graph = launcher.with_work(&places, &Size::NOTHING, events, |work| {
                    Graph::new(work, self.queue.stream)
                })?;
                Ok((graph, Size::NOTHING, turn))
            };
            let graphs = [graph(Turn::Alone)?, graph(Turn::After(before))?];
            self.graphs.push(graphs);
        }
        Ok(())
    }

    /// The graph for `ticks` ticks, changed if it covers another size or waits for another block. Returns whether it was
    /// changed.
    pub(super) fn graph(
        &mut self,
        ticks: usize,
        events: Events,
        size: &Size,
        launcher: &Launcher,
    ) -> Result<(&Graph, bool), Failed> {
        let places = self.places(ticks, 0);
        let which = usize::from(!events.turn.is_alone());
        let (graph, covered, turn) = &mut self.graphs[ticks - 1][which];
        let changed = (&*covered, &*turn) != (size, &events.turn);
        if changed {
            launcher.with_work(&places, size, events, |work| graph.change(work))?;
            (*covered, *turn) = (*size, events.turn);
        }
        Ok((graph, changed))
    }

    /// Frees the slot after its block was collected.
    pub(super) fn release(&mut self) {
        self.is_used = false;
    }

    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    /// Drops the graphs while the context is current, or leaks them when it is gone.
    pub(super) fn drop_graphs(&mut self, context_is_gone: bool) {
        match context_is_gone {
            true => std::mem::forget(std::mem::take(&mut self.graphs)),
            false => self.graphs.clear(),
        }
    }
}

/// Finds a free slot for `block`, preferably the one that it had before, and pins the block's voices
/// unless they are pinned. The context is current.
pub(super) fn acquire(
    slots: &mut [InFlightSlot],
    context: &Context,
    block: &VoiceBlock,
) -> Result<Option<usize>, Failed> {
    let last = slots.iter().map(|slot| slot.last_used).max();
    let free = |&index: &usize| !slots[index].is_used;
    let knows = |&index: &usize| slots[index].source.is_of(block);
    let mut indices = 0..slots.len();
    let Some(index) = indices.find(|index| free(index) && knows(index)).or_else(|| {
        let free = (0..slots.len()).filter(free);
        free.min_by_key(|&index| slots[index].last_used)
    }) else {
        return Ok(None);
    };
    if !knows(&index) {
        // A block that is in flight twice is pinned once.
        let pinned = (0..slots.len()).find(knows);
        slots[index].source = match pinned {
            Some(other) => slots[other].source.clone(),
            None => Source::pinned(context, block)?,
        };
    }
    let slot = &mut slots[index];
    slot.is_used = true;
    slot.last_used = last.unwrap_or(0) + 1;
    Ok(Some(index))
}
