//! The end of an upload, for the mix: which items belong to each group of slots, and the tiles, which
//! say what buses the groups are summed into.

use crate::cuda::kernels::{MIX_BUSES, MIX_GROUPS};
use crate::cuda::memory::STEREO;
use myriad_engine::render::{Capacity, Section};

/// Slots of a group, whose items the mix sums first.
pub(crate) const MIX_SLOTS: usize = 16;

/// Words of a tile, which is up to [`MIX_BUSES`] buses of a section: where the ends of its groups begin,
/// how many groups it has, its first item; the first of its buses as its clouds count them, how many
/// there are, and which one is the first among all; where its sums begin; padding.
const TILE_WORDS: usize = 8;

/// The size of a mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mix {
    /// The most groups of slots that a tile sums.
    pub(crate) groups: usize,
    pub(crate) tiles: usize,
}

/// The size of what was written, in words.
pub(super) struct Tail {
    pub(super) tiles_at: usize,
    pub(super) words: usize,
}

/// Collects the groups of a block.
#[derive(Debug)]
pub(super) struct Groups {
    /// The sections of the block, of which those before `next` are complete or in use.
    sections: Vec<Section>,
    next: usize,
    /// For each section in use: itself, its first item, and where its groups begin in `ends`.
    used: Vec<(Section, usize, usize)>,
    /// The number of the first item after each group's.
    ends: Vec<u32>,
    /// The first slot that the open group does not have, nor any section that begins in it.
    open_until: usize,
}

impl Groups {
    pub(super) fn new(capacity: Capacity) -> Self {
        // A section has at least one bus.
        let sections = capacity.buses.max(1);
        Self {
            sections: Vec::with_capacity(sections),
            next: 0,
            used: Vec::with_capacity(sections),
            ends: Vec::with_capacity(most_groups(capacity)),
            open_until: 0,
        }
    }

    /// The most words that [`Self::write`] writes.
    pub(super) fn most_words(capacity: Capacity) -> usize {
        most_groups(capacity).next_multiple_of(4) + capacity.buses.max(1) * TILE_WORDS
    }

    /// Begins a block that has these sections.
    pub(super) fn begin(&mut self, sections: &[Section]) {
        self.sections.clear();
        self.sections.extend_from_slice(sections);
        self.used.clear();
        self.ends.clear();
        (self.next, self.open_until) = (0, 0);
    }

    /// Opens the group of `slot`, unless it is open; its first item is number `item`. Slots rise.
    #[inline(always)]
    pub(super) fn open(&mut self, slot: usize, item: usize) {
        if slot < self.open_until {
            return;
        }
        while let Some(&section) = self.sections.get(self.next)
            && section.first_slot <= slot
        {
            self.next += 1;
            // Only the last one that begins before the slot has it.
            if self.sections.get(self.next).is_none_or(|next| next.first_slot > slot) {
                self.used.push((section, item, self.ends.len()));
            }
        }
        if let Some((section, _, begin)) = self.used.last() {
            let groups = (slot - section.first_slot) / MIX_SLOTS + 1;
            let end = section.first_slot + groups * MIX_SLOTS;
            let next = self.sections.get(self.next).map_or(usize::MAX, |next| next.first_slot);
            self.open_until = end.min(next);
            // Groups between the last one and this one have no items.
            while self.ends.len() < begin + groups {
                self.ends.push(item as u32);
            }
        }
    }

    /// Sets the end of the open group.
    #[inline(always)]
    pub(super) fn end(&mut self, item: usize) {
        if let Some(end) = self.ends.last_mut() {
            *end = item as u32;
        }
    }

    /// Writes ends and tiles.
    pub(super) fn write(&self, ticks: usize, words: &mut [u32]) -> (Tail, Mix) {
        words[..self.ends.len()].copy_from_slice(&self.ends);
        let tiles_at = self.ends.len().next_multiple_of(4);
        words[self.ends.len()..tiles_at].fill(0);
        let mut tiles = words[tiles_at..].as_chunks_mut::<TILE_WORDS>().0.iter_mut();
        let (mut mix, mut sums) = (Mix::default(), 0);
        for (index, &(section, first_item, begin)) in self.used.iter().enumerate() {
            let end = self.used.get(index + 1).map_or(self.ends.len(), |&(_, _, begin)| begin);
            let groups = end - begin;
            mix.groups = mix.groups.max(groups);
            for (first, tile) in (0..section.buses).step_by(MIX_BUSES).zip(&mut tiles) {
                let buses = MIX_BUSES.min(section.buses - first);
                let bus = section.first_bus + first;
                let numbers = [begin, groups, first_item, first, buses, bus, sums, 0];
                *tile = numbers.map(|number| number as u32);
                mix.tiles += 1;
                // And a word for each block of groups: the buses that it has.
                sums += ticks * groups.div_ceil(MIX_GROUPS) * (buses * STEREO + 1);
            }
        }
        (Tail { tiles_at, words: tiles_at + mix.tiles * TILE_WORDS }, mix)
    }
}

fn most_groups(capacity: Capacity) -> usize {
    capacity.slots.div_ceil(MIX_SLOTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_groups_and_tiles_of_its_own() {
        let capacity = Capacity { slots: 256, buses: 24 };
        let mut groups = Groups::new(capacity);
        let section = |first_slot, first_bus, buses| Section { first_slot, first_bus, buses };
        groups.begin(&[section(0, 0, 3), section(64, 3, 1), section(128, 4, 20)]);
        // Items of slots 5 and 40 of the first client, and 1 and 2 of the last; the second is silent.
        for (slot, item) in [(5, 0), (40, 1), (129, 3), (130, 4)] {
            groups.open(slot, item);
            groups.end(if slot == 40 { 3 } else { item + 1 });
        }
        let mut words = vec![u32::MAX; Groups::most_words(capacity)];
        let (tail, mix) = groups.write(2, &mut words);
        assert_eq!(mix, Mix { groups: 3, tiles: 3 });
        assert_eq!(words[..4], [1, 1, 3, 5]);
        assert_eq!((tail.tiles_at, tail.words), (4, 28));
        let sums = |buses: usize| (2 * (buses * STEREO + 1)) as u32;
        assert_eq!(words[4..12], [0, 3, 0, 0, 3, 0, 0, 0]);
        assert_eq!(words[12..20], [3, 1, 3, 0, 16, 4, sums(3), 0]);
        assert_eq!(words[20..28], [3, 1, 3, 16, 4, 20, sums(3) + sums(16), 0]);
    }
}
