//! From a voice to its clouds: parameters in musical units become the numbers that renderers use.

use super::Part;
use super::copies::{Copies, Original, Side};
use super::lanes::LOG2_PER_DB;
use super::layer::{SecondLayer, Walk, bandwidth_of, frames_of, table};
use super::shaping::{Filters, Shaping, routing};
use super::strike::{Material, makeup_gain, softness};
use crate::disjoint::Disjoint;
use crate::params::Param;
use crate::pool::{VoiceWriter, Voices};
use crate::simd::{Simd, Work};
use crate::spectrum::{Cloud, STARTS, TURN, fraction};
use crate::voice::{Voice, VoiceState};
use std::ops::Range;

impl Part {
    /// Adds the clouds of all voices to `tick` of the block, in chunks of `chunk` voices: `run` calls the
    /// function that it is given with every index below the count, from any thread.
    pub(crate) fn push_clouds(
        &mut self,
        clouds: &Voices<'_>,
        tick: usize,
        chunk: usize,
        run: impl FnOnce(usize, &(dyn Fn(usize) + Sync)),
    ) {
        // The chunks change voices and only read the rest.
        let mut voices = std::mem::take(&mut self.voices);
        let part = &*self;
        let chunks = part.high.div_ceil(chunk);
        let notes = Disjoint::new(&mut voices);
        run(chunks, &|index| {
            let range = index * chunk..part.high.min((index + 1) * chunk);
            // SAFETY: every index is used once, and the chunks do not overlap.
            let notes = unsafe { notes.range(range.clone()) };
            // SAFETY: the slots of a voice belong to it alone.
            let mut writer = unsafe { clouds.writer(tick) };
            part.level.dispatch(Push { part, range, notes, writer: &mut writer });
        });
        self.voices = voices;
    }
}

/// Adds the clouds of `notes`, which are the voices in `range`.
struct Push<'a, 'b> {
    part: &'a Part,
    range: Range<usize>,
    notes: &'a mut [Voice],
    writer: &'a mut VoiceWriter<'b>,
}

impl Work for Push<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { part, range, notes, writer } = self;
        let tick_seconds = part.tick_seconds();
        let Part { bus, outputs, controls, modulation, lanes, high, imported, sample_rate, .. } =
            part;
        // Values that all voices share, and slices of one length, so that bounds are checked once.
        let table = table(controls[Param::SourceTable], imported[0]);
        let walk = Walk::new(table, controls, *sample_rate);
        let second = SecondLayer::new(controls, modulation, imported[1], *sample_rate);
        let layer_bus = outputs.bus(controls[Param::LayerOutput] as u8, *bus) as u8;
        let scatter = (controls[Param::SourceScatter] * 65_535.0) as u16;
        let balance = controls[Param::ShapeBalance];
        let all = ..*high;
        let target = |param: Param| &modulation.lane(param)[all];
        let [position, speed] = [target(Param::SourcePosition), target(Param::SourceSpeed)];
        let [partials, formant] = [target(Param::SourcePartials), &lanes.formant[all]];
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
        let [pitch, increment] = [&lanes.pitch[all], &lanes.increment[all]];
        let moves_partials = modulation.has_partials();
        let gain = &lanes.gain[all];
        let filters = Filters::new(
            controls,
            modulation,
            [&lanes.inverse_cutoff[all], &lanes.inverse_cutoff2[all]],
            [&lanes.peak[all], &lanes.peak2[all]],
        );
        let shaping = Shaping::new(controls, modulation, tick_seconds);
        let first = notes.iter().find(|note| !note.is_free());
        let count = first.map_or(1, |note| note.copies);
        let copies = Copies::new(modulation, lanes, second.as_ref(), *high, count);
        let flags = table.flags | routing(controls);

        for (voice, note) in range.zip(notes) {
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
            if part.is_silent(voice, note) {
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
