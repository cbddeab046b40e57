//! From the cloud of a layer to its unison copies, and the routes to single copies.

use super::lanes::{LOG2_PER_DB, Lanes};
use super::layer::{SecondLayer, Walk};
use crate::dsp::fast::exp2;
use crate::modulation::{CHUNK, CopyMoves, Modulated};
use crate::params::Param;
use crate::pool::VoiceWriter;
use crate::spectrum::unison::{Mix, is_mirrored, pitch_factors, place_of};
use crate::spectrum::{Cloud, MAX_COPIES, MAX_PARTIALS, STARTS, Unison, fraction};
use crate::voice::Voice;

/// Values that the copies of all voices of a part share.
pub(super) struct Copies<'a> {
    modulation: Modulated<'a>,
    second: Option<&'a SecondLayer<'a>>,
    detune: &'a [f32; CHUNK],
    /// Where all voices have the same detune: factors of the pitches of voices with so many copies.
    pitch_factors: Option<(usize, [f32; MAX_COPIES])>,
    spread: &'a [f32; CHUNK],
    colour: &'a [f32; CHUNK],
    entry: &'a [f32; CHUNK],
    width: &'a [f32; CHUNK],
    pan: &'a [f32; CHUNK],
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
    /// The bits of a voice's shape.
    #[inline(always)]
    fn shape(self) -> u32 {
        match self {
            Side::Both => 0,
            Side::Left => Unison::LEFT,
            Side::Right => Unison::RIGHT,
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
    /// For voices most of which have so many copies.
    #[inline(always)]
    pub(super) fn new(
        modulation: Modulated<'a>,
        lanes: &'a Lanes,
        second: Option<&'a SecondLayer<'a>>,
        copies: usize,
    ) -> Self {
        let target = |param: Param| modulation.lane(param);
        Self {
            modulation,
            second,
            detune: target(Param::UnisonDetune),
            pitch_factors: modulation
                .constant(Param::UnisonDetune)
                .map(|detune| (copies, pitch_factors(copies, octaves(detune)))),
            spread: target(Param::UnisonSpread),
            colour: target(Param::UnisonColour),
            entry: target(Param::UnisonEntry),
            width: target(Param::ShapeWidth),
            pan: &lanes.pan,
            differ: modulation.has_copies(),
            are_coloured: !modulation.is_constant_at(Param::UnisonColour, 0.0),
        }
    }

    /// Adds a layer of a voice to the tick: all its copies, or one voice for each channel.
    #[inline(always)]
    pub(super) fn push(
        &self,
        voice: usize,
        note: &Voice,
        original: &mut Original<'_>,
        writer: &mut VoiceWriter<'_>,
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
        original: &mut Original<'_>,
        writer: &mut VoiceWriter<'_>,
    ) {
        let slot = note.layers[original.layer].side(original.side == Side::Right);
        let blended = match self.second {
            Some(second) => second.gains(second.blend(voice))[original.layer],
            None => 1.0,
        };
        let (entry, is_alone) = (self.entry[voice], note.copies == 1);
        let unison = Unison {
            shape: note.copies as u32 | original.side.shape(),
            seed: note.seed,
            seed_steps: note.seed_steps,
            increment: original.increment,
            detune: octaves(self.detune[voice]),
            to: Mix {
                gain: original.gain * blended,
                pan: self.pan[voice] + original.pan,
                spread: self.spread[voice],
                entry: if entry == 0.0 || is_alone { Mix::ALL_IN } else { 2.0 * note.age / entry },
            },
            ..Unison::default()
        };
        let factors = match &self.pitch_factors {
            Some((copies, factors)) if *copies == note.copies => *factors,
            _ => unison.pitch_factors(),
        };
        original.cloud.width_to = fraction(self.width[voice]);
        // The noise of copies keeps its speed while routes move their detune.
        let has_noise = original.cloud.bandwidth != 0.0 && self.pitch_factors.is_none();
        if self.differ || ((self.are_coloured || has_noise) && !is_alone) {
            self.push_divided(voice, note, original, &unison, writer);
        } else if original.cloud.flags & STARTS == 0 && writer.is_divided(slot, note.copies) {
            // In one tick more, the copies come to where they are when they are one voice again.
            self.push_divided(voice, note, original, &unison, writer);
            writer.join(slot, &original.cloud, &unison);
        } else {
            writer.push(slot, &mut original.cloud, &unison, &factors);
        }
    }

    /// Adds every copy as a voice of its own, because their spectra differ.
    #[cold]
    fn push_divided(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        unison: &Unison,
        writer: &mut VoiceWriter<'_>,
    ) {
        let slot = note.layers[original.layer].side(original.side == Side::Right);
        if original.cloud.flags & STARTS == 0 {
            writer.divide(slot, note.copies);
        }
        let colour = self.colour[voice];
        let factors = unison.pitch_factors();
        let to = match self.differ {
            // Every copy may have a blend of its own.
            true => Mix { gain: original.gain, ..unison.to },
            false => unison.to,
        };
        for (copy, factor) in factors[..note.copies].iter().enumerate() {
            let mut cloud = original.cloud;
            let mut own = Unison {
                shape: 1 | original.side.shape(),
                seed: unison.seed_of(copy),
                increment: unison.increment * factor,
                to: to.of_copy(copy, note.copies),
                ..Unison::default()
            };
            if is_mirrored(copy) {
                cloud.width_to = -cloud.width_to;
            }
            let place = place_of(copy, note.copies);
            if colour != 0.0 {
                recolour(&mut cloud, place * colour);
            }
            if self.differ {
                self.move_copy(voice, note, original, place, &mut cloud, &mut own);
            }
            writer.push(slot + copy as u32, &mut cloud, &own, &[1.0; MAX_COPIES]);
        }
    }

    /// Applies the routes to the copy at `place`.
    fn move_copy(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        place: f32,
        cloud: &mut Cloud,
        own: &mut Unison,
    ) {
        let moves = self.modulation.copy(voice, place);
        own.increment *= exp2(moves.tune / 12.0);
        change_spectrum(cloud, &moves, note, original);
        own.to.gain *= exp2(moves.level * LOG2_PER_DB);
        own.to.pan += moves.pan;
        if let Some(second) = self.second {
            let blend = (second.blend(voice) + moves.blend).clamp(0.0, 1.0);
            cloud.second.share = second.share(blend);
            own.to.gain *= second.gains(blend)[original.layer];
        }
    }
}

/// Cents as octaves.
fn octaves(cents: f32) -> f32 {
    cents * (1.0 / 1200.0)
}

/// Shifts the formants of a copy, and its filters, by up to half an octave.
fn recolour(cloud: &mut Cloud, place: f32) {
    let lower = exp2(-0.5 * place);
    cloud.formant *= lower;
    for filter in &mut cloud.filters {
        filter.inverse_cutoff *= lower;
    }
}

/// Applies the routes to a copy, except for its pitch, level and pan.
fn change_spectrum(cloud: &mut Cloud, moves: &CopyMoves, note: &Voice, original: &Original<'_>) {
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
