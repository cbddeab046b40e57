//! A counter in shared memory that one process increments and another waits for.

#[cfg(loom)]
mod futex;
#[cfg(test)]
mod model;

use myriad_engine::sync::atomic::{AtomicU32, Ordering, fence};
#[cfg(not(loom))]
use rustix::thread::futex;
use std::time::{Duration, Instant};

/// How long to spin before sleeping, usually. Spinning longer saves a few microseconds when a core is idle,
/// and costs its whole length when none is. Models have no clock.
pub(super) const SPIN: Duration = Duration::from_micros(if cfg!(loom) { 0 } else { 5 });

/// One process increments, the other waits. Aligned so that two counters do not share a cache line.
///
/// A futex, because it wakes the waiter on another core. Sockets and pipes wake it on the core of the
/// process that writes, which is itself about to spin for the answer.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct FutexCounter {
    /// Wraps.
    count: AtomicU32,
    /// One while a process sleeps in `wait`.
    sleeping: AtomicU32,
}

impl FutexCounter {
    /// The count. What the other process wrote before it incremented is visible afterwards.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    pub(super) fn increment(&self) {
        self.count.fetch_add(1, Ordering::Release);
        // Paired with the waiter's fence: either we see that it sleeps, or it sees the count.
        fence(Ordering::SeqCst);
        if self.sleeping.load(Ordering::Relaxed) != 0 {
            let _ = futex::wake(&self.count, futex::Flags::empty(), 1);
        }
    }

    /// Waits until the count is no longer `known`, at most for `limit`; at first it spins. Returns whether it changed.
    pub(super) fn wait(&self, known: u32, spin: Duration, limit: Option<Duration>) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit.map_or(spin, |limit| limit.min(spin)) {
            if self.count() != known {
                return true;
            }
            std::hint::spin_loop();
        }
        self.sleeping.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        while self.count.load(Ordering::Relaxed) == known {
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left == Some(Duration::ZERO) {
                break;
            }
            let timeout = left.and_then(|left| left.try_into().ok());
            // Returns at once if the count has changed since, and early when a signal comes.
            let _ = futex::wait(&self.count, futex::Flags::empty(), known, timeout.as_ref());
        }
        self.sleeping.store(0, Ordering::Relaxed);
        self.count() != known
    }
}
