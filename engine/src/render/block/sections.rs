//! Sections: the shares of several clients in one block, which several threads may write at once.

use super::summary::summarise;
use super::{SLOTS_PER_WORD, SlotSummary, Span, VoiceBlock, list, memory};
use crate::render::MAX_TICKS;
use crate::spectrum::{Cloud, UnisonVoice};

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

impl VoiceBlock {
    /// Adds a section of so many ticks, in which `voices` slots at most begin voices, to a block for several clients.
    /// Sections come in the order of their slots. Returns whether there is room.
    pub fn start_section(&mut self, section: Section, ticks: usize, voices: usize) -> bool {
        assert!(ticks <= MAX_TICKS);
        if voices > self.voices.count() - self.used {
            return false;
        }
        self.ticks = self.ticks.max(ticks);
        debug_assert!(self.sections.last().is_none_or(|last| last.first_slot < section.first_slot));
        self.sections.push(section);
        self.first_indices.push(self.used);
        self.used += voices;
        true
    }

    /// For writing the sections, from several threads if need be.
    pub fn section_writers(&mut self) -> impl Iterator<Item = SectionWriter<'_>> {
        let capacity = self.capacity();
        let past_the_caches = self.voices.is_pinned();
        let write = memory::writing(past_the_caches);
        let mut voices = self.voices.voices_mut();
        let (mut indices, mut spans) = (&mut self.indices[..], &mut self.spans[..]);
        let mut summaries = &mut self.summaries[..];
        let (mut slots, mut first_slots) = (&mut self.slots[..], &mut self.first_slots[..]);
        let next_slots = self.sections.iter().skip(1).map(|next| next.first_slot);
        let next_indices = self.first_indices.iter().copied().skip(1);
        let sections = self.sections.iter().zip(&self.first_indices);
        let ends = next_slots.chain([capacity]).zip(next_indices.chain([self.used]));
        let (mut slot, mut index) = (0, 0);
        sections.zip(ends).map(move |((section, &first_index), (end, end_index))| {
            let skipped = section.first_slot - slot;
            let count = end - section.first_slot;
            let (words_skipped, words) = (skipped / SLOTS_PER_WORD, count.div_ceil(SLOTS_PER_WORD));
            slot = end;
            let writer = SectionWriter {
                past_the_caches,
                write,
                first_index,
                used: 0,
                voices: take(&mut voices, first_index - index, end_index - first_index),
                indices: take(&mut indices, skipped, count),
                summaries: take(&mut summaries, skipped, count),
                spans: take(&mut spans, skipped, count),
                slots: take(&mut slots, words_skipped, words),
                first_slots: take(&mut first_slots, words_skipped, words),
            };
            index = end_index;
            writer
        })
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
}

/// Writes the voices of one section.
#[derive(Debug)]
pub struct SectionWriter<'a> {
    past_the_caches: bool,
    write: memory::Write,
    /// The first index of the section, and how many of its indices are in use.
    first_index: usize,
    used: usize,
    voices: &'a mut [[UnisonVoice; MAX_TICKS]],
    indices: &'a mut [u32],
    summaries: &'a mut [SlotSummary],
    spans: &'a mut [Span],
    slots: &'a mut [u64],
    first_slots: &'a mut [u64],
}

impl SectionWriter<'_> {
    /// Adds a voice to a `tick`; ticks of a slot come in order. `slot` counts from the section's first. Returns whether there
    /// was room.
    #[inline]
    pub fn put(&mut self, tick: usize, slot: usize, voice: &UnisonVoice) -> bool {
        let (span, copies) = (&mut self.spans[slot], voice.unison.copies());
        if span.ticks == 0 {
            if self.used == self.voices.len() {
                return false;
            }
            self.indices[slot] = (self.first_index + self.used) as u32;
            self.used += 1;
        }
        summarise(span, &mut self.summaries[slot..slot + copies], tick, voice);
        list(self.slots, self.first_slots, slot, copies);
        let index = self.indices[slot] as usize - self.first_index;
        (self.write)(&mut self.voices[index][tick], voice);
        true
    }

    /// Whether the cloud of a slot sounds in an earlier tick.
    pub fn sounds_before(&self, tick: usize, slot: usize) -> bool {
        self.summaries[slot].sounding & ((1 << tick) - 1) != 0
    }

    /// Has the voice of a `tick` whose first slot is `slot` start there.
    pub fn start(&mut self, tick: usize, slot: usize) {
        let voice = &mut self.voices[self.indices[slot] as usize - self.first_index][tick];
        *voice = voice.starting();
        let slots = slot..slot + voice.unison.copies();
        self.summaries[slots].iter_mut().for_each(|summary| summary.starts |= 1 << tick);
    }

    /// Makes what this thread wrote visible to other threads and devices. Needed where it is not the one that shares the block.
    pub fn settle(&self) {
        memory::settle(self.past_the_caches);
    }
}

/// Takes `count` items away from `items`, after `skipped` ones.
fn take<'a, T>(items: &mut &'a mut [T], skipped: usize, count: usize) -> &'a mut [T] {
    let (_, rest) = std::mem::take(items).split_at_mut(skipped);
    let (taken, rest) = rest.split_at_mut(count);
    *items = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Sections with slots between them that nobody has.
    #[test]
    fn sections_are_written_side_by_side() {
        let mut block = VoiceBlock::shared(320, 100);
        let starts = [0, 128, 192];
        for (first_bus, first_slot) in starts.into_iter().enumerate() {
            let section = Section { first_slot, first_bus, buses: 1 };
            assert!(block.start_section(section, 2, 30));
        }
        let section = Section { first_slot: 256, first_bus: 3, buses: 1 };
        assert!(!block.start_section(section, 2, 11), "there is room for ten more voices");
        let voice = |section: usize, slot: usize| {
            let cloud = Cloud { partials: (100 * section + slot) as f32, ..Cloud::default() };
            UnisonVoice::single(&cloud)
        };
        thread::scope(|scope| {
            for (section, mut writer) in block.section_writers().enumerate() {
                scope.spawn(move || {
                    for slot in 0..30 {
                        assert!(writer.put(1, 2 * slot, &voice(section, slot)));
                    }
                    assert!(!writer.put(1, 1, &voice(section, 0)), "all its voices are in use");
                    writer.settle();
                });
            }
        });
        let first_slots: Vec<_> = block.first_slots().collect();
        let expected = starts.iter().flat_map(|start| (0..30).map(move |slot| start + 2 * slot));
        assert_eq!(first_slots, expected.collect::<Vec<_>>());
        for (section, start) in starts.into_iter().enumerate() {
            for slot in 0..30 {
                let at = start + 2 * slot;
                assert_eq!(block.voice(at, 1), Some(&voice(section, slot)));
                assert_eq!((block.voice(at, 0), block.summary(at).sounding), (None, 2));
                assert_eq!(block.index(at), 30 * section + slot);
            }
        }
    }
}
