//! Offsets that a host adds to a parameter of one voice, on top of the patch's routes.
//!
//! Few voices have any, so they are a short list and not lanes.

use crate::params::Param;

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

    /// Adds the offsets to the targets of the first `voices` voices. Returns the parameters that it
    /// moves.
    pub(super) fn apply(
        &self,
        targets: &mut [Vec<f32>],
        voices: usize,
    ) -> impl Iterator<Item = Param> {
        let present = self.0.iter().filter(move |offset| offset.voice < voices);
        present.map(|offset| {
            let kind = offset.param.info().kind;
            let target = &mut targets[offset.param as usize][offset.voice];
            *target = kind.from_scale(kind.to_scale(*target) + offset.amount);
            offset.param
        })
    }
}
