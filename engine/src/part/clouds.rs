//! From a voice to its clouds: parameters in musical units become the numbers that renderers use.

use super::Part;
use super::copies::{Copies, Original, Side};
use super::lanes::{LOG2_PER_DB, VoiceLanes};
use super::layer::{SecondLayer, Walk, bandwidth_of, frames_of, table};
use super::modulate::Chunk;
use super::shaping::{Filters, Shaping, routing};
use super::strike::{Material, makeup_gain, softness};
use crate::dsp::fast::exp2;
use crate::modulation::CHUNK;
use crate::params::Param;
use crate::pool::VoiceWriter;
use crate::simd::{Simd, Work};
use crate::spectrum::{Cloud, STARTS, TURN, fraction};
use crate::voice::{Voice, VoiceState};

impl Chunk<'_> {
    /// Adds the clouds of the voices to a tick of the block.
    pub(super) fn push_clouds(&mut self, writer: &mut VoiceWriter<'_>) {
        self.part.level.dispatch(Push { chunk: self, writer });
    }

    /// Whether the envelope of a voice has ended or its partials have decayed.
    fn is_silent(lanes: &VoiceLanes, voice: usize, note: &Voice) -> bool {
        /// Powers of two of attenuation at which even a cloud at full level is below -144 dB.
        const GONE: f32 = 24.0;
        if lanes.envelopes[0].is_done(voice) {
            return true;
        }
        let mut layers = note.layers[..note.sounding].iter();
        if !layers.clone().all(|layer| layer.damping > 0.0) {
            return false;
        }
        // The lowest ratio is a half; it decays slowest.
        let slowest = exp2(-lanes.modulation.target(Param::DecaySlope, voice));
        layers.all(|layer| layer.damping * slowest > GONE)
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
    fn run<S: Simd>(self, _: S) {
        let Self { chunk: Chunk { part, voices: notes, lanes: own, .. }, writer } = self;
        let (part, own) = (*part, &**own);
        let tick_seconds = part.tick_seconds();
        let Part { bus, outputs, controls, imported, sample_rate, .. } = part;
        let (modulation, lanes) = (own.modulated(&part.modulation), &own.clouds);
        // Values that all voices share.
        let table = table(controls[Param::SourceTable], imported[0]);
        let walk = Walk::new(table, controls, *sample_rate);
        let second = SecondLayer::new(controls, modulation, imported[1], *sample_rate);
        let layer_bus = outputs.bus(controls[Param::LayerOutput] as u8, *bus) as u8;
        let scatter = (controls[Param::SourceScatter] * 65_535.0) as u16;
        let balance = controls[Param::ShapeBalance];
        let target = |param: Param| modulation.lane(param);
        let [position, speed] = [target(Param::SourcePosition), target(Param::SourceSpeed)];
        let (partials, formant) = (target(Param::SourcePartials), &lanes.formant);
        let [stretch, stiffness, parity, tilt] = [
            target(Param::ShapeStretch),
            target(Param::ShapeStiffness),
            target(Param::ShapeParity),
            target(Param::ShapeTilt),
        ];
        let [bandwidth, band_growth] =
            [target(Param::ShapeBandwidth), target(Param::ShapeBandGrowth)];
        let material = Material::named(controls[Param::StrikeMaterial]);
        let hardness = target(Param::StrikeHardness);
        let [decay_rate, decay_slope] = [target(Param::DecayRate), target(Param::DecaySlope)];
        let [pitch, increment] = [&lanes.pitch, &lanes.increment];
        let moves_partials = modulation.has_partials();
        let gain = &lanes.gain;
        let filters = Filters::new(
            controls,
            modulation,
            [&lanes.inverse_cutoff, &lanes.inverse_cutoff2],
            [&lanes.peak, &lanes.peak2],
        );
        let shaping = Shaping::new(controls, modulation, tick_seconds);
        let first = notes.iter().find(|note| !note.is_free());
        let count = first.map_or(1, |note| note.copies);
        let copies = Copies::new(modulation, lanes, second.as_ref(), count);
        let flags = table.flags | routing(controls);

        for (voice, note) in (0..CHUNK).zip(notes.iter_mut()) {
            if note.is_free() {
                continue;
            }
            let (rate, damping_slope) = match material {
                Some(material) => material.decay(increment[voice] * *sample_rate / TURN),
                None => (decay_rate[voice], decay_slope[voice]),
            };
            let pace = shaping.pace(voice);
            note.entry = (note.entry + writer.fade_step()).min(1.0);
            let frames = frames_of(note);
            let layer = &mut note.layers[0];
            layer.damping += rate * LOG2_PER_DB * tick_seconds * pace;
            walk.advance(layer, speed[voice] * pace, frames);
            let softness = softness(hardness[voice]);
            let (frame, morph) = walk.frame(layer, position[voice]);
            let mut first = Original {
                layer: 0,
                cloud: Cloud {
                    flags: flags | if note.starts_at.is_some() { STARTS } else { 0 },
                    first_frame: note.starts_at.unwrap_or(0) as u8,
                    bus: *bus as u8,
                    seed: note.seed,
                    scatter,
                    table: table.first_row,
                    frame,
                    morph,
                    bandwidth: bandwidth_of(bandwidth[voice]),
                    band_growth: fraction(band_growth[voice]),
                    partials: partials[voice],
                    formant: formant[voice],
                    stretch: stretch[voice],
                    inharmonicity: stiffness[voice],
                    parity: fraction(parity[voice]),
                    tilt: tilt[voice] * LOG2_PER_DB,
                    damping: layer.damping + softness,
                    damping_slope,
                    ..Cloud::default()
                },
                increment: increment[voice],
                gain: makeup_gain(softness),
                pan: 0.0,
                side: Side::Both,
                walk: &walk,
                position: position[voice],
            };
            filters.set(voice, &mut first.cloud.filters);
            if moves_partials {
                let moves = modulation.partials(voice);
                let cloud = &mut first.cloud;
                cloud.stretch = (cloud.stretch + moves.tune).clamp(-0.5, 0.5);
                cloud.tilt += moves.level * LOG2_PER_DB;
            }
            let finish = Finish {
                voice,
                gain: note.entry * gain[voice] / (note.copies as f32).sqrt(),
                balance,
                shaping: &shaping,
                copies: &copies,
            };
            if let Some(second) = &second {
                first.pan = -second.spread(voice, note);
                let own = second.advance(voice, note, &first, pitch[voice], pace);
                if let Some(mut own) = own {
                    own.cloud.bus = layer_bus;
                    finish.push(note, &mut own, writer);
                }
                second.join(voice, note, &mut first.cloud);
            }
            finish.push(note, &mut first, writer);
            note.starts_at = None;
            if Chunk::is_silent(own, voice, note) {
                note.state = VoiceState::Ended { tick: writer.tick() as u8 };
                part.note_ended(1 << writer.tick());
            }
        }
    }
}

/// Shared settings of the last step, which every layer of a voice goes through.
struct Finish<'a> {
    voice: usize,
    gain: f32,
    balance: f32,
    shaping: &'a Shaping<'a>,
    copies: &'a Copies<'a>,
}

impl Finish<'_> {
    /// Shapes a layer, compensates its loudness, and adds its copies to the tick.
    #[inline(always)]
    fn push(&self, note: &mut Voice, original: &mut Original<'_>, writer: &mut VoiceWriter<'_>) {
        let Original { cloud, .. } = original;
        let layer = &mut note.layers[original.layer];
        self.shaping.apply(self.voice, note.target, layer, cloud);
        original.gain *= self.gain;
        if self.balance > 0.0 && is_reshaped(cloud) {
            let makeup_gain = layer.balance.gain(cloud, original.increment);
            original.gain *= match self.balance < 1.0 {
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
