//! Packs what the device needs for a block besides its voices: which of them to fetch, a list of slices to render, and
//! which of these belong together. Makes no CUDA calls. The kernels in `kernels/cuda/` read the same layout.

mod groups;

use super::turn::AT_ONCE;
use groups::Groups;
pub(crate) use groups::{MIX_SLOTS, Mix};
use myriad_engine::render::{Capacity, Section, SlotSummary, Span, VoiceBlock};
use myriad_engine::spectrum::MAX_GROUPS;
use std::mem::replace;
use std::ops::Range;

/// Words of an upload's header: items, number of the first item, where items are in bytes, the
/// block's number; then where the ends of the groups are and where the tiles, in words, how many
/// tiles there are, and the number of the first block with these items.
const HEADER_WORDS: usize = 8;

/// Where the block's number is, and that of the first block with these items.
const HEADER_BLOCK: usize = 3;
#[cfg(test)]
const HEADER_FIRST_BLOCK: usize = 7;

/// Words of an item, which is one warp's work: the slot; the slice's number and above it a bit
/// for each tick in which the cloud sounds; how often clouds had started in this slot when the
/// block began; how many blocks before the first one with this list it was rendered last.
const ITEM_WORDS: usize = 4;

/// Words of a voice to fetch: its index in the block's memory; its first slot and above it a bit for each tick that has
/// it.
const LISTED_WORDS: usize = 2;

/// Where these bits begin.
const LISTED_TICKS: u32 = 24;

/// Lists of voices are filled up to a multiple of this at least, so that graphs seldom change.
const LIST_STEP: usize = 64;

/// Rounds up to a multiple of `step` that is at least a quarter of the power of two above: what follows this size then changes a
/// few times only, however much is played.
pub(crate) fn rounded(size: usize, step: usize) -> usize {
    size.next_multiple_of(step.max(size.next_power_of_two() / 4))
}

/// The layout of a piece, in words of four bytes. First the upload: header, items, and at the end of a block's last
/// upload the ends of the groups and the tiles. Then the list of voices, which the device reads in the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The most items of one upload.
    pub(crate) items: usize,
    /// Where the list of voices begins.
    pub(crate) list_at: usize,
    /// The words of a piece.
    pub(crate) words: usize,
}

impl Layout {
    /// For blocks of that `capacity`, in uploads of up to `items` items.
    pub(crate) fn new(capacity: Capacity, items: usize) -> Self {
        let upload = HEADER_WORDS + items * ITEM_WORDS + Groups::most_words(capacity);
        let list_at = upload.next_multiple_of(LISTED_WORDS);
        // A voice has at least one item.
        let voices = items.min(capacity.slots).next_multiple_of(LIST_STEP);
        Self { items, list_at, words: list_at + voices * LISTED_WORDS }
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
    /// The number of the last list with this slot, and how many slices that has.
    list: u64,
    slices: u8,
}

/// Packs blocks, and remembers the state of slots from block to block.
#[derive(Debug)]
pub(crate) struct Packer {
    layout: Layout,
    /// Slices of a cloud: a warp of the device renders one.
    slices: usize,
    /// The logarithm of the groups of sixteen partials in a slice: to divide for every slot would take as long as all else.
    groups_log2: u32,
    slots: Vec<Slot>,
    groups: Groups,
    buses: usize,
    last: Last,
    /// Counts blocks, so that the host can tell when the device has finished one.
    pub(crate) block: u32,
}

/// The last block: while chords are held, the next block has the same items.
#[derive(Debug, Default)]
struct Last {
    /// A bit for each slot that sounded.
    slots: Vec<u64>,
    /// Of all slots, but only of those in use. Clients of a render service have many more than they use.
    summaries: Vec<SlotSummary>,
    spans: Vec<Span>,
    /// Who takes part, in blocks for several clients. These and the spans decide which indices voices have.
    sections: Vec<Section>,
    ticks: usize,
    /// Its only piece, if a block with the same summaries would be packed the same, and then the upload and the list of voices:
    /// other buffers get copies.
    piece: Option<Piece>,
    words: [Vec<u32>; 2],
    /// Incremented whenever the list of items changes.
    list: u64,
    /// The first blocks that had this list and the ones before, the newest first.
    first_blocks: [u32; AT_ONCE - 1],
}

impl Last {
    /// Remembers a block whose items are not packed yet.
    fn replace(&mut self, block: &VoiceBlock, number: u32) {
        self.list += 1;
        self.first_blocks.rotate_right(1);
        self.first_blocks[0] = number;
        self.piece = None;
        self.slots.clear();
        self.slots.extend_from_slice(block.slot_bits());
        for slots in block.ranges_in_use() {
            self.summaries[slots.clone()].copy_from_slice(&block.summaries()[slots.clone()]);
            self.spans[slots.clone()].copy_from_slice(&block.spans()[slots]);
        }
        self.sections.clear();
        self.sections.extend_from_slice(block.sections());
        self.ticks = block.ticks();
    }

