//! A queue to the render side, and one back for what it has no more use for.
//!
//! Whatever owns memory goes there and comes back by this pair: it is allocated and dropped on the
//! control side alone. There is a place on the way back for everything under way, so giving back
//! cannot fail.

#[cfg(test)]
mod model;
#[cfg(loom)]
mod ring;

#[cfg(loom)]
use ring::{HeapCons, HeapProd, HeapRb};
#[cfg(not(loom))]
use ringbuf::traits::{Consumer, Producer, Split};
#[cfg(not(loom))]
use ringbuf::{HeapCons, HeapProd, HeapRb};

/// How many may be under way: sent, and not yet given back. Few in models, so that they fill it.
const UNDER_WAY: usize = if cfg!(loom) { 2 } else { 64 };

/// The control side's end.
pub(super) struct ControlEnd<T> {
    there: HeapProd<T>,
    back: HeapCons<T>,
    in_flight: usize,
}

/// The render side's end. Everything taken is given back, or something in its place.
pub(super) struct WorkEnd<T> {
    there: HeapCons<T>,
    back: HeapProd<T>,
}

pub(super) fn command_queue<T>() -> (ControlEnd<T>, WorkEnd<T>) {
    let (there_in, there_out) = HeapRb::new(UNDER_WAY).split();
    let (back_in, back_out) = HeapRb::new(UNDER_WAY).split();
    let control = ControlEnd {
        there: there_in,
        back: back_out,
        in_flight: 0,
    };
    let work = WorkEnd {
        there: there_out,
        back: back_in,
    };
    (control, work)
}

impl<T> ControlEnd<T> {
    /// Drops what has come back.
    pub(super) fn tidy(&mut self) {
        self.in_flight -= self.back.clear();
    }

    /// Sends `item`, unless too many are under way.
    pub(super) fn send(&mut self, item: T) -> Result<(), T> {
        self.tidy();
        if self.in_flight == UNDER_WAY {
            return Err(item);
        }
        self.there.try_push(item)?;
        self.in_flight += 1;
        Ok(())
    }
}

impl<T> WorkEnd<T> {
    pub(super) fn take(&mut self) -> Option<T> {
        self.there.try_pop()
    }

    pub(super) fn give_back(&mut self, item: T) {
        if let Err(item) = self.back.try_push(item) {
            debug_assert!(false, "there is a place for everything");
            // Better a leak than memory freed here.
            std::mem::forget(item);
        }
    }
}
