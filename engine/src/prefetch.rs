//! Prefetching of memory that another core has just written: its lines come from that core's caches, which takes long, and
//! processors by themselves do not look beyond a page.

/// Bytes that a core fetches at once.
const CACHE_LINE: usize = 64;

/// Fetches the cache lines of `bytes` bytes from `place` on, to read them soon. Any address is allowed.
#[inline(always)]
pub fn prefetch<T>(place: *const T, bytes: usize) {
    let first = place.cast::<[u8; CACHE_LINE]>();
    (0..bytes.div_ceil(CACHE_LINE)).for_each(|line| prefetch_line(first.wrapping_add(line)));
}

#[inline(always)]
fn prefetch_line<T>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, which never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = place;
}
