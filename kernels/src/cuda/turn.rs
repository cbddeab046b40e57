//! Turns: what the rendering of a block waits for while others are in flight.
//!
//! Each block goes on where the last one ended. But not one kernel after the other: a kernel has a warp for every cloud, and
//! those with few partials end long before the others. So up to three kernels run at the same time, and a warp waits
//! until its own cloud has ended in the block before (`kernels/cuda/render.cu`). Those that wait never have all the room of the
//! GPU, so that the one that they wait for goes on (`launch.rs`).

use super::driver::{Event, Failed};
use super::in_flight::{InFlightSlot, QUEUES};

/// Kernels of different blocks that render at the same time.
pub(super) const AT_ONCE: usize = 3;

/// When a block is rendered, by the events of others, or by their in-flight slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Turn<T = Event> {
    /// At once: nothing else is rendered.
    #[default]
    Alone,
    /// When the block before it is rendered, and all before that.
    After(T),
    /// Beside the blocks before it.
    Beside {
        /// What it begins after: an older block is rendered, and all before that.
        start: T,
        /// The same of the block before it, which ends first.
        end: T,
    },
}

impl<T: Copy> Turn<T> {
    /// What its start and its end wait for.
    pub(super) fn waits(self) -> Option<[T; 2]> {
        match self {
            Self::Alone => None,
            Self::After(before) => Some([before, before]),
            Self::Beside { start, end } => Some([start, end]),
        }
    }

    pub(super) fn is_alone(self) -> bool {
        matches!(self, Self::Alone)
    }
}

impl Turn {
    /// That of a block whose turn is known by slots.
    pub(super) fn of(turn: Turn<usize>, slots: &[InFlightSlot]) -> Result<Self, Failed> {
        let rendered = |slot: usize| slots[slot].rendered();
        Ok(match turn {
            Turn::Alone => Turn::Alone,
            Turn::After(before) => Turn::After(rendered(before)?),
            Turn::Beside { start, end } => {
                Turn::Beside { start: rendered(start)?, end: rendered(end)? }
            }
        })
    }
}

/// The in-flight slots of the last blocks, the newest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recent([usize; AT_ONCE]);

impl Recent {
    /// The slot of the block that was sent last.
    pub(super) fn last(&self) -> usize {
        self.0[0]
    }

    /// The turn of the block that is sent in slot `index`, and remembers it. One of several pieces does not overlap others:
    /// `may_overlap` is not set.
    pub(super) fn take_turn(
        &mut self,
        index: usize,
        may_overlap: bool,
        is_used: impl Fn(usize) -> bool,
    ) -> Turn<usize> {
        let Self(recent) = *self;
        let last = recent[0];
        self.0.rotate_right(1);
        self.0[0] = index;
        let in_flight = |slot: usize| is_used(slot) && slot != index;
        // Blocks of the same queue are in order in any case.
        if !in_flight(last) || last % QUEUES == index % QUEUES {
            return Turn::Alone;
        }
        // A slot that is there again had an older block, too, which is complete.
        let is_there =
            |&nth: &usize| in_flight(recent[nth]) && !recent[..nth].contains(&recent[nth]);
        match (1..AT_ONCE).take_while(is_there).last() {
            Some(oldest) if may_overlap => Turn::Beside { start: recent[oldest], end: last },
            _ => Turn::After(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::in_flight::IN_FLIGHT_SLOTS;
    use myriad_engine::dsp::hash;
    use std::collections::{BTreeSet, VecDeque};

    /// What is known of a block: those that are complete when it begins to be rendered, and when its event happens.
    struct Sent {
        slot: usize,
        at_end: BTreeSet<usize>,
    }

    /// A warp that takes over the phases of a block which still writes them would click, or sound out of tune.
    #[test]
    fn all_blocks_but_those_that_are_waited_for_are_complete() {
        let (mut recent, mut sent) = (Recent::default(), Vec::<Sent>::new());
        let mut in_flight = VecDeque::<usize>::new();
        let mut overlapping = 0;
        for block in 0..2_000 {
            let chance = |of: u32| hash(3 * block as u32 + of);
            // Mostly as many as there may be.
            let most = if block % 400 < 300 { 8 } else { 1 + chance(0) as usize % 8 };
            while in_flight.len() >= most {
                in_flight.pop_front();
            }
            // Slots are mostly used in turn.
            let first = if chance(1).is_multiple_of(20) { chance(2) as usize } else { block };
            let used: BTreeSet<usize> = in_flight.iter().map(|&number| sent[number].slot).collect();
            let mut slots = (first..first + IN_FLIGHT_SLOTS).map(|slot| slot % IN_FLIGHT_SLOTS);
            let slot = slots.find(|slot| !used.contains(slot)).expect("a free slot");
            let may_overlap = !block.is_multiple_of(50);
            let turn = recent.take_turn(slot, may_overlap, |slot| used.contains(&slot));

            let newest = |slot: usize| sent.iter().rev().find(|other| other.slot == slot);
            let event = |slot: usize| newest(slot).map(|other| other.at_end.clone());
            // Blocks that were collected, and those of the same queue.
            let oldest = in_flight.front().copied().unwrap_or(block);
            let mut at_start: BTreeSet<usize> = (0..oldest).collect();
            let same_queue = |other: &&Sent| other.slot % QUEUES == slot % QUEUES;
            at_start.extend(sent.iter().rev().find(same_queue).iter().flat_map(|s| &s.at_end));
            at_start.extend(turn.waits().and_then(|[start, _]| event(start)).into_iter().flatten());
            let overlaps = match turn {
                Turn::Beside { .. } => AT_ONCE - 1,
                Turn::Alone | Turn::After(_) => 0,
            };
            overlapping += usize::from(overlaps > 0);
            let missing = (0..block.saturating_sub(overlaps)).find(|old| !at_start.contains(old));
            assert_eq!(missing, None, "block {block} in slot {slot}: {turn:?}");
            assert!(may_overlap || overlaps == 0);

            let mut at_end = at_start;
            at_end.insert(block);
            at_end.extend(turn.waits().and_then(|[_, end]| event(end)).into_iter().flatten());
            assert!((0..block).all(|old| at_end.contains(&old)), "the end of block {block}");
            sent.push(Sent { slot, at_end });
            in_flight.push_back(block);
        }
        assert!(overlapping > 1_000, "{overlapping}");
    }
}
