//! A counter in shared memory that one process raises and another waits for.

#[cfg(loom)]
mod futex;
#[cfg(test)]
mod model;

use myriad_engine::sync::atomic::{AtomicU32, Ordering, fence};
#[cfg(not(loom))]
use rustix::thread::futex;
use std::time::{Duration, Instant};

/// How long to look before going to sleep: for what is about to come. Looking longer saves a few
/// microseconds where a processor is idle, and costs as much as it lasts where none is. Models have
/// no clock.
const GLANCE: Duration = Duration::from_micros(if cfg!(loom) { 0 } else { 5 });

/// One end rings, the other waits. Bells are apart, so that their ends do not share a cache line.
///
/// A futex, because it wakes a sleeper on a processor of its own. Sockets and pipes wake it on the
/// ringer's, where it would wait until the ringer has stopped looking for the answer.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct FutexCounter {
    /// How often it has been rung, wrapping.
    rung: AtomicU32,
    /// Whether somebody sleeps.
    sleeper: AtomicU32,
}

impl FutexCounter {
    /// How often it has been rung. What was written before is visible to who has seen it.
    pub(super) fn rung(&self) -> u32 {
        self.rung.load(Ordering::Acquire)
    }

    /// Rings.
    pub(super) fn ring(&self) {
        self.rung.fetch_add(1, Ordering::Release);
        // Between this and the sleeper's fence: either we see it, or it sees the ring.
        fence(Ordering::SeqCst);
        if self.sleeper.load(Ordering::Relaxed) != 0 {
            let _ = futex::wake(&self.rung, futex::Flags::empty(), 1);
        }
    }

    /// Waits until it has been rung more often than `heard`, at most for `limit`. Says whether.
    pub(super) fn wait(&self, heard: u32, limit: Option<Duration>) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit.map_or(GLANCE, |limit| limit.min(GLANCE)) {
            if self.rung() != heard {
                return true;
            }
            std::hint::spin_loop();
        }
        self.sleeper.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        while self.rung.load(Ordering::Relaxed) == heard {
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left == Some(Duration::ZERO) {
                break;
            }
            let timeout = left.and_then(|left| left.try_into().ok());
            // Returns at once if it has been rung since, and early when a signal comes.
            let _ = futex::wait(&self.rung, futex::Flags::empty(), heard, timeout.as_ref());
        }
        self.sleeper.store(0, Ordering::Relaxed);
        self.rung() != heard
    }
}
