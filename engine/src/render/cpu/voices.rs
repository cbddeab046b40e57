//! Which clouds of a block are rendered together: those that share a description, the unison copies of a voice.

use crate::render::VoiceBlock;
use std::ops::Range;

/// The voices of some ticks of a block.
#[derive(Debug, Default)]
pub(super) struct Voices {
    /// Slots, those of a voice one after the other; voices in the order of their first slots.
    slots: Vec<u32>,
    /// The end of each voice in `slots`.
    ends: Vec<u32>,
    /// By slot: the first slot of its voice, and where its next slot goes, for slots that are first.
    first_slots: Vec<u32>,
    next: Vec<u32>,
    /// By description: the first slot that has it, and in the upper half the number of the tick in which that was so.
    describers: Vec<u64>,
    /// Numbers ticks.
    stamp: u64,
}

/// The first slot of a slot that has not sounded yet.
const NONE: u32 = u32::MAX;

impl Voices {
    /// Room for blocks of so many slots.
    pub(super) fn new(slots: usize) -> Self {
        Self {
            slots: Vec::with_capacity(slots),
            ends: Vec::with_capacity(slots),
            first_slots: vec![NONE; slots],
            next: vec![0; slots],
            describers: vec![0; slots],
            stamp: 0,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The slots of a voice, in rising order.
    pub(super) fn slots(&self, voice: usize) -> &[u32] {
        let start = voice.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.slots[start as usize..self.ends[voice] as usize]
    }

    /// Finds the voices of `block` from tick `from` on, whose slots are `slots`. Returns the ticks in which they are
    /// the same: all, unless copies of a voice part or join. The division into voices decides the
    /// order of sums, so it must depend on each tick alone and not on where blocks begin.
    pub(super) fn find(
        &mut self,
        block: &VoiceBlock,
        slots: &[usize],
        from: usize,
    ) -> Range<usize> {
        let mut range = from..block.ticks();
        while let Some(other) = self.find_in(block, slots, range.clone()) {
            // Once more, without what that tick has left.
            range.end = other;
        }
        self.list(slots);
        range
    }

    /// Finds the voices of some ticks. Returns the first one in which they are not the same.
    fn find_in(
        &mut self,
        block: &VoiceBlock,
        slots: &[usize],
        range: Range<usize>,
    ) -> Option<usize> {
        slots.iter().for_each(|&slot| self.first_slots[slot] = NONE);
        for tick in range {
            self.stamp += 1;
            for &slot in slots {
                let Some(copy) = block.copy(slot, tick) else {
                    continue;
                };
                let describer = &mut self.describers[copy.index()];
                if *describer >> 32 != self.stamp {
                    *describer = self.stamp << 32 | slot as u64;
                }
                let first = *describer as u32;
                let known = &mut self.first_slots[slot];
                if *known != first && *known != NONE {
                    return Some(tick);
                }
                *known = first;
            }
        }
        None
    }

    /// Lists the slots of every voice.
    fn list(&mut self, slots: &[usize]) {
        let Self { slots: listed, ends, first_slots, next, .. } = self;
        let sounding = || slots.iter().copied().filter(|&slot| first_slots[slot] != NONE);
        sounding().for_each(|slot| next[slot] = 0);
        sounding().for_each(|slot| next[first_slots[slot] as usize] += 1);
        ends.clear();
        let mut end = 0;
        for slot in sounding().filter(|&slot| first_slots[slot] as usize == slot) {
            end += std::mem::replace(&mut next[slot], end);
            ends.push(end);
        }
        listed.clear();
        listed.resize(end as usize, 0);
        for slot in sounding() {
            let place = &mut next[first_slots[slot] as usize];
            listed[*place as usize] = slot as u32;
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::{Cloud, Description, UnisonCopy};

    /// A block in which the slots of each tick have these descriptions.
    fn block(ticks: &[&[(u32, u32)]]) -> VoiceBlock {
        let mut block = VoiceBlock::new(16);
        for (tick, slots) in ticks.iter().enumerate() {
            block.start_tick();
            let writer = block.writer();
            writer.reserve(tick, 16);
            for &(slot, description) in *slots {
                let cloud = Cloud::default();
                // SAFETY: it is the only writer.
                unsafe {
                    writer.describe(tick, description, &Description::of(&cloud));
                    let extent = crate::render::block::Extent::of(&cloud);
                    writer.push(tick, slot, extent, &UnisonCopy::of(&cloud, description));
                }
            }
        }
        block.list_slots(16);
        block
    }

    fn voices(block: &VoiceBlock, from: usize) -> (Range<usize>, Vec<Vec<u32>>) {
        let mut voices = Voices::new(16);
        let slots: Vec<usize> = block.slots().collect();
        let ticks = voices.find(block, &slots, from);
        let all = (0..voices.count()).map(|voice| voices.slots(voice).to_vec());
        (ticks, all.collect())
    }

    #[test]
    fn copies_that_share_a_description_are_a_voice() {
        let block = block(&[
            &[(1, 5), (2, 3), (4, 5), (7, 3), (9, 0)],
            // Descriptions are in another order, a voice has ended and another one starts.
            &[(1, 2), (2, 7), (4, 2), (7, 7), (11, 1), (12, 1)],
        ]);
        let all = vec![vec![1, 4], vec![2, 7], vec![9], vec![11, 12]];
        assert_eq!(voices(&block, 0), (0..2, all));
    }

    #[test]
    fn a_range_ends_where_copies_part_or_join() {
        let block = block(&[
            &[(1, 0), (2, 0), (3, 1)],
            &[(1, 0), (2, 0), (3, 1)],
            &[(1, 0), (2, 1), (3, 2)],
            &[(1, 0), (2, 1), (3, 1)],
        ]);
        assert_eq!(voices(&block, 0), (0..2, vec![vec![1, 2], vec![3]]));
        assert_eq!(voices(&block, 2), (2..3, vec![vec![1], vec![2], vec![3]]));
        assert_eq!(voices(&block, 3), (3..4, vec![vec![1], vec![2, 3]]));
    }
}
