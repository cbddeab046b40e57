//! Which slots are free.
//!
//! The clouds of a voice have slots one after the other. Every part has pages of its own, so that threads which
//! compute different parts do not write to the same cache lines. Within a part the lowest slots are taken first.

/// Slots of a page, a bit each. What is kept of so many slots fills whole cache lines.
const PAGE: usize = u64::BITS as usize;

/// The free slots.
#[derive(Debug)]
pub(super) struct FreeSlots {
    /// For each page, a bit for every slot that is free.
    pages: Vec<u64>,
    /// For each page, the part that has it.
    owners: Vec<u8>,
    /// For each slot, its index in the memory of blocks.
    indices: Vec<u32>,
    /// Pages from this one on belong to no part.
    owned: usize,
    /// Pages from this one on are not used now, but for what sounds there.
    room: usize,
    slots: usize,
    count: usize,
}

impl FreeSlots {
    pub(super) fn new(slots: usize) -> Self {
        let pages = slots.div_ceil(PAGE);
        let mut free = Self {
            pages: vec![0; pages],
            owners: vec![0; pages],
            indices: vec![0; slots],
            owned: 0,
            room: pages,
            slots,
            count: 0,
        };
        free.reset();
        free
    }

    /// All slots are free again.
    pub(super) fn reset(&mut self) {
        for (page, free) in self.pages.iter_mut().enumerate() {
            *free = ones((self.slots - page * PAGE).min(PAGE));
        }
        (self.owned, self.count) = (0, self.slots);
    }

    /// From now on only the first so many slots are taken, rounded down to pages; the first page at least.
    pub(super) fn set_room(&mut self, slots: usize) {
        let pages = if slots >= self.slots { self.pages.len() } else { slots / PAGE };
        self.room = pages.max(1);
    }

    /// How many there are, those included that are not taken now.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first of `count` slots in a row, at most a page of them, for `part`: in its own pages, a new one, or at last
    /// in another part's.
    pub(super) fn take(&mut self, part: usize, count: usize) -> Option<u32> {
        let is_own = |page: &usize| usize::from(self.owners[*page]) == part;
        let room = |page: usize| Some((page, first_run(self.pages[page], count)?));
        let owned = self.owned.min(self.room);
        let own = (0..owned).filter(is_own).find_map(room);
        let new = || {
            let page = self.owned;
            (page < self.pages.len().min(self.room)).then(|| room(page)).flatten()
        };
        let (page, first) = own.or_else(new).or_else(|| (0..owned).find_map(room))?;
        if page == self.owned {
            self.owners[page] = part as u8;
            self.owned += 1;
            self.order(page, count);
        }
        self.pages[page] &= !(ones(count) << first);
        self.count -= count;
        Some((page * PAGE) as u32 + first)
    }

    /// Gives indices to the slots of a page, in which most voices will have that many copies. Voices are known by
    /// their first slots, so these come first: then the memory of voices is not spread over seven times as many pages
    /// as it has. The order stays when voices have other numbers of copies.
    fn order(&mut self, page: usize, copies: usize) {
        let slots = page * PAGE..self.slots.min((page + 1) * PAGE);
        let voices = slots.len() / copies;
        for (offset, index) in self.indices[slots.clone()].iter_mut().enumerate() {
            let (voice, copy) = (offset / copies, offset % copies);
            let ordered = match copy {
                _ if voice == voices => offset,
                0 => voice,
                _ => voices + voice * (copies - 1) + copy - 1,
            };
            *index = (slots.start + ordered) as u32;
        }
    }

    /// For each slot that was ever taken, its index in the memory of blocks. Slots have different ones, which stay until
    /// the next reset.
    pub(super) fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Frees `count` slots in a row of one page.
    pub(super) fn give_back(&mut self, slot: u32, count: usize) {
        let (page, first) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages[page] |= ones(count) << first;
        self.count += count;
    }
}

