//! From the cloud of a layer to its unison copies, and the routes to single copies.

use super::lanes::LOG2_PER_DB;
use super::layer::{SecondLayer, Walk};
use crate::dsp::fast::exp2;
use crate::modulation::{CopyMoves, Lane, Modulated};
use crate::params::Param;
use crate::pool::VoiceWriter;
use crate::simd::{Portable, Simd};
use crate::spectrum::unison::{Mix, is_mirrored, pitch_factors, place_of};
use crate::spectrum::{Cloud, Description, MAX_COPIES, MAX_PARTIALS, Unison, UnisonVoice};
use crate::voice::Voice;

/// Values that the copies of all voices of a part share.
pub(super) struct Copies<'a> {
    modulation: Modulated<'a>,
    second: Option<&'a SecondLayer<'a>>,
    /// Where all voices have the same detune: factors of the pitches of voices with so many copies.
    pitch_factors: Option<(usize, [f32; MAX_COPIES])>,
    colour: &'a Lane,
    /// Whether a route moves single copies.
    differ: bool,
    /// Whether the copies of some voices have different spectra.
    are_coloured: bool,
}

/// A layer of a voice, before its copies differ.
pub(super) struct Original<'a> {
    /// Its number among the layers.
    pub(super) layer: usize,
    /// All copies, before the layers are blended.
    pub(super) record: &'a mut UnisonVoice,
    /// How its position moves through the table, how far it has, and the value of its knob.
    pub(super) walk: &'a Walk,
    pub(super) travelled: f32,
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
    fn row(&self, frame: u16, side: Side) -> u16 {
        let side_rows = self.walk.table.side_rows;
        match side {
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
        second: Option<&'a SecondLayer<'a>>,
        copies: u32,
    ) -> Self {
        let copies = copies.max(1) as usize;
        Self {
            modulation,
            second,
            pitch_factors: modulation
                .constant(Param::UnisonDetune)
                .map(|cents| (copies, pitch_factors(copies, octaves(cents)))),
            colour: modulation.lane(Param::UnisonColour),
            differ: modulation.has_copies(),
            are_coloured: !modulation.is_constant_at(Param::UnisonColour, 0.0),
        }
    }

    /// Whether the copies of every voice stay together, so that they have one record.
    pub(super) fn are_together(&self) -> bool {
        !self.differ && !self.are_coloured && self.pitch_factors.is_some()
    }

    /// The factors of the pitches of a voice's copies.
    #[inline(always)]
    pub(super) fn factors(&self, record: &UnisonVoice) -> [f32; MAX_COPIES] {
        match &self.pitch_factors {
            Some((copies, factors)) if *copies == record.unison.copies() => *factors,
            _ => record.unison.pitch_factors(),
        }
    }

    /// Adds a layer of a voice to the tick: all its copies, or one voice for each channel.
    #[inline(always)]
    pub(super) fn push<S: Simd>(
        &self,
        simd: S,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        writer: &mut VoiceWriter<'_>,
    ) {
        let is_panned = note.layers[original.layer].is_panned;
        if self.second.is_some() || is_panned {
            self.push_blended(simd, voice, note, original, writer);
        } else {
            self.push_side(simd, voice, note, original, Side::Both, original.record, writer);
        }
    }

    /// The same for a layer of two, or one whose partials are panned.
    #[inline(always)]
    fn push_blended<S: Simd>(
        &self,
        simd: S,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        writer: &mut VoiceWriter<'_>,
    ) {
        let sides: &[Side] = match note.layers[original.layer].is_panned {
            true => &[Side::Left, Side::Right],
            false => &[Side::Both],
        };
        for &side in sides {
            let mut record = *original.record;
            if let Some(second) = self.second {
                record.unison.to.gain *= second.gains(second.blend(voice))[original.layer];
            }
            record.unison.shape |= side.shape();
            record.description.edit(|cloud| cloud.frame = original.row(cloud.frame, side));
            self.push_side(simd, voice, note, original, side, &record, writer);
        }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn push_side<S: Simd>(
        &self,
        simd: S,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        side: Side,
        record: &UnisonVoice,
        writer: &mut VoiceWriter<'_>,
    ) {
        let slot = note.layers[original.layer].side(side == Side::Right);
        // The noise of copies keeps its speed while routes move their detune.
        let has_noise = self.pitch_factors.is_none() && record.description.bandwidth() != 0.0;
        let is_alone = note.copies == 1;
        if self.differ || ((self.are_coloured || has_noise) && !is_alone) {
            self.push_divided(voice, note, original, side, record, writer);
        } else if !record.starts() && writer.is_divided(slot, note.copies) {
            // In one tick more, the copies come to where they are when they are one voice again.
            self.push_divided(voice, note, original, side, record, writer);
            writer.join(slot, record);
        } else {
            writer.push(simd, slot, record, &self.factors(record));
        }
    }

    /// Adds every copy as a voice of its own, because their spectra differ.
    #[cold]
    fn push_divided(
        &self,
        voice: usize,
        note: &Voice,
        original: &Original<'_>,
        side: Side,
        record: &UnisonVoice,
        writer: &mut VoiceWriter<'_>,
    ) {
        let slot = note.layers[original.layer].side(side == Side::Right);
        if !record.starts() {
            writer.divide(slot, note.copies);
        }
        let colour = self.colour[voice];
        let unison = &record.unison;
        let factors = unison.pitch_factors();
        let to = match self.differ {
            // Every copy may have a blend of its own.
            true => Mix { gain: original.record.unison.to.gain, ..unison.to },
            false => unison.to,
        };
        for (copy, factor) in factors[..note.copies].iter().enumerate() {
            let mut cloud = record.description.cloud();
            let mut own = Unison {
                shape: 1 | side.shape(),
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
                self.move_copy(voice, original, side, place, &mut cloud, &mut own);
            }
            let own = UnisonVoice::new(Description::of(&cloud), own);
            writer.push(Portable, slot + copy as u32, &own, &[1.0; MAX_COPIES]);
        }
    }

    /// Applies the routes to the copy at `place`.
    fn move_copy(
        &self,
        voice: usize,
        original: &Original<'_>,
        side: Side,
        place: f32,
        cloud: &mut Cloud,
        own: &mut Unison,
    ) {
        let moves = self.modulation.copy(voice, place);
        own.increment *= exp2(moves.tune / 12.0);
        change_spectrum(cloud, &moves, original, side);
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
#[inline(always)]
pub(super) fn octaves(cents: f32) -> f32 {
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
fn change_spectrum(cloud: &mut Cloud, moves: &CopyMoves, original: &Original<'_>, side: Side) {
    if moves.position != 0.0 && original.layer == 0 {
        let position = (original.position + moves.position).clamp(0.0, 1.0);
        let (frame, morph) = original.walk.frame(original.travelled, position);
        (cloud.frame, cloud.morph) = (original.row(frame, side), morph);
    }
    cloud.partials = (cloud.partials * exp2(moves.partials)).clamp(1.0, MAX_PARTIALS as f32);
    cloud.stretch = (cloud.stretch + moves.stretch).clamp(-0.5, 0.5);
    cloud.tilt += moves.tilt * LOG2_PER_DB;
    for (filter, octaves) in cloud.filters.iter_mut().zip([moves.cutoff, moves.cutoff2]) {
        filter.inverse_cutoff *= exp2(-octaves);
    }
}
