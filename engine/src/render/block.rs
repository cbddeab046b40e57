//! The data that the engine sends to a renderer: the clouds of a few ticks.

mod memory;

use super::lazy_slice::{SLOTS_A_BLOCK, with_memory_ahead};
use super::{MAX_TICKS, RenderError};
use crate::disjoint::Disjoint;
use crate::simd::LANES;
use crate::spectrum::{Cloud, Description, MAX_GROUPS, STARTS, UnisonCopy};
pub use memory::CloudMemory;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The clouds of a few ticks, by slot. The renderer keeps state per slot: a cloud keeps its slot
/// as long as it sounds. What unison copies of a voice share is stored once, as a description.
#[derive(Debug)]
pub struct VoiceBlock {
    /// Differs from the id of every other block, even of one that later has the same address.
    id: u64,
    /// `copies[tick × stride + index]`, valid where the summaries say so, and `descriptions[tick × stride
    /// + copy.index()]`. A device reads them here.
    clouds: CloudMemory,
    /// Indices below this one have memory.
    with_memory: usize,
    /// Descriptions of each tick so far.
    described: [AtomicU32; MAX_TICKS],
    /// For every slot that sounds, the end of the descriptions that it has in all ticks.
    description_ends: Vec<u32>,
    /// The index of the copies of every slot that sounds. Empty where the slot is the index, which is so
    /// but in blocks for several clients.
    indices: Vec<u32>,
    /// Indices in use, where they are not the slots.
    used: usize,
    /// The clients, when there are several.
    sections: Vec<Section>,
    /// What every slot does, so that most code need not read the clouds.
    summaries: Vec<SlotSummary>,
    /// A bit for every slot that sounds in any tick, so that slots are visited in order.
    slots: Vec<u64>,
    ticks: usize,
}

/// The share of one client in a block that several clients use together: its slots, from the first one
/// to that of the next section, and its buses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its first slot, a multiple of [`Section::SLOTS`].
    pub first_slot: usize,
    /// Its first bus; its clouds count buses from there.
    pub first_bus: usize,
    /// Its buses.
    pub buses: usize,
}

impl Section {
    /// The granularity of its slots. Renderers sum slots in groups, and with these starts a client's
    /// groups are the same whoever else is in the block.
    pub const SLOTS: usize = 64;
    /// The most buses of a section.
    pub const MAX_BUSES: usize = 64;
}

/// What a slot does in a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotSummary {
    /// A bit for each tick in which the cloud sounds.
    pub sounding: u8,
    /// A bit for each tick in which a cloud starts.
    pub starts: u8,
    /// The most groups of sixteen partials in a tick.
    pub most_groups: u8,
    /// The groups of the last tick in which it sounds.
    pub last_groups: u8,
}

impl SlotSummary {
    /// Adds a cloud of one tick.
    #[inline(always)]
    fn add(&mut self, tick: usize, extent: Extent) {
        self.sounding |= 1 << tick;
        self.starts |= extent.starts << tick;
        self.last_groups = extent.groups;
        self.most_groups = self.most_groups.max(extent.groups);
    }

    /// The most partials in a tick, rounded up to whole groups.
    pub fn most_partials(&self) -> usize {
        usize::from(self.most_groups) * LANES
    }

    /// All fields in one word, for comparison.
    pub fn bits(&self) -> u32 {
        u32::from_ne_bytes([self.sounding, self.starts, self.most_groups, self.last_groups])
    }
}

const _: () = assert!(MAX_TICKS <= u8::BITS as usize && MAX_GROUPS <= u8::MAX as usize);

/// What a summary takes of a cloud; that of all copies of a voice is the same.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    starts: u8,
    groups: u8,
}

impl Extent {
    /// That of `cloud`.
    #[inline(always)]
    pub fn of(cloud: &Cloud) -> Self {
        Self { starts: cloud.flags & STARTS, groups: groups(cloud.partials) as u8 }
    }

    /// Whether the cloud starts.
    #[inline(always)]
    pub fn starts(self) -> bool {
        self.starts != 0
    }

    /// That of the same cloud if it starts.
    #[inline(always)]
    #[must_use]
    pub fn starting(self) -> Self {
        Self { starts: STARTS, ..self }
    }
}

impl VoiceBlock {
    /// An empty block that can hold `slots` clouds.
    pub fn new(slots: usize) -> Self {
        Self::with_indices(slots, slots, Vec::new())
    }

    /// An empty block for several clients: of its `slots`, `clouds` may sound at once. Clouds are stored
    /// one after the other, whatever slots they have, so that a device reads only those that sound.
    pub fn shared(slots: usize, clouds: usize) -> Self {
        Self::with_indices(slots, clouds, vec![0; slots])
    }

