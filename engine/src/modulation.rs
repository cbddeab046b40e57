//! Modulation: sources move parameters, voice by voice, once a tick.
//!
//! Everything is stored in lanes with one number for each voice: sources (envelopes, LFOs,
//! controllers) are the input, targets (modulated parameters) the output. Only sources that a route
//! uses are computed. What belongs to all voices is here; the lanes are in chunks of voices, which several threads compute
//! side by side.

mod drawing;
mod drawn_envelope;
mod envelope;
mod fine;
mod lanes;
mod lfo;
mod offset;
mod route;

pub use drawing::{Drawing, Point};
pub use drawn_envelope::{DrawnEnvelope, EnvelopePoint};
pub use route::{MAX_ROUTES, Route, RouteCurve, Source};

pub(crate) use envelope::{Bend, EnvelopeBank, EnvelopeSettings};
pub(crate) use fine::{CopyMoves, PartialMoves};
pub(crate) use lanes::{CHUNK, Lane, Modulated, ModulationLanes};
pub(crate) use lfo::{Lfo, LfoSettings, Shape, beats_of_sync};

use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::params::{Curve, Kind, Param, TABLE};
use fine::Granularity;
use offset::Offsets;
use std::ops::Range;

/// Envelopes of a voice; the first controls its level.
pub const ENVELOPES: usize = 4;
/// LFOs of a part.
pub const LFOS: usize = 6;

/// Parameters that set the speed of sources, so they must be known before these are computed.
const SPEEDS: [Param; ENVELOPES + LFOS] = [
    Param::Env1Speed,
    Param::Env2Speed,
    Param::Env3Speed,
    Param::Env4Speed,
    Param::Lfo1Rate,
    Param::Lfo2Rate,
    Param::Lfo3Rate,
    Param::Lfo4Rate,
    Param::Lfo5Rate,
    Param::Lfo6Rate,
];

/// The routes of a part, and the parameters that they move.
#[derive(Debug)]
pub(crate) struct Modulation {
    /// Those to the same parameter are next to each other.
    routes: Vec<Route>,
    /// Routes that move a parameter for all voices at once.
    shared_routes: Vec<Route>,
    /// Routes to single copies, and to partials.
    copy_routes: Vec<Route>,
    partial_routes: Vec<Route>,
    /// For every source, whether a route uses it.
    used: [bool; Source::COUNT],
    /// Parameters that can be modulated.
    modulated: Vec<Param>,
    /// For every parameter, whether a route moves it,
    routed: Vec<bool>,
    /// and the one value that its whole lane holds, if it does; such lanes are not computed again.
    constant: Vec<Option<f32>>,
    /// The parameters that routes move.
    moving: Vec<Moving>,
    /// Whether `constant` and `moving` follow from what knobs and routes were before.
    is_stale: bool,
    /// Per-voice offsets that a host adds.
    offsets: Offsets,
}

/// A parameter that routes move.
#[derive(Clone, Debug)]
struct Moving {
    param: Param,
    kind: Kind,
    /// What the knob contributes to the sum.
    knob: f32,
    /// The routes to it.
    routes: Range<usize>,
}

impl Modulation {
    pub(crate) fn new() -> Self {
        Self {
            routes: Vec::with_capacity(MAX_ROUTES),
            shared_routes: Vec::with_capacity(MAX_ROUTES),
            copy_routes: Vec::with_capacity(MAX_ROUTES),
            partial_routes: Vec::with_capacity(MAX_ROUTES),
            used: [false; Source::COUNT],
            modulated: Param::ALL
                .iter()
                .filter(|param| param.info().is_per_voice())
                .copied()
                .collect(),
            routed: vec![false; TABLE.len()],
            constant: vec![None; TABLE.len()],
            moving: Vec::with_capacity(MAX_ROUTES),
            is_stale: true,
            offsets: Offsets::new(),
        }
    }

