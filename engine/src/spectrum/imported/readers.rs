//! Counts the readers of the tables, so that no table is freed while it is read (epoch-based
//! reclamation).
//!
//! Readers increment a counter and never wait. The thread that removes a table does not wait either:
//! it starts a new epoch, whose readers use the other counter, and checks later whether all readers
//! of the old epoch have left.

use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// A counter of readers for the present epoch, and one for the last.
#[derive(Debug, Default)]
pub(super) struct Readers {
    /// The epoch; its last bit selects the counter of new readers.
    turned: AtomicUsize,
    inside: [Count; 2],
}

/// Aligned so that the two counters do not share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicUsize);

impl Readers {
    /// Registers a reader. Returns the counter for [`Self::leave`].
    pub(super) fn enter(&self) -> usize {
        loop {
            let side = self.turned.load(Ordering::Relaxed) % 2;
            self.inside[side].0.fetch_add(1, Ordering::Relaxed);
            // Paired with the fence of `turn`: either `turn` sees the count, or this sees the new epoch.
            fence(Ordering::SeqCst);
            // `have_left` may have missed a reader that registered while the epoch changed.
            if self.turned.load(Ordering::Acquire) % 2 == side {
                return side;
            }
            self.leave(side);
        }
    }

    /// Unregisters a reader.
    pub(super) fn leave(&self, side: usize) {
        self.inside[side].0.fetch_sub(1, Ordering::Release);
    }

    /// Starts a new epoch: readers from now on see everything done before. To be called only when
    /// [`Self::have_left`], and by one thread at a time.
    pub(super) fn turn(&self) {
        self.turned.fetch_add(1, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Whether all readers of the last epoch have left.
    pub(super) fn have_left(&self) -> bool {
        let shut = 1 - self.turned.load(Ordering::Relaxed) % 2;
        self.inside[shut].0.load(Ordering::Acquire) == 0
    }
}

#[cfg(test)]
mod model;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_readers_of_the_last_epoch_delay_the_next() {
        let readers = Readers::default();
        let early = readers.enter();
        assert!(readers.have_left(), "no reader was registered before the first epoch");
        readers.turn();
        let late = readers.enter();
        assert!(!readers.have_left());
        readers.leave(early);
        assert!(readers.have_left(), "the late reader belongs to the new epoch");
        readers.turn();
        assert!(!readers.have_left());
        readers.leave(late);
        assert!(readers.have_left());
    }
}
