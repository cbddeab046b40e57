//! Packs what the device needs for a block besides its clouds: a list of slices to render, and
//! which of them belong together. Makes no CUDA calls. The kernels in `kernels/cuda/` read the same layout.

use myriad_engine::render::{SlotSummary, VoiceBlock};
use myriad_engine::spectrum::MAX_GROUPS;
use std::ops::Range;

/// Slots of a group, whose items the mix sums first.
pub(crate) const MIX_SLOTS: usize = 16;

/// Words of an upload's header: items, number of the first item, where items are in bytes, and
/// the block's number.
const HEADER_WORDS: usize = 4;

/// Where the block's number is.
const HEADER_BLOCK: usize = 3;

/// Words of an item, which is one warp's work: the slot; the slice's number and above it a bit
/// for each tick in which the cloud sounds; how often clouds had started in this slot when the
/// block began; padding.
const ITEM_WORDS: usize = 4;

/// The layout of an upload, in words of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// For the mix: the number of groups of slots in use, then the end of each.
    ends_at: usize,
    items_at: usize,
    /// The most items of one upload.
    pub(crate) items: usize,
    /// The most words of one upload.
    pub(crate) words: usize,
}

impl Layout {
    /// For blocks of up to `slots` slots, in uploads of up to `items` items.
    pub(crate) fn new(slots: usize, items: usize) -> Self {
        let ends_at = HEADER_WORDS;
        // Items start at a multiple of sixteen bytes.
        let items_at = (ends_at + 1 + slots.div_ceil(MIX_SLOTS)).next_multiple_of(4);
        Self { ends_at, items_at, items, words: items_at + items * ITEM_WORDS }
    }

    /// The most pieces of a block that has `items` items. The items of a cloud, up to `slices`, are in
    /// the same piece.
    pub(crate) fn pieces(&self, items: usize, slices: usize) -> usize {
        match items <= self.items {
            true => 1,
            false => items.div_ceil(self.items + 1 - slices),
        }
    }
}

/// What the host remembers of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// How often clouds have started in the slot.
    generation: u32,
    /// Groups of the last tick: levels above are zero.
    groups: u8,
}

/// Packs blocks, and remembers the state of slots from block to block.
#[derive(Debug)]
pub(crate) struct Packer {
    layout: Layout,
    /// Slices of a cloud: a warp of the device renders one.
    slices: usize,
    slots: Vec<Slot>,
    ends: Vec<u32>,
    last: Last,
    /// Counts blocks, so that the host can tell when the device has finished one.
    pub(crate) block: u32,
}

/// The last block: while chords are held, the next block has the same items.
#[derive(Debug, Default)]
struct Last {
    summaries: Vec<SlotSummary>,
    /// Its only piece, if a block with the same summaries would be packed the same.
    piece: Option<Piece>,
    /// Incremented whenever the list of items changes.
    list: u64,
}

impl Last {
    /// Remembers a block whose items are not packed yet.
    fn replace(&mut self, summaries: &[SlotSummary]) {
        self.list += 1;
        self.piece = None;
        self.summaries.clear();
        self.summaries.extend_from_slice(summaries);
    }

    fn is_like(&self, summaries: &[SlotSummary]) -> bool {
        // Without an early exit, so that the compiler vectorises the comparison.
        let differing =
            |bits: u32, (a, b): (&SlotSummary, &SlotSummary)| bits | (a.bits() ^ b.bits());
        let pairs = self.summaries.iter().zip(summaries);
        self.summaries.len() == summaries.len() && pairs.fold(0, differing) == 0
    }
}

/// One packed upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Slots whose clouds it needs.
    pub(crate) slots: Range<usize>,
    /// Items in this upload.
    pub(crate) items: usize,
    /// Words that the device needs of it.
    pub(crate) words: usize,
    /// Groups of slots in use, when this is the block's last piece.
    pub(crate) groups: Option<usize>,
}

/// Receives the pieces of a block. Most blocks have one piece.
pub(crate) trait PieceSink {
    /// Why a piece could not be sent.
    type Error;
    /// Which list of items the buffer of the first piece holds, as the packer counts; zero at first.
    fn list(&mut self) -> &mut u64;
    /// The buffer that piece `number` is written to.
    fn buffer(&mut self, number: usize) -> Result<&mut [u32], Self::Error>;
    /// Sends the buffer of piece `number`.
    fn send(&mut self, number: usize, piece: Piece) -> Result<(), Self::Error>;
}

