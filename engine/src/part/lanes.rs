//! Per-voice values that clouds are made from, computed for all voices of a chunk at once: loops over plain
//! slices without branches, which the compiler vectorises. Each operation rounds once, so the
//! result is bit for bit that of one voice after the other.

use super::Part;
use super::layer::{LayerLanes, home};
use super::modulate::Chunk;
use super::note_lanes::NoteLanes;
use super::records::RecordLanes;
use super::shaping::of_filter;
use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::modulation::{
    CHUNK, ENVELOPES, EnvelopeBank, LFOS, Lane, Modulated, Modulation, ModulationLanes,
};
use crate::params::Param;
use crate::simd::{LANES, Simd, Work};
use crate::spectrum::{TURN, UnisonVoice};
use crate::voice::LAYERS;
use std::f32::consts::LOG2_10;

/// Decibels to powers of two.
pub(super) const LOG2_PER_DB: f32 = LOG2_10 / 20.0;

/// A voice at 0 dB is as loud as a sine at this fraction of full scale, so that chords have
/// headroom.
const HEADROOM: f32 = 0.25;

macro_rules! lanes {
    ($($(#[$doc:meta])* $lane:ident,)*) => {
        /// Each field has one number for every voice.
        #[derive(Debug)]
        pub(super) struct Lanes { $($(#[$doc])* pub(super) $lane: Lane),* }

        impl Lanes {
            const fn new() -> Self {
                Self { $($lane: Lane::ZERO),* }
            }
        }
    };
}

lanes! {
    /// Semitones above MIDI key 0.
    pitch,
    /// Phase per sample of ratio 1.
    increment,
    /// Where partial n reads its level in the table: at n times this.
    formant,
    /// Gain at the end of the tick, all copies together, after the fade-in.
    gain,
    /// Pan from -1 to 1.
    pan,
    /// For the filters: samples per cycle of their cutoffs, and the gains of their peaks.
    inverse_cutoff,
    inverse_cutoff2,
    peak,
    peak2,
    /// Seconds since the start of each note.
    age,
}

/// The lanes of the voices of a chunk.
#[derive(Debug)]
pub(super) struct VoiceLanes {
    pub(super) envelopes: [EnvelopeBank; ENVELOPES],
    /// Cycles of the LFOs since each note's start.
    pub(super) note_cycles: [[f64; CHUNK]; LFOS],
    pub(super) modulation: ModulationLanes,
    /// What clouds are made from.
    pub(super) clouds: Lanes,
    pub(super) notes: NoteLanes,
    pub(super) layers: [LayerLanes; LAYERS],
    pub(super) records: RecordLanes,
    /// The records of sixteen voices, and then of the next sixteen.
    pub(super) made: [UnisonVoice; LANES],
}

impl VoiceLanes {
    /// The chunks of so many voices.
    pub(super) fn of_voices(voices: usize) -> Vec<Self> {
        (0..voices.div_ceil(CHUNK)).map(|_| Self::NEW).collect()
    }

    const NEW: Self = Self {
        envelopes: [const { EnvelopeBank::new() }; ENVELOPES],
        note_cycles: [[0.0; CHUNK]; LFOS],
        modulation: ModulationLanes::new(),
        clouds: Lanes::new(),
        notes: NoteLanes::new(),
        layers: [const { LayerLanes::new() }; LAYERS],
        records: RecordLanes::new(),
        made: [UnisonVoice::EMPTY; LANES],
    };

    /// A note starts.
    pub(super) fn start(&mut self, voice: usize, controls: &Controls) {
        self.modulation.start(voice, controls);
        self.envelopes.iter_mut().for_each(|bank| bank.start(voice));
        self.note_cycles.iter_mut().for_each(|cycles| cycles[voice] = 0.0);
        self.clouds.age[voice] = 0.0;
        self.layers.iter_mut().for_each(|layer| layer.start(voice));
        self.records.entry[voice] = 1.0;
    }

    /// The stages of all envelopes are read again, because their settings have changed.
    pub(super) fn read_stages_again(&mut self) {
        self.envelopes.iter_mut().for_each(EnvelopeBank::read_again);
    }

    /// The parameters, as the routes move them.
    #[inline(always)]
    pub(super) fn modulated<'a>(&'a self, modulation: &'a Modulation) -> Modulated<'a> {
        Modulated { modulation, lanes: &self.modulation }
    }
}

impl Chunk<'_> {
    /// Computes the values that clouds are made from.
    pub(super) fn fill_lanes(&mut self) {
        self.part.level.dispatch(Fill(self));
    }
}

struct Fill<'a, 'b>(&'a mut Chunk<'b>);

impl Work for Fill<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Chunk { part, lanes, .. } = self.0;
        let bend_range = part.bend_range();
        let Part { controls, channel, sample_rate, imported, .. } = part;
        let VoiceLanes { envelopes, modulation, notes, clouds: lanes, .. } = &mut **lanes;
        // The pitch at which tables are read unchanged, for any amount of formant hold.
        let home = home(controls[Param::SourceTable], imported[0]);
        let rate = *sample_rate;
        let target = |param: Param| modulation.lane(param);
        let Lanes {
            pitch,
            increment,
            formant,
            gain,
            pan,
            inverse_cutoff,
            inverse_cutoff2,
            peak,
            peak2,
            ..
        } = lanes;

        let (pitch, increment) = (&mut pitch.0, &mut increment.0);
        let bend = channel.bend.now() * bend_range;
        let tune = target(Param::PitchTune);
        let own = notes.pitch.iter().zip(&notes.semitones.0);
        for ((pitch, (own, semitones)), tune) in pitch.iter_mut().zip(own).zip(tune.iter()) {
            *pitch = own + tune + bend + semitones;
        }
        let stiffness = target(Param::ShapeStiffness);
        for ((increment, pitch), stiffness) in
            increment.iter_mut().zip(&*pitch).zip(stiffness.iter())
        {
            let hertz = 440.0 * exp2((pitch - 69.0) / 12.0);
            // The first partial of a stiff string stays in tune.
            *increment = hertz / rate * TURN / (1.0 + stiffness).sqrt();
        }
        let holds = target(Param::SourceFormant);
        for ((formant, pitch), &hold) in formant.iter_mut().zip(&*pitch).zip(holds.iter()) {
            // At full formant hold the formants keep their frequencies; at none they follow the
            // pitch.
            let held = exp2(hold * (pitch - home) / 12.0);
            *formant = if hold == 0.0 { 1.0 } else { held };
        }

        let (output, channel_gain) = (controls[Param::OutputGain], channel.gain());
        let sensitivity = controls[Param::AmpVelocity];
        let own = notes.velocity.iter().zip(&notes.level.0);
        let shared = target(Param::AmpLevel).iter().zip(envelopes[0].values());
        for ((gain, (velocity, level)), (decibels, envelope)) in
            gain.iter_mut().zip(own).zip(shared)
        {
            let velocity = 1.0 - sensitivity + sensitivity * velocity * velocity;
            *gain = HEADROOM
                * exp2((decibels + output) * LOG2_PER_DB)
                * velocity
                * envelope
                * level
                * channel_gain;
        }
        let channel_pan = channel.pan();
        let own = notes.pan.iter().zip(target(Param::AmpPan).iter());
        for (pan, (own, target)) in pan.iter_mut().zip(own) {
            *pan = own + (target + channel_pan);
        }

        for (index, (inverse_cutoff, peak)) in
            [(inverse_cutoff, peak), (inverse_cutoff2, peak2)].into_iter().enumerate()
        {
            if controls[of_filter(Param::FilterType, index)] == 0.0 {
                continue;
            }
            let key = controls[of_filter(Param::FilterKey, index)];
            let cutoffs = target(of_filter(Param::FilterCutoff, index));
            let inverse = inverse_cutoff.iter_mut().zip(&*pitch);
            for ((inverse, pitch), cutoff) in inverse.zip(cutoffs.iter()) {
                let follow = key * (pitch - 60.0) / 12.0;
                *inverse = rate / (cutoff * exp2(follow) * TURN);
            }
            let resonances = target(of_filter(Param::FilterResonance, index));
            for (peak, resonance) in peak.iter_mut().zip(resonances.iter()) {
                // Gain at the cutoff from -6 dB, without a peak, to +24 dB.
                *peak = 0.5 * exp2(5.0 * resonance);
            }
        }
    }
}
