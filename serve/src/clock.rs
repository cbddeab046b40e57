//! The server's clock: frames since its start, and the rounds in which all seats are rendered.

use std::time::{Duration, Instant};

/// Frames since the server's start. Round `r` renders the frames from `r * block` on, and is due when the
/// clock shows the first of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
    rate: f64,
    pub(crate) block: usize,
}

impl Clock {
    pub(crate) fn new(rate: u32, block: usize) -> Self {
        Self { start: Instant::now(), rate: f64::from(rate), block }
    }

    /// The time now, in frames.
    pub(crate) fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64() * self.rate
    }

    /// The newest round that is due.
    pub(crate) fn round(&self) -> u64 {
        (self.now() / self.block as f64) as u64
    }

    /// When a round is due.
    pub(crate) fn due(&self, round: u64) -> Instant {
        let seconds = (round * self.block as u64) as f64 / self.rate;
        self.start + Duration::from_secs_f64(seconds)
    }

    /// The first frame of a round.
    pub(crate) fn first_frame(&self, round: u64) -> u64 {
        round * self.block as u64
    }

    /// How long a block sounds.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_secs_f64(self.block as f64 / self.rate)
    }

    /// How long the server has run.
    pub(crate) fn uptime(&self) -> Duration {
        self.start.elapsed()
    }
}
