//! From a voice to its clouds: parameters in musical units become the numbers that renderers use.

use super::Part;
use super::copies::{Copies, Original};
use super::lanes::{LOG2_PER_DB, VoiceLanes};
use super::layer::{FromVoice, LayerLanes, SecondLayer, Walk, table};
use super::modulate::Chunk;
use super::records::{Inputs, transpose};
use super::shaping::{Filters, Shaping};
use crate::dsp::fast::exp2;
use crate::modulation::{CHUNK, Modulated};
use crate::params::Param;
use crate::pool::VoiceWriter;
use crate::simd::{LANES, Simd, Work};
use crate::spectrum::{Cloud, UnisonVoice};
use crate::voice::{LAYERS, Voice, VoiceLayer, VoiceState};

impl Chunk<'_> {
    /// Adds the clouds of the voices to a tick of the block.
    pub(super) fn push_clouds(&mut self, writer: &mut VoiceWriter<'_>) {
        self.part.level.dispatch(Push { chunk: self, writer });
    }
}

/// Adds the clouds of a chunk.
struct Push<'a, 'b, 'c> {
    chunk: &'a mut Chunk<'b>,
    writer: &'a mut VoiceWriter<'c>,
}

impl Work for Push<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { chunk: Chunk { part, voices, lanes, .. }, writer } = self;
        let Part { controls, imported, sample_rate, .. } = part;
        let VoiceLanes {
            envelopes, modulation, notes, clouds: lanes, layers, records, made, ..
        } = &mut **lanes;
        let modulation = Modulated { modulation: &part.modulation, lanes: modulation };
        // Values that all voices share.
        let table = table(controls[Param::SourceTable], imported[0]);
        let walk = Walk::new(table, controls, *sample_rate);
        let second = SecondLayer::new(controls, modulation, imported[1], *sample_rate);
        let filters = Filters::new(
            controls,
            modulation,
            [&lanes.inverse_cutoff, &lanes.inverse_cutoff2],
            [&lanes.peak, &lanes.peak2],
        );
        let shaping = Shaping::new(controls, modulation, part.tick_seconds());
        let any = notes.sounding.trailing_zeros() as usize;
        let copies = Copies::new(modulation, second.as_ref(), *notes.copies.get(any).unwrap_or(&1));
        let fade_step = writer.fade_step();
        let inputs = Inputs {
            part,
            modulation,
            notes,
            lanes,
            walk: &walk,
            filters: &filters,
            shaping: &shaping,
            fade_step,
        };
        records.fill(&inputs, voices, &mut layers[0]);
        let words = records.words(&inputs);
        let special = Special {
            inputs: &inputs,
            second: second.as_ref(),
            copies: &copies,
            has_other_filters: filters.has_others(),
        };
        // Whether the records are what renderers get, but for a gain.
        let is_plain = copies.are_together() && special.is_empty();
        let balance = controls[Param::ShapeBalance];
        let decays = layers[0].damping.iter().any(|&damping| damping > 0.0);
        let slopes = modulation.lane(Param::DecaySlope);
        let mut ended = 0;
        for first in (0..CHUNK).step_by(LANES) {
            let mut sounding = notes.sounding >> first & ((1 << LANES) - 1);
            if sounding == 0 {
                continue;
            }
            transpose(simd, &words, first, made);
            while sounding != 0 {
                let place = sounding.trailing_zeros() as usize;
                sounding &= sounding - 1;
                let (voice, record) = (first + place, &mut made[place]);
                let (slot, count) = (notes.slot[voice], notes.copies[voice]);
                let is_divided = !record.starts() && writer.is_divided(slot, count as usize);
                if is_plain && !is_divided && notes.panned >> voice & 1 == 0 {
                    if balance > 0.0 && (records.tilt[voice] != 0.0 || lanes.formant[voice] != 1.0)
                    {
                        compensate(part, record, &mut voices[voice].layers[0]);
                    }
                    writer.push(simd, slot, record, &copies.factors(record));
                } else {
                    let gain = records.voice_gain(voice, &inputs);
                    special.push(simd, voice, &mut voices[voice], record, gain, layers, writer);
                }
                let is_decayed = || has_decayed(layers, &voices[voice], voice, slopes[voice]);
                ended |= u32::from(envelopes[0].is_done(voice) || decays && is_decayed()) << voice;
            }
        }
        if part.notes_changed {
            voices.iter_mut().for_each(|voice| voice.starts_at = None);
        }
        if ended != 0 {
            notes.sounding &= !ended;
            let tick = writer.tick();
            for (_, voice) in voices.iter_mut().enumerate().filter(|(i, _)| ended >> i & 1 == 1) {
                voice.state = VoiceState::Ended { tick: tick as u8 };
            }
            part.note_ended(1 << tick);
        }
    }
}

