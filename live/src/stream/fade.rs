//! A gain that fades the stream in and out.

use myriad_engine::dsp::{FADE, fade_in};

/// A gain with smooth fades.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fader {
    /// Its position, from 0 (silent) to [`FADE`] (open).
    open: usize,
    closing: bool,
}

impl Fader {
    pub(super) fn open() -> Self {
        Self { open: FADE, closing: false }
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    /// Fades in from silence.
    pub(super) fn reopen(&mut self) {
        (self.open, self.closing) = (0, false);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    pub(super) fn is_shut(&self) -> bool {
        self.closing && self.open == 0
    }

    /// Frames until it is shut, once it is closing; at least the silent one.
    pub(super) fn remaining(&self) -> usize {
        self.open.max(1)
    }

    /// Applies the gain.
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
