//! Per-voice values that clouds are made from, computed for all voices at once: loops over plain
//! slices without branches, which the compiler vectorises. Each operation rounds once, so the
//! result is bit for bit that of one voice after the other.

use super::Part;
use super::layer::home;
use super::shaping::of_filter;
use crate::dsp::fast::exp2;
use crate::params::Param;
use crate::simd::{Simd, Work};
use crate::spectrum::TURN;
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
        pub(super) struct Lanes { $($(#[$doc])* pub(super) $lane: Vec<f32>),* }

        impl Lanes {
            pub(super) fn new(voices: usize) -> Self {
                Self { $($lane: vec![0.0; voices]),* }
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
    /// The level of the note's own expression.
    level,
    /// For the filters: samples per cycle of their cutoffs, and the gains of their peaks.
    inverse_cutoff,
    inverse_cutoff2,
    peak,
    peak2,
}

impl Part {
    /// Computes the lanes of all voices.
    pub(super) fn fill_lanes(&mut self) {
        let sensitivity = self.controls[Param::AmpVelocity];
        for (index, voice) in self.voices[..self.high].iter().enumerate() {
            let velocity = 1.0 - sensitivity + sensitivity * voice.velocity * voice.velocity;
            self.lanes.pitch[index] = voice.pitch;
            // Values of the voice alone, until they are combined.
            self.lanes.increment[index] = voice.expression.semitones;
            self.lanes.gain[index] = velocity;
            self.lanes.level[index] = voice.expression.level;
            self.lanes.pan[index] = voice.expression.pan;
        }
        self.level.dispatch(Fill(self));
    }
}

struct Fill<'a>(&'a mut Part);

impl Work for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let bend_range = self.0.bend_range();
        let Part {
            lanes,
            modulation,
            controls,
            channel,
            envelopes,
            sample_rate,
            high,
            imported,
            ..
        } = self.0;
        // The pitch at which tables are read unchanged, for any amount of formant hold.
        let home = home(controls[Param::SourceTable], imported[0]);
        let (voices, rate) = (..*high, *sample_rate);
        let target = |param: Param| &modulation.lane(param)[voices];
        let Lanes {
            pitch,
            increment,
            formant,
            gain,
            pan,
            level,
            inverse_cutoff,
            inverse_cutoff2,
            peak,
            peak2,
        } = lanes;

        let pitch = &mut pitch[voices];
        let increment = &mut increment[voices];
        let bend = channel.bend.now() * bend_range;
        let tune = target(Param::PitchTune);
        for ((pitch, semitones), tune) in pitch.iter_mut().zip(&*increment).zip(tune) {
            *pitch = *pitch + tune + bend + semitones;
        }
        let stiffness = target(Param::ShapeStiffness);
        for ((increment, pitch), stiffness) in increment.iter_mut().zip(&*pitch).zip(stiffness) {
            let hertz = 440.0 * exp2((pitch - 69.0) / 12.0);
            // The first partial of a stiff string stays in tune.
            *increment = hertz / rate * TURN / (1.0 + stiffness).sqrt();
        }
        let holds = target(Param::SourceFormant);
        for ((formant, pitch), &hold) in formant[voices].iter_mut().zip(&*pitch).zip(holds) {
            // At full formant hold the formants keep their frequencies; at none they follow the
            // pitch.
            let held = exp2(hold * (pitch - home) / 12.0);
            *formant = if hold == 0.0 { 1.0 } else { held };
        }

        let (output, channel_gain) = (controls[Param::OutputGain], channel.gain());
        let own = gain[voices].iter_mut().zip(&level[voices]);
        let shared = target(Param::AmpLevel).iter().zip(envelopes[0].values());
        for ((gain, level), (decibels, envelope)) in own.zip(shared) {
            let velocity = *gain;
            *gain = HEADROOM
                * exp2((decibels + output) * LOG2_PER_DB)
                * velocity
                * envelope
                * level
                * channel_gain;
        }
        let channel_pan = channel.pan();
        for (pan, target) in pan[voices].iter_mut().zip(target(Param::AmpPan)) {
            *pan += target + channel_pan;
        }

        for (index, (inverse_cutoff, peak)) in
            [(inverse_cutoff, peak), (inverse_cutoff2, peak2)].into_iter().enumerate()
        {
            if controls[of_filter(Param::FilterType, index)] == 0.0 {
                continue;
            }
            let key = controls[of_filter(Param::FilterKey, index)];
            let cutoffs = target(of_filter(Param::FilterCutoff, index));
            let inverse = inverse_cutoff[voices].iter_mut().zip(&*pitch);
            for ((inverse, pitch), cutoff) in inverse.zip(cutoffs) {
                let follow = key * (pitch - 60.0) / 12.0;
                *inverse = rate / (cutoff * exp2(follow) * TURN);
            }
            let resonances = target(of_filter(Param::FilterResonance, index));
            for (peak, resonance) in peak[voices].iter_mut().zip(resonances) {
                // Gain at the cutoff from -6 dB, without a peak, to +24 dB.
                *peak = 0.5 * exp2(5.0 * resonance);
            }
        }
    }
}
