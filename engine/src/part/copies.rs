//! From the cloud of a layer to its unison copies, and the routes to single copies.

use super::lanes::{LOG2_PER_DB, Lanes, pan_gains};
use super::layer::{SecondLayer, Walk};
use crate::dsp::fast::exp2;
use crate::modulation::{CopyMoves, Modulation};
use crate::params::Param;
use crate::pool::{CloudWriter, OwnValues};
use crate::spectrum::{Cloud, MAX_PARTIALS, STARTS, fraction};
use crate::voice::{MAX_COPIES, Voice};

/// Values that the copies of all voices of a part share.
pub(super) struct Copies<'a> {
    modulation: &'a Modulation,
    second: Option<&'a SecondLayer<'a>>,
    detune: &'a [f32],
    /// Where all voices have the same detune: factors of the pitches of voices with so many copies.
    pitch_factors: Option<(usize, [f32; MAX_COPIES])>,
    spread: &'a [f32],
    colour: &'a [f32],
    entry: &'a [f32],
    width: &'a [f32],
    pan: &'a [f32],
    left: &'a [f32],
    right: &'a [f32],
    /// Whether a route moves single copies.
    differ: bool,
    /// Whether the copies of some voices have different spectra.
    are_coloured: bool,
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
    /// Which of its clouds this is.
    pub(super) side: Side,
    /// How its position moves through the table, and the value of its knob.
    pub(super) walk: &'a Walk,
    pub(super) position: f32,
}

/// A cloud of a copy: the only one, or that of one channel where partials are panned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Left,
    Right,
}

impl Side {
    /// The gains of the channels.
    #[inline(always)]
    fn gains(self) -> [f32; 2] {
        match self {
            Side::Both => [1.0, 1.0],
            Side::Left => [1.0, 0.0],
            Side::Right => [0.0, 1.0],
        }
    }
}

impl Original<'_> {
    /// The row of a frame for this side.
    #[inline(always)]
    fn row(&self, frame: u16) -> u16 {
        let side_rows = self.walk.table.side_rows;
        match self.side {
            Side::Both => frame,
            Side::Left => frame + side_rows,
            Side::Right => frame + 2 * side_rows,
        }
    }
}

impl<'a> Copies<'a> {
    /// For so many voices, most of which have so many copies.
    #[inline(always)]
    pub(super) fn new(
        modulation: &'a Modulation,
        lanes: &'a Lanes,
        second: Option<&'a SecondLayer<'a>>,
        voices: usize,
        copies: usize,
    ) -> Self {
        let target = |param: Param| &modulation.lane(param)[..voices];
        Self {
            modulation,
            second,
            detune: target(Param::UnisonDetune),
            pitch_factors: modulation
                .constant(Param::UnisonDetune)
                .map(|detune| (copies, pitch_factors(copies, detune))),
            spread: target(Param::UnisonSpread),
            colour: target(Param::UnisonColour),
            entry: target(Param::UnisonEntry),
            width: target(Param::ShapeWidth),
            pan: &lanes.pan[..voices],
            left: &lanes.left[..voices],
            right: &lanes.right[..voices],
            differ: modulation.has_copies(),
            are_coloured: !modulation.is_constant_at(Param::UnisonColour, 0.0),
        }
    }

    /// How many descriptions the voice needs at most.
    pub(super) fn descriptions(&self, note: &Voice) -> usize {
        let layers = note.layers[..note.sounding].iter();
        let clouds: usize = layers.map(|layer| 1 + usize::from(layer.is_panned)).sum();
        match self.differ || self.are_coloured {
            true => clouds * note.copies,
            false => clouds,
        }
    }

    /// Adds the copies of a voice's layer to the tick: one cloud each, or one for each channel.
    #[inline(always)]
    pub(super) fn push(
        &self,
        voice: usize,
        note: &Voice,
        original: &mut Original<'_>,
        writer: &mut CloudWriter<'_>,
    ) {
        let sides: &[Side] = match note.layers[original.layer].is_panned {
            true => &[Side::Left, Side::Right],
            false => &[Side::Both],
        };
        let frame = original.cloud.frame;
        for &side in sides {
            original.side = side;
            original.cloud.frame = original.row(frame);
            self.push_side(voice, note, original, writer);
        }
    }

