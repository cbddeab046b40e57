//! Elements of a slice that several threads use at once, each its own.

use std::marker::PhantomData;
use std::ops::Range;

/// A slice of which each element is used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Disjoint<'a, T> {
    elements: *mut T,
    count: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: `get` demands that no element is used by two threads at once; those that `shared` lends are `Sync`.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}
// SAFETY: as an exclusive reference.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { elements: slice.as_mut_ptr(), count: slice.len(), slice: PhantomData }
    }

    /// Where an element is or would be, to prefetch it.
    #[inline(always)]
    pub(crate) fn place(&self, index: usize) -> *const T {
        self.elements.wrapping_add(index)
    }

    /// # Safety
    /// No other reference to that element is alive.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, index: usize) -> &mut T {
        assert!(index < self.count);
        // SAFETY: inside the slice, which is borrowed; the caller guarantees the rest.
        unsafe { &mut *self.elements.add(index) }
    }

    /// The address of an element.
    #[inline(always)]
    pub(crate) fn address(&self, index: usize) -> *mut T {
        assert!(index < self.count);
        // SAFETY: inside the slice.
        unsafe { self.elements.add(index) }
    }

    /// # Safety
    /// No exclusive reference to that element is alive.
    pub(crate) unsafe fn shared(&self, index: usize) -> &T
    where
        T: Sync,
    {
        assert!(index < self.count);
        // SAFETY: as above.
        unsafe { &*self.elements.add(index) }
    }

    /// # Safety
    /// No other reference to any element of that range is alive.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn range(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.count);
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.elements.add(range.start), range.len()) }
    }
}
