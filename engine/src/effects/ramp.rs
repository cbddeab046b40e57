//! Values that are interpolated through a tick: from the end of the last tick to their target.

use crate::render::TICK;

/// A parameter's value at the end of the last tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Glide(Option<f32>);

impl Glide {
    /// The next value starts without interpolation.
    pub(super) fn reset(&mut self) {
        self.0 = None;
    }

    /// The ramp to `to` through the next tick.
    pub(super) fn ramp(&mut self, to: f32) -> Ramp {
        let from = self.0.replace(to).unwrap_or(to);
        Ramp::new(from, to)
    }
}

/// A straight line through one tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    value: f32,
    step: f32,
}

impl Ramp {
    pub(super) fn new(from: f32, to: f32) -> Self {
        Self { value: from, step: (to - from) / TICK as f32 }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> f32 {
        self.value += self.step;
        self.value
    }
}

/// Amplitude of a level in decibels.
pub(super) fn amplitude(decibels: f32) -> f32 {
    10f32.powf(decibels / 20.0)
}

/// Dry/wet mix for effects that add to their input: in the middle both have full level.
#[inline(always)]
pub(super) fn balance(dry: f32, wet: f32, mix: f32) -> f32 {
    dry * (2.0 - 2.0 * mix).min(1.0) + wet * (2.0 * mix).min(1.0)
}
