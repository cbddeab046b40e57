//! How much of its time rendering takes.

use crate::meters::Meters;
use std::time::Duration;

/// How long is looked at, at a time: blocks may be as short as a sample.
const WINDOW: Duration = Duration::from_millis(100);

/// Adds up time spent and time filled with sound.
pub(crate) struct Clock {
    spent: Duration,
    filled: Duration,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { spent: Duration::ZERO, filled: Duration::ZERO }
    }

    /// So much time was spent on so many frames.
    pub(crate) fn note(
        &mut self,
        spent: Duration,
        frames: usize,
        sample_rate: f32,
        meters: &Meters,
    ) {
        self.spent += spent;
        self.filled += Duration::from_secs_f32(frames as f32 / sample_rate);
        if self.filled >= WINDOW {
            let load = self.spent.as_secs_f32() / self.filled.as_secs_f32();
            meters.show_load(load);
            if load > 1.0 {
                meters.count_underrun();
            }
            *self = Self::new();
        }
    }
}
