//! Detects whether the host is ahead of real time, and so how long a callback may wait for frames.
//!
//! A host that plays live asks for a block when the last one has been played. A host that bounces asks
//! as fast as it can, and many do not announce it. While the host is ahead of real time, a wait is not
//! heard; a host that is on time never waits.

use std::time::{Duration, Instant};

/// The timeout for hosts that bounce.
const OFFLINE: Duration = Duration::from_secs(10);
/// A host that is this far ahead bounces: no device buffers so much.
const FASTER_THAN_REAL_TIME: Duration = Duration::from_millis(300);

/// Compares the frames asked for with the time that has passed.
pub(super) struct Pace {
    offline: bool,
    /// When the frames that were asked for so far began, if they are played without a pause.
    began: Option<Instant>,
    /// Their duration.
    asked: Duration,
    /// When the last callback ended, and whether the host was faster than real time then.
    last: Option<Instant>,
    is_faster_than_real_time: bool,
}

impl Pace {
    pub(super) fn new(offline: bool) -> Self {
        Self {
            offline,
            began: None,
            asked: Duration::ZERO,
            last: None,
            is_faster_than_real_time: false,
        }
    }

    /// How long a callback that begins `now` may wait for its block of the duration `block`.
    pub(super) fn timeout(&mut self, now: Instant, block: Duration) -> Duration {
        if self.offline {
            return OFFLINE;
        }
        let began = *self.began.get_or_insert(now);
        let passed = now.saturating_duration_since(began);
        let ahead = self.asked.saturating_sub(passed);
        if ahead.is_zero() {
            // On time, or after a pause: start to count here.
            (self.began, self.asked) = (Some(now), Duration::ZERO);
        }
        // A host that pauses between callbacks plays live.
        let rest = self.last.map(|last| now.saturating_duration_since(last));
        let rested = rest.is_some_and(|rest| 2 * rest > block);
        self.is_faster_than_real_time =
            ahead > FASTER_THAN_REAL_TIME || (self.is_faster_than_real_time && !rested);
        self.asked += block;
        if self.is_faster_than_real_time { OFFLINE } else { ahead }
    }

    /// Records the end of the callback.
    pub(super) fn end(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Duration = Duration::from_millis(10);

    /// The longest timeout of callbacks every `every` ms that take `busy` ms.
    fn longest(pace: &mut Pace, start: Instant, calls: u32, every: f64, busy: f64) -> Duration {
        let micros = |millis: f64| Duration::from_micros((1_000.0 * millis).round() as u64);
        let call = |call: u32| {
            let now = start + micros(f64::from(call) * every);
            let timeout = pace.timeout(now, BLOCK);
            pace.end(now + micros(busy));
            timeout
        };
        (0..calls).map(call).max().unwrap()
    }

    #[test]
    fn a_host_on_time_never_waits() {
        let mut pace = Pace::new(false);
        let start = Instant::now();
        assert_eq!(longest(&mut pace, start, 1_000, 10.0, 8.0), Duration::ZERO);
        // Nor one whose clock is a little slow.
        let later = start + Duration::from_secs(60);
        assert_eq!(longest(&mut pace, later, 1_000, 10.1, 1.0), Duration::ZERO);
    }

    #[test]
    fn a_host_that_is_early_waits_for_the_difference() {
        let mut pace = Pace::new(false);
        let start = Instant::now();
        pace.timeout(start, BLOCK);
        let early = pace.timeout(start + Duration::from_millis(4), BLOCK);
        assert_eq!(early, Duration::from_millis(6));
    }

    #[test]
    fn a_host_faster_than_real_time_waits_without_limit() {
        let mut pace = Pace::new(false);
        let start = Instant::now();
        assert_eq!(longest(&mut pace, start, 100, 1.0, 0.9), OFFLINE);
        // Also when rendering turns out slower than the sound.
        let slow = start + Duration::from_millis(100);
        for call in 0..100 {
            let now = slow + Duration::from_millis(30 * call);
            assert_eq!(pace.timeout(now, BLOCK), OFFLINE, "{call}");
            pace.end(now + Duration::from_millis(29));
        }
        // Then it plays live again.
        let live = slow + Duration::from_secs(30);
        assert_eq!(longest(&mut pace, live, 100, 10.0, 1.0), Duration::ZERO);
        assert_eq!(Pace::new(true).timeout(start, BLOCK), OFFLINE);
    }
}
