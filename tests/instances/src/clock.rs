//! The pace of a sound device: blocks are due at fixed times.

use std::time::{Duration, Instant};

/// The sleep ends this much before a block is due, because it ends late by about as much.
const EARLY: Duration = Duration::from_micros(100);

/// Waits for one block after the other. Times are computed from the start, so that errors do not add up.
pub(crate) struct BlockClock {
    period: Duration,
    start: Instant,
    /// Blocks since `start`.
    count: u32,
    /// Blocks that were a whole period late when they began. Like a device, the clock does not catch up after that.
    late: u64,
}

impl BlockClock {
    pub(crate) fn new(period: Duration) -> Self {
        Self { period, start: Instant::now(), count: 0, late: 0 }
    }

    /// Waits until the next block is due.
    pub(crate) fn wait(&mut self) {
        self.count += 1;
        let due = self.start + self.period * self.count;
        let rest = due.saturating_duration_since(Instant::now());
        std::thread::sleep(rest.saturating_sub(EARLY));
        while Instant::now() < due {
            std::hint::spin_loop();
        }
        self.started(due, Instant::now());
    }

    /// A block that was due at one time starts at another.
    fn started(&mut self, due: Instant, now: Instant) {
        if now.saturating_duration_since(due) > self.period {
            self.late += 1;
            (self.start, self.count) = (now, 0);
        }
    }

    pub(crate) fn late(&self) -> u64 {
        self.late
    }
}

/// Processor time of this thread, where the system tells it.
pub(crate) fn thread_time() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_block_is_counted_and_not_caught_up() {
        const PERIOD: Duration = Duration::from_millis(10);
        let mut clock = BlockClock::new(PERIOD);
        let due = clock.start + PERIOD;
        clock.count = 1;
        clock.started(due, due + PERIOD);
        assert_eq!((clock.late(), clock.count), (0, 1));
        clock.started(due, due + 3 * PERIOD);
        assert_eq!((clock.late(), clock.count), (1, 0));
        assert_eq!(clock.start, due + 3 * PERIOD);
    }
}
