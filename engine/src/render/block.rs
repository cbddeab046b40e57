//! The data that the engine sends to a renderer: the voices of a few ticks.

mod memory;
mod sections;
mod summary;
mod writer;

use super::lazy_slice::{LazySlice, with_memory_ahead};
use super::{MAX_TICKS, RenderError};
use crate::disjoint::Disjoint;
use crate::prefetch::prefetch;
use crate::spectrum::{Cloud, MAX_COPIES, UnisonVoice};
pub use memory::VoiceMemory;
pub use sections::{Section, SectionWriter};
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use summary::groups;
pub use summary::{SlotSummary, Span};
pub(crate) use writer::{BlockWriter, Listing};

/// The voices of a few ticks. The clouds of a voice are in slots one after the other, and the voice is known by the
/// first of them. The renderer keeps state per slot: a cloud keeps its slot as long as it sounds.
#[derive(Debug)]
pub struct VoiceBlock {
    /// Differs from the id of every other block, even of one that later has the same address.
    id: u64,
    /// `voices[index][tick]`, valid where the spans say so. A device reads them here.
    voices: VoiceMemory,
    /// The index of the voices of every slot that is in use.
    indices: LazySlice<u32>,
    /// Indices in use, in a block for several clients.
    used: usize,
    /// The clients, when there are several, and the first index of each.
    sections: Vec<Section>,
    first_indices: Vec<usize>,
    /// What every slot does, so that most code need not read the voices.
    summaries: LazySlice<SlotSummary>,
    /// The voices that begin at every slot.
    spans: LazySlice<Span>,
    /// The phase of every slot's cloud when the block begins, for a renderer that takes over.
    phases: LazySlice<u32>,
    /// A bit for every slot that sounds in any tick, so that slots are visited in order.
    slots: Vec<u64>,
    /// A bit for every slot at which voices begin.
    first_slots: Vec<u64>,
    /// The same bits of what was in the block before and is still summarised, while voices are written over it.
    old_slots: Vec<u64>,
    old_first_slots: Vec<u64>,
    ticks: usize,
}

impl VoiceBlock {
    /// An empty block that can hold `slots` clouds.
    pub fn new(slots: usize) -> Self {
        Self::with_memory(slots, VoiceMemory::new(slots))
    }

    /// The same for rendering offline, where memory may come in large pieces.
    pub(crate) fn in_large_pages(slots: usize) -> Self {
        Self::with_memory(slots, VoiceMemory::in_large_pages(slots))
    }

    /// An empty block for several clients: of its `slots`, `voices` may be in use at once. Voices are stored
    /// one after the other, whatever slots they have, so that little memory has to be pinned.
    pub fn shared(slots: usize, voices: usize) -> Self {
        Self::with_memory(slots, VoiceMemory::in_large_pages(voices))
    }

