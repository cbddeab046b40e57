//! Which slots are free.
//!
//! Every part has pages of its own, so that threads which compute different parts do not write to the
//! same cache lines. Within a part the slot that was freed last is taken first.

/// Slots of a page. What is kept of so many slots fills whole cache lines.
const PAGE: usize = 64;

/// No slot.
const NONE: u32 = u32::MAX;

/// The free slots: a list for each part, and those that no part has used yet.
#[derive(Debug)]
pub(super) struct FreeSlots {
    /// For each free slot of a part, the next one in its list.
    next: Vec<u32>,
    /// For each page, the part that has it.
    owners: Vec<u8>,
    /// The first of each part's list.
    firsts: Vec<u32>,
    /// Slots from this one on belong to no part.
    owned: usize,
    count: usize,
}

impl FreeSlots {
    pub(super) fn new(slots: usize, parts: usize) -> Self {
        Self {
            next: vec![NONE; slots],
            owners: vec![0; slots.div_ceil(PAGE)],
            firsts: vec![NONE; parts],
            owned: 0,
            count: slots,
        }
    }

    /// All slots are free again.
    pub(super) fn reset(&mut self) {
        self.firsts.fill(NONE);
        (self.owned, self.count) = (0, self.next.len());
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A slot for `part`: of its own pages, of a new one, or at last of another part's.
    pub(super) fn take(&mut self, part: usize) -> Option<u32> {
        if self.firsts[part] == NONE {
            self.add_page(part);
        }
        let lists = std::iter::once(part).chain(0..self.firsts.len());
        let list = lists.into_iter().find(|&list| self.firsts[list] != NONE)?;
        let slot = self.firsts[list];
        self.firsts[list] = self.next[slot as usize];
        self.count -= 1;
        Some(slot)
    }

    /// Gives the next page, if there is one, to `part`.
    fn add_page(&mut self, part: usize) {
        let page = self.owned..self.next.len().min(self.owned + PAGE);
        if page.is_empty() {
            return;
        }
        self.owners[page.start / PAGE] = part as u8;
        self.owned = page.end;
        page.rev().for_each(|slot| self.link(part, slot));
    }

    /// Frees a slot.
    pub(super) fn give_back(&mut self, slot: u32) {
        let owner = self.owners[slot as usize / PAGE];
        self.link(usize::from(owner), slot as usize);
        self.count += 1;
    }

    fn link(&mut self, part: usize, slot: usize) {
        self.next[slot] = std::mem::replace(&mut self.firsts[part], slot as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_pages_of_their_own() {
        let mut free = FreeSlots::new(4 * PAGE, 3);
        let taken: Vec<(usize, u32)> =
            (0..2 * PAGE).map(|i| (i % 2, free.take(i % 2).unwrap())).collect();
        for (part, slot) in taken {
            assert_eq!(slot as usize / PAGE, part);
        }
        assert_eq!(free.take(2), Some(2 * PAGE as u32));
    }

    #[test]
    fn the_slot_that_was_freed_last_is_taken_first() {
        let mut free = FreeSlots::new(PAGE, 1);
        assert_eq!([free.take(0), free.take(0), free.take(0)], [Some(0), Some(1), Some(2)]);
        free.give_back(0);
        free.give_back(1);
        assert_eq!([free.take(0), free.take(0), free.take(0)], [Some(1), Some(0), Some(3)]);
    }

    #[test]
    fn no_slot_is_lost_to_another_part() {
        let slots = 2 * PAGE + 10;
        let mut free = FreeSlots::new(slots, 2);
        let first = free.take(1).unwrap();
        let mut taken: Vec<u32> = std::iter::from_fn(|| free.take(0)).collect();
        assert_eq!(free.count(), 0);
        taken.push(first);
        taken.sort_unstable();
        assert!(taken.iter().copied().eq(0..slots as u32), "each slot once");
        taken.iter().for_each(|&slot| free.give_back(slot));
        assert_eq!(free.count(), slots);
        assert!((0..slots).all(|_| free.take(1).is_some()) && free.take(1).is_none());
    }
}
