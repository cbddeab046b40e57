//! Where a delay is read. Another place fades in, so that nothing glides in pitch.

use crate::dsp::{FADE, fade_in};

/// How much slower one place fades into another than other things do, for these are whole echoes.
const SLOWER: usize = 8;

/// Frames from here to there.
const LENGTH: usize = FADE * SLOWER;

/// A place in the past.
#[derive(Debug)]
pub(super) struct Place {
    /// So many frames ago; none before it was ever told.
    now: Option<usize>,
    before: usize,
    /// How far the one has faded into the other.
    faded: usize,
}

impl Place {
    pub(super) fn new() -> Self {
        Self {
            now: None,
            before: 0,
            faded: LENGTH,
        }
    }

    /// The next place is where it starts.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    /// It shall be `frames` ago. What it was told before comes first.
    pub(super) fn aim(&mut self, frames: usize) {
        let now = *self.now.get_or_insert(frames);
        if frames != now && self.faded == LENGTH {
            (self.before, self.now, self.faded) = (now, Some(frames), 0);
        }
    }

    /// What is heard there, of what is heard so many frames ago.
    #[inline(always)]
    pub(super) fn read(&self, ago: impl Fn(usize) -> f32) -> f32 {
        let now = ago(self.now.unwrap_or_default());
        if self.faded == LENGTH {
            return now;
        }
        let before = ago(self.before);
        before + (now - before) * fade_in(self.faded / SLOWER)
    }

    /// A frame has passed.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        self.faded = (self.faded + 1).min(LENGTH);
    }

    /// The furthest that is still heard.
    pub(super) fn furthest(&self) -> usize {
        self.now.unwrap_or_default().max(self.before)
    }
}