/// So many bits, from the lowest on.
fn ones(count: usize) -> u64 {
    u64::MAX.checked_shr((PAGE - count) as u32).unwrap_or(0)
}

/// The first of `count` bits in a row.
fn first_run(bits: u64, count: usize) -> Option<u32> {
    let starts = (1..count).fold(bits, |starts, next| starts & bits >> next);
    (starts != 0).then(|| starts.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_pages_of_their_own() {
        let mut free = FreeSlots::new(4 * PAGE);
        let taken: Vec<(usize, u32)> =
            (0..2 * PAGE).map(|i| (i % 2, free.take(i % 2, 1).unwrap())).collect();
        for (part, slot) in taken {
            assert_eq!(slot as usize / PAGE, part);
        }
        assert_eq!(free.take(2, 1), Some(2 * PAGE as u32));
    }

    #[test]
    fn copies_have_slots_in_a_row() {
        let mut free = FreeSlots::new(PAGE + 10);
        let nine = [0, 7, 14, 21, 28, 35, 42, 49, 56].map(Some);
        assert_eq!([(); 9].map(|()| free.take(0, 7)), nine);
        // There is one more slot in that page.
        assert_eq!(free.take(0, 7), Some(64));
        assert_eq!(free.take(0, 1), Some(63));
        assert_eq!(free.take(0, 7), None);
        assert_eq!(free.count(), 3);
        free.give_back(21, 7);
        free.give_back(28, 7);
        assert_eq!(free.take(1, 16), None);
        assert_eq!([free.take(1, 14), free.take(1, 4)], [Some(21), None]);
        assert_eq!(free.take(1, 3), Some(71));
    }

    #[test]
    fn voices_have_indices_in_a_row() {
        let mut free = FreeSlots::new(2 * PAGE + 10);
        for copies in [7, 1, 3] {
            free.take(copies, copies).unwrap();
        }
        let indices = free.indices();
        assert_eq!([0, 7, 14, 56, 1, 63].map(|slot| indices[slot]), [0, 1, 2, 8, 9, 63]);
        assert!((64..128).all(|slot| indices[slot] as usize == slot));
        assert_eq!([128, 131, 134, 137, 129].map(|slot| indices[slot]), [128, 129, 130, 137, 131]);
        let mut all = indices.to_vec();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..2 * PAGE as u32 + 10), "each index once");
    }

    #[test]
    fn slots_beyond_the_room_are_left_and_those_in_use_given_back() {
        let mut free = FreeSlots::new(4 * PAGE + 10);
        let pages = |free: &mut FreeSlots| -> Vec<usize> {
            let taken = std::iter::from_fn(|| free.take(0, PAGE));
            taken.map(|slot| slot as usize / PAGE).collect()
        };
        free.set_room(2 * PAGE + 5);
        assert_eq!(pages(&mut free), [0, 1]);
        free.set_room(usize::MAX);
        assert_eq!(pages(&mut free), [2, 3]);
        assert!(free.take(0, 10).is_some());
        free.set_room(0);
        (0..4).for_each(|page| free.give_back(page * PAGE as u32, PAGE));
        assert_eq!((pages(&mut free), free.count()), (vec![0], 3 * PAGE));
    }

    #[test]
    fn no_slot_is_lost_to_another_part() {
        let slots = 2 * PAGE + 10;
        let mut free = FreeSlots::new(slots);
        let first = free.take(1, 1).unwrap();
        let mut taken: Vec<u32> = std::iter::from_fn(|| free.take(0, 1)).collect();
        assert_eq!(free.count(), 0);
        taken.push(first);
        taken.sort_unstable();
        assert!(taken.iter().copied().eq(0..slots as u32), "each slot once");
        taken.iter().for_each(|&slot| free.give_back(slot, 1));
        assert_eq!(free.count(), slots);
        assert!((0..slots).all(|_| free.take(1, 1).is_some()) && free.take(1, 1).is_none());
    }
}
