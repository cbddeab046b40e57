//! Device memory: its buffers, as `kernels/cuda/` describes them, and their sizes.

use super::driver::{Context, Failed};
use super::in_flight::{IN_FLIGHT_SLOTS, QUEUES};
use super::kernels::{MIX_GROUPS, MIXED_WORDS};
use super::upload::{Layout, MIX_SLOTS};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{Capacity, MAX_TICKS, Section, TICK};
use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{
    Description, IMPORTED_ROWS, MAX_PARTIALS, UnisonVoice, imports, tables,
};
use std::sync::Weak;

/// Samples of a tick, both sides.
pub(super) const STEREO: usize = 2 * TICK;

/// Words of a description, and of what a unison copy has of its own.
pub(super) const DESCRIPTION_WORDS: usize = size_of::<Description>() / 4;
pub(super) const COPY_WORDS: usize = 9;

/// Words of a voice through all ticks.
const VOICE_WORDS: usize = VOICE_BYTES / 4;
pub(super) const VOICE_BYTES: usize = size_of::<[UnisonVoice; MAX_TICKS]>();

/// Uploads are rounded up to a multiple of this, so that graphs seldom change.
pub(super) const UPLOAD_WORDS: usize = 1_024;

/// Words of each buffer.
#[derive(Debug)]
pub(super) struct Words {
    /// The voices of a block as the host has them, where blocks have several pieces.
    voices: usize,
    /// Descriptions and unison copies of a block.
    descriptions: usize,
    copies: usize,
    partials: usize,
    slices: usize,
    last_blocks: usize,
    /// Samples and routes of a block of one piece, and of one of several.
    rendered: RenderedWords,
    large: RenderedWords,
    sums: usize,
    arrivals: usize,
    /// The mixed audio of a block, in the host's memory.
    pub(super) mixed: usize,
    /// All uploads of a block; host and device have this for every in-flight slot.
    pub(super) uploads: usize,
}

impl Words {
    /// For clouds that are cut into `slices`.
    pub(super) fn new(capacity: Capacity, slices: usize, layout: &Layout) -> Self {
        let items = capacity.slots * slices;
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        let pieces = layout.pieces(items, slices);
        Self {
            voices: if pieces > 1 { capacity.slots * VOICE_WORDS } else { 0 },
            descriptions: MAX_TICKS * capacity.slots * DESCRIPTION_WORDS,
            copies: MAX_TICKS * capacity.slots * COPY_WORDS,
            partials: capacity.slots * MAX_PARTIALS,
            slices: 2 * items,
            last_blocks: items,
            rendered: RenderedWords::new(layout.items),
            large: RenderedWords::new(if pieces > 1 { items } else { 0 }),
            sums: MAX_TICKS * capacity.buses.min(Section::MAX_BUSES) * blocks * (STEREO + 1),
            // Each tile has at least one bus.
            arrivals: 1 + capacity.buses * MAX_TICKS,
            mixed: MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO,
            uploads: (pieces * layout.words).next_multiple_of(UPLOAD_WORDS),
        }
    }

    /// Bytes of all device memory.
    pub(super) fn device_bytes(&self) -> usize {
        let once = 2 * self.partials + self.slices + self.last_blocks + self.large.all();
        let of_queue = self.voices
            + self.descriptions
            + self.copies
            + self.rendered.all()
            + self.sums
            + self.arrivals;
        4 * (once + table_words() + QUEUES * of_queue + IN_FLIGHT_SLOTS * self.uploads)
    }
}

/// Words of what rendering leaves for the mix.
#[derive(Debug)]
struct RenderedWords {
    samples: usize,
    routes: usize,
}

impl RenderedWords {
    fn new(items: usize) -> Self {
        Self { samples: items * MAX_TICKS * STEREO, routes: items * MAX_TICKS }
    }

    fn all(&self) -> usize {
        self.samples + self.routes
    }
}

/// Words of all tables, including the imported ones.
fn table_words() -> usize {
    tables().rows().len() + IMPORTED_ROWS * MAX_PARTIALS
}

/// Addresses of what rendering leaves for the mix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rendered {
    pub(super) samples: CUdeviceptr,
    pub(super) routes: CUdeviceptr,
}

impl Rendered {
    fn new(context: &mut Context, words: &RenderedWords) -> Result<Self, Failed> {
        Ok(Self {
            samples: context.device_words(words.samples)?,
            routes: context.device_words(words.routes)?,
        })
    }
}

/// Addresses of the buffers of a queue. Each has its own, so that several blocks are fetched,
/// rendered and mixed at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueMemory {
    pub(super) descriptions: CUdeviceptr,
    pub(super) copies: CUdeviceptr,
    pub(super) rendered: Rendered,
    pub(super) sounded: CUdeviceptr,
    /// How many items of the block warps have taken, when they take them in order.
    pub(super) taken: CUdeviceptr,
    pub(super) sums: CUdeviceptr,
    pub(super) arrivals: CUdeviceptr,
}

impl QueueMemory {
    pub(super) fn new(context: &mut Context, words: &Words) -> Result<Self, Failed> {
        Ok(Self {
            descriptions: context.device_words(words.descriptions)?,
            copies: context.device_words(words.copies)?,
            rendered: Rendered::new(context, &words.rendered)?,
            sounded: context.device_words(1)?,
            taken: context.device_words(1)?,
            sums: context.device_words(words.sums)?,
            arrivals: context.device_words(words.arrivals)?,
        })
    }
}

/// Addresses of the buffers that all blocks use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// For the blocks of each queue.
    pub(super) voices: [CUdeviceptr; QUEUES],
    pub(super) tables: CUdeviceptr,
    pub(super) table_rows: u64,
    pub(super) phases: CUdeviceptr,
    pub(super) levels: CUdeviceptr,
    pub(super) slices: CUdeviceptr,
    /// The number of the last block in which each slice was rendered.
    pub(super) last_blocks: CUdeviceptr,
    /// For blocks of several pieces. There is one, because it may be large: such a block is mixed before the next
    /// one is rendered.
    pub(super) large: Rendered,
}

impl Memory {
    pub(super) fn new(context: &mut Context, words: &Words) -> Result<Self, Failed> {
        let mut voices = [0; QUEUES];
        for voices in &mut voices {
            *voices = context.device_words(words.voices)?;
        }
        let memory = Self {
            voices,
            tables: context.device_words(table_words())?,
            table_rows: (table_words() / MAX_PARTIALS) as u64,
            phases: context.device_words(words.partials)?,
            levels: context.device_words(words.partials)?,
            slices: context.device_words(words.slices)?,
            last_blocks: context.device_words(words.last_blocks)?,
            large: Rendered::new(context, &words.large)?,
        };
        Context::write(memory.tables, tables().rows())?;
        Ok(memory)
    }

    /// Writes the tables that were imported after number `known`, and sets it to the last one's. No
    /// block in flight reads the rows that this overwrites: rows are reused only when no patch has them.
    /// The context is current.
    pub(super) fn write_imported(&self, known: &mut u64) -> Result<(), Failed> {
        let newest = imports().newest();
        if newest == *known {
            return Ok(());
        }
        for table in imports().since(*known).iter().filter_map(Weak::upgrade) {
            let at = u64::from(table.first_row()) * (MAX_PARTIALS * size_of::<f32>()) as u64;
            Context::write(self.tables + at, F32x16::flat(table.rows.as_flattened()))?;
            *known = table.number;
        }
        // A table that was removed meanwhile is not needed.
        *known = newest.max(*known);
        Ok(())
    }
}