    #[inline(always)]
    fn push_side(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        writer: &mut CloudWriter<'_>,
    ) {
        let slots = note.layers[original.layer].side(original.side == Side::Right, note.copies);
        let channels = original.side.gains();
        let blend = self.second.map(|second| (second, second.blend(voice)));
        let blended = blend.map_or(1.0, |(second, blend)| second.gains(blend)[original.layer]);
        if let &[slot] = slots
            && !self.differ
        {
            let [left, right] = match original.pan == 0.0 {
                true => [self.left[voice], self.right[voice]],
                false => pan_gains(self.pan[voice] + original.pan),
            };
            let gain = original.gain * blended;
            let cloud = with_width(&original.cloud, fraction(self.width[voice]), slot, writer);
            let own = OwnValues {
                seed: note.seeds[0],
                increment: original.increment,
                gain: [gain * left * channels[0], gain * right * channels[1]],
                is_mirrored: false,
            };
            let described = writer.describe(slot, &cloud);
            return writer.push_copy(slot, &described, &own);
        }
        // All copies at once, in lanes: plain loops, which are inlined where the instructions are chosen.
        let places = &PLACES[note.copies - 1];
        let entry = self.entry[voice];
        let (pan, spread) = (self.pan[voice], self.spread[voice]);
        let mut increments = [original.increment; MAX_COPIES];
        let mut gains = [original.gain; MAX_COPIES];
        let (mut left, mut right) = ([0.0; MAX_COPIES], [0.0; MAX_COPIES]);
        let factors = match &self.pitch_factors {
            Some((copies, factors)) if *copies == note.copies => *factors,
            _ => pitch_factors(note.copies, self.detune[voice]),
        };
        for (increment, factor) in increments.iter_mut().zip(&factors) {
            *increment *= factor;
        }
        if entry != 0.0 {
            for (gain, &place) in gains.iter_mut().zip(&places.place) {
                *gain *= self.joined(voice, note.age, place);
            }
        }
        for copy in 0..MAX_COPIES {
            let sides = pan_gains(pan + places.standing[copy] * spread + original.pan);
            let gain = gains[copy] * blended;
            (left[copy], right[copy]) =
                (gain * sides[0] * channels[0], gain * sides[1] * channels[1]);
        }
        let (colour, width) = (self.colour[voice], fraction(self.width[voice]));
        if !self.differ && !self.are_coloured {
            let cloud = with_width(&original.cloud, width, slots[0], writer);
            let described = writer.describe(slots[0], &cloud);
            for (copy, &slot) in slots.iter().enumerate() {
                let own = OwnValues {
                    seed: note.seeds[copy],
                    increment: increments[copy],
                    gain: [left[copy], right[copy]],
                    is_mirrored: copy % 2 == 1,
                };
                writer.push_copy(slot, &described, &own);
            }
            return;
        }
        // The first copy comes last: it may have described the others in the last tick.
        for (copy, &slot) in slots.iter().enumerate().rev() {
            let width = if copy % 2 == 1 { -width } else { width };
            let mut own = with_width(&original.cloud, width, slot, writer);
            own.seed = note.seeds[copy];
            own.increment = increments[copy];
            own.gain_to = [left[copy], right[copy]];
            if colour != 0.0 && note.copies > 1 {
                recolour(&mut own, places.place[copy] * colour);
            }
            if self.differ {
                self.move_copy(voice, note, original, copy, &mut own);
            }
            writer.push(slot, &own);
        }
    }

    /// Applies the routes to single copies.
    fn move_copy(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        copy: usize,
        own: &mut Cloud,
    ) {
        let places = &PLACES[note.copies - 1];
        let place = places.place[copy];
        let moves = self.modulation.copy(voice, place);
        change_spectrum(own, &moves, note, original);
        let mut gain = original.gain;
        if note.copies > 1 {
            gain *= self.joined(voice, note.age, place);
        }
        gain *= exp2(moves.level * LOG2_PER_DB);
        if let Some(second) = self.second {
            let blend = (second.blend(voice) + moves.blend).clamp(0.0, 1.0);
            own.second.share = second.share(blend);
            gain *= second.gains(blend)[original.layer];
        }
        let standing = self.pan[voice] + places.standing[copy] * self.spread[voice];
        let sides = pan_gains(standing + (original.pan + moves.pan));
        let channels = original.side.gains();
        own.gain_to = [gain * sides[0] * channels[0], gain * sides[1] * channels[1]];
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

/// `cloud` with a stereo width that ramps from that which `slot` had in the last tick.
#[inline(always)]
fn with_width(cloud: &Cloud, width_to: i16, slot: u32, writer: &CloudWriter<'_>) -> Cloud {
    let width_from = match cloud.flags & STARTS != 0 {
        true => width_to,
        false => writer.last_width(slot),
    };
    Cloud { width_from, width_to, ..*cloud }
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

/// The factors of the pitches of `copies` copies that are spread over `detune` cents to either side.
#[inline(always)]
fn pitch_factors(copies: usize, detune: f32) -> [f32; MAX_COPIES] {
    let mut factors = [1.0; MAX_COPIES];
    for (factor, place) in factors.iter_mut().zip(&PLACES[copies - 1].place) {
        *factor = exp2(place * detune / 1200.0);
    }
    factors
}

/// Applies the routes to a copy, except for its level and pan.
fn change_spectrum(cloud: &mut Cloud, moves: &CopyMoves, note: &Voice, original: &Original<'_>) {
    cloud.increment *= exp2(moves.tune / 12.0);
    if moves.position != 0.0 && original.layer == 0 {
        let position = (original.position + moves.position).clamp(0.0, 1.0);
        let (frame, morph) = original.walk.frame(&note.layers[0], position);
        (cloud.frame, cloud.morph) = (original.row(frame), morph);
    }
    cloud.partials = (cloud.partials * exp2(moves.partials)).clamp(1.0, MAX_PARTIALS as f32);
    cloud.stretch = (cloud.stretch + moves.stretch).clamp(-0.5, 0.5);
    cloud.tilt += moves.tilt * LOG2_PER_DB;
    for (filter, octaves) in cloud.filters.iter_mut().zip([moves.cutoff, moves.cutoff2]) {
        filter.inverse_cutoff *= exp2(-octaves);
    }
}