    fn with_indices(slots: usize, clouds: usize, indices: Vec<u32>) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let mut block = Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            // Devices copy pairs of words, so the rows of ticks have a whole number of pairs.
            clouds: CloudMemory::new(clouds.next_multiple_of(2) * MAX_TICKS),
            with_memory: 0,
            described: [const { AtomicU32::new(0) }; MAX_TICKS],
            description_ends: vec![0; slots],
            indices,
            used: 0,
            sections: Vec::new(),
            summaries: vec![SlotSummary::default(); slots],
            slots: vec![0; slots.div_ceil(64)],
            ticks: 0,
        };
        block.take_memory(with_memory_ahead(0));
        block
    }

    /// Empties a block that renderers have shared, for exclusive use. If a renderer that hangs still
    /// holds it, it is replaced.
    pub fn reuse(shared: &mut Arc<Self>) -> Writing<'_> {
        if Arc::get_mut(shared).is_none() {
            let indices = vec![0; shared.indices.len()];
            *shared = Arc::new(Self::with_indices(shared.capacity(), shared.stride(), indices));
        }
        let Some(block) = Arc::get_mut(shared) else {
            unreachable!("nobody shares what was just made");
        };
        if block.with_memory < block.stride() {
            let in_use = if block.indices.is_empty() { block.slots_in_use() } else { block.used };
            // A few at a time, so that a large chord does not have to wait for much of it.
            let end = with_memory_ahead(in_use).min(block.with_memory + SLOTS_A_BLOCK);
            block.clear();
            block.take_memory(end);
        } else {
            block.clear();
        }
        Writing(block)
    }

    /// Takes memory for the indices below `end`, while nothing is in the block.
    fn take_memory(&mut self, end: usize) {
        let stride = self.stride();
        let range = self.with_memory..end.min(stride);
        for tick in (0..MAX_TICKS).filter(|_| !range.is_empty()) {
            let row = tick * stride;
            self.clouds.take_memory(row + range.start..row + range.end);
        }
        self.with_memory = self.with_memory.max(range.end);
    }

    /// Removes all clouds.
    pub fn clear(&mut self) {
        let summaries = self.summaries.chunks_mut(SLOTS_PER_WORD);
        let ends = self.description_ends.chunks_mut(SLOTS_PER_WORD);
        for ((bits, summaries), ends) in self.slots.iter_mut().zip(summaries).zip(ends) {
            if std::mem::take(bits) != 0 {
                summaries.fill(SlotSummary::default());
                ends.fill(0);
            }
        }
        self.described.iter_mut().for_each(|described| *described.get_mut() = 0);
        self.sections.clear();
        (self.ticks, self.used) = (0, 0);
    }

    /// Opens the next tick; clouds pushed from now on belong to it.
    pub fn start_tick(&mut self) {
        assert!(self.ticks < MAX_TICKS);
        self.ticks += 1;
    }

    /// Adds the cloud in `slot` to the current tick.
    pub fn push(&mut self, slot: u32, cloud: Cloud) {
        let tick = self.ticks - 1;
        self.slots[slot as usize / 64] |= 1 << (slot % 64);
        let Some(index) = self.describe(tick, &Description::of(&cloud)) else {
            unreachable!("there are as many descriptions as slots");
        };
        // SAFETY: it is the only writer.
        unsafe {
            self.writer().push(tick, slot, Extent::of(&cloud), &UnisonCopy::of(&cloud, index));
        }
    }

    /// Adds a section of so many ticks to a block for several clients. Sections come in the order of
    /// their slots.
    pub fn start_section(&mut self, section: Section, ticks: usize) {
        assert!(ticks <= MAX_TICKS);
        self.ticks = self.ticks.max(ticks);
        debug_assert!(self.sections.last().is_none_or(|last| last.first_slot < section.first_slot));
        self.sections.push(section);
    }

    /// Adds a description to a `tick`. Returns its index, or `None` where there is no room.
    pub fn describe(&mut self, tick: usize, description: &Description) -> Option<u32> {
        let stride = self.stride();
        // Not by an atomic instruction: those flush the lines that are being written past the caches, half
        // full, which takes ten times as long as all the rest.
        let described = self.described[tick].get_mut();
        let index = *described;
        if index as usize == stride {
            return None;
        }
        *described += 1;
        let past_the_caches = self.clouds.is_pinned();
        let place = &mut self.clouds.both_mut().0[tick * stride + index as usize];
        memory::write(place, description, past_the_caches);
        Some(index)
    }

    /// Adds the cloud in `slot` to a `tick` of the last section; ticks of a slot come in order. Its description was added
    /// before. Returns whether there was room.
    #[inline]
    pub fn put(&mut self, tick: usize, slot: usize, extent: Extent, copy: &UnisonCopy) -> bool {
        let stride = self.stride();
        let summary = &mut self.summaries[slot];
        if summary.sounding == 0 {
            if self.used == stride {
                return false;
            }
            self.indices[slot] = self.used as u32;
            self.used += 1;
            self.slots[slot / 64] |= 1 << (slot % 64);
        }
        summary.add(tick, extent);
        let end = &mut self.description_ends[slot];
        *end = (copy.index() as u32 + 1).max(*end);
        let past_the_caches = self.clouds.is_pinned();
        let place = &mut self.clouds.both_mut().1[tick * stride + self.indices[slot] as usize];
        memory::write(place, copy, past_the_caches);
        true
    }

    /// For writing from several threads. Afterwards the slots are to be listed.
    pub(crate) fn writer(&mut self) -> BlockWriter<'_> {
        let (past_the_caches, stride) = (self.clouds.is_pinned(), self.stride());
        let (descriptions, copies) = self.clouds.both_mut();
        BlockWriter {
            past_the_caches,
            stride,
            indices: &self.indices,
            descriptions: Disjoint::new(descriptions),
            copies: Disjoint::new(copies),
            summaries: Disjoint::new(&mut self.summaries),
            description_ends: Disjoint::new(&mut self.description_ends),
            described: &self.described,
        }
    }

    /// Lists the slots below `high` that were written to by [`BlockWriter`]s.
    pub(crate) fn list_slots(&mut self, high: usize) {
        let summaries = self.summaries[..high].chunks(SLOTS_PER_WORD);
        for (word, summaries) in self.slots.iter_mut().zip(summaries) {
            // Bytes first, in a loop that is vectorised.
            let mut sounds = [0u8; SLOTS_PER_WORD];
            for (sounds, summary) in sounds.iter_mut().zip(summaries) {
                *sounds = u8::from(summary.sounding != 0);
            }
            let (eights, _) = sounds.as_chunks();
            *word = eights.iter().rev().fold(0, |word, &eight| word << 8 | lowest_bits(eight));
        }
    }

    /// Copies this block for a renderer that has not rendered its clouds before: they start in it.
    pub fn introduce(&self, copy: &mut Arc<Self>) {
        let mut copy = Self::reuse(copy);
        for tick in 0..self.ticks {
            copy.start_tick();
            for slot in self.slots() {
                let Some(cloud) = self.cloud(slot, tick) else {
                    continue;
                };
                let first = self.summary(slot).sounding & ((1 << tick) - 1) == 0;
                let starts = if first { STARTS } else { 0 };
                let flags = cloud.flags | starts;
                copy.push(slot as u32, Cloud { flags, ..cloud });
            }
        }
    }

    /// Ticks opened since the last clear.
    pub fn ticks(&self) -> usize {
        self.ticks
    }

    /// Slots that sound in any tick, in rising order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        let (mut word, mut bits) = (0, self.slots.first().map_or(0, |&bits| bits));
        std::iter::from_fn(move || {
            while bits == 0 {
                word += 1;
                bits = *self.slots.get(word)?;
            }
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(word * 64 + bit)
        })
    }

    /// Slots from this one on are silent.
    pub fn slots_in_use(&self) -> usize {
        let last = self.slots.iter().rposition(|&bits| bits != 0);
        last.map_or(0, |word| word * 64 + self.slots[word].ilog2() as usize + 1)
    }

    /// The cloud of `slot` in `tick`, if it sounds.
    #[inline]
    pub fn cloud(&self, slot: usize, tick: usize) -> Option<Cloud> {
        self.copy(slot, tick).map(|copy| copy.cloud(self.description(copy, tick)))
    }

    /// What the cloud of `slot` has of its own in `tick`, if it sounds.
    #[inline]
    pub fn copy(&self, slot: usize, tick: usize) -> Option<&UnisonCopy> {
        let sounds = self.summaries[slot].sounding >> tick & 1 == 1;
        sounds.then(|| &self.clouds.copies()[tick * self.stride() + self.copy_index(slot)])
    }

    /// What a copy of that tick shares with others.
    #[inline]
    pub fn description(&self, copy: &UnisonCopy, tick: usize) -> &Description {
        &self.clouds.descriptions()[tick * self.stride() + copy.index()]
    }

    /// The most descriptions of a tick.
    pub fn described(&self) -> usize {
        let described = self.described.iter().map(|described| described.load(Ordering::Relaxed));
        described.max().unwrap_or(0) as usize
    }

    /// The end of the descriptions that `slot` has in all ticks.
    pub fn description_end(&self, slot: usize) -> usize {
        self.description_ends[slot] as usize
    }

    /// The index of the copy of `slot` among those of a tick.
    #[inline]
    pub fn copy_index(&self, slot: usize) -> usize {
        self.indices.get(slot).map_or(slot, |&index| index as usize)
    }

    /// Copies, and descriptions, from one tick to the next.
    #[inline]
    pub fn stride(&self) -> usize {
        self.clouds.count() / MAX_TICKS
    }

    /// The sections of a block for several clients; empty in others.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The bus of `cloud`, which is in `slot`, among all buses.
    pub fn bus_of(&self, slot: usize, cloud: &Cloud) -> usize {
        let later = self.sections.partition_point(|section| section.first_slot <= slot);
        let section = later.checked_sub(1).map(|index| self.sections[index]);
        section.map_or(0, |section| section.first_bus) + usize::from(cloud.bus)
    }

    /// What `slot` does.
    pub fn summary(&self, slot: usize) -> &SlotSummary {
        &self.summaries[slot]
    }

    /// What all slots do; those of silent slots are empty.
    pub fn summaries(&self) -> &[SlotSummary] {
        &self.summaries
    }

    /// All descriptions and copies, by tick, for a device to read.
    pub fn clouds(&self) -> &CloudMemory {
        &self.clouds
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.summaries.len()
    }

    /// Refuses a block that has more than the `prepared` slots of a renderer.
    ///
    /// # Errors
    /// [`RenderError::BlockTooLarge`].
    pub fn check_fits(&self, prepared: usize) -> Result<(), RenderError> {
        let slots = self.capacity();
        match slots <= prepared {
            true => Ok(()),
            false => Err(RenderError::BlockTooLarge { slots, prepared }),
        }
    }

    /// Unique among all blocks.
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// Writes clouds to a block, each slot from one thread.
pub(crate) struct BlockWriter<'a> {
    past_the_caches: bool,
    stride: usize,
    indices: &'a [u32],
    descriptions: Disjoint<'a, Description>,
    copies: Disjoint<'a, UnisonCopy>,
    summaries: Disjoint<'a, SlotSummary>,
    description_ends: Disjoint<'a, u32>,
    described: &'a [AtomicU32; MAX_TICKS],
}

