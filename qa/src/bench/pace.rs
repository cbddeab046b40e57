//! When blocks are rendered: one after the other, or one a period as in live play.

use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How blocks follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pace {
    /// The next one starts when the last one is done.
    BackToBack,
    /// One a period: asleep until shortly before its moment, then awake, as a render thread is.
    Paced,
}

impl Pace {
    pub(super) const ALL: [Pace; 2] = [Pace::BackToBack, Pace::Paced];

    pub(super) fn name(self) -> &'static str {
        match self {
            Pace::BackToBack => "back to back",
            Pace::Paced => "paced",
        }
    }

    /// Calls `block` at this pace until `length` has passed or the user wants us to stop; at
    /// least once. Gives what `block` says it took.
    ///
    /// # Errors
    /// Those of `block`.
    pub(super) fn run<E>(
        self,
        period: Duration,
        length: Duration,
        mut block: impl FnMut() -> Result<f64, E>,
    ) -> Result<Vec<f64>, E> {
        let begin = Instant::now();
        let mut moment = begin;
        let mut times = Vec::new();
        loop {
            if self == Pace::Paced {
                sleep_until(moment);
                // Who is late starts at once, and then a period from there.
                moment = (moment + period).max(Instant::now());
            }
            times.push(block()?);
            if begin.elapsed() >= length || interrupt::requested() {
                return Ok(times);
            }
        }
    }
}

/// How long before its moment a thread is awake: sleep ends late by about as much.
const EARLY: Duration = Duration::from_micros(60);

fn sleep_until(moment: Instant) {
    if let Some(rest) = moment.checked_duration_since(Instant::now() + EARLY) {
        std::thread::sleep(rest);
    }
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
}

/// Seconds that `work` takes, and what it gives.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let outcome = work();
    (start.elapsed().as_secs_f64(), outcome)
}
