//! From a voice to its clouds: parameters in musical units become what renderers compute with.

use super::Part;
use super::lanes::{LOG2_PER_DB, pan_gains};
use super::shaping::{Filters, Shaping, routing};
use super::strike::{Material, softness};
use super::travel::Travel;
use crate::dsp::fast::exp2;
use crate::params::Param;
use crate::pool::CloudPool;
use crate::render::TICK;
use crate::spectrum::{Cloud, STARTS, TURN, Table};

impl Part {
    /// Adds the clouds of all voices to the tick.
    pub(super) fn push_clouds(&mut self, pool: &mut CloudPool) {
        let tick_seconds = self.tick_seconds();
        let Part {
            bus,
            controls,
            modulation,
            lanes,
            voices,
            high,
            imported,
            sample_rate,
            ..
        } = self;
        // What all voices have in common, and lanes of one length: nothing is checked twice.
        let family = Table::ALL.get(controls[Param::SourceTable] as usize);
        let table = match family {
            Some(family) => family.place(),
            None => imported.unwrap_or(Table::Saw.place()),
        };
        let travel = Travel::new(
            controls[Param::SourceLoop],
            controls[Param::SourceLoopStart],
            controls[Param::SourceLoopEnd],
        );
        let speed_per_frame = 1.0 / (table.seconds * *sample_rate);
        let scatter = (controls[Param::SourceScatter] * 65_535.0) as u16;
        let balance = controls[Param::ShapeBalance];
        let all = ..*high;
        let target = |param: Param| &modulation.lane(param)[all];
        let [position, partials, formant] = [
            target(Param::SourcePosition),
            target(Param::SourcePartials),
            &lanes.formant[all],
        ];
        let speed = target(Param::SourceSpeed);
        let [stretch, stiffness, parity, tilt, width] = [
            target(Param::ShapeStretch),
            target(Param::ShapeStiffness),
            target(Param::ShapeParity),
            target(Param::ShapeTilt),
            target(Param::ShapeWidth),
        ];
        let [bandwidth, band_growth] = [
            target(Param::ShapeBandwidth),
            target(Param::ShapeBandGrowth),
        ];
        let material = Material::named(controls[Param::StrikeMaterial]);
        let hardness = target(Param::StrikeHardness);
        let [decay_rate, decay_slope] = [target(Param::DecayRate), target(Param::DecaySlope)];
        let [detune, spread] = [target(Param::UnisonDetune), target(Param::UnisonSpread)];
        let [colour, entry] = [target(Param::UnisonColour), target(Param::UnisonEntry)];
        let [increment, gain] = [&lanes.increment[all], &lanes.gain[all]];
        let [pan, left, right] = [&lanes.pan[all], &lanes.left[all], &lanes.right[all]];
        let filters = Filters::new(
            controls,
            modulation,
            [&lanes.inverse_cutoff[all], &lanes.inverse_cutoff2[all]],
            [&lanes.peak[all], &lanes.peak2[all]],
        );
        let shaping = Shaping::new(controls, modulation, tick_seconds);
        let flags = table.flags | routing(controls);

        for (voice, note) in voices[all].iter_mut().enumerate() {
            if note.is_free() {
                continue;
            }
            let (rate, damping_slope) = match material {
                Some(material) => material.decay(increment[voice] * *sample_rate / TURN),
                None => (decay_rate[voice], decay_slope[voice]),
            };
            let pace = shaping.pace(voice);
            note.damping += rate * LOG2_PER_DB * tick_seconds * pace;
            let softness = softness(hardness[voice]);
            note.entry = (note.entry + pool.fade_step()).min(1.0);
            if speed[voice] != 0.0 {
                let frames = TICK as u32 - note.starts_at.unwrap_or(0);
                note.travelled += speed[voice] * frames as f32 * speed_per_frame * pace;
            }
            let place = match note.travelled == 0.0 {
                true => position[voice],
                false => travel.place(position[voice] + note.travelled),
            };
            let (frame, morph) = table.frame_at(place);
            let mut cloud = Cloud {
                flags: flags | if note.starts_at.is_some() { STARTS } else { 0 },
                first_frame: note.starts_at.unwrap_or(0) as u8,
                bus: *bus as u8,
                seed: note.seeds[0],
                scatter,
                table: table.first_row,
                frame,
                morph,
                bandwidth: match bandwidth[voice] == 0.0 {
                    true => 0.0,
                    false => exp2(bandwidth[voice] / 1200.0) - 1.0,
                },
                band_growth: band_growth[voice],
                partials: partials[voice],
                formant: formant[voice],
                stretch: stretch[voice],
                inharmonicity: stiffness[voice],
                parity: parity[voice],
                tilt: tilt[voice] * LOG2_PER_DB,
                damping: note.damping + softness,
                damping_slope,
                filters: filters.of(voice),
                ..Cloud::default()
            };
            shaping.apply(voice, note, &mut cloud);
            let copies = note.copies;
            let mut gain = note.entry * gain[voice] / (copies as f32).sqrt();
            if softness != 0.0 {
                gain *= exp2(softness);
            }
            if balance > 0.0 && is_reshaped(&cloud) {
                let made_up = note.balance.gain(&cloud, increment[voice]);
                gain *= match balance < 1.0 {
                    true => made_up.powf(balance),
                    false => made_up,
                };
            }
            for (copy, &slot) in note.slots[..copies].iter().enumerate() {
                // From -1 to 1 over the copies.
                let place = match copies {
                    1 => 0.0,
                    _ => 2.0 * copy as f32 / (copies - 1) as f32 - 1.0,
                };
                let detuned = match place == 0.0 {
                    true => 1.0,
                    false => exp2(place * detune[voice] / 1200.0),
                };
                // Neighbours in pitch stand on opposite sides, and so do the first and the last, the
                // second and the last but one: no side has more than the other.
                let alternating = |index: usize| 1.0 - 2.0 * (index % 2) as f32;
                let side = alternating(copy);
                let standing = place * alternating(copy.min(copies - 1 - copy));
                let [left, right] = match copies {
                    1 => [left[voice], right[voice]],
                    _ => pan_gains(pan[voice] + standing * spread[voice]),
                };
                let joined = match entry[voice] == 0.0 || copies == 1 {
                    true => 1.0,
                    // Each takes half of the time to come in, and the last begins when half is over.
                    false => (2.0 * note.age / entry[voice] - 0.5 * (place + 1.0)).clamp(0.0, 1.0),
                };
                let gain = gain * joined;
                let width_to = width[voice] * side;
                let (gain_from, width_from) = match note.starts_at {
                    Some(_) => ([0.0; 2], width_to),
                    None => (pool.last(slot).gain_to, pool.last(slot).width_to),
                };
                let mut own = Cloud {
                    seed: note.seeds[copy],
                    increment: increment[voice] * detuned,
                    gain_from,
                    gain_to: [gain * left, gain * right],
                    width_from,
                    width_to,
                    ..cloud
                };
                if colour[voice] != 0.0 {
                    recolour(&mut own, place * colour[voice]);
                }
                pool.push(slot, own);
            }
            note.starts_at = None;
        }
    }
}

/// Whether there is anything to make up for; see [`super::balance`].
fn is_reshaped(cloud: &Cloud) -> bool {
    cloud.tilt != 0.0 || cloud.formant != 1.0 || cloud.contrast != 0
}

/// Moves the peaks of a copy's spectrum, and its filters, by up to half an octave.
fn recolour(cloud: &mut Cloud, place: f32) {
    let lower = exp2(-0.5 * place);
    cloud.formant *= lower;
    for filter in &mut cloud.filters {
        filter.inverse_cutoff *= lower;
    }
}
