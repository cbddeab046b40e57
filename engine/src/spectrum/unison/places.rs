//! Where the copies of a voice are: in pitch, from left to right, and how far they have come in.

use super::MAX_COPIES;
use crate::dsp::fast::{exp2, quarter_sine};

/// Levels and places of a voice's copies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mix {
    /// The gain of each copy.
    pub gain: f32,
    /// The pan of the middle, -1 to 1.
    pub pan: f32,
    /// How far the copies are spread around it.
    pub spread: f32,
    /// How far the copies have come in, one after the other: all of them at [`Mix::ALL_IN`].
    pub entry: f32,
}

impl Default for Mix {
    fn default() -> Self {
        Self::SILENT
    }
}

impl Mix {
    /// The entry at which every copy has its full gain.
    pub const ALL_IN: f32 = 2.0;

    /// Silence, in the middle.
    pub(super) const SILENT: Self = Self { gain: 0.0, pan: 0.0, spread: 0.0, entry: Self::ALL_IN };

    /// Gain and pan of a single copy.
    pub fn single(gain: f32, pan: f32) -> Self {
        Self { gain, pan, ..Self::default() }
    }

    /// That whose channels have these gains.
    pub(super) fn of_channels([left, right]: [f32; 2]) -> Self {
        let pan = right.atan2(left) * (4.0 / std::f32::consts::PI) - 1.0;
        Self::single(left.hypot(right), pan)
    }

    /// Copy number `copy` of `copies`, as a single one.
    #[must_use]
    pub fn of_copy(&self, copy: usize, copies: usize) -> Self {
        let places = &PLACES[copies - 1];
        let gain = self.gain * self.entered(places.place[copy]);
        Self::single(gain, self.pan + places.standing[copy] * self.spread)
    }

    /// Fade-in gain of the copy at `place`. The first starts at once; every other copy fades in during half of the
    /// time, and the last starts when half of it is over.
    #[inline(always)]
    fn entered(&self, place: f32) -> f32 {
        let gain = (self.entry - 0.5 * (place + 1.0)).clamp(0.0, 1.0);
        if place == -1.0 { 1.0 } else { gain }
    }

    /// Gains of left and right of the only copy.
    #[inline(always)]
    pub(super) fn gains_of_single(&self, channels: [f32; 2]) -> [f32; 2] {
        self.gains_at((0.0, 0.0), channels)
    }

    /// Gains of left and right of all of `copies` copies.
    #[inline(always)]
    pub(super) fn gains(&self, copies: usize, channels: [f32; 2]) -> [[f32; MAX_COPIES]; 2] {
        let places = &PLACES[copies - 1];
        let mut gains = [[0.0; MAX_COPIES]; 2];
        let [left, right] = &mut gains;
        for copy in 0..MAX_COPIES {
            let at = (places.place[copy], places.standing[copy]);
            [left[copy], right[copy]] = self.gains_at(at, channels);
        }
        gains
    }

    /// Gains of left and right of the copy that is detuned and panned so far, -1 to 1.
    #[inline(always)]
    fn gains_at(&self, (place, standing): (f32, f32), channels: [f32; 2]) -> [f32; 2] {
        let gain = self.gain * self.entered(place);
        let [left, right] = pan_gains(self.pan + standing * self.spread);
        [gain * left * channels[0], gain * right * channels[1]]
    }
}

/// Constant-power gains of left and right for a pan from -1 to 1.
#[inline(always)]
pub fn pan_gains(pan: f32) -> [f32; 2] {
    let right = 0.5 * (pan.clamp(-1.0, 1.0) + 1.0);
    [quarter_sine(1.0 - right), quarter_sine(right)]
}

/// The factors of the pitches of `copies` copies that are spread over `detune` octaves to either side.
#[inline(always)]
pub fn pitch_factors(copies: usize, detune: f32) -> [f32; MAX_COPIES] {
    let mut factors = [1.0; MAX_COPIES];
    for (factor, place) in factors.iter_mut().zip(&PLACES[copies - 1].place) {
        *factor = exp2(place * detune);
    }
    factors
}

/// Where the copies of a voice are.
struct Places {
    /// From -1 to 1 over the copies: how they are detuned.
    place: [f32; MAX_COPIES],
    /// The same for their pan. Neighbours in pitch are on opposite sides, and so are the first and the
    /// last, the second and the last but one, so that left and right are balanced.
    standing: [f32; MAX_COPIES],
}

/// By the number of copies, less one.
static PLACES: [Places; MAX_COPIES] = {
    let mut all =
        [const { Places { place: [0.0; MAX_COPIES], standing: [0.0; MAX_COPIES] } }; MAX_COPIES];
    let mut copies = 2;
    while copies <= MAX_COPIES {
        let mut copy = 0;
        while copy < copies {
            let place = 2.0 * copy as f32 / (copies - 1) as f32 - 1.0;
            let from_end = copies - 1 - copy;
            let nearest = if copy < from_end { copy } else { from_end };
            all[copies - 1].place[copy] = place;
            all[copies - 1].standing[copy] = if nearest % 2 == 0 { place } else { -place };
            copy += 1;
        }
        copies += 1;
    }
    all
};

/// The place of a copy, from -1 to 1: how it is detuned.
pub(crate) fn place_of(copy: usize, copies: usize) -> f32 {
    PLACES[copies - 1].place[copy]
}
