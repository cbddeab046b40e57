//! The ring of the `ringbuf` crate, for models: its indices and orderings, with loom's atomics.

use loom::cell::UnsafeCell;
use myriad_engine::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Indices only rise; an item's place is its index by the number of places.
pub(super) struct HeapRb<T> {
    places: Box<[UnsafeCell<Option<T>>]>,
    read: AtomicUsize,
    write: AtomicUsize,
}

// SAFETY: a place is touched by one end at a time, which loom checks.
unsafe impl<T: Send> Sync for HeapRb<T> {}

/// The end that pushes.
pub(super) struct HeapProd<T>(Arc<HeapRb<T>>);

/// The end that pops.
pub(super) struct HeapCons<T>(Arc<HeapRb<T>>);

impl<T> HeapRb<T> {
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: (0..places).map(|_| UnsafeCell::new(None)).collect(),
            read: AtomicUsize::new(0),
            write: AtomicUsize::new(0),
        }
    }

    pub(super) fn split(self) -> (HeapProd<T>, HeapCons<T>) {
        let ring = Arc::new(self);
        (HeapProd(Arc::clone(&ring)), HeapCons(ring))
    }

    fn replace(&self, index: usize, item: Option<T>) -> Option<T> {
        let place = &self.places[index % self.places.len()];
        // SAFETY: loom checks that the other end does not touch it meanwhile.
        place.with_mut(|place| std::mem::replace(unsafe { &mut *place }, item))
    }
}

impl<T> HeapProd<T> {
    pub(super) fn try_push(&mut self, item: T) -> Result<(), T> {
        let ring = &*self.0;
        let write = ring.write.load(Ordering::Relaxed);
        if write - ring.read.load(Ordering::Acquire) == ring.places.len() {
            return Err(item);
        }
        ring.replace(write, Some(item));
        ring.write.store(write + 1, Ordering::Release);
        Ok(())
    }
}

impl<T> HeapCons<T> {
    pub(super) fn try_pop(&mut self) -> Option<T> {
        let ring = &*self.0;
        let read = ring.read.load(Ordering::Relaxed);
        if read == ring.write.load(Ordering::Acquire) {
            return None;
        }
        let item = ring.replace(read, None);
        ring.read.store(read + 1, Ordering::Release);
        item
    }

    /// Drops what is there. Returns how many.
    pub(super) fn clear(&mut self) -> usize {
        std::iter::from_fn(|| self.try_pop()).count()
    }
}