    fn with_memory(slots: usize, mut voices: VoiceMemory) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        voices.take_now(with_memory_ahead(0));
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            voices,
            indices: LazySlice::new_or_abort(slots),
            used: 0,
            sections: Vec::new(),
            first_indices: Vec::new(),
            summaries: LazySlice::new_or_abort(slots),
            spans: LazySlice::new_or_abort(slots),
            phases: LazySlice::new_or_abort(slots),
            slots: vec![0; slots.div_ceil(SLOTS_PER_WORD)],
            first_slots: vec![0; slots.div_ceil(SLOTS_PER_WORD)],
            old_slots: vec![0; slots.div_ceil(SLOTS_PER_WORD)],
            old_first_slots: vec![0; slots.div_ceil(SLOTS_PER_WORD)],
            ticks: 0,
        }
    }

    /// Empties a block that renderers have shared, for exclusive use. If a renderer that hangs still
    /// holds it, it is replaced.
    pub fn reuse(shared: &mut Arc<Self>) -> Writing<'_> {
        let mut block = Self::reopen(shared);
        block.clear_old();
        block
    }

    /// The same for an engine: what the slots did before is not cleared yet, since most do so again. When the voices are
    /// written, the rest is to be cleared.
    pub(crate) fn reopen(shared: &mut Arc<Self>) -> Writing<'_> {
        if Arc::get_mut(shared).is_none() {
            *shared = Arc::new(Self::with_memory(
                shared.capacity(),
                VoiceMemory::new(shared.voices.count()),
            ));
        }
        let Some(block) = Arc::get_mut(shared) else {
            unreachable!("nobody shares what was just made");
        };
        let in_use = if block.used == 0 { block.slots_in_use() } else { block.used };
        // Slots of a page may have any indices there.
        block.voices.take_soon(with_memory_ahead(in_use.next_multiple_of(SLOTS_PER_WORD)));
        block.remove_voices();
        Writing(block)
    }

    /// Removes all voices.
    pub fn clear(&mut self) {
        self.remove_voices();
        self.clear_old();
    }

    /// Removes all voices; their slots are still summarised.
    fn remove_voices(&mut self) {
        let slots = self.slots.iter_mut().zip(&mut self.old_slots);
        let first_slots = self.first_slots.iter_mut().zip(&mut self.old_first_slots);
        slots.chain(first_slots).for_each(|(now, old)| *old |= std::mem::take(now));
        self.sections.clear();
        self.first_indices.clear();
        (self.ticks, self.used) = (0, 0);
    }

    /// Clears what is said of slots that did something before and are silent now.
    pub(crate) fn clear_old(&mut self) {
        for (word, old) in self.old_slots.iter_mut().enumerate().filter(|(_, old)| **old != 0) {
            let silent = std::mem::take(old) & !self.slots[word];
            for slot in indices_of(&[silent]) {
                self.summaries[word * SLOTS_PER_WORD + slot] = SlotSummary::default();
            }
        }
        let old_first_slots = self.old_first_slots.iter_mut().enumerate();
        for (word, old) in old_first_slots.filter(|(_, old)| **old != 0) {
            let silent = std::mem::take(old) & !self.first_slots[word];
            for slot in indices_of(&[silent]) {
                self.spans[word * SLOTS_PER_WORD + slot] = Span::default();
            }
        }
    }

    /// A block with a tick for each of these, which are a voice in the first slots.
    #[cfg(test)]
    pub(crate) fn of_voice(slots: usize, ticks: impl Iterator<Item = UnisonVoice>) -> Arc<Self> {
        let mut block = Self::new(slots);
        for voice in ticks {
            block.start_tick();
            block.push_voice(0, &voice);
        }
        Arc::new(block)
    }

    /// Opens the next tick; voices pushed from now on belong to it.
    pub fn start_tick(&mut self) {
        assert!(self.ticks < MAX_TICKS);
        self.ticks += 1;
    }

    /// Adds a cloud to the current tick.
    pub fn push(&mut self, slot: u32, cloud: Cloud) {
        if self.summaries[slot as usize].sounding == 0 {
            self.phases[slot as usize] = cloud.phase;
        }
        self.push_voice(slot as usize, &UnisonVoice::single(&cloud));
    }

    /// Adds a voice, whose first slot is `slot`, to the current tick.
    pub fn push_voice(&mut self, slot: usize, voice: &UnisonVoice) {
        let tick = self.ticks - 1;
        let (writer, mut listing) = (self.writer(), Listing::default());
        // SAFETY: it is the only writer.
        unsafe { writer.push(&mut listing, tick, slot, slot as u32, voice) };
        writer.list(&listing);
    }

    /// For writing from several threads.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> BlockWriter<'_> {
        let past_the_caches = self.voices.is_pinned();
        BlockWriter {
            past_the_caches,
            write: memory::writing(past_the_caches),
            indices: Disjoint::new(&mut self.indices),
            voices: Disjoint::new(self.voices.voices_mut()),
            summaries: Disjoint::new(&mut self.summaries),
            spans: Disjoint::new(&mut self.spans),
            phases: Disjoint::new(&mut self.phases),
            slots: Disjoint::new(&mut self.slots),
            first_slots: Disjoint::new(&mut self.first_slots),
        }
    }

    /// Copies this block for a renderer that has not rendered its clouds before: they start in it, with the phases
    /// that they have.
    pub fn introduce(&self, copy: &mut Arc<Self>) {
        let mut copy = Self::reuse(copy);
        for tick in 0..self.ticks {
            copy.start_tick();
            for (slot, voice) in self.voices_in(tick) {
                let sounded = self.summary(slot).sounding & ((1 << tick) - 1) != 0;
                if sounded || voice.starts() {
                    copy.push_voice(slot, voice);
                    continue;
                }
                for number in 0..voice.unison.copies() {
                    let taken_over = voice.taken_over(number, self.phases[slot + number]);
                    copy.push_voice(slot + number, &taken_over);
                }
            }
        }
    }

    /// Ticks opened since the last clear.
    pub fn ticks(&self) -> usize {
        self.ticks
    }

    /// Slots that sound in any tick, in rising order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        indices_of(&self.slots)
    }

    /// The same as bits, 64 in a word.
    pub fn slot_bits(&self) -> &[u64] {
        &self.slots
    }

    /// Ranges of 64 slots of which some sound, in rising order.
    pub fn ranges_in_use(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let words = self.slots.iter().enumerate().filter(|(_, bits)| **bits != 0);
        words.map(|(word, _)| {
            let first = word * SLOTS_PER_WORD;
            first..(first + SLOTS_PER_WORD).min(self.capacity())
        })
    }

    /// Slots at which voices begin, in rising order.
    pub fn first_slots(&self) -> impl Iterator<Item = usize> + '_ {
        indices_of(&self.first_slots)
    }

    /// Slots from this one on are silent.
    pub fn slots_in_use(&self) -> usize {
        let last = self.slots.iter().rposition(|&bits| bits != 0);
        last.map_or(0, |word| word * 64 + self.slots[word].ilog2() as usize + 1)
    }

    /// How many voices the memory has up to the last one that is in use, or more.
    pub fn memory_in_use(&self) -> usize {
        match self.sections.is_empty() {
            // Slots of a page may have any indices there.
            true => self.slots_in_use().next_multiple_of(SLOTS_PER_WORD).min(self.voices.count()),
            false => self.voices.count(),
        }
    }

    /// The cloud of `slot` in `tick`, if it sounds.
    pub fn cloud(&self, slot: usize, tick: usize) -> Option<Cloud> {
        let mut firsts = (slot + 1).saturating_sub(MAX_COPIES)..=slot;
        firsts.find_map(|first| {
            let voice = self.voice(first, tick)?;
            (slot - first < voice.unison.copies()).then(|| voice.cloud(slot - first))
        })
    }

    /// The voice whose first slot is `slot` in `tick`, if there is one.
    #[inline]
    pub fn voice(&self, slot: usize, tick: usize) -> Option<&UnisonVoice> {
        let begins = self.spans[slot].ticks >> tick & 1 == 1;
        begins.then(|| &self.voices.voices()[self.index(slot)][tick])
    }

    /// Fetches the voices whose first slot is `slot`, which another core has written.
    #[inline]
    pub fn prefetch(&self, slot: usize) {
        let voices = &self.voices.voices()[self.index(slot)][..self.ticks];
        prefetch(voices.as_ptr(), size_of_val(voices));
    }

    /// The voices of `tick`, with their first slots, in rising order.
    pub fn voices_in(&self, tick: usize) -> impl Iterator<Item = (usize, &UnisonVoice)> {
        self.first_slots().filter_map(move |slot| Some((slot, self.voice(slot, tick)?)))
    }

    /// The index of the voices of `slot` in the memory.
    #[inline]
    pub fn index(&self, slot: usize) -> usize {
        self.indices[slot] as usize
    }

    /// What `slot` does.
    pub fn summary(&self, slot: usize) -> &SlotSummary {
        &self.summaries[slot]
    }

    /// What all slots do; those of silent slots are empty.
    pub fn summaries(&self) -> &[SlotSummary] {
        &self.summaries
    }

    /// The voices that begin at each slot; those of silent slots are empty.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// All voices, for a device to read.
    pub fn memory(&self) -> &VoiceMemory {
        &self.voices
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.summaries.len()
    }

    /// Refuses a block that uses more than the `prepared` slots of a renderer.
    ///
    /// # Errors
    /// [`RenderError::BlockTooLarge`].
    pub fn check_fits(&self, prepared: usize) -> Result<(), RenderError> {
        if self.capacity() <= prepared {
            return Ok(());
        }
        let slots = self.slots_in_use();
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

/// Lists the slots of a voice as sounding.
#[inline(always)]
fn list(slots: &mut [u64], first_slots: &mut [u64], slot: usize, count: usize) {
    let bits = ((1_u128 << count) - 1) << (slot % SLOTS_PER_WORD);
    let word = slot / SLOTS_PER_WORD;
    first_slots[word] |= 1 << (slot % SLOTS_PER_WORD);
    slots[word] |= bits as u64;
    if bits >> SLOTS_PER_WORD != 0 {
        slots[word + 1] |= (bits >> SLOTS_PER_WORD) as u64;
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
        self.0.voices.settle();
    }
}

/// Slots whose bits are in one word.
const SLOTS_PER_WORD: usize = u64::BITS as usize;

/// The indices of the bits that are set, in rising order.
fn indices_of(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let (mut word, mut bits) = (0, words.first().map_or(0, |&bits| bits));
    std::iter::from_fn(move || {
        while bits == 0 {
            word += 1;
            bits = *words.get(word)?;
        }
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(word * SLOTS_PER_WORD + bit)
    })
}
