//! Memory for voices that a device can pin: it has its own pages and never moves.

use crate::render::MAX_TICKS;
use crate::render::lazy_slice::{LazySlice, Zeroable};
use crate::spectrum::UnisonVoice;
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

/// The ticks of some voices, those of a voice one after the other.
pub struct VoiceMemory {
    /// Whole pages, so that nothing else is pinned with them.
    pages: LazySlice<Page>,
    /// Voices that have room.
    count: usize,
    /// A device's registration; dropped before the memory is freed.
    pin: Mutex<Option<Box<dyn Send>>>,
    is_pinned: AtomicBool,
}

impl VoiceMemory {
    /// Room for that many voices, zeroed.
    pub fn new(count: usize) -> Self {
        let pages = LazySlice::new_or_abort(Self::pages(count));
        Self { pages, count, pin: Mutex::new(None), is_pinned: AtomicBool::new(false) }
    }

    /// The same in large pages, where the system has them: it then gives much memory at once, which takes less time in all, and
    /// processors find it more quickly.
    pub(super) fn in_large_pages(count: usize) -> Self {
        let mut memory = Self::new(count);
        advise_large_pages(&mut memory.pages);
        memory
    }

    /// Address and size of the memory of the first `count` voices, up to the end of the last page.
    pub fn bytes(&self, count: usize) -> (*const u8, usize) {
        (self.pages.as_ptr().cast(), Self::pages(count.min(self.count)) * PAGE)
    }

    fn pages(count: usize) -> usize {
        let bytes = count.saturating_mul(MAX_TICKS * size_of::<UnisonVoice>());
        bytes.div_ceil(PAGE).max(1)
    }

    /// The ticks of all voices.
    #[inline]
    pub fn voices(&self) -> &[[UnisonVoice; MAX_TICKS]] {
        // SAFETY: that many, which were zeroed, and zeros are valid.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.count) }
    }

    /// The same, to write to.
    #[inline]
    pub(super) fn voices_mut(&mut self) -> &mut [[UnisonVoice; MAX_TICKS]] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.pages.as_mut_ptr().cast(), self.count) }
    }

    /// Takes memory for the first `count` voices now.
    pub(super) fn take_now(&mut self, count: usize) {
        self.pages.take_now(Self::pages(count));
    }

    /// Lets them have it soon.
    pub(super) fn take_soon(&mut self, count: usize) {
        self.pages.take_soon(Self::pages(count));
    }

    /// How many voices there are.
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

/// Asks the system for large pages. If it refuses, they are small.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise_large_pages(pages: &mut [Page]) {
    use rustix::mm::{Advice, madvise};
    // SAFETY: they are exclusive, and keep their content.
    let _ =
        unsafe { madvise(pages.as_mut_ptr().cast(), size_of_val(pages), Advice::LinuxHugepage) };
}

#[cfg(any(not(target_os = "linux"), miri))]
fn advise_large_pages(_: &mut [Page]) {}

/// Writes a voice to such memory.
pub(super) type Write = fn(&mut UnisonVoice, &UnisonVoice);

/// How to write: past the caches, or not.
pub(super) fn writing(past_the_caches: bool) -> Write {
    match past_the_caches {
        true => past_the_caches_here(),
        false => |place, voice| *place = *voice,
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

/// Writes without bringing the lines into the cache, with the widest stores that there are. Whoever does so calls
/// `settle` before the memory is shared; the writing thread itself sees its writes in order.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn past_the_caches_here() -> Write {
    use std::arch::x86_64::{__m512i, _mm_stream_si64, _mm512_load_si512, _mm512_stream_si512};

    #[target_feature(enable = "avx512f")]
    fn by_lines(place: &mut UnisonVoice, voice: &UnisonVoice) {
        let from = std::ptr::from_ref(voice).cast::<__m512i>();
        let to = std::ptr::from_mut(place).cast::<__m512i>();
        for line in 0..size_of::<UnisonVoice>() / size_of::<__m512i>() {
            // SAFETY: within both, which are whole lines.
            unsafe { _mm512_stream_si512(to.add(line), _mm512_load_si512(from.add(line))) };
        }
    }

    fn by_pairs(place: &mut UnisonVoice, voice: &UnisonVoice) {
        let from = std::ptr::from_ref(voice).cast::<i64>();
        let to = std::ptr::from_mut(place).cast::<i64>();
        for pair in 0..size_of::<UnisonVoice>() / size_of::<i64>() {
            // SAFETY: within both, which are pairs of words.
            unsafe { _mm_stream_si64(to.add(pair), from.add(pair).read()) };
        }
    }

    match is_x86_feature_detected!("avx512f") {
        // SAFETY: this processor has it.
        true => |place, voice| unsafe { by_lines(place, voice) },
        false => by_pairs,
    }
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
fn past_the_caches_here() -> Write {
    |place, voice| *place = *voice
}

impl Drop for VoiceMemory {
    fn drop(&mut self) {
        // Before the memory is freed.
        self.set_pin(None);
    }
}

impl std::fmt::Debug for VoiceMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VoiceMemory({})", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Cloud;
    use std::sync::Arc;

    #[test]
    fn voices_have_pages_of_their_own() {
        let mut memory = VoiceMemory::new(3);
        memory.voices_mut()[2][MAX_TICKS - 1].unison.seed = 7;
        assert_eq!(memory.voices().len(), 3);
        assert_eq!(memory.voices()[2][MAX_TICKS - 1].unison.seed, 7);
        let (start, length) = memory.bytes(3);
        assert!((start as usize).is_multiple_of(PAGE) && length == 2 * PAGE);
    }

    #[test]
    fn other_threads_see_writes_past_the_caches() {
        let mut memory = VoiceMemory::new(5);
        memory.set_pin(Some(Box::new(())));
        let voice = |index: usize| {
            let seed = 1 + index as u32;
            UnisonVoice::single(&Cloud { seed, width_to: seed as i16, ..Cloud::default() })
        };
        for (index, ticks) in memory.voices_mut()[..4].iter_mut().enumerate() {
            writing(true)(&mut ticks[1], &voice(index));
        }
        memory.settle();
        let memory = &memory;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for index in 0..4 {
                    assert_eq!(memory.voices()[index][1], voice(index));
                }
                assert_eq!(memory.voices()[4][1].unison.shape, 0);
            });
        });
    }

    #[test]
    fn the_pin_is_dropped_with_the_memory() {
        let pinned = Arc::new(());
        let memory = VoiceMemory::new(1);
        memory.set_pin(Some(Box::new(Arc::clone(&pinned))));
        assert_eq!(Arc::strong_count(&pinned), 2);
        drop(memory);
        assert_eq!(Arc::strong_count(&pinned), 1);
    }
}