    /// How many blocks before this list was first used the lists before it were used last, by how many lists ago they were; zero
    /// when that block is complete by then.
    fn blocks_since(&self) -> [u32; AT_ONCE + 1] {
        let mut blocks = [0; AT_ONCE + 1];
        // A list is used until the one after it comes.
        for (blocks, first) in blocks[1..].iter_mut().zip(self.first_blocks) {
            let since = self.first_blocks[0].wrapping_sub(first) + 1;
            *blocks = if since < AT_ONCE as u32 { since } else { 0 };
        }
        blocks
    }

    fn is_like(&self, block: &VoiceBlock) -> bool {
        if (self.ticks, &self.sections[..]) != (block.ticks(), block.sections()) {
            return false;
        }
        // Without an early exit in a range, so that the compiler vectorises the comparison.
        self.slots == block.slot_bits()
            && block.ranges_in_use().all(|slots| {
                let spans = self.spans[slots.clone()].iter().zip(&block.spans()[slots.clone()]);
                let spans = spans.fold(0, |bits, (a, b)| bits | (a.bits() ^ b.bits()));
                let summaries = self.summaries[slots.clone()].iter().zip(&block.summaries()[slots]);
                summaries.fold(spans, |bits, (a, b)| bits | (a.bits() ^ b.bits())) == 0
            })
    }
}

/// One packed upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The numbers of the voices in its list, with those that fill it up.
    pub(crate) voices: Range<usize>,
    /// Their indices in the block's memory, and those between them.
    pub(crate) indices: Range<usize>,
    /// Items in this upload.
    pub(crate) items: usize,
    /// Words that the device needs of it.
    pub(crate) words: usize,
    /// What the mix sums, when this is the block's last piece.
    pub(crate) mix: Option<Mix>,
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
    pub(crate) fn new(capacity: Capacity, slices: usize, layout: Layout) -> Self {
        let slots = capacity.slots;
        Self {
            layout,
            slices,
            groups_log2: (MAX_GROUPS / slices).ilog2(),
            slots: vec![Slot::default(); slots],
            groups: Groups::new(capacity),
            buses: capacity.buses,
            last: Last {
                slots: Vec::with_capacity(slots.div_ceil(64)),
                summaries: vec![SlotSummary::default(); slots],
                spans: vec![Span::default(); slots],
                // A section has at least one bus.
                sections: Vec::with_capacity(capacity.buses.max(1)),
                words: [layout.list_at, layout.words - layout.list_at].map(Vec::with_capacity),
                ..Last::default()
            },
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
        if let Some(piece) = self.last.piece.as_ref().filter(|_| self.last.is_like(block)) {
            let holds_it = replace(sink.list(), self.last.list) == self.last.list;
            let buffer = sink.buffer(0)?;
            if !holds_it {
                let [upload, list] = &self.last.words;
                buffer[..upload.len()].copy_from_slice(upload);
                buffer[self.layout.list_at..][..list.len()].copy_from_slice(list);
            }
            buffer[HEADER_BLOCK] = self.block;
            return sink.send(0, piece.clone());
        }
        self.last.replace(block, self.block);
        *sink.list() = self.last.list;
        let mut is_settled = true;
        let since = self.last.blocks_since();
        let everything = [Section { first_slot: 0, first_bus: 0, buses: self.buses }];
        let is_shared = !block.sections().is_empty();
        self.groups.begin(if is_shared { block.sections() } else { &everything });
        let mut slots = block.slots();
        let mut slot = slots.next();
        let (mut first_item, mut first_voice) = (0, 0);
        for number in 0.. {
            let (upload, list) = sink.buffer(number)?.split_at_mut(self.layout.list_at);
            let (list, _) = list.as_chunks_mut::<LISTED_WORDS>();
            let (head, rest) = upload.split_at_mut(HEADER_WORDS);
            let (room, _) = rest.as_chunks_mut::<ITEM_WORDS>();
            let (mut items, mut voices) = (0, 0);
            let (mut first_index, mut end_index) = (usize::MAX, 0);
            while let Some(next) = slot
                && items + self.slices <= self.layout.items
            {
                self.groups.open(next, first_item + items);
                let (slices, stays) = self.pack_slot(block, next, &since, &mut room[items..]);
                items += slices;
                is_settled &= stays;
                self.groups.end(first_item + items);
                let ticks = u32::from(block.spans()[next].ticks);
                if ticks != 0 {
                    let index = block.index(next);
                    (first_index, end_index) = (first_index.min(index), end_index.max(index + 1));
                    list[voices] = [index as u32, next as u32 | ticks << LISTED_TICKS];
                    voices += 1;
                }
                slot = slots.next();
            }
            let listed = rounded(voices, LIST_STEP).min(list.len());
            list[voices..listed].fill([0; LISTED_WORDS]);
            let tail_at = HEADER_WORDS + items * ITEM_WORDS;
            let mut words = tail_at;
            let first_block = self.last.first_blocks[0] as usize;
            let mut header =
                [items, first_item, 4 * HEADER_WORDS, self.block as usize, 0, 0, 0, first_block];
            let last = slot.is_none();
            let mix = last.then(|| {
                let (tail, mix) =
                    self.groups.write(block.ticks(), &mut rest[tail_at - HEADER_WORDS..]);
                header[4..7].copy_from_slice(&[tail_at, tail_at + tail.tiles_at, mix.tiles]);
                words += tail.words;
                mix
            });
            head.copy_from_slice(&header.map(|number| number as u32));
            let indices = first_index.min(end_index)..end_index;
            let listed = first_voice..first_voice + listed;
            let piece = Piece { voices: listed, indices, items, words, mix };
            first_voice += voices;
            if last {
                let is_whole = is_settled && number == 0;
                self.last.piece = is_whole.then(|| piece.clone());
            }
            if self.last.piece.is_some() {
                let buffer = sink.buffer(number)?;
                let list = &buffer[self.layout.list_at..][..piece.voices.len() * LISTED_WORDS];
                for (kept, words) in self.last.words.iter_mut().zip([&buffer[..words], list]) {
                    kept.clear();
                    kept.extend_from_slice(words);
                }
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
        since: &[u32; AT_ONCE + 1],
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
        let slices = (usize::from(groups) + (1 << self.groups_log2) - 1) >> self.groups_log2;
        let ticks = self.slices as u32 * u32::from(summary.sounding);
        let lists = (self.last.list - known.list).min(AT_ONCE as u64) as usize;
        let (continuing, since) = (usize::from(known.slices), since[lists]);
        (known.slices, known.list) = (slices as u8, self.last.list);
        for (slice, item) in room[..slices].iter_mut().enumerate() {
            let since = if slice < continuing { since } else { 0 };
            *item = [slot as u32, slice as u32 + ticks, generation, since];
        }
        (slices, summary.starts == 0 && fading <= summary.most_groups)
    }
}

#[cfg(test)]
mod tests;
