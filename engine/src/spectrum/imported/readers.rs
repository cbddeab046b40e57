//! Who reads the tables at the moment, so that nothing is freed before their eyes.
//!
//! Readers come in and go out by counting, and never wait. Whoever takes a table away does not wait
//! for them either: it turns the door, so that those who come from now on are counted apart, and
//! looks again later whether all that were inside have left.

use crate::sync::atomic::{AtomicUsize, Ordering, fence};

/// A door with two sides, of which one is open.
#[derive(Debug, Default)]
pub(super) struct Readers {
    /// How often the door was turned; its last bit says which side is open.
    turned: AtomicUsize,
    inside: [Count; 2],
}

/// Apart from its neighbour, so that the two do not share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicUsize);

impl Readers {
    /// Comes in. Returns the side to leave by.
    pub(super) fn enter(&self) -> usize {
        loop {
            let side = self.turned.load(Ordering::Relaxed) % 2;
            self.inside[side].0.fetch_add(1, Ordering::Relaxed);
            // Between this and the fence of `turn`: either the count is seen there, or the turn here.
            fence(Ordering::SeqCst);
            // Who came in while the door was turned may have been overlooked.
            if self.turned.load(Ordering::Acquire) % 2 == side {
                return side;
            }
            self.leave(side);
        }
    }

    /// Goes out.
    pub(super) fn leave(&self, side: usize) {
        self.inside[side].0.fetch_sub(1, Ordering::Release);
    }

    /// Turns the door: who comes from now on sees all that was done before. To be done only when
    /// [`Self::have_left`], and by one thread at a time, as that is.
    pub(super) fn turn(&self) {
        self.turned.fetch_add(1, Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Whether all have left who were inside when the door was last turned.
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
    fn only_those_are_waited_for_who_were_there() {
        let readers = Readers::default();
        let early = readers.enter();
        assert!(
            readers.have_left(),
            "nobody was there before the first turn"
        );
        readers.turn();
        let late = readers.enter();
        assert!(!readers.have_left());
        readers.leave(early);
        assert!(readers.have_left(), "the late one has seen what was done");
        readers.turn();
        assert!(!readers.have_left());
        readers.leave(late);
        assert!(readers.have_left());
    }
}
