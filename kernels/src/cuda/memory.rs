//! Device memory: its buffers, as `kernels/cuda/` describes them, and their sizes.

use super::driver::{Context, Failed};
use super::in_flight::IN_FLIGHT_SLOTS;
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
    samples: usize,
    routes: usize,
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
            samples: items * MAX_TICKS * STEREO,
            routes: items * MAX_TICKS,
            sums: MAX_TICKS * capacity.buses.min(Section::MAX_BUSES) * blocks * STEREO,
            // Each tile has at least one bus.
            arrivals: 1 + capacity.buses * MAX_TICKS,
            mixed: MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO,
            uploads: (pieces * layout.words).next_multiple_of(UPLOAD_WORDS),
        }
    }

    /// Bytes of all device memory.
    pub(super) fn device_bytes(&self) -> usize {
        let once = self.slices + self.samples + self.routes + self.sums + table_words();
        let in_flight = IN_FLIGHT_SLOTS * (self.descriptions + self.copies + self.uploads);
        4 * (2 * self.partials + once + 2 * self.voices + in_flight)
    }
}

/// Words of all tables, including the imported ones.
fn table_words() -> usize {
    tables().rows().len() + IMPORTED_ROWS * MAX_PARTIALS
}

/// Several buffers of so many words.
fn several<const N: usize>(
    context: &mut Context,
    words: usize,
) -> Result<[CUdeviceptr; N], Failed> {
    let mut addresses = [0; N];
    for address in &mut addresses {
        *address = context.device_words(words)?;
    }
    Ok(addresses)
}

/// Addresses of the buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Used in turn.
    pub(super) voices: [CUdeviceptr; 2],
    /// Of each in-flight slot, so that a block is fetched while the one before is still rendered.
    pub(super) descriptions: [CUdeviceptr; IN_FLIGHT_SLOTS],
    pub(super) copies: [CUdeviceptr; IN_FLIGHT_SLOTS],
    pub(super) tables: CUdeviceptr,
    pub(super) table_rows: u64,
    pub(super) phases: CUdeviceptr,
    pub(super) levels: CUdeviceptr,
    pub(super) slices: CUdeviceptr,
    pub(super) samples: CUdeviceptr,
    pub(super) routes: CUdeviceptr,
    pub(super) sounded: CUdeviceptr,
    pub(super) sums: CUdeviceptr,
    pub(super) arrivals: CUdeviceptr,
}

impl Memory {
    pub(super) fn new(context: &mut Context, words: &Words) -> Result<Self, Failed> {
        let voices = several(context, words.voices)?;
        let descriptions = several(context, words.descriptions)?;
        let copies = several(context, words.copies)?;
        let memory = Self {
            voices,
            descriptions,
            copies,
            tables: context.device_words(table_words())?,
            table_rows: (table_words() / MAX_PARTIALS) as u64,
            phases: context.device_words(words.partials)?,
            levels: context.device_words(words.partials)?,
            slices: context.device_words(words.slices)?,
            samples: context.device_words(words.samples)?,
            routes: context.device_words(words.routes)?,
            sounded: context.device_words(1)?,
            sums: context.device_words(words.sums)?,
            arrivals: context.device_words(words.arrivals)?,
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
