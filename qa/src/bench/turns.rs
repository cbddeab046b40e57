//! How a run is divided: so many seconds in all, and everyone in turns, so that what else the
//! machine does disturbs all alike.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Rounds of turns. Their spread tells noise from news.
pub(super) const ROUNDS: usize = 5;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// In all.
    pub(super) seconds: f64,
}

impl Plan {
    /// Below this, a run looks at fewer cases.
    const FULL_SECONDS: f64 = 60.0;

    pub(super) fn is_quick(&self) -> bool {
        self.seconds < Self::FULL_SECONDS
    }

    /// One of `pieces` equal pieces of `share` of the time.
    pub(super) fn piece(&self, share: f64, pieces: usize) -> Duration {
        Duration::from_secs_f64(self.seconds * share / pieces.max(1) as f64)
    }

    /// A bar for `steps` steps of a section, where somebody can see it.
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

/// Gives everyone of `players` a turn, [`ROUNDS`] times, unless the user wants us to stop.
///
/// # Errors
/// Those of `turn`.
pub(super) fn in_turns<P>(
    players: &mut [P],
    bar: &ProgressBar,
    mut turn: impl FnMut(&mut P) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for _ in 0..ROUNDS {
        for player in players.iter_mut() {
            if interrupt::requested() {
                return Ok(());
            }
            turn(player)?;
            bar.inc(1);
        }
    }
    Ok(())
}