    /// Sets the routes of a patch; at most [`MAX_ROUTES`], to parameters that can be modulated.
    pub(crate) fn set_routes(&mut self, routes: &[Route]) {
        self.routes.clear();
        self.shared_routes.clear();
        self.copy_routes.clear();
        self.partial_routes.clear();
        self.used = [false; Source::COUNT];
        let possible = routes.iter().filter(|route| route.is_possible());
        for route in possible.take(MAX_ROUTES) {
            self.used[route.source as usize] = true;
            if let Some(via) = route.via {
                self.used[via as usize] = true;
            }
            match route.granularity() {
                Granularity::Copy => self.copy_routes.push(*route),
                Granularity::Partial => self.partial_routes.push(*route),
                Granularity::Voice if route.target.info().shared => self.shared_routes.push(*route),
                Granularity::Voice => {
                    // After the others to the same parameter: they are summed in that order.
                    let is_before = |other: &Route| other.target as usize <= route.target as usize;
                    let place = self.routes.partition_point(is_before);
                    self.routes.insert(place, *route);
                }
            }
        }
        self.routed.fill(false);
        for route in &self.routes {
            self.routed[route.target as usize] = true;
        }
        self.is_stale = true;
    }

    /// The parameters have changed: the next tick reads them all.
    pub(crate) fn read_again(&mut self) {
        self.is_stale = true;
    }

    pub(crate) fn uses(&self, source: Source) -> bool {
        self.used[source as usize]
    }

    /// Whether a route moves `param`, voice by voice.
    pub(crate) fn moves(&self, param: Param) -> bool {
        self.routed[param as usize]
    }

    /// Begins a tick with so many voices: reads the parameters, if they have changed. Those that no route moves are the same in
    /// every tick, so `fill` fills their lanes when they have changed.
    pub(crate) fn begin(
        &mut self,
        controls: &Controls,
        voices: usize,
        fill: impl FnMut(Param, f32),
    ) {
        if std::mem::take(&mut self.is_stale) {
            self.read(controls, fill);
        }
        let Self { offsets, constant, is_stale, .. } = self;
        for (_, param, _) in offsets.of(0..voices) {
            constant[param as usize] = None;
            *is_stale = true;
        }
    }

    fn read(&mut self, controls: &Controls, mut fill: impl FnMut(Param, f32)) {
        self.moving.clear();
        for &param in &self.modulated {
            let value = controls[param];
            let constant = &mut self.constant[param as usize];
            if self.routed[param as usize] {
                *constant = None;
                let kind = param.info().kind;
                let first =
                    self.routes.partition_point(|route| (route.target as usize) < param as usize);
                let count =
                    self.routes[first..].iter().take_while(|route| route.target == param).count();
                let (knob, routes) = (to_sum(kind, value), first..first + count);
                self.moving.push(Moving { param, kind, knob, routes });
            } else if *constant != Some(value) {
                *constant = Some(value);
                fill(param, value);
            }
        }
    }

    /// Whether a route moves a parameter for all voices at once.
    pub(crate) fn has_shared(&self) -> bool {
        !self.shared_routes.is_empty()
    }

    /// The parameters that routes move for all voices at once, each with its new value; `source`
    /// gives the values of the sources.
    pub(crate) fn shared_targets(
        &self,
        controls: &Controls,
        source: impl Fn(Source) -> f32,
        mut set: impl FnMut(Param, f32),
    ) {
        let amount = |route: &Route| {
            let via = route.via.map_or(1.0, &source);
            route.amount * route.curve.shape(source(route.source)) * via
        };
        for (index, route) in self.shared_routes.iter().enumerate() {
            let same = |other: &&Route| other.target == route.target;
            // The first route to a parameter handles all routes to it.
            if self.shared_routes[..index].iter().any(|other| same(&other)) {
                continue;
            }
            let sum = self.shared_routes.iter().filter(same).map(amount).sum();
            let kind = route.target.info().kind;
            set(route.target, moved(kind, controls[route.target], sum));
        }
    }

