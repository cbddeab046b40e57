//! A gain for sound that must go and come.

use myriad_engine::dsp::{FADE, fade_in};

/// A gain that opens and closes softly.
#[derive(Debug)]
pub(super) struct Fader {
    /// How far it is open, 0 to [`FADE`].
    open: usize,
    closing: bool,
}

impl Fader {
    pub(super) fn open() -> Self {
        Self {
            open: FADE,
            closing: false,
        }
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    /// Shut at once, and on the way to open: for sound that starts in the middle.
    pub(super) fn reopen(&mut self) {
        (self.open, self.closing) = (0, false);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    pub(super) fn is_shut(&self) -> bool {
        self.closing && self.open == 0
    }

    /// Frames until it is shut, once it is closing; at least the one that is silent.
    pub(super) fn remaining(&self) -> usize {
        self.open.max(1)
    }

    /// Fades a stretch of sound.
    pub(super) fn apply(&mut self, left: &mut [f32], right: &mut [f32]) {
        if !self.closing && self.open == FADE {
            return;
        }
        for (left, right) in left.iter_mut().zip(right) {
            let gain = match self.open {
                0 => 0.0,
                open => fade_in(open - 1),
            };
            *left *= gain;
            *right *= gain;
            self.open = match self.closing {
                true => self.open.saturating_sub(1),
                false => (self.open + 1).min(FADE),
            };
        }
    }
}
