//! The tap of a delay line. A new delay time is crossfaded, so that there is no change of pitch.

use crate::dsp::{FADE, fade_in};

/// How much longer this crossfade is than others, since whole echoes are crossfaded.
const SLOWER: usize = 8;

/// Frames of the crossfade.
const LENGTH: usize = FADE * SLOWER;

/// A read position in a delay line.
#[derive(Debug)]
pub(super) struct CrossfadedTap {
    /// Delay in frames; `None` before the first one was set.
    now: Option<usize>,
    before: usize,
    /// Progress of the crossfade from `before` to `now`.
    faded: usize,
}

impl CrossfadedTap {
    pub(super) fn new() -> Self {
        Self { now: None, before: 0, faded: LENGTH }
    }

    /// The next delay is set without a crossfade.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Sets the delay. A crossfade in progress is completed first.
    pub(super) fn set_delay(&mut self, frames: usize) {
        let now = *self.now.get_or_insert(frames);
        if frames != now && self.faded == LENGTH {
            (self.before, self.now, self.faded) = (now, Some(frames), 0);
        }
    }

    /// The sample at the tap; `ago` gives the sample of so many frames ago.
    #[inline(always)]
    pub(super) fn read(&self, ago: impl Fn(usize) -> f32) -> f32 {
        let now = ago(self.now.unwrap_or_default());
        if self.faded == LENGTH {
            return now;
        }
        let before = ago(self.before);
        before + (now - before) * fade_in(self.faded / SLOWER)
    }

    /// Advances by a frame.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        self.faded = (self.faded + 1).min(LENGTH);
    }

    /// The longest delay that is still audible.
    pub(super) fn furthest(&self) -> usize {
        self.now.unwrap_or_default().max(self.before)
    }
}
