//! How a run is divided: the candidates are measured in interleaved rounds, so that whatever else the
//! machine does disturbs all of them alike.

use super::RATE;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use myriad_engine::TICK;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// How often each candidate is measured. The spread of the rounds is the noise.
pub(super) const ROUNDS: usize = 5;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// In all.
    pub(super) seconds: f64,
}

impl Plan {
    /// Shorter runs measure fewer cases.
    const FULL_SECONDS: f64 = 60.0;

    pub(super) fn is_quick(&self) -> bool {
        self.seconds < Self::FULL_SECONDS
    }

    /// One of `pieces` equal pieces of `share` of the time.
    pub(super) fn piece(&self, share: f64, pieces: usize) -> Duration {
        Duration::from_secs_f64(self.seconds * share / pieces.max(1) as f64)
    }

    /// A progress bar of `steps` steps, if standard error is a terminal.
    pub(super) fn bar(&self, section: &'static str, steps: usize) -> ProgressBar {
        if !stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let template = "  {msg:<10} {wide_bar:.magenta} {percent:>3}%  {eta} left";
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ");
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        bar.set_message(section);
        bar
    }
}

/// Measures every one of `subjects` once a round, [`ROUNDS`] times. Returns the results of each
/// subject; there are fewer of them when the user stopped the run.
pub(super) fn in_rounds<S, R>(
    subjects: &mut [S],
    bar: &ProgressBar,
    mut measure: impl FnMut(&mut S) -> Result<R, Failure>,
) -> Result<Vec<Vec<R>>, Failure> {
    let mut results: Vec<Vec<R>> = subjects.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (subject, results) in subjects.iter_mut().zip(&mut results) {
            if interrupt::requested() {
                break;
            }
            results.push(measure(subject)?);
            bar.inc(1);
        }
    }
    Ok(results)
}

/// When blocks are rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pace {
    /// A block starts when the one before it is done.
    BackToBack,
    /// One block a period: the thread sleeps until shortly before, and then spins, as a render
    /// thread does.
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

    /// Calls `block` at this pace until `length` has passed or the user stops the run; at least
    /// once. Returns what `block` returned.
    pub(super) fn run(
        self,
        period: Duration,
        length: Duration,
        mut block: impl FnMut() -> Result<f64, Failure>,
    ) -> Result<Vec<f64>, Failure> {
        let begin = Instant::now();
        let mut due = begin;
        let mut times = Vec::new();
        loop {
            if self == Pace::Paced {
                sleep_until(due);
                // A late block starts at once; the next period counts from there.
                due = (due + period).max(Instant::now());
            }
            times.push(block()?);
            if begin.elapsed() >= length || interrupt::requested() {
                return Ok(times);
            }
        }
    }
}

fn sleep_until(due: Instant) {
    /// A sleep may end so much too late; the rest is spun.
    const EARLY: Duration = Duration::from_micros(60);
    if let Some(rest) = due.checked_duration_since(Instant::now() + EARLY) {
        std::thread::sleep(rest);
    }
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

/// How long `ticks` ticks sound.
pub(super) fn period(ticks: usize) -> Duration {
    Duration::from_secs_f64((ticks * TICK) as f64 / RATE)
}

/// The seconds that `work` takes, and its result.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let outcome = work();
    (start.elapsed().as_secs_f64(), outcome)
}