impl Packer {
    pub(crate) fn new(slots: usize, slices: usize, layout: Layout) -> Self {
        Self {
            layout,
            slices,
            slots: vec![Slot::default(); slots],
            ends: vec![0; 1 + slots.div_ceil(MIX_SLOTS)],
            last: Last { summaries: Vec::with_capacity(slots), ..Last::default() },
            block: 0,
        }
    }

    /// Ends all clouds: new generations make the device ignore its phases and levels.
    pub(crate) fn reset(&mut self) {
        self.last.piece = None;
        for slot in &mut self.slots {
            slot.generation = slot.generation.wrapping_add(1);
            slot.groups = 0;
        }
    }

    /// Cuts `block` into pieces and sends each.
    pub(crate) fn pack<S: PieceSink>(
        &mut self,
        block: &VoiceBlock,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        self.block = self.block.wrapping_add(1);
        let repeats = self.last.piece.as_ref();
        let repeats = repeats.filter(|_| self.last.is_like(block.summaries()));
        match repeats {
            Some(piece) if *sink.list() == self.last.list => {
                sink.buffer(0)?[HEADER_BLOCK] = self.block;
                return sink.send(0, piece.clone());
            }
            // The same list, but this buffer does not hold it yet.
            Some(_) => {}
            None => self.last.replace(block.summaries()),
        }
        *sink.list() = self.last.list;
        let mut is_settled = true;
        let mut slots = block.slots();
        let mut slot = slots.next();
        let (mut first_item, mut groups) = (0, 0);
        for number in 0.. {
            let words = sink.buffer(number)?;
            let (head, room) = words.split_at_mut(self.layout.items_at);
            let (room, _) = room.as_chunks_mut::<ITEM_WORDS>();
            let first_slot = slot.unwrap_or(0);
            let (mut items, mut end_slot) = (0, first_slot);
            while let Some(next) = slot
                && items + self.slices <= self.layout.items
            {
                if groups <= next / MIX_SLOTS {
                    let count = (first_item + items) as u32;
                    self.ends[1 + groups..2 + next / MIX_SLOTS].fill(count);
                    groups = next / MIX_SLOTS + 1;
                }
                let (slices, stays) = self.pack_slot(block, next, &mut room[items..]);
                items += slices;
                is_settled &= stays;
                self.ends[groups] = (first_item + items) as u32;
                end_slot = next + 1;
                slot = slots.next();
            }
            let last = slot.is_none();
            if last {
                self.ends[0] = groups as u32;
                head[self.layout.ends_at..][..=groups].copy_from_slice(&self.ends[..=groups]);
            }
            let items_at = 4 * self.layout.items_at as u32;
            let header = [items as u32, first_item as u32, items_at, self.block];
            head[..HEADER_WORDS].copy_from_slice(&header);
            let piece = Piece {
                slots: first_slot..end_slot,
                items,
                words: self.layout.items_at + items * ITEM_WORDS,
                groups: last.then_some(groups),
            };
            if last {
                let is_whole = is_settled && number == 0;
                self.last.piece = is_whole.then(|| piece.clone());
            }
            sink.send(number, piece)?;
            if last {
                break;
            }
            first_item += items;
        }
        Ok(())
    }

    /// Writes items for the slices of `slot` that may sound. Returns how many, and whether a block
    /// with the same summary would now have the same items.
    #[inline(always)]
    fn pack_slot(
        &mut self,
        block: &VoiceBlock,
        slot: usize,
        room: &mut [[u32; ITEM_WORDS]],
    ) -> (usize, bool) {
        let (known, summary) = (&mut self.slots[slot], block.summary(slot));
        let generation = known.generation;
        // Groups of the last tick still fade out in this block, unless a new cloud starts in its first tick.
        let starts_anew = summary.starts & summary.sounding & summary.sounding.wrapping_neg() != 0;
        let fading = if starts_anew { 0 } else { known.groups };
        let groups = summary.most_groups.max(fading);
        known.generation = generation.wrapping_add(summary.starts.count_ones());
        known.groups = summary.last_groups;
        let slices = usize::from(groups).div_ceil(MAX_GROUPS / self.slices);
        let ticks = self.slices as u32 * u32::from(summary.sounding);
        for (slice, item) in room[..slices].iter_mut().enumerate() {
            *item = [slot as u32, slice as u32 + ticks, generation, 0];
        }
        (slices, summary.starts == 0 && fading <= summary.most_groups)
    }
}

#[cfg(test)]
mod tests;
