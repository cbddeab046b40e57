//! Memory for clouds that a device can pin: it has its own pages and never moves.

use crate::spectrum::Cloud;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Devices pin whole pages.
const PAGE: usize = 4096;

/// A fixed number of clouds.
pub struct CloudMemory {
    clouds: NonNull<Cloud>,
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
    /// That many silent clouds.
    pub fn new(count: usize) -> Self {
        let layout = Self::layout(count);
        // SAFETY: the layout is at least a page.
        let memory = unsafe { alloc_zeroed(layout) };
        let Some(clouds) = NonNull::new(memory.cast()) else { handle_alloc_error(layout) };
        Self { clouds, count, pin: Mutex::new(None), is_pinned: AtomicBool::new(false) }
    }

    /// Whole pages, so that nothing else is pinned with it.
    fn layout(count: usize) -> Layout {
        let bytes = (count * size_of::<Cloud>()).next_multiple_of(PAGE).max(PAGE);
        match Layout::from_size_align(bytes, PAGE) {
            Ok(layout) => layout,
            Err(_) => panic!("{count} clouds are more than an address space holds"),
        }
    }

    /// Address and size of the memory, up to the end of its last page.
    pub fn bytes(&self) -> (*const u8, usize) {
        (self.clouds.as_ptr().cast(), Self::layout(self.count).size())
    }

    /// Keeps `pin` as long as the memory, or until the next pin.
    pub fn set_pin(&self, pin: Option<Box<dyn Send>>) {
        self.is_pinned.store(pin.is_some(), Ordering::Relaxed);
        *self.pin.lock().unwrap_or_else(PoisonError::into_inner) = pin;
    }
}

impl CloudMemory {
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

/// Writes a cloud of such memory.
#[inline(always)]
pub(super) fn write(place: &mut Cloud, cloud: &Cloud, past_the_caches: bool) {
    match past_the_caches {
        true => stream(place, *cloud),
        false => *place = *cloud,
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

/// Writes `cloud` to `place` without bringing its lines into the cache.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
fn stream(place: &mut Cloud, cloud: Cloud) {
    const WORDS: usize = size_of::<Cloud>() / 8;
    // SAFETY: a cloud is sixteen pairs of four-byte numbers, with nothing between them.
    let words: [i64; WORDS] = unsafe { std::mem::transmute(cloud) };
    let place = std::ptr::from_mut(place).cast::<i64>();
    for (index, word) in words.into_iter().enumerate() {
        // SAFETY: within the cloud. The writer calls `settle` before the memory is shared, and the
        // writing thread itself sees its writes in order.
        unsafe { std::arch::x86_64::_mm_stream_si64(place.add(index), word) };
    }
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
#[inline]
fn stream(place: &mut Cloud, cloud: Cloud) {
    *place = cloud;
}

impl Drop for CloudMemory {
    fn drop(&mut self) {
        self.set_pin(None);
        // SAFETY: allocated with the same layout, and no reference to it is left.
        unsafe { dealloc(self.clouds.as_ptr().cast(), Self::layout(self.count)) };
    }
}

impl Deref for CloudMemory {
    type Target = [Cloud];

    fn deref(&self) -> &[Cloud] {
        // SAFETY: that many clouds, which were zeroed, and zeros are a valid cloud.
        unsafe { std::slice::from_raw_parts(self.clouds.as_ptr(), self.count) }
    }
}

impl DerefMut for CloudMemory {
    fn deref_mut(&mut self) -> &mut [Cloud] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.clouds.as_ptr(), self.count) }
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
    use std::sync::Arc;

    #[test]
    fn clouds_have_pages_of_their_own() {
        let mut memory = CloudMemory::new(3);
        memory[2].seed = 7;
        assert_eq!(memory.len(), 3);
        assert_eq!(memory[0], Cloud::default());
        let (start, length) = memory.bytes();
        assert!((start as usize).is_multiple_of(PAGE) && length == PAGE);
    }

    #[test]
    fn other_threads_see_writes_past_the_caches() {
        let mut memory = CloudMemory::new(5);
        memory.set_pin(Some(Box::new(())));
        let cloud = |seed| Cloud { seed, width_to: seed as i16, ..Cloud::default() };
        (0..4).for_each(|index| write(&mut memory[index], &cloud(1 + index as u32), true));
        memory.settle();
        let memory = &memory;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                (0..4).for_each(|index| assert_eq!(memory[index], cloud(1 + index as u32)));
                assert_eq!(memory[4], Cloud::default());
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
