//! When jobs will come, so that workers can wake up in time.

use super::LONG_SPIN;
use std::time::Duration;

/// Jobs that are further apart are not expected: polling for them would save little of that time.
const LONGEST_INTERVAL: Duration = Duration::from_millis(25);

/// When jobs will come, by when they have come. Known to the thread that forks, so that workers that miss jobs know it too.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    /// When the last job ended.
    ended: Duration,
    /// Whether the last pause between two jobs was short. A block that is played live has two jobs, so long and
    /// short pauses alternate, and the next is like the one before the last.
    was_short: bool,
    period: PeriodEstimate,
}

impl Forecast {
    /// A job begins. Returns whether the pause after it is likely to be short, and when a job is likely after a long one.
    pub(super) fn begin(&mut self, now: Duration) -> (bool, Option<Duration>) {
        let is_short = now.saturating_sub(self.ended) < LONG_SPIN;
        if !is_short {
            self.period.note(now);
        }
        (std::mem::replace(&mut self.was_short, is_short), self.period.next)
    }

    /// The job has ended.
    pub(super) fn end(&mut self, now: Duration) {
        self.ended = now;
    }
}

/// When jobs come after long pauses. Blocks that are played live come at equal intervals, though threads may wake up late for some
/// of them.
#[derive(Debug, Default)]
struct PeriodEstimate {
    last: Duration,
    interval: Duration,
    /// When the next one is likely to come, if the last ones came at equal intervals.
    next: Option<Duration>,
}

impl PeriodEstimate {
    /// A job has come.
    fn note(&mut self, now: Duration) {
        let interval = now.saturating_sub(self.last);
        self.last = now;
        let is_near = |time: Duration, expected: Duration| {
            interval < LONGEST_INTERVAL && time.abs_diff(expected) < interval / 4
        };
        self.next = match self.next {
            Some(next) if is_near(now, next) => {
                // One that is late says little of those after it.
                self.interval = (7 * self.interval + interval) / 8;
                Some((7 * next + now) / 8 + self.interval)
            }
            _ => {
                let last = std::mem::replace(&mut self.interval, interval);
                is_near(interval, last).then(|| now + interval)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_jobs_are_expected_and_others_are_not() {
        let next = |jobs: &[u64]| {
            let mut period = PeriodEstimate::default();
            jobs.iter().for_each(|&job| period.note(Duration::from_micros(job)));
            period.next.map(|next| next.as_micros())
        };
        let first = 100_000;
        let from_first = |jobs: &[u64]| {
            let jobs: Vec<_> = jobs.iter().map(|job| first + job).collect();
            next(&jobs).map(|next| next - u128::from(first))
        };
        assert_eq!(from_first(&[0]), None);
        assert_eq!(from_first(&[0, 10_000]), None);
        assert_eq!(from_first(&[0, 10_000, 20_000]), Some(30_000));
        assert_eq!(from_first(&[0, 10_000, 20_000, 23_000]), None);
        // Too far apart.
        assert_eq!(from_first(&[0, 100_000, 200_000]), None);
        // Two that come late do not delay the next one by as much.
        let late = from_first(&[0, 10_000, 20_000, 30_000, 42_000, 51_500, 60_000]);
        assert!((69_500..70_700).contains(&late.unwrap()), "{late:?}");
    }

    #[test]
    fn long_and_short_pauses_alternate() {
        let mut forecast = Forecast::default();
        for block in 1..100 {
            let start = Duration::from_millis(10 * block);
            for job in 0..2 {
                let begin = start + job * Duration::from_micros(100);
                let (is_short, next) = forecast.begin(begin);
                forecast.end(begin + Duration::from_micros(80));
                if block > 3 {
                    assert_eq!(is_short, job == 0);
                    assert_eq!(next, Some(start + Duration::from_millis(10)));
                }
            }
        }
    }
}
