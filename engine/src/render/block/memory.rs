//! Memory for clouds that a device can pin: it has its own pages and never moves.

use crate::spectrum::{Description, UnisonCopy};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Devices pin whole pages.
const PAGE: usize = 4096;

/// Descriptions, and after them as many unison copies.
pub struct CloudMemory {
    memory: NonNull<u8>,
    count: usize,
    /// A device's registration; dropped before the memory is freed.
    pin: Mutex<Option<Box<dyn Send>>>,
    is_pinned: AtomicBool,
}

// SAFETY: owns its memory like a box; the pin is sent, not shared.
unsafe impl Send for CloudMemory {}
// SAFETY: as above.
unsafe impl Sync for CloudMemory {}

impl CloudMemory {
    /// That many of each, silent.
    pub fn new(count: usize) -> Self {
        let layout = Self::layout(count);
        // SAFETY: the layout is at least a page.
        let memory = unsafe { alloc_zeroed(layout) };
        let Some(memory) = NonNull::new(memory) else { handle_alloc_error(layout) };
        Self { memory, count, pin: Mutex::new(None), is_pinned: AtomicBool::new(false) }
    }

    /// Whole pages, so that nothing else is pinned with it.
    fn layout(count: usize) -> Layout {
        let both = size_of::<Description>() + size_of::<UnisonCopy>();
        let bytes = (count * both).next_multiple_of(PAGE).max(PAGE);
        match Layout::from_size_align(bytes, PAGE) {
            Ok(layout) => layout,
            Err(_) => panic!("{count} clouds are more than an address space holds"),
        }
    }

    /// Address and size of the memory, up to the end of its last page.
    pub fn bytes(&self) -> (*const u8, usize) {
        (self.memory.as_ptr(), Self::layout(self.count).size())
    }

    /// The descriptions.
    pub fn descriptions(&self) -> &[Description] {
        // SAFETY: that many, which were zeroed, and zeros are valid.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.count) }
    }

    /// The unison copies.
    pub fn copies(&self) -> &[UnisonCopy] {
        // SAFETY: as above; they are after the descriptions.
        unsafe { std::slice::from_raw_parts(self.first_copy(), self.count) }
    }

    /// Both, to write to.
    pub(super) fn both_mut(&mut self) -> (&mut [Description], &mut [UnisonCopy]) {
        // SAFETY: as above, they do not overlap, and the borrow is exclusive.
        unsafe {
            (
                std::slice::from_raw_parts_mut(self.memory.as_ptr().cast(), self.count),
                std::slice::from_raw_parts_mut(self.first_copy(), self.count),
            )
        }
    }

    fn first_copy(&self) -> *mut UnisonCopy {
        // SAFETY: within the memory.
        unsafe { self.memory.as_ptr().cast::<Description>().add(self.count).cast() }
    }

    /// How many of each there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Keeps `pin` as long as the memory, or until the next pin.
    pub fn set_pin(&self, pin: Option<Box<dyn Send>>) {
        self.is_pinned.store(pin.is_some(), Ordering::Relaxed);
        *self.pin.lock().unwrap_or_else(PoisonError::into_inner) = pin;
    }

    /// Whether a device reads it. It should then be written past the caches: a device that must read
    /// every line from a core's cache gets half the bandwidth of the bus.
    pub fn is_pinned(&self) -> bool {
        self.is_pinned.load(Ordering::Relaxed)
    }

    /// Makes all writes of this thread visible to other threads and devices, before the block is
    /// shared.
    pub fn settle(&self) {
        settle(self.is_pinned());
    }
}

/// Numbers that can be written past the caches.
///
/// # Safety
/// Made of four-byte numbers without padding.
pub(super) unsafe trait Words: Copy {}

// SAFETY: see their layouts.
unsafe impl Words for Description {}
// SAFETY: as above.
unsafe impl Words for UnisonCopy {}

/// Writes to such memory.
#[inline(always)]
pub(super) fn write<T: Words>(place: &mut T, value: &T, past_the_caches: bool) {
    match past_the_caches {
        true => stream(place, value),
        false => *place = *value,
    }
}

/// Makes what this thread wrote visible to others.
pub(super) fn settle(past_the_caches: bool) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if past_the_caches {
        // SAFETY: every x86-64 has it.
        unsafe { std::arch::x86_64::_mm_sfence() };
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = past_the_caches;
}

/// Writes without bringing the lines into the cache.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
fn stream<T: Words>(place: &mut T, value: &T) {
    let from = std::ptr::from_ref(value).cast::<i32>();
    let to = std::ptr::from_mut(place).cast::<i32>();
    for word in 0..size_of::<T>() / size_of::<i32>() {
        // SAFETY: within both, which are words. The writer calls `settle` before the memory is shared,
        // and the writing thread itself sees its writes in order.
        unsafe { std::arch::x86_64::_mm_stream_si32(to.add(word), from.add(word).read()) };
    }
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
#[inline]
fn stream<T: Words>(place: &mut T, value: &T) {
    *place = *value;
}

impl Drop for CloudMemory {
    fn drop(&mut self) {
        self.set_pin(None);
        // SAFETY: allocated with the same layout, and no reference to it is left.
        unsafe { dealloc(self.memory.as_ptr(), Self::layout(self.count)) };
    }
}

impl std::fmt::Debug for CloudMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CloudMemory({})", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Cloud;
    use std::sync::Arc;

    #[test]
    fn clouds_have_pages_of_their_own() {
        let mut memory = CloudMemory::new(3);
        memory.both_mut().1[2].seed = 7;
        assert_eq!([memory.descriptions().len(), memory.copies().len()], [3; 2]);
        assert_eq!(memory.descriptions()[2], Description::default());
        assert_eq!(memory.copies()[2].seed, 7);
        let (start, length) = memory.bytes();
        assert!((start as usize).is_multiple_of(PAGE) && length == PAGE);
    }

    #[test]
    fn other_threads_see_writes_past_the_caches() {
        let mut memory = CloudMemory::new(5);
        memory.set_pin(Some(Box::new(())));
        let cloud = |seed| Cloud { seed, width_to: seed as i16, ..Cloud::default() };
        let parts = |index: usize| {
            let cloud = cloud(1 + index as u32);
            (Description::of(&cloud), UnisonCopy::of(&cloud, index as u32))
        };
        let (descriptions, copies) = memory.both_mut();
        for index in 0..4 {
            let (description, copy) = parts(index);
            write(&mut descriptions[index], &description, true);
            write(&mut copies[index], &copy, true);
        }
        memory.settle();
        let memory = &memory;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for index in 0..4 {
                    let got = (memory.descriptions()[index], memory.copies()[index]);
                    assert_eq!(got, parts(index));
                }
                assert_eq!(memory.copies()[4], UnisonCopy::default());
            });
        });
    }

    #[test]
    fn the_pin_is_dropped_with_the_memory() {
        let pinned = Arc::new(());
        let memory = CloudMemory::new(1);
        memory.set_pin(Some(Box::new(Arc::clone(&pinned))));
        assert_eq!(Arc::strong_count(&pinned), 2);
        drop(memory);
        assert_eq!(Arc::strong_count(&pinned), 1);
    }
}
