//! Device memory: its parts, as `kernels/` describe them, and how large they are.

use super::driver::{Context, Failed};
use super::kernels::{MIX_BUSES, MIX_GROUPS, MIXED_WORDS};
use super::upload::{Layout, MIX_SLOTS};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{Capacity, MAX_TICKS, TICK};
use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{Cloud, IMPORTED_ROWS, MAX_PARTIALS, imports, tables};

/// Samples of a tick, both sides.
pub(super) const STEREO: usize = 2 * TICK;

/// Bytes of a cloud.
pub(super) const CLOUD: usize = size_of::<Cloud>();

/// What is uploaded is rounded up to this, so that graphs seldom change.
pub(super) const UPLOAD_WORDS: usize = 1_024;

/// Words of each part of the memory.
#[derive(Debug)]
pub(super) struct Words {
    /// Clouds of a block, and for how many blocks there is room.
    clouds: usize,
    cloud_rooms: usize,
    partials: usize,
    slices: usize,
    samples: usize,
    routes: usize,
    sums: usize,
    arrivals: usize,
    /// What a block ends with, in the host's memory.
    pub(super) mixed: usize,
    /// All uploads of a block; both sides have it, for every in flight.
    pub(super) uploads: usize,
    in_flight_slots: usize,
}

impl Words {
    /// For clouds that are cut into `slices`, and so many blocks at once.
    pub(super) fn new(
        capacity: Capacity,
        slices: usize,
        layout: &Layout,
        in_flight_slots: usize,
    ) -> Self {
        let items = capacity.slots * slices;
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        let pieces = layout.pieces(items, slices);
        Self {
            clouds: MAX_TICKS * capacity.slots * CLOUD / 4,
            // Only pieces are copied while the block before is still being rendered.
            cloud_rooms: if pieces > 1 { 2 } else { 1 },
            partials: capacity.slots * MAX_PARTIALS,
            slices: 2 * items,
            samples: items * MAX_TICKS * STEREO,
            routes: items * MAX_TICKS,
            sums: MAX_TICKS * capacity.buses * blocks * STEREO,
            arrivals: 1 + capacity.buses.div_ceil(MIX_BUSES) * MAX_TICKS,
            mixed: MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO,
            uploads: (pieces * layout.words).next_multiple_of(UPLOAD_WORDS),
            in_flight_slots,
        }
    }

    /// All that the device holds, in bytes.
    pub(super) fn device_bytes(&self) -> usize {
        let once = self.slices + self.samples + self.routes + self.sums + table_words();
        let several = self.cloud_rooms * self.clouds + self.in_flight_slots * self.uploads;
        4 * (2 * self.partials + once + several)
    }
}

/// Words of all tables, also of those that patches may bring along.
fn table_words() -> usize {
    tables().rows().len() + IMPORTED_ROWS * MAX_PARTIALS
}

/// Where the parts are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Room for two blocks, or the same twice.
    pub(super) clouds: [CUdeviceptr; 2],
    pub(super) tables: CUdeviceptr,
    pub(super) table_rows: u32,
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
        let first = context.device_words(words.clouds)?;
        let second = match words.cloud_rooms {
            1 => first,
            _ => context.device_words(words.clouds)?,
        };
        let memory = Self {
            clouds: [first, second],
            tables: context.device_words(table_words())?,
            table_rows: (table_words() / MAX_PARTIALS) as u32,
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

    /// Writes the tables that were imported after number `known`, which becomes that of the last one.
    /// No block that is under way reads what is there now: its rows would not have been used anew. The
    /// context is current.
    pub(super) fn write_imported(&self, known: &mut u64) -> Result<(), Failed> {
        let newest = imports().newest();
        if newest == *known {
            return Ok(());
        }
        for table in imports().since(*known) {
            let at = u64::from(table.first_row()) * (MAX_PARTIALS * size_of::<f32>()) as u64;
            Context::write(self.tables + at, F32x16::flat(table.rows.as_flattened()))?;
            *known = table.number;
        }
        // Those that have gone since are not needed.
        *known = newest.max(*known);
        Ok(())
    }
}
