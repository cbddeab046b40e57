//! From a voice to its clouds: parameters in musical units become what renderers compute with.

use super::Part;
use super::lanes::{LOG2_PER_DB, pan_gains};
use crate::dsp::fast::exp2;
use crate::params::Param;
use crate::pool::CloudPool;
use crate::spectrum::{Cloud, Filter, STARTS, Table};

/// Kinds of filters, in the order of the `filter.type` parameter's names after "off".
#[derive(Clone, Copy)]
enum FilterKind {
    Low,
    High,
    Band,
    Notch,
    Peak,
}

const FILTERS: [(FilterKind, u32); 8] = [
    (FilterKind::Low, 2),
    (FilterKind::Low, 4),
    (FilterKind::High, 2),
    (FilterKind::High, 4),
    (FilterKind::Band, 2),
    (FilterKind::Band, 4),
    (FilterKind::Notch, 4),
    (FilterKind::Peak, 4),
];

impl Part {
    /// Adds the clouds of `voice` to the tick.
    pub(super) fn push_clouds(&mut self, voice: usize, pool: &mut CloudPool) {
        let target = |param: Param| self.modulation.target(param, voice);
        let note = &self.voices[voice];
        let stiffness = target(Param::ShapeStiffness);
        let increment = self.lanes.increment[voice];
        let decay = target(Param::DecayRate) * LOG2_PER_DB * self.tick_seconds();
        let damping = note.damping + decay;
        let table = Table::ALL[self.controls[Param::SourceTable] as usize];
        let (frame, morph) = table.frame_at(target(Param::SourcePosition));
        let parity = target(Param::ShapeParity);
        let cloud = Cloud {
            flags: if note.starts_at.is_some() { STARTS } else { 0 },
            first_frame: note.starts_at.unwrap_or(0),
            bus: self.bus,
            scatter: (self.controls[Param::SourceScatter] * 65_535.0) as u32,
            table: table.first_row(),
            frame,
            morph,
            partials: target(Param::SourcePartials),
            formant: self.lanes.formant[voice],
            stretch: target(Param::ShapeStretch),
            inharmonicity: stiffness,
            odd: 1.0 + parity.min(0.0),
            even: 1.0 - parity.max(0.0),
            tilt: target(Param::ShapeTilt) * LOG2_PER_DB,
            damping,
            damping_slope: target(Param::DecaySlope),
            filter: self.filter(voice),
            ..Cloud::default()
        };
        let copies = note.copies;
        let entry = (note.entry + pool.fade_step()).min(1.0);
        let gain = entry * self.lanes.gain[voice] / (copies as f32).sqrt();
        let width = target(Param::ShapeWidth);
        let (detune, spread) = (target(Param::UnisonDetune), target(Param::UnisonSpread));
        for copy in 0..copies {
            // From -1 to 1 over the copies.
            let place = match copies {
                1 => 0.0,
                _ => 2.0 * copy as f32 / (copies - 1) as f32 - 1.0,
            };
            let detuned = match place == 0.0 {
                true => 1.0,
                false => exp2(place * detune / 1200.0),
            };
            let slot = note.slots[copy];
            // Neighbours in pitch stand on opposite sides.
            let side = if copy % 2 == 0 { 1.0 } else { -1.0 };
            let [left, right] = match copies {
                1 => [self.lanes.left[voice], self.lanes.right[voice]],
                _ => pan_gains(self.lanes.pan[voice] + place * side * spread),
            };
            let cloud = Cloud {
                seed: note.seed.wrapping_add(copy as u32 * 1024),
                increment: increment * detuned,
                gain_to: [gain * left, gain * right],
                width_to: width * side,
                ..cloud
            };
            let (gain_from, width_from) = match note.starts_at {
                Some(_) => ([0.0; 2], cloud.width_to),
                None => (pool.last(slot).gain_to, pool.last(slot).width_to),
            };
            pool.push(
                slot,
                Cloud {
                    gain_from,
                    width_from,
                    ..cloud
                },
            );
        }
        let note = &mut self.voices[voice];
        note.damping = damping;
        note.entry = entry;
        note.starts_at = None;
    }

    fn filter(&self, voice: usize) -> Filter {
        let Some(kind) = (self.controls[Param::FilterType] as usize).checked_sub(1) else {
            return Filter::default();
        };
        let (kind, poles) = FILTERS[kind];
        let peak = self.lanes.peak[voice];
        // Two poles have the resonance Q there, four have Q².
        let inverse_q2 = match poles {
            2 => 1.0 / (peak * peak),
            _ => 1.0 / peak,
        };
        let pass = match kind {
            FilterKind::Low => [1.0, 0.0, 0.0],
            FilterKind::High => [0.0, 0.0, 1.0],
            FilterKind::Band => [0.0, inverse_q2, 0.0],
            FilterKind::Notch => [1.0, -2.0, 1.0],
            FilterKind::Peak => [1.0, -2.0 + inverse_q2 * (1.0 + peak), 1.0],
        };
        Filter {
            poles,
            inverse_cutoff: self.lanes.inverse_cutoff[voice],
            inverse_q2,
            pass,
        }
    }
}
