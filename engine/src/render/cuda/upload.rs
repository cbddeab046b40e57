//! What travels to the device for a block: a header, the clouds, and a list of slices to render.
//! Pure packing; knows nothing of CUDA. Its structs are shared with `kernels/`.

use crate::render::VoiceBlock;
use crate::simd::LANES;
use crate::spectrum::{Cloud, MAX_GROUPS, MAX_PARTIALS, STARTS};

/// Slices of a cloud: a warp of the device renders one.
pub(crate) const SLICES: usize = 4;
/// Groups of sixteen partials in a slice.
const SLICE_GROUPS: usize = MAX_GROUPS / SLICES;
/// Slots whose items are summed one after the other before anything else is added.
pub(crate) const MIX_SLOTS: usize = 16;

/// The start of an upload. Offsets are in bytes from here.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Header {
    items: u32,
    /// The number of the first item among all of the block's.
    first_item: u32,
    clouds: u32,
    items_at: u32,
}

/// One warp's work: a slice of the cloud in a slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Item {
    /// Where its clouds are in the upload, one a tick.
    cloud: u32,
    slot: u32,
    /// The slice's number, and above it a bit for each tick in which the cloud sounds.
    slice_and_ticks: u32,
    /// How often clouds had started in this slot when the block began.
    generation: u32,
}

const HEADER_WORDS: usize = size_of::<Header>() / 4;
const ITEM_WORDS: usize = size_of::<Item>() / 4;
const CLOUD_WORDS: usize = size_of::<Cloud>() / 4;
const _: () = assert!(size_of::<Header>() == 16 && size_of::<Item>() == 16);

/// Where things are in an upload, in words of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Ends of the groups of slots, for the mix: how many are in use, then one for each.
    pub(crate) ends_at: usize,
    clouds_at: usize,
    /// The most items of one upload.
    pub(crate) items: usize,
    /// The most words of one upload.
    pub(crate) words: usize,
}

impl Layout {
    /// For blocks of up to `slots` slots and `ticks` ticks, in uploads of up to `items` items.
    pub(crate) fn new(slots: usize, ticks: usize, items: usize) -> Self {
        let ends_at = HEADER_WORDS;
        let clouds_at = (ends_at + 1 + slots.div_ceil(MIX_SLOTS)).next_multiple_of(4);
        // Four more, because items start at a multiple of sixteen bytes.
        let words = clouds_at + items * (ticks * CLOUD_WORDS + ITEM_WORDS) + 4;
        Self {
            ends_at,
            clouds_at,
            items,
            words,
        }
    }
}

/// What the host knows of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// How often clouds have started here.
    generation: u32,
    /// Groups that the last tick asked for: levels above are zero.
    groups: u32,
}

/// Packs blocks, and keeps what it must know of slots from block to block.
#[derive(Debug)]
pub(crate) struct Packer {
    layout: Layout,
    slots: Vec<Slot>,
    items: Vec<Item>,
    ends: Vec<u32>,
}

/// One upload, ready to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Items in this upload.
    pub(crate) items: usize,
    /// Words that the device needs of it.
    pub(crate) words: usize,
    /// Groups of slots in use, when this is the block's last piece.
    pub(crate) groups: Option<usize>,
}

/// Where pieces go. Most blocks have only one.
pub(crate) trait Carrier {
    /// Why one could not be sent.
    type Error;
    /// The memory that piece `number` is written to.
    fn stage(&mut self, number: usize) -> Result<&mut [u32], Self::Error>;
    /// Sends what was written there.
    fn send(&mut self, number: usize, piece: Piece) -> Result<(), Self::Error>;
}

impl Packer {
    pub(crate) fn new(slots: usize, layout: Layout) -> Self {
        Self {
            layout,
            slots: vec![Slot::default(); slots],
            items: Vec::with_capacity(layout.items),
            ends: vec![0; 1 + slots.div_ceil(MIX_SLOTS)],
        }
    }

