//! Writes voices to a block from several threads.

use super::summary::{Extent, SlotSummary, Span, go_on, summarise, summarise_first};
use super::{SLOTS_PER_WORD, indices_of, memory};
use crate::disjoint::Disjoint;
use crate::render::MAX_TICKS;
use crate::spectrum::UnisonVoice;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes voices to a block, each slot from one thread.
pub(crate) struct BlockWriter<'a> {
    pub(super) past_the_caches: bool,
    pub(super) write: memory::Write,
    pub(super) indices: Disjoint<'a, u32>,
    pub(super) voices: Disjoint<'a, [UnisonVoice; MAX_TICKS]>,
    pub(super) summaries: Disjoint<'a, SlotSummary>,
    pub(super) spans: Disjoint<'a, Span>,
    pub(super) phases: Disjoint<'a, u32>,
    /// Words whose bits several threads set.
    pub(super) slots: Disjoint<'a, u64>,
    pub(super) first_slots: Disjoint<'a, u64>,
}

/// What a thread knows of the word of slots that it writes to, and adds to it: threads have other slots of the same words, and would
/// wait for each other if they set every bit by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Listing {
    /// The number of the word, plus one; 0 for none.
    word: usize,
    /// The bits that it has, and those of them that are new.
    slots: u64,
    first_slots: u64,
    new_slots: u64,
    new_first_slots: u64,
}

impl Listing {
    #[inline(always)]
    fn add(&mut self, slots: u64, first_slots: u64) {
        self.new_slots |= slots & !self.slots;
        self.new_first_slots |= first_slots & !self.first_slots;
        self.slots |= slots;
        self.first_slots |= first_slots;
    }
}

impl BlockWriter<'_> {
    /// Adds a voice, whose first slot is `slot`, to `tick`; ticks come in order. It is stored at `index`. What `listing`
    /// has in the end is to be listed.
    ///
    /// # Safety
    /// No other thread writes to its slots, nor to that index.
    #[inline(always)]
    pub(crate) unsafe fn push(
        &self,
        listing: &mut Listing,
        tick: usize,
        slot: usize,
        index: u32,
        voice: &UnisonVoice,
    ) {
        let copies = voice.unison.copies();
        // SAFETY: the caller guarantees it.
        let (place, span, summaries) = unsafe {
            (
                self.voices.get(index as usize),
                self.spans.get(slot),
                self.summaries.range(slot..slot + copies),
            )
        };
        let (word, first) = (slot / SLOTS_PER_WORD, slot % SLOTS_PER_WORD);
        self.turn_to(listing, word);
        // What is not listed is what was in the block before.
        let is_listed = listing.first_slots >> first & 1 == 1;
        if is_listed && span.goes_on(tick, Extent::of(voice), copies) {
            go_on(span, summaries, tick);
            return (self.write)(&mut place[tick], voice);
        }
        // SAFETY: the caller guarantees it.
        let known = unsafe { self.indices.get(slot) };
        // Mostly it is the same as before, and then other threads may go on reading their copy of the line.
        if *known != index {
            *known = index;
        }
        let bits = ((1_u128 << copies) - 1) << first;
        let (bits, beyond) = (bits as u64, (bits >> SLOTS_PER_WORD) as u64);
        // An engine has no voices in two words.
        if beyond != 0 {
            self.turn_to(listing, word + 1);
            let unused = beyond & !listing.slots;
            let summaries = &mut summaries[SLOTS_PER_WORD - first..];
            indices_of(&[unused]).for_each(|slot| summaries[slot] = SlotSummary::default());
            listing.add(beyond, 0);
        }
        self.turn_to(listing, word);
        let unused = bits & !listing.slots;
        listing.add(bits, 1 << first);
        if unused == bits && !is_listed && beyond == 0 {
            summarise_first(span, summaries, tick, voice);
        } else {
            if unused != 0 {
                let forget = |slot| summaries[slot - first] = SlotSummary::default();
                indices_of(&[unused]).for_each(forget);
            }
            if !is_listed {
                *span = Span::default();
            }
            summarise(span, summaries, tick, voice);
        }
        (self.write)(&mut place[tick], voice);
    }

    /// Turns to the slots of another word, and lists those of the last one.
    #[inline(always)]
    fn turn_to(&self, listing: &mut Listing, word: usize) {
        if listing.word == word + 1 {
            return;
        }
        self.list(listing);
        let [slots, first_slots] = self.words(word).map(|bits| bits.load(Ordering::Relaxed));
        *listing = Listing { word: word + 1, slots, first_slots, ..Listing::default() };
    }

    /// Lists the slots that a thread has written to.
    #[inline(always)]
    pub(crate) fn list(&self, listing: &Listing) {
        if listing.new_slots | listing.new_first_slots != 0 {
            let [slots, first_slots] = self.words(listing.word - 1);
            slots.fetch_or(listing.new_slots, Ordering::Relaxed);
            first_slots.fetch_or(listing.new_first_slots, Ordering::Relaxed);
        }
    }

    /// The bits of all slots and of first slots.
    #[inline(always)]
    fn words(&self, word: usize) -> [&AtomicU64; 2] {
        // SAFETY: inside the slices, aligned, and nobody uses them in another way while there are writers.
        [&self.slots, &self.first_slots]
            .map(|words| unsafe { AtomicU64::from_ptr(words.address(word)) })
    }

    /// Remembers the phases of the clouds of some slots when the block begins; `finer` is how many bits they have more.
    ///
    /// # Safety
    /// No other thread writes to these slots.
    #[inline(always)]
    pub(crate) unsafe fn remember(&self, slot: usize, phases: &[u64], finer: u32) {
        // SAFETY: the caller guarantees it.
        let places = unsafe { self.phases.range(slot..slot + phases.len()) };
        places.iter_mut().zip(phases).for_each(|(place, phase)| *place = (phase >> finer) as u32);
    }

    /// Makes what this thread wrote visible to other threads and devices.
    pub(crate) fn settle(&self) {
        memory::settle(self.past_the_caches);
    }
}
