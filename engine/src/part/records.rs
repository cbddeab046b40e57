//! The records of a chunk's voices. What every voice has is computed in lanes, one for each word of a
//! [`UnisonVoice`], and then the lanes are transposed: a record for each voice. What few voices have (a second layer,
//! dynamics, copies that differ) is added to single records afterwards, see `clouds.rs`.

use super::Part;
use super::copies::octaves;
use super::lanes::{LOG2_PER_DB, Lanes};
use super::layer::{LayerLanes, Walk, bandwidth_of};
use super::note_lanes::NoteLanes;
use super::shaping::{FILTERS, Filters, Shaping, routing};
use super::strike::{Material, makeup_gain, softness};
use crate::modulation::{CHUNK, Lane, Modulated};
use crate::params::Param;
use crate::render::TICK;
use crate::simd::{LANES, Simd};
use crate::spectrum::unison::Mix;
use crate::spectrum::{Cloud, Filter, STARTS, TURN, UnisonVoice, fraction};
use crate::voice::Voice;
use std::mem::offset_of;

/// Words of a record.
const WORDS: usize = size_of::<UnisonVoice>() / size_of::<u32>();

/// The word of a record in which a field is: of a voice's [`Cloud`], or of its copies.
macro_rules! word {
    (cloud.$field:ident) => {
        (offset_of!(UnisonVoice, description) + offset_of!(Cloud, $field)) / size_of::<u32>()
    };
    (unison.$($field:ident).+) => {
        offset_of!(UnisonVoice, unison.$($field).+) / size_of::<u32>()
    };
}

/// Lanes of a chunk for its records.
#[derive(Debug)]
pub(super) struct RecordLanes {
    /// The fade-in after clouds were replaced, 0 to 1. Notes start at 1, because their envelope begins at zero.
    pub(super) entry: Lane,
    // What is computed in every tick. Fields of one or two bytes share a word.
    marks: Lane<u32>,
    scatter: Lane<u32>,
    bandwidth: Lane,
    rows: Lane<u32>,
    parity_and_growth: Lane<u32>,
    morph: Lane,
    pub(super) tilt: Lane,
    damping: Lane,
    damping_slope: Lane,
    filter_kinds: [Lane<u32>; FILTERS],
    widths: Lane<u32>,
    detune: Lane,
    gain: Lane,
    copies_in: Lane,
}

/// What the records are made from.
pub(super) struct Inputs<'a> {
    pub(super) part: &'a Part,
    pub(super) modulation: Modulated<'a>,
    pub(super) notes: &'a NoteLanes,
    pub(super) lanes: &'a Lanes,
    pub(super) walk: &'a Walk,
    pub(super) filters: &'a Filters<'a>,
    pub(super) shaping: &'a Shaping<'a>,
    /// The fraction of a fade in one tick.
    pub(super) fade_step: f32,
}

impl RecordLanes {
    pub(super) const fn new() -> Self {
        Self {
            entry: Lane::ZERO,
            marks: Lane::ZEROS,
            scatter: Lane::ZEROS,
            bandwidth: Lane::ZERO,
            rows: Lane::ZEROS,
            parity_and_growth: Lane::ZEROS,
            morph: Lane::ZERO,
            tilt: Lane::ZERO,
            damping: Lane::ZERO,
            damping_slope: Lane::ZERO,
            filter_kinds: [Lane::ZEROS; FILTERS],
            widths: Lane::ZEROS,
            detune: Lane::ZERO,
            gain: Lane::ZERO,
            copies_in: Lane::ZERO,
        }
    }

    /// The gain of each copy of a voice, without what its layers have of their own.
    #[inline(always)]
    pub(super) fn voice_gain(&self, voice: usize, inputs: &Inputs<'_>) -> f32 {
        self.entry[voice] * inputs.lanes.gain[voice] / inputs.notes.root[voice]
    }

