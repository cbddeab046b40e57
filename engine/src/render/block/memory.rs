//! Memory for clouds that a device can pin: it has its own pages and never moves.

use crate::render::lazy_slice::{LazySlice, Zeroable};
use crate::spectrum::{Description, UnisonCopy};
use std::alloc::{Layout, handle_alloc_error};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Devices pin whole pages.
const PAGE: usize = 4096;

#[repr(align(4096))]
struct Page {
    _bytes: [u8; PAGE],
}

// SAFETY: it is numbers.
unsafe impl Zeroable for Page {}

/// Descriptions, and after them as many unison copies.
pub struct CloudMemory {
    /// Whole pages, so that nothing else is pinned with them.
    pages: LazySlice<Page>,
    count: usize,
    /// A device's registration; dropped before the memory is freed.
    pin: Mutex<Option<Box<dyn Send>>>,
    is_pinned: AtomicBool,
}

impl CloudMemory {
    /// That many of each, silent.
    pub fn new(count: usize) -> Self {
        let both = size_of::<Description>() + size_of::<UnisonCopy>();
        let pages = count.saturating_mul(both).div_ceil(PAGE).max(1);
        let Some(pages) = LazySlice::new(pages) else { handle_alloc_error(Layout::new::<Page>()) };
        Self { pages, count, pin: Mutex::new(None), is_pinned: AtomicBool::new(false) }
    }

    /// Address and size of the memory, up to the end of its last page.
    pub fn bytes(&self) -> (*const u8, usize) {
        (self.pages.as_ptr().cast(), size_of_val(&*self.pages))
    }

    /// The descriptions.
    #[inline]
    pub fn descriptions(&self) -> &[Description] {
        // SAFETY: that many, which were zeroed, and zeros are valid.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.count) }
    }

    /// The unison copies.
    #[inline]
    pub fn copies(&self) -> &[UnisonCopy] {
        let descriptions: *const Description = self.pages.as_ptr().cast();
        // SAFETY: as above; they are after the descriptions.
        unsafe { std::slice::from_raw_parts(descriptions.add(self.count).cast(), self.count) }
    }

    /// Both, to write to.
    #[inline]
    pub(super) fn both_mut(&mut self) -> (&mut [Description], &mut [UnisonCopy]) {
        let descriptions: *mut Description = self.pages.as_mut_ptr().cast();
        // SAFETY: as above, they do not overlap, and the borrow is exclusive.
        unsafe {
            (
                std::slice::from_raw_parts_mut(descriptions, self.count),
                std::slice::from_raw_parts_mut(descriptions.add(self.count).cast(), self.count),
            )
        }
    }

    /// Lets the system give memory to some of each, whose values are of no use.
    pub(super) fn take_memory(&mut self, range: Range<usize>) {
        let (descriptions, copies) = self.both_mut();
        for description in &mut descriptions[range.clone()] {
            take_memory(description);
        }
        for copy in &mut copies[range] {
            take_memory(copy);
        }
    }

    /// How many of each there are.
    #[inline]
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
    #[inline]
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

/// Writes a word of a value, which takes its page.
fn take_memory<T: Words>(place: &mut T) {
    // SAFETY: it is made of such words; the write is volatile because the compiler must not leave it out.
    unsafe { std::ptr::write_volatile(std::ptr::from_mut(place).cast::<u32>(), 0) };
}

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
        // Before the memory is freed.
        self.set_pin(None);
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
