//! From a voice to its clouds: parameters in musical units become the numbers that renderers use.

use super::Part;
use super::copies::{Copies, Original};
use super::lanes::{LOG2_PER_DB, VoiceLanes};
use super::layer::{Own, SecondLayer, Walk, table};
use super::modulate::Chunk;
use super::records::{Inputs, transpose};
use super::shaping::{Filters, Shaping};
use crate::dsp::fast::exp2;
use crate::modulation::{CHUNK, Modulated};
use crate::params::Param;
use crate::pool::VoiceWriter;
use crate::simd::{LANES, Simd, Work};
use crate::spectrum::{Cloud, UnisonVoice};
use crate::voice::{Voice, VoiceState};

impl Chunk<'_> {
    /// Adds the clouds of the voices to a tick of the block.
    pub(super) fn push_clouds(&mut self, writer: &mut VoiceWriter<'_>) {
        self.part.level.dispatch(Push { chunk: self, writer });
    }
}

/// Whether partials have become inaudible by the damping of all layers.
fn has_decayed(mut dampings: impl Iterator<Item = f32> + Clone, slope: f32) -> bool {
    /// Powers of two of attenuation at which even a cloud at full level is below -144 dB.
    const GONE: f32 = 24.0;
    if !dampings.clone().all(|damping| damping > 0.0) {
        return false;
    }
    // The lowest ratio is a half; it decays slowest.
    let slowest = exp2(-slope);
    dampings.all(|damping| damping * slowest > GONE)
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
        let Self { chunk: Chunk { part, voices: notes, lanes: own, .. }, writer } = self;
        let Part { bus, outputs, controls, imported, sample_rate, .. } = part;
        let VoiceLanes {
            envelopes,
            modulation,
            notes: note_lanes,
            clouds: lanes,
            layers,
            records,
            ..
        } = &mut **own;
        let modulation = Modulated { modulation: &part.modulation, lanes: modulation };
        // Values that all voices share.
        let table = table(controls[Param::SourceTable], imported[0]);
        let walk = Walk::new(table, controls, *sample_rate);
        let second = SecondLayer::new(controls, modulation, imported[1], *sample_rate);
        let layer_bus = outputs.bus(controls[Param::LayerOutput] as u8, *bus) as u8;
        let moves_partials = modulation.has_partials();
        let filters = Filters::new(
            controls,
            modulation,
            [&lanes.inverse_cutoff, &lanes.inverse_cutoff2],
            [&lanes.peak, &lanes.peak2],
        );
        let has_other_filters = filters.has_others();
        let shaping = Shaping::new(controls, modulation, part.tick_seconds());
        let first = notes.iter().find(|note| !note.is_free());
        let count = first.map_or(1, |note| note.copies);
        let copies = Copies::new(modulation, second.as_ref(), count);
        let positions = modulation.lane(Param::SourcePosition);
        let slopes = modulation.lane(Param::DecaySlope);

        let fade_step = writer.fade_step();
        let inputs = Inputs {
            part,
            modulation,
            notes: note_lanes,
            lanes,
            walk: &walk,
            filters: &filters,
            shaping: &shaping,
            fade_step,
        };
        records.fill(&inputs, notes, &mut layers[0]);
        let words = records.words(&inputs);
        let mut made = [UnisonVoice::default(); LANES];
        let decays = layers[0].damping.iter().any(|&damping| damping > 0.0);
        for first in (0..CHUNK).step_by(LANES) {
            let Some(notes) = notes.get_mut(first..) else { break };
            transpose(simd, &words, first, &mut made);
            for ((voice, note), record) in (first..).zip(notes).zip(&mut made) {
                if note.is_free() {
                    continue;
                }
                if has_other_filters || moves_partials {
                    record.description.edit(|cloud| {
                        filters.set_others(voice, &mut cloud.filters);
                        if moves_partials {
                            let moves = modulation.partials(voice);
                            cloud.stretch = (cloud.stretch + moves.tune).clamp(-0.5, 0.5);
                            cloud.tilt += moves.level * LOG2_PER_DB;
                        }
                    });
                }
                let finish = Finish {
                    voice,
                    balance: controls[Param::ShapeBalance],
                    shaping: &shaping,
                    copies: &copies,
                };
                if let Some(second) = &second {
                    let shared = Own {
                        bus: layer_bus,
                        gain: records.voice_gain(voice, &inputs),
                        pitch: lanes.pitch[voice],
                        pace: shaping.pace(voice),
                    };
                    let own = second.advance(voice, note, record, &mut layers[1], shared);
                    let travelled = layers[1].travelled[voice];
                    if let Some(mut record) = own {
                        let position = modulation.target(Param::LayerPosition, voice);
                        let (record, walk) = (&mut record, &second.walk);
                        let mut original = Original { layer: 1, record, walk, travelled, position };
                        finish.push(note, &mut original, writer);
                    }
                    record.unison.to.pan -= second.spread(voice, note);
                    second.join(voice, travelled, &mut record.description);
                }
                let mut original = Original {
                    layer: 0,
                    record,
                    walk: &walk,
                    travelled: layers[0].travelled[voice],
                    position: positions[voice],
                };
                finish.push(note, &mut original, writer);
                note.starts_at = None;
                let dampings = || layers[..note.sounding].iter().map(|layer| layer.damping[voice]);
                if envelopes[0].is_done(voice) || decays && has_decayed(dampings(), slopes[voice]) {
                    note.state = VoiceState::Ended { tick: writer.tick() as u8 };
                    part.note_ended(1 << writer.tick());
                }
            }
        }
    }
}

/// Shared settings of the last step, which every layer of a voice goes through.
struct Finish<'a> {
    voice: usize,
    balance: f32,
    shaping: &'a Shaping<'a>,
    copies: &'a Copies<'a>,
}

impl Finish<'_> {
    /// Shapes a layer, compensates its loudness, and adds its copies to the tick.
    #[inline(always)]
    fn push(&self, note: &mut Voice, original: &mut Original<'_>, writer: &mut VoiceWriter<'_>) {
        let record = &mut *original.record;
        let layer = &mut note.layers[original.layer];
        if self.shaping.used {
            let shape =
                |cloud: &mut Cloud| self.shaping.apply(self.voice, note.target, layer, cloud);
            record.description.edit(shape);
        }
        if self.balance > 0.0 && is_reshaped(&record.description.cloud()) {
            let makeup_gain = layer.balance.gain(record);
            record.unison.to.gain *= match self.balance < 1.0 {
                true => makeup_gain.powf(self.balance),
                false => makeup_gain,
            };
        }
        self.copies.push(self.voice, note, original, writer);
    }
}

/// Whether loudness has to be compensated; see [`super::balance`].
fn is_reshaped(cloud: &Cloud) -> bool {
    cloud.tilt != 0.0 || cloud.formant != 1.0 || cloud.contrast != 0 || cloud.second.share != 0
}