    /// Computes a tick of the first layer.
    #[inline(always)]
    pub(super) fn fill(&mut self, inputs: &Inputs<'_>, voices: &[Voice], layer: &mut LayerLanes) {
        let Inputs { part, modulation, notes, lanes, walk, filters, shaping, fade_step } = *inputs;
        let Part { bus, controls, sample_rate, .. } = part;
        let target = |param: Param| modulation.lane(param);
        // Whole vectors.
        let count = voices.len().next_multiple_of(LANES).min(CHUNK);

        let flags = u32::from(walk.table.flags | routing(controls));
        self.marks.fill(flags | *bus << 16);
        let mut frames = Lane([TICK as f32; CHUNK]);
        if part.notes_changed {
            for (voice, note) in voices.iter().enumerate() {
                if let Some(frame) = note.starts_at {
                    self.marks[voice] |= u32::from(STARTS) | (frame & 0xFF) << 8;
                    frames[voice] = (TICK as u32 - frame) as f32;
                }
            }
        }
        self.scatter.fill(pair((controls[Param::SourceScatter] * 65_535.0) as u16, 0));

        let paces = shaping.paces();
        let speeds = target(Param::SourceSpeed);
        for voice in 0..count {
            layer.travelled[voice] += walk.way(speeds[voice] * paces[voice], frames[voice]);
        }
        let mut places = *target(Param::SourcePosition);
        if layer.travelled.iter().any(|&travelled| travelled != 0.0) {
            for voice in 0..voices.len() {
                places[voice] = walk.place(layer.travelled[voice], places[voice]);
            }
        }
        for voice in 0..count {
            let (frame, morph) = walk.table.frame_at(places[voice]);
            self.rows[voice] = pair(walk.table.first_row, frame);
            self.morph[voice] = morph;
        }

        let mut rates = *target(Param::DecayRate);
        if let Some(material) = Material::named(controls[Param::StrikeMaterial]) {
            for voice in 0..voices.len() {
                let hertz = lanes.increment[voice] * *sample_rate / TURN;
                (rates[voice], self.damping_slope[voice]) = material.decay(hertz);
            }
        } else {
            self.damping_slope = *target(Param::DecaySlope);
        }
        let tick_seconds = part.tick_seconds();
        let hardness = target(Param::StrikeHardness);
        for voice in 0..count {
            layer.damping[voice] += rates[voice] * LOG2_PER_DB * tick_seconds * paces[voice];
            let softness = softness(hardness[voice]);
            self.damping[voice] = layer.damping[voice] + softness;
            self.entry[voice] = (self.entry[voice] + fade_step).min(1.0);
            self.gain[voice] = makeup_gain(softness) * self.voice_gain(voice, inputs);
        }

        if !modulation.is_constant_at(Param::ShapeBandwidth, 0.0) {
            let cents = target(Param::ShapeBandwidth);
            (0..count).for_each(|voice| self.bandwidth[voice] = bandwidth_of(cents[voice]));
        } else {
            self.bandwidth.fill(0.0);
        }
        let (parity, growth) = (target(Param::ShapeParity), target(Param::ShapeBandGrowth));
        let (tilt, width) = (target(Param::ShapeTilt), target(Param::ShapeWidth));
        let detune = target(Param::UnisonDetune);
        for voice in 0..count {
            let fraction = |x: f32| fraction(x) as u16;
            self.parity_and_growth[voice] = pair(fraction(parity[voice]), fraction(growth[voice]));
            self.tilt[voice] = tilt[voice] * LOG2_PER_DB;
            self.widths[voice] = pair(0, fraction(width[voice]));
            self.detune[voice] = octaves(detune[voice]);
        }
        let entries = target(Param::UnisonEntry);
        for voice in 0..count {
            let all_in = entries[voice] == 0.0 || notes.copies[voice] == 1;
            let entered = 2.0 * lanes.age[voice] / entries[voice];
            self.copies_in[voice] = if all_in { Mix::ALL_IN } else { entered };
        }
        for (lane, kind) in self.filter_kinds.iter_mut().zip(filters.kinds) {
            lane.fill(kind as u32);
        }
    }

    /// The lanes of all words.
    #[inline(always)]
    pub(super) fn words<'a>(&'a self, inputs: &Inputs<'a>) -> [&'a Lane<u32>; WORDS] {
        let Inputs { modulation, notes, lanes, filters, .. } = inputs;
        let target = |param: Param| modulation.lane(param).bits();
        let mut words = [const { &Lane::ZEROS }; WORDS];
        words[word!(cloud.flags)] = &self.marks;
        words[word!(cloud.scatter)] = &self.scatter;
        words[word!(cloud.bandwidth)] = self.bandwidth.bits();
        words[word!(cloud.table)] = &self.rows;
        words[word!(cloud.parity)] = &self.parity_and_growth;
        words[word!(cloud.morph)] = self.morph.bits();
        words[word!(cloud.partials)] = target(Param::SourcePartials);
        words[word!(cloud.formant)] = lanes.formant.bits();
        words[word!(cloud.stretch)] = target(Param::ShapeStretch);
        words[word!(cloud.inharmonicity)] = target(Param::ShapeStiffness);
        words[word!(cloud.tilt)] = self.tilt.bits();
        words[word!(cloud.damping)] = self.damping.bits();
        words[word!(cloud.damping_slope)] = self.damping_slope.bits();
        for filter in (0..FILTERS).filter(|&filter| filters.kinds[filter].is_resonant()) {
            let first = word!(cloud.filters) + filter * Filter::WORDS;
            words[first] = filters.inverse_cutoff[filter].bits();
            words[first + 1] = &self.filter_kinds[filter];
            words[first + 2] = filters.peak[filter].bits();
        }
        words[word!(cloud.width_from)] = &self.widths;
        words[word!(unison.shape)] = &notes.copies;
        words[word!(unison.seed)] = &notes.seed;
        for (steps, lane) in notes.seed_steps.iter().enumerate() {
            words[word!(unison.seed_steps) + steps] = lane;
        }
        words[word!(unison.increment)] = lanes.increment.bits();
        words[word!(unison.detune)] = self.detune.bits();
        words[word!(unison.to.gain)] = self.gain.bits();
        words[word!(unison.to.pan)] = lanes.pan.bits();
        words[word!(unison.to.spread)] = target(Param::UnisonSpread);
        words[word!(unison.to.entry)] = self.copies_in.bits();
        words
    }
}

/// Makes the records of sixteen voices, from `first` on.
#[inline(always)]
pub(super) fn transpose<S: Simd>(
    simd: S,
    words: &[&Lane<u32>; WORDS],
    first: usize,
    records: &mut [UnisonVoice; LANES],
) {
    for line in 0..WORDS / LANES {
        let rows = std::array::from_fn(|row| {
            simd.load_u(&words[line * LANES + row].vectors()[first / LANES])
        });
        for (record, column) in records.iter_mut().zip(simd.transpose(rows)) {
            simd.store_u(column, &mut record.lines_mut()[line]);
        }
    }
}

/// Two numbers of two bytes in a word.
#[inline(always)]
fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}