    /// Forgets all sound: whatever the device remembers belongs to no cloud any more.
    pub(crate) fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.generation = slot.generation.wrapping_add(1);
            slot.groups = 0;
        }
    }

    /// Cuts `block` into pieces and has each one sent.
    pub(crate) fn pack<C: Carrier>(
        &mut self,
        block: &VoiceBlock,
        carrier: &mut C,
    ) -> Result<(), C::Error> {
        let ticks = block.ticks();
        let mut slots = block.slots().peekable();
        let (mut first_item, mut groups) = (0, 0);
        for number in 0.. {
            let words = carrier.stage(number)?;
            self.items.clear();
            let mut clouds = 0;
            while let Some(slot) = slots.next_if(|_| self.items.len() + SLICES <= self.layout.items)
            {
                while groups <= slot / MIX_SLOTS {
                    self.ends[1 + groups] = (first_item + self.items.len()) as u32;
                    groups += 1;
                }
                self.pack_slot(block, slot, clouds, words);
                clouds += ticks;
                self.ends[groups] = (first_item + self.items.len()) as u32;
            }
            let last = slots.peek().is_none();
            let words = self.finish(words, first_item, clouds, last.then_some(groups));
            let items = self.items.len();
            let groups = last.then_some(groups);
            let piece = Piece {
                items,
                words,
                groups,
            };
            carrier.send(number, piece)?;
            if last {
                break;
            }
            first_item += items;
        }
        Ok(())
    }

    /// Writes the clouds of `slot`, and the items for the slices that may sound.
    fn pack_slot(&mut self, block: &VoiceBlock, slot: usize, cloud: usize, words: &mut [u32]) {
        let known = &mut self.slots[slot];
        let generation = known.generation;
        let (mut sounding, mut groups) = (0, 0);
        let at = self.layout.clouds_at + cloud * CLOUD_WORDS;
        let rows = words[at..][..block.ticks() * CLOUD_WORDS].chunks_exact_mut(CLOUD_WORDS);
        for (tick, row) in rows.enumerate() {
            let Some(cloud) = block.cloud(slot, tick) else {
                continue;
            };
            row.copy_from_slice(cloud_words(cloud));
            sounding |= 1 << tick;
            let wanted = wanted_groups(cloud.partials);
            if cloud.flags & STARTS != 0 {
                known.generation = known.generation.wrapping_add(1);
                known.groups = 0;
            }
            // Those that the last tick had still fade in this one.
            groups = groups.max(wanted).max(known.groups);
            known.groups = wanted;
        }
        for slice in 0..groups.div_ceil(SLICE_GROUPS as u32) {
            self.items.push(Item {
                cloud: cloud as u32,
                slot: slot as u32,
                slice_and_ticks: slice + SLICES as u32 * sounding,
                generation,
            });
        }
    }

    /// Writes what comes before and after the clouds. Returns how many words there are.
    fn finish(
        &mut self,
        words: &mut [u32],
        first_item: usize,
        clouds: usize,
        groups: Option<usize>,
    ) -> usize {
        if let Some(groups) = groups {
            self.ends[0] = groups as u32;
            words[self.layout.ends_at..][..=groups].copy_from_slice(&self.ends[..=groups]);
        }
        let items_at = (self.layout.clouds_at + clouds * CLOUD_WORDS).next_multiple_of(4);
        words[..HEADER_WORDS].copy_from_slice(&[
            self.items.len() as u32,
            first_item as u32,
            4 * self.layout.clouds_at as u32,
            4 * items_at as u32,
        ]);
        let (rows, _) = words[items_at..].as_chunks_mut::<ITEM_WORDS>();
        for (row, item) in rows.iter_mut().zip(&self.items) {
            *row = [item.cloud, item.slot, item.slice_and_ticks, item.generation];
        }
        items_at + self.items.len() * ITEM_WORDS
    }
}

/// Groups of sixteen partials that a cloud with that many asks for.
fn wanted_groups(partials: f32) -> u32 {
    let count = partials.clamp(0.0, MAX_PARTIALS as f32) as usize;
    (count + 1).div_ceil(LANES).min(MAX_GROUPS) as u32
}

fn cloud_words(cloud: &Cloud) -> &[u32; CLOUD_WORDS] {
    // SAFETY: a cloud is `repr(C)` and nothing but four-byte numbers, so it has no padding.
    unsafe { &*std::ptr::from_ref(cloud).cast() }
}
