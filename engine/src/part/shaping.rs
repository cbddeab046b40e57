//! Filters, scales and spectral dynamics: from parameters to the fields of clouds.

use super::balance::loudest;
use super::lanes::LOG2_PER_DB;
use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::modulation::{CHUNK, Lane, Modulated};
use crate::params::Param;
use crate::spectrum::{
    Cloud, Filter, FilterKind, PARALLEL, dynamics, dynamics::CONTRAST_UNIT, scale_map,
};
use crate::voice::VoiceLayer;

/// Filters of a voice.
pub(super) const FILTERS: usize = 2;

/// Rows of the table from a parameter of the first filter to that of the second.
const FILTER_ROWS: usize = Param::Filter2Type as usize - Param::FilterType as usize;

/// The parameter of filter `index` that corresponds to `first` of the first filter.
pub(super) fn of_filter(first: Param, index: usize) -> Param {
    first.offset(index * FILTER_ROWS)
}

/// The filters of a part's voices.
pub(super) struct Filters<'a> {
    pub(super) kinds: [FilterKind; FILTERS],
    modulation: Modulated<'a>,
    pub(super) inverse_cutoff: [&'a Lane; FILTERS],
    pub(super) peak: [&'a Lane; FILTERS],
}

impl<'a> Filters<'a> {
    pub(super) fn new(
        controls: &Controls,
        modulation: Modulated<'a>,
        inverse_cutoff: [&'a Lane; FILTERS],
        peak: [&'a Lane; FILTERS],
    ) -> Self {
        let kind = |index| controls[of_filter(Param::FilterType, index)] as usize;
        Self {
            kinds: std::array::from_fn(|index| FilterKind::ALL[kind(index)]),
            modulation,
            inverse_cutoff,
            peak,
        }
    }

    /// Whether one of them is neither open nor a resonant one, which are made in lanes.
    pub(super) fn has_others(&self) -> bool {
        self.kinds.iter().any(|kind| !is_in_lanes(*kind))
    }

    /// Sets those filters of `voice`.
    pub(super) fn set_others(&self, voice: usize, filters: &mut [Filter; FILTERS]) {
        for (index, filter) in filters.iter_mut().enumerate() {
            if !is_in_lanes(self.kinds[index]) {
                *filter = self.other(self.kinds[index], index, voice);
            }
        }
    }

    fn other(&self, kind: FilterKind, index: usize, voice: usize) -> Filter {
        let inverse_cutoff = self.inverse_cutoff[index][voice];
        let target = |first| self.modulation.target(of_filter(first, index), voice);
        Filter::from_knobs(
            kind,
            inverse_cutoff,
            self.peak[index][voice],
            || target(Param::FilterResonance),
            || target(Param::FilterForm),
            |point| self.modulation.target(Param::Curve1.offset(point), voice),
        )
    }
}

fn is_in_lanes(kind: FilterKind) -> bool {
    kind == FilterKind::Open || kind.is_resonant()
}

/// The flag of clouds for two filters in parallel.
pub(super) fn routing(controls: &Controls) -> u8 {
    match controls[Param::Filter2Routing] != 0.0 {
        true => PARALLEL,
        false => 0,
    }
}

/// Placement and dynamics of a part's voices.
pub(super) struct Shaping<'a> {
    /// Whether any voice may need any of them.
    pub(super) used: bool,
    snap: &'a [f32; CHUNK],
    detune: &'a [f32; CHUNK],
    contrast: &'a [f32; CHUNK],
    gate: &'a [f32; CHUNK],
    smear: &'a [f32; CHUNK],
    freeze: &'a [f32; CHUNK],
    scale: usize,
    /// Semitones above C; `None` when every note is its own root.
    root: Option<i32>,
    tick_seconds: f32,
}

impl<'a> Shaping<'a> {
    pub(super) fn new(controls: &Controls, modulation: Modulated<'a>, tick_seconds: f32) -> Self {
        let target = |param: Param| modulation.lane(param);
        Self {
            used: AT_REST.iter().any(|&(param, value)| !modulation.is_constant_at(param, value)),
            snap: target(Param::PartialSnap),
            detune: target(Param::PartialDetune),
            contrast: target(Param::DynamicsContrast),
            gate: target(Param::DynamicsGate),
            smear: target(Param::DynamicsSmear),
            freeze: target(Param::DynamicsFreeze),
            scale: controls[Param::PartialScale] as usize,
            root: (controls[Param::PartialRoot] as i32).checked_sub(1).filter(|&root| root >= 0),
            tick_seconds,
        }
    }

    /// The speed of time for `voice`: 1, or less when it is frozen.
    #[inline]
    pub(super) fn pace(&self, voice: usize) -> f32 {
        match self.used {
            true => 1.0 - self.freeze[voice],
            false => 1.0,
        }
    }

    /// The speed of time for all voices.
    #[inline(always)]
    pub(super) fn paces(&self) -> Lane {
        Lane(std::array::from_fn(|voice| self.pace(voice)))
    }

    /// Applies placement and dynamics to `cloud`, of a `layer` of `voice` that plays `note`.
    pub(super) fn apply(&self, voice: usize, note: f32, layer: &mut VoiceLayer, cloud: &mut Cloud) {
        if self.snap[voice] != 0.0 {
            cloud.snap = (self.snap[voice] * 65_535.0) as u16;
            let above = self.root.map_or(0, |root| note.round() as i32 - root);
            cloud.scale = scale_map(self.scale, above);
        }
        if self.detune[voice] != 0.0 {
            cloud.detune = (self.detune[voice] * ((1 << 19) as f32 / 1200.0)) as u16;
        }
        if self.contrast[voice] != 0.0 {
            let power = exp2(2.0 * self.contrast[voice]);
            cloud.contrast = ((power - 1.0) * CONTRAST_UNIT) as i16;
            let mark = || dynamics::loudest_flags(loudest(cloud));
            let flags = *layer.loudest.get_or_insert_with(mark);
            cloud.flags |= flags;
        }
        if self.gate[voice] > GATE_OFF {
            cloud.gate = dynamics::steps_of(exp2(self.gate[voice] * LOG2_PER_DB)).max(1);
        }
        if self.smear[voice] != 0.0 || self.freeze[voice] != 0.0 {
            cloud.smear = self.smear_of(voice);
        }
    }

    fn smear_of(&self, voice: usize) -> u16 {
        let pace = self.pace(voice);
        if pace <= 0.0 {
            return u16::MAX;
        }
        let step = match self.smear[voice] > 0.0 {
            true => 1.0 - (-self.tick_seconds / self.smear[voice]).exp(),
            false => 1.0,
        };
        dynamics::steps_of(step * pace).min(u16::MAX - 1)
    }
}

/// Neutral values of the parameters.
const AT_REST: [(Param, f32); 6] = [
    (Param::PartialSnap, 0.0),
    (Param::PartialDetune, 0.0),
    (Param::DynamicsContrast, 0.0),
    (Param::DynamicsGate, GATE_OFF),
    (Param::DynamicsSmear, 0.0),
    (Param::DynamicsFreeze, 0.0),
];

/// Value of the gate at which it is off.
const GATE_OFF: f32 = -96.0;