/// Whether the partials of a voice have become inaudible by the damping of all its layers.
#[cold]
fn has_decayed(layers: &[LayerLanes; LAYERS], note: &Voice, voice: usize, slope: f32) -> bool {
    /// Powers of two of attenuation at which even a cloud at full level is below -144 dB.
    const GONE: f32 = 24.0;
    let mut dampings = layers[..note.sounding].iter().map(|layer| layer.damping[voice]);
    if !dampings.clone().all(|damping| damping > 0.0) {
        return false;
    }
    // The lowest ratio is a half; it decays slowest.
    let slowest = exp2(-slope);
    dampings.all(|damping| damping * slowest > GONE)
}

/// What only some patches have, added to one record after the other.
struct Special<'a> {
    inputs: &'a Inputs<'a>,
    second: Option<&'a SecondLayer<'a>>,
    copies: &'a Copies<'a>,
    has_other_filters: bool,
}

impl Special<'_> {
    /// Whether there is nothing to add.
    fn is_empty(&self) -> bool {
        let Inputs { modulation, shaping, .. } = self.inputs;
        let changes = self.has_other_filters || modulation.has_partials() || shaping.used;
        self.second.is_none() && !changes
    }

    /// Adds all layers of a voice to the tick. `record` is what lanes have made of the first one, and `gain` that of the voice.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn push<S: Simd>(
        &self,
        simd: S,
        voice: usize,
        note: &mut Voice,
        record: &mut UnisonVoice,
        gain: f32,
        layers: &mut [LayerLanes; LAYERS],
        writer: &mut VoiceWriter<'_>,
    ) {
        let Inputs { part, modulation, lanes, walk, filters, shaping, .. } = self.inputs;
        if self.has_other_filters || modulation.has_partials() {
            record.description.edit(|cloud| {
                filters.set_others(voice, &mut cloud.filters);
                if modulation.has_partials() {
                    let moves = modulation.partials(voice);
                    cloud.stretch = (cloud.stretch + moves.tune).clamp(-0.5, 0.5);
                    cloud.tilt += moves.level * LOG2_PER_DB;
                }
            });
        }
        if let Some(second) = self.second {
            let shared = FromVoice {
                bus: part.outputs.bus(part.controls[Param::LayerOutput] as u8, part.bus) as u8,
                gain,
                pitch: lanes.pitch[voice],
                pace: shaping.pace(voice),
            };
            let own = second.advance(voice, note, record, &mut layers[1], shared);
            let travelled = layers[1].travelled[voice];
            if let Some(mut record) = own {
                let position = modulation.target(Param::LayerPosition, voice);
                let (record, walk) = (&mut record, &second.walk);
                let original = Original { layer: 1, record, walk, travelled, position };
                self.finish(simd, voice, note, original, writer);
            }
            record.unison.to.pan -= second.spread(voice, note);
            second.join(voice, travelled, &mut record.description);
        }
        let original = Original {
            layer: 0,
            record,
            walk,
            travelled: layers[0].travelled[voice],
            position: modulation.target(Param::SourcePosition, voice),
        };
        self.finish(simd, voice, note, original, writer);
    }

    /// Shapes a layer, compensates its loudness, and adds its copies to the tick.
    #[inline(always)]
    fn finish<S: Simd>(
        &self,
        simd: S,
        voice: usize,
        note: &mut Voice,
        original: Original<'_>,
        writer: &mut VoiceWriter<'_>,
    ) {
        let Inputs { part, shaping, .. } = self.inputs;
        let record = &mut *original.record;
        let layer = &mut note.layers[original.layer];
        if shaping.used {
            record.description.edit(|cloud| shaping.apply(voice, note.target, layer, cloud));
        }
        let balance = part.controls[Param::ShapeBalance];
        if balance > 0.0 && is_reshaped(&record.description.cloud()) {
            compensate(part, record, layer);
        }
        self.copies.push(simd, voice, note, &original, writer);
    }
}

/// Compensates the loudness of a layer.
#[inline(always)]
fn compensate(part: &Part, record: &mut UnisonVoice, layer: &mut VoiceLayer) {
    let balance = part.controls[Param::ShapeBalance];
    let gain = layer.balance.gain(part.level, record);
    record.unison.to.gain *= if balance < 1.0 { gain.powf(balance) } else { gain };
}

/// Whether loudness has to be compensated; see [`super::balance`].
fn is_reshaped(cloud: &Cloud) -> bool {
    cloud.tilt != 0.0 || cloud.formant != 1.0 || cloud.contrast != 0 || cloud.second.share != 0
}
