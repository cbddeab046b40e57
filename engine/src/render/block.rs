//! What passes between the engine and a renderer: clouds in, buses out.

mod memory;

use super::{MAX_TICKS, RenderError, TICK};
use crate::dsp::fade_in;
use crate::simd::LANES;
use crate::spectrum::{Cloud, MAX_GROUPS, STARTS};
pub use memory::CloudMemory;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The clouds of a few ticks, by slot. Slots are the renderer's memory: a cloud keeps its slot
/// as long as it sounds.
#[derive(Debug)]
pub struct VoiceBlock {
    /// Tells this block from every other one, also from one that later has the same address.
    id: u64,
    /// `clouds[tick × slots + slot]`, meaningful where sketches say so. A device reads them here.
    clouds: CloudMemory,
    /// What is known of every slot without a look at its clouds.
    summaries: Vec<SlotSummary>,
    /// A bit for every slot that sounds in any tick, so that slots are visited in order.
    slots: Vec<u64>,
    ticks: usize,
}

/// A slot at a glance.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotSummary {
    /// A bit for each tick in which the cloud sounds.
    pub sounding: u8,
    /// A bit for each tick in which a cloud starts.
    pub starts: u8,
    /// The most groups of sixteen partials that a tick asks for.
    pub most_groups: u8,
    /// Those of the last tick in which it sounds.
    pub last_groups: u8,
}

impl SlotSummary {
    /// The most partials that a tick asks for, in whole groups.
    pub fn most_partials(&self) -> usize {
        usize::from(self.most_groups) * LANES
    }

    /// All of it in a word, to compare.
    pub fn bits(&self) -> u32 {
        u32::from_ne_bytes([
            self.sounding,
            self.starts,
            self.most_groups,
            self.last_groups,
        ])
    }
}

const _: () = assert!(MAX_TICKS <= u8::BITS as usize && MAX_GROUPS <= u8::MAX as usize);

impl VoiceBlock {
    /// An empty block that can hold `slots` clouds.
    pub fn new(slots: usize) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            clouds: CloudMemory::new(slots * MAX_TICKS),
            summaries: vec![SlotSummary::default(); slots],
            slots: vec![0; slots.div_ceil(64)],
            ticks: 0,
        }
    }

    /// A block that renderers have shared: empty, and one's own again. If a renderer that hangs
    /// has kept it, it is replaced.
    pub fn reuse(shared: &mut Arc<Self>) -> Writing<'_> {
        if Arc::get_mut(shared).is_none() {
            *shared = Arc::new(Self::new(shared.capacity()));
        }
        let Some(block) = Arc::get_mut(shared) else {
            unreachable!("nobody shares what was just made");
        };
        block.clear();
        Writing(block)
    }

    /// Forgets the clouds.
    pub fn clear(&mut self) {
        for (word, bits) in self.slots.iter_mut().enumerate() {
            for bit in bits_of(std::mem::take(bits)) {
                self.summaries[word * 64 + bit] = SlotSummary::default();
            }
        }
        self.ticks = 0;
    }

    /// Opens the next tick; clouds pushed from now on belong to it.
    pub fn start_tick(&mut self) {
        assert!(self.ticks < MAX_TICKS);
        self.ticks += 1;
    }

    /// Adds the cloud in `slot` to the current tick.
    pub fn push(&mut self, slot: u32, cloud: Cloud) {
        let (slot, tick) = (slot as usize, self.ticks - 1);
        let summary = &mut self.summaries[slot];
        summary.sounding |= 1 << tick;
        summary.starts |= (cloud.flags & STARTS) << tick;
        summary.last_groups = groups(cloud.partials) as u8;
        summary.most_groups = summary.most_groups.max(summary.last_groups);
        self.clouds.write(tick * self.summaries.len() + slot, cloud);
        self.slots[slot / 64] |= 1 << (slot % 64);
    }

    /// Copies this block for a renderer that is new to its clouds: they start with it.
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
                copy.push(slot as u32, Cloud { flags, ..*cloud });
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

    /// The cloud of `slot` in `tick`, if it sounds.
    pub fn cloud(&self, slot: usize, tick: usize) -> Option<&Cloud> {
        let sounds = self.summaries[slot].sounding >> tick & 1 == 1;
        sounds.then(|| &self.clouds[tick * self.summaries.len() + slot])
    }

    /// The slot at a glance.
    pub fn summary(&self, slot: usize) -> &SlotSummary {
        &self.summaries[slot]
    }

    /// All slots at a glance; those that are silent have nothing in theirs.
    pub fn summaries(&self) -> &[SlotSummary] {
        &self.summaries
    }

    /// All clouds, by tick and slot, for a device to read.
    pub fn clouds(&self) -> &CloudMemory {
        &self.clouds
    }

    /// Slots that it can hold.
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

    /// Never the same for two blocks.
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// A block that is being written. When this is dropped the block may be shared again.
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

/// Groups of sixteen that hold `partials` partials and one that fades.
pub(crate) fn groups(partials: f32) -> usize {
    (partials.max(0.0) as usize)
        .saturating_add(1)
        .div_ceil(LANES)
        .min(MAX_GROUPS)
}

fn bits_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            bit
        })
    })
}

/// Stereo buses of a few ticks.
#[derive(Debug)]
pub struct Buses {
    samples: Vec<f32>,
}

impl Buses {
    /// Frames of a bus.
    pub const FRAMES: usize = MAX_TICKS * TICK;

    /// Silent buses.
    pub fn new(buses: usize) -> Self {
        Self {
            samples: vec![0.0; buses * 2 * Self::FRAMES],
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.samples.len() / (2 * Self::FRAMES)
    }

    /// Left and right of `bus`.
    pub fn bus(&self, bus: usize) -> [&[f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at(Self::FRAMES);
        [left, right]
    }

    /// Left and right of `bus`, to write to.
    pub fn bus_mut(&mut self, bus: usize) -> [&mut [f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at_mut(Self::FRAMES);
        [left, right]
    }

    /// Fades the first `frames` frames of every bus in, over those of `old`, `faded` frames into
    /// the fade.
    pub fn fade_from(&mut self, old: &Buses, faded: usize, frames: usize) {
        for index in 0..2 * self.count() {
            let old = &old.bus(index / 2)[index % 2][..frames];
            let new = &mut self.bus_mut(index / 2)[index % 2][..frames];
            for (frame, (new, old)) in new.iter_mut().zip(old).enumerate() {
                *new = old + (*new - old) * fade_in(faded + frame);
            }
        }
    }

    /// Silences every bus.
    pub fn clear(&mut self) {
        self.samples.fill(0.0);
    }
}