impl BlockWriter<'_> {
    /// The first of `count` indices for descriptions of `tick`. There are as many as slots.
    pub(crate) fn reserve(&self, tick: usize, count: u32) -> u32 {
        self.described[tick].fetch_add(count, Ordering::Relaxed)
    }

    /// Adds a description to `tick`.
    ///
    /// # Safety
    /// No other thread has reserved this index.
    #[inline(always)]
    pub(crate) unsafe fn describe(&self, tick: usize, index: u32, description: &Description) {
        assert!((index as usize) < self.stride);
        // SAFETY: the caller guarantees it.
        let place = unsafe { self.descriptions.get(tick * self.stride + index as usize) };
        memory::write(place, description, self.past_the_caches);
    }

    /// Adds the cloud in `slot` to `tick`, whose description was added before; ticks of a slot come in
    /// order.
    ///
    /// # Safety
    /// No other thread writes to this slot.
    #[inline(always)]
    pub(crate) unsafe fn push(&self, tick: usize, slot: u32, extent: Extent, copy: &UnisonCopy) {
        let slot = slot as usize;
        let index = self.indices.get(slot).map_or(slot, |&index| index as usize);
        // SAFETY: the caller guarantees it, and slots have different indices.
        let (place, summary, end) = unsafe {
            (
                self.copies.get(tick * self.stride + index),
                self.summaries.get(slot),
                self.description_ends.get(slot),
            )
        };
        summary.add(tick, extent);
        *end = (copy.index() as u32 + 1).max(*end);
        memory::write(place, copy, self.past_the_caches);
    }

    /// Makes what this thread wrote visible to other threads and devices.
    pub(crate) fn settle(&self) {
        memory::settle(self.past_the_caches);
    }
}

/// A block that is being written. It may be shared again when this is dropped.
#[derive(Debug)]
pub struct Writing<'a>(&'a mut VoiceBlock);

impl Deref for Writing<'_> {
    type Target = VoiceBlock;

    fn deref(&self) -> &VoiceBlock {
        self.0
    }
}

impl DerefMut for Writing<'_> {
    fn deref_mut(&mut self) -> &mut VoiceBlock {
        self.0
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.clouds.settle();
    }
}

/// Groups of sixteen that hold `partials` partials and one more that fades.
pub(crate) fn groups(partials: f32) -> usize {
    (partials.max(0.0) as usize).saturating_add(1).div_ceil(LANES).min(MAX_GROUPS)
}

/// Slots whose bits are in one word.
const SLOTS_PER_WORD: usize = u64::BITS as usize;

/// The lowest bit of each byte, which is its only one: that of the first byte is the lowest.
fn lowest_bits(bytes: [u8; 8]) -> u64 {
    // The product has the bit of byte i at 56 + i; no two terms meet in one place.
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
