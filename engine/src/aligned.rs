//! Slices whose first element begins a cache line.

use std::ops::{Deref, DerefMut};

/// Cache lines are fetched in pairs, so threads that write to neighbouring lines wait for each other as well.
const PAIR_OF_LINES: usize = 128;

/// Elements that threads write to in groups: groups of whole pairs of cache lines do not share one.
#[derive(Debug)]
pub(crate) struct AlignedSlice<T> {
    elements: Vec<T>,
    first: usize,
    count: usize,
}

impl<T: Clone> AlignedSlice<T> {
    /// So many elements, all the same.
    pub(crate) fn new(element: T, count: usize) -> Self {
        let elements = vec![element; count + PAIR_OF_LINES / size_of::<T>()];
        let first = elements.as_ptr().align_offset(PAIR_OF_LINES);
        // Where no element begins a pair of lines, the first is as good as any.
        let first = if first <= elements.len() - count { first } else { 0 };
        Self { elements, first, count }
    }
}

impl<T> Deref for AlignedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.elements[self.first..self.first + self.count]
    }
}

impl<T> DerefMut for AlignedSlice<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[self.first..self.first + self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_begins_a_pair_of_cache_lines() {
        for count in [0, 1, 100, 5_000] {
            let slice = AlignedSlice::new(7_u32, count);
            assert_eq!(&*slice, &vec![7; count]);
            // Miri may say that nothing can be aligned.
            assert!(cfg!(miri) || slice.as_ptr().addr().is_multiple_of(PAIR_OF_LINES));
        }
    }
}
