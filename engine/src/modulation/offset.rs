//! Offsets that a host adds to a parameter of one voice, on top of the patch's routes.
//!
//! Few voices have any, so they are a short list and not lanes.

use crate::params::Param;
use std::ops::Range;

/// The most offsets at once; further ones are ignored.
const MAX_OFFSETS: usize = 1_024;

#[derive(Debug)]
struct Offset {
    voice: usize,
    param: Param,
    /// Fraction of the knob's range.
    amount: f32,
}

#[derive(Debug)]
pub(super) struct Offsets(Vec<Offset>);

impl Offsets {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(MAX_OFFSETS))
    }

    /// Replaces the offset of a voice's parameter.
    pub(super) fn set(&mut self, voice: usize, param: Param, amount: f32) {
        let of = |offset: &&mut Offset| offset.voice == voice && offset.param == param;
        if let Some(offset) = self.0.iter_mut().find(of) {
            offset.amount = amount;
        } else if self.0.len() < MAX_OFFSETS {
            self.0.push(Offset { voice, param, amount });
        }
    }

    pub(super) fn forget(&mut self, voice: usize) {
        self.0.retain(|offset| offset.voice != voice);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The offsets of some voices: voice, parameter and fraction of the knob's range.
    pub(super) fn of(&self, voices: Range<usize>) -> impl Iterator<Item = (usize, Param, f32)> {
        let present = self.0.iter().filter(move |offset| voices.contains(&offset.voice));
        present.map(|offset| (offset.voice, offset.param, offset.amount))
    }
}