    /// Adds an offset to a parameter of one voice, as a fraction of the knob's range.
    pub(crate) fn set_offset(&mut self, voice: usize, param: Param, amount: f32) {
        let info = param.info();
        if info.is_per_voice() && amount.is_finite() {
            self.offsets.set(voice, param, amount);
        }
    }

    /// Removes the offsets of a voice that starts.
    pub(crate) fn forget_offsets(&mut self, voice: usize) {
        self.offsets.forget(voice);
    }

    pub(crate) fn clear_offsets(&mut self) {
        self.offsets.clear();
    }
}

/// The value of a parameter of this kind after routes have added `amount` to `value`.
pub fn moved(kind: Kind, value: f32, amount: f32) -> f32 {
    from_sum(kind, to_sum(kind, value) + amount)
}

/// The amount of a route that moves a knob of this kind over its whole range.
pub fn whole_way(kind: Kind) -> f32 {
    let (min, max) = kind.range();
    to_sum(kind, max) - to_sum(kind, min)
}

/// The scale in which routes add up: see [`Curve`].
fn to_sum(kind: Kind, value: f32) -> f32 {
    match kind {
        Kind::Number { curve: Curve::Exponential, .. } => value.log2(),
        Kind::Number { curve: Curve::Power(_), .. } => kind.to_scale(value),
        _ => value,
    }
}

/// The same for many values, in loops without branches for most kinds.
#[inline(always)]
fn from_sums(kind: Kind, sums: &mut [f32; CHUNK]) {
    let (min, max) = kind.range();
    match kind {
        Kind::Number { curve: Curve::Exponential, .. } => {
            sums.iter_mut().for_each(|sum| *sum = exp2(*sum).clamp(min, max))
        }
        Kind::Number { curve: Curve::Linear, .. } => {
            sums.iter_mut().for_each(|sum| *sum = sum.clamp(min, max))
        }
        _ => sums.iter_mut().for_each(|sum| *sum = from_sum(kind, *sum)),
    }
}

fn from_sum(kind: Kind, sum: f32) -> f32 {
    match kind {
        Kind::Number { curve: Curve::Exponential, .. } => kind.clamp(exp2(sum)),
        Kind::Number { curve: Curve::Power(_), .. } => kind.from_scale(sum),
        _ => kind.clamp(sum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    fn route(source: Source, target: Param, amount: f32) -> Route {
        Route { source, via: None, target, amount, curve: RouteCurve::Linear }
    }

    #[test]
    fn routes_add_in_the_targets_own_way_and_stay_in_range() {
        let controls = Controls::new(0.001);
        let mut modulation = Modulation::new();
        let mut lanes = ModulationLanes::new();
        modulation.set_routes(&[
            route(Source::Env2, Param::FilterCutoff, 1.0),
            route(Source::Env2, Param::AmpPan, -3.0),
            Route { via: Some(Source::Wheel), ..route(Source::Lfo1, Param::PitchTune, 2.0) },
        ]);
        lanes.source_mut(Source::Env2)[..2].copy_from_slice(&[0.0, 1.0]);
        lanes.source_mut(Source::Lfo1)[..2].copy_from_slice(&[1.0, 1.0]);
        lanes.source_mut(Source::Wheel)[..2].copy_from_slice(&[0.0, 0.5]);
        modulation.begin(&controls, 2, |param, value| lanes.fill(param, value));
        lanes.apply(Portable, &modulation, 0);
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a} for {b}");
        near(lanes.target(Param::FilterCutoff, 0), 2_000.0);
        near(lanes.target(Param::FilterCutoff, 1), 4_000.0);
        near(lanes.target(Param::AmpPan, 1), -1.0);
        near(lanes.target(Param::PitchTune, 0), 0.0);
        near(lanes.target(Param::PitchTune, 1), 1.0);
    }
}
