//! Whether the host is ahead of the clock, and so how long its call may wait for frames.
//!
//! A host that plays to somebody asks for a block when the last one has been heard. One that
//! bounces asks as fast as it gets an answer, and many do not say so. As long as the host is ahead
//! of the clock nobody hears a wait; a host that is on time is never made to wait.

use std::time::{Duration, Instant};

/// Hosts that say that nobody listens can wait as long as anybody would.
const OFFLINE: Duration = Duration::from_secs(10);
/// Who is so far ahead does not play to anybody: more than any device keeps ready.
const RACING: Duration = Duration::from_millis(300);

/// Compares what was asked for with the time that has passed.
pub(super) struct Pace {
    offline: bool,
    /// When the sound began that has been asked for so far, if it is played without a pause.
    began: Option<Instant>,
    /// How long that sounds.
    asked: Duration,
    /// When the last call ended, and whether the host was racing then.
    last: Option<Instant>,
    racing: bool,
}

impl Pace {
    pub(super) fn new(offline: bool) -> Self {
        Self { offline, began: None, asked: Duration::ZERO, last: None, racing: false }
    }

    /// How long a call that begins `now` may wait for its block, which sounds for `block`.
    pub(super) fn patience(&mut self, now: Instant, block: Duration) -> Duration {
        if self.offline {
            return OFFLINE;
        }
        let began = *self.began.get_or_insert(now);
        let passed = now.saturating_duration_since(began);
        let ahead = self.asked.saturating_sub(passed);
        if ahead.is_zero() {
            // On time, or after a pause: what counts begins here.
            (self.began, self.asked) = (Some(now), Duration::ZERO);
        }
        // Who takes a rest of its own plays to somebody after all.
        let rest = self.last.map(|last| now.saturating_duration_since(last));
        let rested = rest.is_some_and(|rest| 2 * rest > block);
        self.racing = ahead > RACING || (self.racing && !rested);
        self.asked += block;
        if self.racing { OFFLINE } else { ahead }
    }

    /// The call has ended.
    pub(super) fn end(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Duration = Duration::from_millis(10);

    /// Calls of so many milliseconds each, `every` so many; the longest that one could wait.
    fn longest(pace: &mut Pace, start: Instant, calls: u32, every: f64, busy: f64) -> Duration {
        let micros = |millis: f64| Duration::from_micros((1_000.0 * millis).round() as u64);
        let call = |call: u32| {
            let now = start + micros(f64::from(call) * every);
            let patience = pace.patience(now, BLOCK);
            pace.end(now + micros(busy));
            patience
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
    fn one_that_is_a_block_early_waits_until_it_is_not() {
        let mut pace = Pace::new(false);
        let start = Instant::now();
        pace.patience(start, BLOCK);
        let early = pace.patience(start + Duration::from_millis(4), BLOCK);
        assert_eq!(early, Duration::from_millis(6));
    }

    #[test]
    fn one_that_races_ahead_waits_as_long_as_it_takes() {
        let mut pace = Pace::new(false);
        let start = Instant::now();
        assert_eq!(longest(&mut pace, start, 100, 1.0, 0.9), OFFLINE);
        // Also when rendering turns out slower than the sound.
        let slow = start + Duration::from_millis(100);
        for call in 0..100 {
            let now = slow + Duration::from_millis(30 * call);
            assert_eq!(pace.patience(now, BLOCK), OFFLINE, "{call}");
            pace.end(now + Duration::from_millis(29));
        }
        // Then it plays to somebody again.
        let live = slow + Duration::from_secs(30);
        assert_eq!(longest(&mut pace, live, 100, 10.0, 1.0), Duration::ZERO);
        assert_eq!(Pace::new(true).patience(start, BLOCK), OFFLINE);
    }
}
