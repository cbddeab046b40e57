//! Prepares a GPU: code, memory, queues, graphs.

use super::driver::{Context, Event, Failed, Gpu, Module, Stream};
use super::in_flight::{IN_FLIGHT_SLOTS, InFlightSlot, QUEUES, RenderQueue};
use super::kernels::{self, Image};
use super::launch::{Launcher, Size};
use super::memory::{Memory, Words};
use super::transfer::{Sent, Transfer};
use super::turn::{Recent, Turn};
use super::upload::{Layout, Packer};
use super::{CudaCounters, CudaOptions};
use crate::GpuError;
use myriad_engine::render::{Capacity, MAX_TICKS};
use std::time::Duration;

/// The most items of one piece. Small enough that copies and kernels of a large block overlap; large
/// enough to fill any GPU.
const PIECE_ITEMS: usize = 16_384;

/// Checks GPU number `index`, and allocates all that blocks of that `capacity` need.
pub(super) fn set_up(
    index: usize,
    capacity: Capacity,
    options: CudaOptions,
) -> Result<(Packer, Transfer), GpuError> {
    let gpu = Gpu::find(index)?;
    let (mut context, _current) = Context::new(&gpu)?;
    let image = match options.portable {
        true => kernels::PORTABLE,
        false => kernels::image(gpu.capability),
    };
    let items = (capacity.slots * image.slices).min(PIECE_ITEMS);
    let layout = Layout::new(capacity, items);
    let words = Words::new(capacity, image.slices, &layout);
    let allocated = allocate(&mut context, image, capacity, layout, &words, gpu.processors);
    let (launcher, in_flight_slots) =
        allocated.map_err(|failed| match failed.is_out_of_memory() {
            true => GpuError::OutOfMemory {
                name: gpu.name.clone(),
                slots: capacity.slots,
                needed: words.device_bytes() >> 20,
                free: (context.free_bytes() + context.device_bytes) >> 20,
            },
            false => failed.into(),
        })?;
    let mut transfer = Transfer {
        options,
        counters: CudaCounters {
            code: image.name,
            driver: gpu.driver,
            capability: gpu.capability,
            processors: gpu.processors,
            kilohertz: gpu.kilohertz,
            device_bytes: context.device_bytes,
            pinned_bytes: context.host_bytes,
            gpu: gpu.name,
            ..CudaCounters::default()
        },
        capacity,
        layout,
        imported: 0,
        launcher,
        in_flight_slots,
        odd_pieces: Stream::new()?,
        odd_rendered: Event::new()?,
        copied: [Event::new()?, Event::new()?],
        recent: Recent::default(),
        turn: Turn::Alone,
        sending: Sent::default(),
        context,
    };
    warm_up(&mut transfer)?;
    Ok((Packer::new(capacity, image.slices, layout), transfer))
}

fn allocate(
    context: &mut Context,
    image: Image,
    capacity: Capacity,
    layout: Layout,
    words: &Words,
    processors: u32,
) -> Result<(Launcher, Vec<InFlightSlot>), Failed> {
    let module = Module::load(image.bytes)?;
    let memory = Memory::new(context, words)?;
    let launcher = Launcher::new(module, memory, layout, capacity, processors)?;
    let queues = (0..QUEUES).map(|_| RenderQueue::new(context, words));
    let queues = queues.collect::<Result<Vec<_>, _>>()?;
    let in_flight_slots =
        (0..IN_FLIGHT_SLOTS).map(|index| InFlightSlot::new(context, words, queues[index % QUEUES]));
    Ok((launcher, in_flight_slots.collect::<Result<_, _>>()?))
}

/// Makes the graphs and replays some, so that the first block is as quick as later ones.
fn warm_up(transfer: &mut Transfer) -> Result<(), GpuError> {
    for index in 0..IN_FLIGHT_SLOTS {
        // Blocks in turn get slots in turn.
        let before = (index + IN_FLIGHT_SLOTS - 1) % IN_FLIGHT_SLOTS;
        let after = transfer.in_flight_slots[before].rendered;
        let slot = &mut transfer.in_flight_slots[index];
        slot.make_graphs(&transfer.launcher, after, transfer.options.stage_times)?;
    }
    for ticks in 1..=MAX_TICKS {
        transfer.sending = Sent::silent(ticks);
        transfer.send_all(&Size::NOTHING)?;
    }
    let late = |_| GpuError::Call { call: "warming up", reason: "the device does not finish" };
    let mut slots = transfer.in_flight_slots.iter();
    slots.try_for_each(|slot| slot.queue.stream.finish(Duration::from_secs(10)).map_err(late))
}
