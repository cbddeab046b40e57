//! Makes a card ready: code, memory, queues, graphs.

use super::berth::{BERTHS, Berth};
use super::driver::{Card, Context, Event, Failed, Module, Stream};
use super::kernels::{self, Image};
use super::launch::{Launcher, Size};
use super::link::{Link, Sent};
use super::memory::{Memory, Words};
use super::upload::{Layout, Packer};
use super::{CudaCounters, CudaOptions};
use crate::GpuError;
use myriad_engine::render::{Capacity, MAX_TICKS};
use std::time::Duration;

/// The most items of one piece. Small enough that a large block has several, to overlap; large
/// enough to fill any card.
const PIECE_ITEMS: usize = 16_384;

/// Finds card number `index` fit, and allocates all that blocks of that `capacity` need.
pub(super) fn set_up(
    index: usize,
    capacity: Capacity,
    options: CudaOptions,
) -> Result<(Packer, Link), GpuError> {
    let card = Card::find(index)?;
    let (mut context, _current) = Context::new(&card)?;
    let image = match options.portable {
        true => kernels::PORTABLE,
        false => kernels::image(card.capability),
    };
    let items = (capacity.slots * image.slices).min(PIECE_ITEMS);
    let layout = Layout::new(capacity.slots, items);
    let words = Words::new(capacity, image.slices, &layout, BERTHS);
    let allocated = allocate(&mut context, image, capacity, &words);
    let (launcher, berths) = allocated.map_err(|failed| match failed.is_out_of_memory() {
        true => GpuError::OutOfMemory {
            name: card.name.clone(),
            slots: capacity.slots,
            needed: words.device_bytes() >> 20,
            free: (context.free_bytes() + context.device_bytes) >> 20,
        },
        false => failed.into(),
    })?;
    let mut link = Link {
        options,
        counters: CudaCounters {
            code: image.name,
            driver: card.driver,
            capability: card.capability,
            processors: card.processors,
            kilohertz: card.kilohertz,
            device_bytes: context.device_bytes,
            pinned_bytes: context.host_bytes,
            card: card.name,
            ..CudaCounters::default()
        },
        capacity,
        layout,
        imported: 0,
        launcher,
        berths,
        queues: [Stream::new()?, Stream::new()?],
        rendered: [Event::new()?, Event::new()?],
        settled: Event::new()?,
        sending: Sent::default(),
        room: 0,
        context,
    };
    warm_up(&mut link)?;
    Ok((Packer::new(capacity.slots, image.slices, layout), link))
}

fn allocate(
    context: &mut Context,
    image: Image,
    capacity: Capacity,
    words: &Words,
) -> Result<(Launcher, Vec<Berth>), Failed> {
    let module = Module::load(image.bytes)?;
    let memory = Memory::new(context, words)?;
    let launcher = Launcher::new(module, memory, capacity)?;
    let berths = (0..BERTHS).map(|_| Berth::new(context, words));
    Ok((launcher, berths.collect::<Result<_, _>>()?))
}

/// Makes graphs and replays some, so that the first block is as quick as any.
fn warm_up(link: &mut Link) -> Result<(), GpuError> {
    let (queue, marked) = (link.queues[0], link.options.stage_times);
    for berth in &mut link.berths {
        berth.make_graphs(&link.launcher, marked, queue)?;
    }
    for ticks in 1..=MAX_TICKS {
        link.sending = Sent::silent(ticks);
        link.send_all(&Size::NOTHING)?;
    }
    let finished = queue.finish(Duration::from_secs(10));
    finished.map_err(|_| GpuError::Call {
        call: "warming up",
        reason: "the device does not finish",
    })
}
