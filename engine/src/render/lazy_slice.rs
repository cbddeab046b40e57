//! Zeroed memory that the system gives page by page, when a page is first written to: what thousands of slots
//! may need costs nothing until they sound. It begins at a pair of cache lines.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// Zeroed allocations of a larger alignment are lazy on no system: Rust's library writes their zeros itself.
const LAZY_ALIGN: usize = 16;

/// Cache lines are fetched in pairs, so threads that write to neighbouring lines wait for each other as well. Groups of values
/// that fill whole pairs do not share one.
const PAIR_OF_LINES: usize = 128;

/// How many slots above those that sound have memory, in blocks and in the CPU renderer: a large chord. The system
/// gives memory page by page, which a block should not wait for.
pub(super) const SLOTS_AHEAD: usize = 128;

/// Slots that get memory in one block at most: some twenty microseconds.
pub(super) const SLOTS_A_BLOCK: usize = 16;

static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// What is made from now on takes memory for all its slots at once: for programs that watch their own memory.
pub fn take_memory_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

/// The slots that have memory when `in_use` sound.
pub(super) fn with_memory_ahead(in_use: usize) -> usize {
    match AT_ONCE.load(Ordering::Relaxed) {
        true => usize::MAX,
        false => in_use + SLOTS_AHEAD,
    }
}

/// Types of which all zeros are a value.
///
/// # Safety
/// They are, and nothing happens when a value is dropped.
pub(crate) unsafe trait Zeroable {}

// SAFETY: numbers.
unsafe impl Zeroable for u32 {}
// SAFETY: as above.
unsafe impl Zeroable for u64 {}

/// Values that begin as zeros.
pub(crate) struct LazySlice<T: Zeroable> {
    allocated: NonNull<u8>,
    layout: Layout,
    first: NonNull<T>,
    count: usize,
}

// SAFETY: owns its values like a box.
unsafe impl<T: Zeroable + Send> Send for LazySlice<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable + Sync> Sync for LazySlice<T> {}

impl<T: Zeroable> Default for LazySlice<T> {
    /// No values, and no memory.
    fn default() -> Self {
        let (allocated, first) = (NonNull::dangling(), NonNull::dangling());
        Self { allocated, layout: Layout::new::<()>(), first, count: 0 }
    }
}

impl<T: Zeroable> LazySlice<T> {
    /// So many values; `None` when there is no memory.
    pub(crate) fn new(count: usize) -> Option<Self> {
        const { assert!(!std::mem::needs_drop::<T>()) };
        let align = align_of::<T>().max(PAIR_OF_LINES);
        // Room to move the first value to its alignment.
        let size = count.checked_mul(size_of::<T>())?.checked_add(align)?;
        let layout = Layout::from_size_align(size, LAZY_ALIGN).ok()?;
        // SAFETY: the layout has a size.
        let allocated = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let offset = allocated.align_offset(align);
        // SAFETY: less than the alignment, for which there is room.
        let first = unsafe { allocated.add(offset) }.cast();
        Some(Self { allocated, layout, first, count })
    }
}

impl<T: Zeroable> LazySlice<T> {
    /// The same where a program cannot go on without.
    pub(crate) fn new_or_abort(count: usize) -> Self {
        Self::new(count).unwrap_or_else(|| handle_alloc_error(Layout::new::<T>()))
    }
}

impl<T: Zeroable> std::fmt::Debug for LazySlice<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LazySlice({})", self.count)
    }
}

impl<T: Zeroable> Deref for LazySlice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many values are in the allocation, and zeros are valid.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl<T: Zeroable> DerefMut for LazySlice<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.count) }
    }
}

impl<T: Zeroable> Drop for LazySlice<T> {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: allocated with this layout; the values need no drop.
            unsafe { dealloc(self.allocated.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    #[repr(align(4096))]
    struct Page([u8; 4096]);

    // SAFETY: it is numbers.
    unsafe impl Zeroable for Page {}

    #[test]
    fn values_are_zeros_and_aligned() {
        let mut pages = LazySlice::<Page>::new(5).unwrap();
        assert!(pages.iter().all(|page| page.0.iter().all(|&byte| byte == 0)));
        assert_eq!(pages.as_ptr() as usize % 4096, 0);
        pages[4].0[4095] = 7;
        assert_eq!((pages.len(), pages[4].0[4095]), (5, 7));
        assert!(
            LazySlice::<Page>::new(0).unwrap().is_empty()
                && LazySlice::<Page>::default().is_empty()
        );
        assert!(LazySlice::<Page>::new(usize::MAX / 2).is_none());
    }

    #[test]
    fn the_first_value_begins_a_pair_of_cache_lines() {
        for count in [0, 1, 100, 5_000] {
            let slice = LazySlice::<u32>::new_or_abort(count);
            assert_eq!(&*slice, &vec![0; count]);
            // Miri may say that nothing can be aligned.
            assert!(cfg!(miri) || slice.as_ptr().addr().is_multiple_of(PAIR_OF_LINES));
        }
    }

    /// The point of it. The kernel counts the pages that a mapping was given.
    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn memory_is_given_when_it_is_written_to() {
        let pages = LazySlice::<Page>::new(16_384).unwrap();
        let address = pages.as_ptr() as usize + 1_000 * 4096;
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = smaps.lines().skip_while(|line| {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let ends = range.map(|(a, b)| [a, b].map(|end| usize::from_str_radix(end, 16)));
            !matches!(ends, Some([Ok(start), Ok(end)]) if (start..end).contains(&address))
        });
        let resident = lines.find_map(|line| line.strip_prefix("Private_Dirty:")).unwrap();
        let kilobytes: usize = resident.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kilobytes < 32_768, "{kilobytes} kB of 64 MiB that nobody wrote to");
    }
}
