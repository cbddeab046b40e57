//! From the cloud of a layer to its unison copies, and the routes to single copies.

use super::lanes::{LOG2_PER_DB, Lanes, pan_gains};
use super::layer::{SecondLayer, Walk};
use crate::dsp::fast::exp2;
use crate::modulation::{CopyMoves, Modulation};
use crate::params::Param;
use crate::pool::CloudWriter;
use crate::spectrum::{Cloud, MAX_PARTIALS, fraction};
use crate::voice::Voice;

/// Values that the copies of all voices of a part share.
pub(super) struct Copies<'a> {
    modulation: &'a Modulation,
    second: Option<&'a SecondLayer<'a>>,
    detune: &'a [f32],
    spread: &'a [f32],
    colour: &'a [f32],
    entry: &'a [f32],
    width: &'a [f32],
    pan: &'a [f32],
    left: &'a [f32],
    right: &'a [f32],
    /// Whether a route moves single copies.
    differ: bool,
}

/// A layer of a voice, before its copies differ.
pub(super) struct Original<'a> {
    /// Its number among the layers.
    pub(super) layer: usize,
    pub(super) cloud: Cloud,
    pub(super) increment: f32,
    /// Gain of each copy, before the blend of the layers.
    pub(super) gain: f32,
    /// Its pan relative to the voice.
    pub(super) pan: f32,
    /// How its position moves through the table, and the value of its knob.
    pub(super) walk: &'a Walk,
    pub(super) position: f32,
}

impl<'a> Copies<'a> {
    pub(super) fn new(
        modulation: &'a Modulation,
        lanes: &'a Lanes,
        second: Option<&'a SecondLayer<'a>>,
        voices: usize,
    ) -> Self {
        let target = |param: Param| &modulation.lane(param)[..voices];
        Self {
            modulation,
            second,
            detune: target(Param::UnisonDetune),
            spread: target(Param::UnisonSpread),
            colour: target(Param::UnisonColour),
            entry: target(Param::UnisonEntry),
            width: target(Param::ShapeWidth),
            pan: &lanes.pan[..voices],
            left: &lanes.left[..voices],
            right: &lanes.right[..voices],
            differ: modulation.has_copies(),
        }
    }

    /// Adds the copies of a voice's layer to the tick.
    #[inline(always)]
    pub(super) fn push(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        writer: &mut CloudWriter<'_>,
    ) {
        for copy in 0..note.copies {
            let mut cloud = original.cloud;
            self.push_copy(voice, note, original, copy, &mut cloud, writer);
        }
    }

    #[inline(always)]
    fn push_copy(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        copy: usize,
        own: &mut Cloud,
        writer: &mut CloudWriter<'_>,
    ) {
        let copies = note.copies;
        let slot = note.layers[original.layer].slots[copy];
        // From -1 to 1 over the copies.
        let place = match copies {
            1 => 0.0,
            _ => 2.0 * copy as f32 / (copies - 1) as f32 - 1.0,
        };
        let detuned = match place == 0.0 {
            true => 1.0,
            false => exp2(place * self.detune[voice] / 1200.0),
        };
        // Neighbours in pitch are on opposite sides, and so are the first and the last, the second
        // and the last but one, so that left and right are balanced.
        let alternating = |index: usize| 1.0 - 2.0 * (index % 2) as f32;
        let side = alternating(copy);
        let standing = place * alternating(copy.min(copies - 1 - copy));
        own.seed = note.seeds[copy];
        own.increment = original.increment * detuned;
        let mut gain = original.gain;
        if copies > 1 {
            gain *= self.joined(voice, note.age, place);
            if self.colour[voice] != 0.0 {
                recolour(own, place * self.colour[voice]);
            }
        }
        let mut aside = original.pan;
        let mut blend = self.second.map(|second| (second, second.blend(voice)));
        if self.differ {
            let moves = self.modulation.copy(voice, place);
            move_copy(own, &moves, note, original);
            gain *= exp2(moves.level * LOG2_PER_DB);
            aside += moves.pan;
            if let Some((second, blend)) = &mut blend {
                *blend = (*blend + moves.blend).clamp(0.0, 1.0);
                own.second.share = second.share(*blend);
            }
        }
        if let Some((second, blend)) = blend {
            gain *= second.gains(blend)[original.layer];
        }
        let [left, right] = match copies == 1 && aside == 0.0 {
            true => [self.left[voice], self.right[voice]],
            false => pan_gains(self.pan[voice] + standing * self.spread[voice] + aside),
        };
        own.width_to = fraction(self.width[voice] * side);
        own.gain_to = [gain * left, gain * right];
        (own.gain_from, own.width_from) = match note.starts_at {
            Some(_) => ([0.0; 2], own.width_to),
            None => (writer.last(slot).gain_to, writer.last(slot).width_to),
        };
        writer.push(slot, own);
    }

    /// Fade-in gain of a copy that starts later than the first (stagger).
    fn joined(&self, voice: usize, age: f32, place: f32) -> f32 {
        let entry = self.entry[voice];
        match entry == 0.0 || place == -1.0 {
            // The first copy starts at once, with its attack.
            true => 1.0,
            // Every other copy fades in during half of the time; the last starts when half of it is
            // over.
            false => (2.0 * age / entry - 0.5 * (place + 1.0)).clamp(0.0, 1.0),
        }
    }
}

/// Shifts the formants of a copy, and its filters, by up to half an octave.
fn recolour(cloud: &mut Cloud, place: f32) {
    let lower = exp2(-0.5 * place);
    cloud.formant *= lower;
    for filter in &mut cloud.filters {
        filter.inverse_cutoff *= lower;
    }
}

/// Applies the routes to a copy, except for its level and pan.
fn move_copy(cloud: &mut Cloud, moves: &CopyMoves, note: &Voice, original: &Original<'_>) {
    cloud.increment *= exp2(moves.tune / 12.0);
    if moves.position != 0.0 && original.layer == 0 {
        let position = (original.position + moves.position).clamp(0.0, 1.0);
        (cloud.frame, cloud.morph) = original.walk.frame(&note.layers[0], position);
    }
    cloud.partials = (cloud.partials * exp2(moves.partials)).clamp(1.0, MAX_PARTIALS as f32);
    cloud.stretch = (cloud.stretch + moves.stretch).clamp(-0.5, 0.5);
    cloud.tilt += moves.tilt * LOG2_PER_DB;
    for (filter, octaves) in cloud.filters.iter_mut().zip([moves.cutoff, moves.cutoff2]) {
        filter.inverse_cutoff *= exp2(-octaves);
    }
}
