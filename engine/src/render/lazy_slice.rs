//! Zeroed memory that the system gives page by page, when a page is first written to: what thousands of slots
//! may need costs nothing until they sound. It begins at a pair of cache lines.
//!
//! The first write to a page waits for the system to find one and clear it, and no block should wait for that. So who uses slots
//! says which of them will be needed soon, and a thread asks the system for their pages. Without such a thread, every block writes
//! to a few of them itself.

#[cfg(all(target_os = "linux", not(any(loom, miri))))]
mod memory_thread;

/// Only Linux gives memory without being written to, which only the owner of a slice may do.
#[cfg(not(all(target_os = "linux", not(any(loom, miri)))))]
mod memory_thread {
    use super::Allocation;
    use std::ops::Range;
    use std::sync::Arc;

    pub(super) enum Follower {}

    impl Follower {
        pub(super) fn new(_: &Arc<Allocation>, _: usize) -> Option<Self> {
            None
        }

        pub(super) fn want(&self, _: usize) {
            match *self {}
        }

        #[cfg(test)]
        pub(super) fn wait(&self) -> bool {
            match *self {}
        }
    }

    pub(super) fn take(_: Range<usize>) -> bool {
        false
    }
}

use memory_thread::Follower;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Zeroed allocations of a larger alignment are lazy on no system: Rust's library writes their zeros itself.
const LAZY_ALIGN: usize = 16;

/// Cache lines are fetched in pairs, so threads that write to neighbouring lines wait for each other as well. Groups of values
/// that fill whole pairs do not share one.
const PAIR_OF_LINES: usize = 128;

/// How many slots above those in use have memory: more than a large chord.
const SLOTS_AHEAD: usize = 192;

/// The most memory that [`LazySlice::take_soon`] takes itself, where there is no thread: some ten microseconds.
const BYTES_AT_ONCE: usize = 128 << 10;

/// No system has smaller pages.
const PAGE: usize = 4096;

static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// What is made from now on takes memory for all its slots at once: for programs that watch their own memory.
pub fn take_memory_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

/// The slots that should have memory when `in_use` are used.
pub(crate) fn with_memory_ahead(in_use: usize) -> usize {
    match AT_ONCE.load(Ordering::Relaxed) {
        true => usize::MAX,
        false => in_use.saturating_add(SLOTS_AHEAD),
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

/// Memory, freed when it is dropped.
struct Allocation {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it is only an address, which says nothing about who may use what is there.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and values are not dropped.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Values that begin as zeros.
pub(crate) struct LazySlice<T: Zeroable> {
    /// None without values. The memory thread may keep it a moment longer.
    allocation: Option<Arc<Allocation>>,
    first: NonNull<T>,
    count: usize,
    /// Values that have memory or will have it soon.
    taken: usize,
    follower: Option<Follower>,
}

// SAFETY: owns its values like a box.
unsafe impl<T: Zeroable + Send> Send for LazySlice<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable + Sync> Sync for LazySlice<T> {}

impl<T: Zeroable> Default for LazySlice<T> {
    /// No values, and no memory.
    fn default() -> Self {
        Self { allocation: None, first: NonNull::dangling(), count: 0, taken: 0, follower: None }
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
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let allocation = Some(Arc::new(Allocation { start, layout }));
        let offset = start.align_offset(align);
        // SAFETY: less than the alignment, for which there is room.
        let first = unsafe { start.add(offset) }.cast();
        Some(Self { allocation, first, count, taken: 0, follower: None })
    }

    /// The same where a program cannot go on without.
    pub(crate) fn new_or_abort(count: usize) -> Self {
        Self::new(count).unwrap_or_else(|| handle_alloc_error(Layout::new::<T>()))
    }

    /// Takes memory for the values below `end` now, and gets ready for [`take_soon`](Self::take_soon).
    pub(crate) fn take_now(&mut self, end: usize) {
        let values = self.taken..end.min(self.count).max(self.taken);
        let [start, end] = [values.start, values.end].map(|value| self.address(value));
        if !memory_thread::take(start..end) {
            return self.write_to(values);
        }
        self.taken = values.end;
        if let Some(allocation) = &self.allocation
            && self.taken < self.count
        {
            self.follower = Follower::new(allocation, end);
        }
    }

    fn address(&self, value: usize) -> usize {
        self.first.addr().get() + value * size_of::<T>()
    }

    /// Lets the values below `end` have memory soon. Never waits.
    #[inline]
    pub(crate) fn take_soon(&mut self, end: usize) {
        let end = end.min(self.count);
        if end <= self.taken {
            return;
        }
        match &self.follower {
            Some(follower) => {
                self.taken = end;
                follower.want(self.address(end));
            }
            None => {
                let most = BYTES_AT_ONCE / size_of::<T>().max(1);
                self.write_to(self.taken..end.min(self.taken + most.max(1)));
            }
        }
    }

    /// Waits until all that was wanted is taken; false without a thread.
    #[cfg(test)]
    pub(crate) fn wait_until_taken(&self) -> bool {
        self.follower.as_ref().is_some_and(Follower::wait)
    }

    /// Writes to the pages of these values, which keep what they have.
    fn write_to(&mut self, values: Range<usize>) {
        self.taken = values.end;
        let values = &mut self[values];
        let start = values.as_mut_ptr().cast::<u8>();
        for offset in (0..size_of_val(values)).step_by(PAGE) {
            // SAFETY: within the values, which are borrowed. The compiler must not leave it out.
            unsafe { start.add(offset).write_volatile(start.add(offset).read_volatile()) };
        }
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

    #[test]
    fn values_stay_when_memory_is_taken() {
        let whole = 64 * PAGE / size_of::<u32>();
        for ready in [0, whole / 4] {
            let mut slice = LazySlice::<u32>::new_or_abort(whole);
            (0..whole).step_by(1_000).for_each(|index| slice[index] = index as u32);
            if ready > 0 {
                slice.take_now(ready);
            }
            for end in (0..=2 * whole).step_by(whole / 8) {
                slice.take_soon(end);
            }
            slice.wait_until_taken();
            assert_eq!(slice.taken, whole, "after {ready}");
            let right = |(index, value)| value == if index % 1_000 == 0 { index as u32 } else { 0 };
            assert!(slice.iter().copied().enumerate().all(right));
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
