//! A token bucket: so many a second, and a burst.

use std::time::Instant;

/// Counts down what may still be done, and fills up with time.
#[derive(Debug)]
pub(crate) struct RateLimit {
    per_second: f64,
    burst: f64,
    left: f64,
    filled: Instant,
}

impl RateLimit {
    pub(crate) fn new(per_second: f64, burst: f64) -> Self {
        Self { per_second, burst, left: burst, filled: Instant::now() }
    }

    /// Takes `amount`, if there is as much.
    pub(crate) fn take(&mut self, amount: f64) -> bool {
        self.take_at(amount, Instant::now())
    }

    fn take_at(&mut self, amount: f64, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.left = (self.left + elapsed * self.per_second).min(self.burst);
        self.filled = now;
        let enough = self.left >= amount;
        if enough {
            self.left -= amount;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_and_then_so_many_a_second() {
        let mut limit = RateLimit::new(10.0, 5.0);
        let start = limit.filled;
        let passed = (0..20).filter(|_| limit.take_at(1.0, start)).count();
        assert_eq!(passed, 5);
        let later = start + Duration::from_millis(200);
        assert_eq!((0..20).filter(|_| limit.take_at(1.0, later)).count(), 2);
        let much_later = start + Duration::from_secs(3_600);
        assert_eq!((0..20).filter(|_| limit.take_at(1.0, much_later)).count(), 5);
    }
}
