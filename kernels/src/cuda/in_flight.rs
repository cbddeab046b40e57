//! InFlightSlots: what a block needs while it is under way. A block comes back to the in flight that knows
//! it, so that its memory stays pinned and its graphs fit.

use super::driver::{Context, Event, Failed, Pinned, Registered, Stream};
use super::graph::Graph;
use super::launch::{CloudsAt, Launcher, Places, Size};
use super::memory::Words;
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{MAX_TICKS, VoiceBlock};
use std::sync::Weak;

/// InFlightSlots of a GPU: for the blocks that an engine has when two are under way, and one more for
/// whoever comes by.
pub(super) const IN_FLIGHT_SLOTS: usize = 4;

#[derive(Debug)]
pub(super) struct InFlightSlot {
    pub(super) source: Source,
    /// The uploads, piece after piece, as the host writes them,
    pub(super) host: Pinned,
    /// which list of items is in the first of them,
    pub(super) list: u64,
    /// and as the device has them.
    device: CUdeviceptr,
    /// What the device has mixed.
    pub(super) mixed: Pinned,
    /// Passed when the block begins, when its clouds are there, and when it is mixed.
    pub(super) marks: [Event; 3],
    /// By ticks, from one on, and what they cover.
    graphs: Vec<(Graph, Size)>,
    in_flight: bool,
    /// Counts up; the in flight that was left longest ago is given to a new block.
    last_used: u64,
}

/// The memory of a block that is pinned.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    block: u64,
    /// Gone when the block is, or when somebody else has pinned it.
    pin: Weak<()>,
    /// Where its clouds are for the host,
    pub(super) host: usize,
    /// and for the device.
    pub(super) clouds: CloudsAt,
}

impl Source {
    fn pinned(context: &Context, block: &VoiceBlock) -> Result<Self, Failed> {
        let clouds = block.clouds();
        // Another renderer may have had it before.
        clouds.set_pin(None);
        let registered = Registered::new(context, clouds.bytes())?;
        let source = Self {
            block: block.id(),
            pin: registered.watch(),
            host: clouds.as_ptr() as usize,
            clouds: CloudsAt {
                address: registered.address,
                slots: block.capacity(),
            },
        };
        clouds.set_pin(Some(Box::new(registered)));
        Ok(source)
    }

    fn is_of(&self, block: &VoiceBlock) -> bool {
        self.block == block.id() && self.pin.strong_count() > 0
    }
}

impl InFlightSlot {
    pub(super) fn new(context: &mut Context, words: &Words) -> Result<Self, Failed> {
        Ok(Self {
            source: Source::default(),
            host: context.pinned_words(words.uploads)?,
            list: 0,
            device: context.device_words(words.uploads)?,
            mixed: context.pinned_words(words.mixed)?,
            marks: [Event::new()?, Event::new()?, Event::new()?],
            graphs: Vec::with_capacity(MAX_TICKS),
            in_flight: false,
            last_used: 0,
        })
    }

    /// Places of an upload that starts `words` words into the in flight's.
    pub(super) fn places(&self, ticks: usize, room: usize, words: usize) -> Places {
        let offset = 4 * words as CUdeviceptr;
        Places {
            ticks,
            // Host and device share one address space on every system we run on.
            host: self.host.address() as CUdeviceptr + offset,
            device: self.device + offset,
            room,
            mixed: self.mixed.address() as CUdeviceptr,
        }
    }

    /// Makes a graph for every number of ticks.
    pub(super) fn make_graphs(
        &mut self,
        launcher: &Launcher,
        marked: bool,
        stream: Stream,
    ) -> Result<(), Failed> {
        let marks = marked.then_some(self.marks);
        for ticks in 1..=MAX_TICKS {
            let places = self.places(ticks, 0, 0);
            let graph = launcher.with_work(&places, &Size::NOTHING, marks, |work| {
                Graph::new(work, stream)
            })?;
            self.graphs.push((graph, Size::NOTHING));
        }
        Ok(())
    }

    /// The graph for `ticks` ticks, changed where it covers something else than `size`. Says
    /// whether it had to be.
    pub(super) fn graph(
        &mut self,
        ticks: usize,
        size: &Size,
        launcher: &Launcher,
        marked: bool,
    ) -> Result<(&Graph, bool), Failed> {
        let (places, marks) = (self.places(ticks, 0, 0), marked.then_some(self.marks));
        let (graph, covered) = &mut self.graphs[ticks - 1];
        let resized = covered != size;
        if resized {
            launcher.with_work(&places, size, marks, |work| graph.change(work))?;
            *covered = *size;
        }
        Ok((graph, resized))
    }

    /// The block has been collected.
    pub(super) fn leave(&mut self) {
        self.in_flight = false;
    }

    /// Lets go of the graphs: while the context is current, or not at all.
    pub(super) fn drop_graphs(&mut self, context_is_gone: bool) {
        match context_is_gone {
            true => std::mem::forget(std::mem::take(&mut self.graphs)),
            false => self.graphs.clear(),
        }
    }
}

/// Finds a free in flight for `block`, if possible the one that knows it, and pins the block's clouds
/// unless they are. The context is current.
pub(super) fn moor(
    in_flight_slots: &mut [InFlightSlot],
    context: &Context,
    block: &VoiceBlock,
) -> Result<Option<usize>, Failed> {
    let last = in_flight_slots
        .iter()
        .map(|in_flight| in_flight.last_used)
        .max();
    let free = |&index: &usize| !in_flight_slots[index].in_flight;
    let knows = |&index: &usize| in_flight_slots[index].source.is_of(block);
    let mut indices = 0..in_flight_slots.len();
    let Some(index) = indices
        .find(|index| free(index) && knows(index))
        .or_else(|| {
            let free = (0..in_flight_slots.len()).filter(free);
            free.min_by_key(|&index| in_flight_slots[index].last_used)
        })
    else {
        return Ok(None);
    };
    if !knows(&index) {
        // A block that is under way twice is pinned once.
        let pinned = (0..in_flight_slots.len()).find(knows);
        in_flight_slots[index].source = match pinned {
            Some(other) => in_flight_slots[other].source.clone(),
            None => Source::pinned(context, block)?,
        };
    }
    let in_flight = &mut in_flight_slots[index];
    in_flight.in_flight = true;
    in_flight.last_used = last.unwrap_or(0) + 1;
    Ok(Some(index))
}
