//! The ring of the `ringbuf` crate with loom's atomics, for models: the same indices and orderings.

use loom::cell::UnsafeCell;
use myriad_engine::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Indices only increase; the slot of an item is its index modulo the number of slots.
pub(super) struct HeapRb<T> {
    slots: Box<[UnsafeCell<Option<T>>]>,
    read: AtomicUsize,
    write: AtomicUsize,
}

// SAFETY: a slot is touched by one end at a time, which loom checks.
unsafe impl<T: Send> Sync for HeapRb<T> {}

/// The end that pushes.
pub(super) struct HeapProd<T>(Arc<HeapRb<T>>);

/// The end that pops.
pub(super) struct HeapCons<T>(Arc<HeapRb<T>>);

impl<T> HeapRb<T> {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            slots: (0..slots).map(|_| UnsafeCell::new(None)).collect(),
            read: AtomicUsize::new(0),
            write: AtomicUsize::new(0),
        }
    }

    pub(super) fn split(self) -> (HeapProd<T>, HeapCons<T>) {
        let ring = Arc::new(self);
        (HeapProd(Arc::clone(&ring)), HeapCons(ring))
    }

    fn replace(&self, index: usize, item: Option<T>) -> Option<T> {
        let slot = &self.slots[index % self.slots.len()];
        // SAFETY: loom checks that the other end does not touch it meanwhile.
        slot.with_mut(|slot| std::mem::replace(unsafe { &mut *slot }, item))
    }
}

impl<T> HeapProd<T> {
    pub(super) fn try_push(&mut self, item: T) -> Result<(), T> {
        let ring = &*self.0;
        let write = ring.write.load(Ordering::Relaxed);
        if write - ring.read.load(Ordering::Acquire) == ring.slots.len() {
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

    /// Drops all items. Returns how many.
    pub(super) fn clear(&mut self) -> usize {
        std::iter::from_fn(|| self.try_pop()).count()
    }
}
