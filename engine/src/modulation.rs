//! Modulation: what moves, voice by voice, once a tick.
//!
//! Everything lies in lanes, one number a voice: sources (envelopes, LFOs, controllers) in, targets
//! (parameters as each voice hears them) out. Only sources that a route uses are computed.

mod envelope;
mod fine;
mod lfo;
mod offset;
mod route;

pub use lfo::Drawing;
pub use route::{MAX_ROUTES, Route, RouteCurve, Source};

pub(crate) use envelope::{Bend, EnvelopeBank, EnvelopeSettings};
pub(crate) use fine::{CopyMoves, PartialMoves};
pub(crate) use lfo::{Lfo, LfoSettings, Shape, beats_of_sync};

use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::params::{Curve, Kind, Param, TABLE};
use fine::Grain;
use offset::Offsets;

/// Envelopes of a voice; the first is that of its level.
pub(crate) const ENVELOPES: usize = 4;
/// LFOs of a part.
pub const LFOS: usize = 6;

/// Parameters that say how fast sources move, which must be known before these do.
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

/// The lanes of all voices of a part.
#[derive(Debug)]
pub(crate) struct Modulation {
    sources: Vec<Vec<f32>>,
    /// Lanes of parameters that are modulated voice by voice; of others, empty.
    targets: Vec<Vec<f32>>,
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
    /// For every parameter, whether a route reaches it,
    routed: Vec<bool>,
    /// and what its whole lane is full of, if nothing else is in it: what rests costs nothing.
    full_of: Vec<Option<f32>>,
    /// What a route adds, before it is added.
    scratch: Vec<f32>,
    /// What a host adds to single voices.
    offsets: Offsets,
}

impl Modulation {
    pub(crate) fn new(voices: usize) -> Self {
        let lane = || vec![0.0; voices];
        let target = |row: &crate::params::ParamInfo| match row.modulated && !row.shared {
            true => lane(),
            false => Vec::new(),
        };
        Self {
            sources: (0..Source::COUNT).map(|_| lane()).collect(),
            targets: TABLE.iter().map(target).collect(),
            routes: Vec::with_capacity(MAX_ROUTES),
            shared_routes: Vec::with_capacity(MAX_ROUTES),
            copy_routes: Vec::with_capacity(MAX_ROUTES),
            partial_routes: Vec::with_capacity(MAX_ROUTES),
            used: [false; Source::COUNT],
            modulated: Param::ALL
                .iter()
                .filter(|param| param.info().modulated && !param.info().shared)
                .copied()
                .collect(),
            routed: vec![false; TABLE.len()],
            full_of: vec![None; TABLE.len()],
            scratch: lane(),
            offsets: Offsets::new(),
        }
    }

    /// Takes over a patch's routes; at most [`MAX_ROUTES`], to parameters that can be modulated.
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
            match route.grain() {
                Grain::Copy => self.copy_routes.push(*route),
                Grain::Partial => self.partial_routes.push(*route),
                Grain::Voice if route.target.info().shared => self.shared_routes.push(*route),
                Grain::Voice => self.routes.push(*route),
            }
        }
        self.routed.fill(false);
        for route in &self.routes {
            self.routed[route.target as usize] = true;
        }
    }

    pub(crate) fn uses(&self, source: Source) -> bool {
        self.used[source as usize]
    }

    /// Whether a route moves `param`, voice by voice.
    pub(crate) fn moves(&self, param: Param) -> bool {
        self.routed[param as usize]
    }

    /// A voice starts: what is needed before its first tick is computed is where the knobs are.
    pub(crate) fn start(&mut self, voice: usize, controls: &Controls) {
        for param in SPEEDS {
            self.targets[param as usize][voice] = controls[param];
        }
    }

    /// The source as `voice` last heard it; zero unless a route uses it.
    pub(crate) fn source(&self, source: Source, voice: usize) -> f32 {
        match self.uses(source) {
            true => self.sources[source as usize][voice],
            false => 0.0,
        }
    }

    pub(crate) fn source_mut(&mut self, source: Source) -> &mut [f32] {
        &mut self.sources[source as usize]
    }

    /// The parameter as the voices hear it.
    pub(crate) fn lane(&self, param: Param) -> &[f32] {
        &self.targets[param as usize]
    }

    /// The parameter as `voice` hears it.
    #[inline]
    pub(crate) fn target(&self, param: Param, voice: usize) -> f32 {
        self.targets[param as usize][voice]
    }

    /// Whether every voice hears the parameter at `value`.
    pub(crate) fn rests_at(&self, param: Param, value: f32) -> bool {
        self.full_of[param as usize] == Some(value)
    }

    /// Computes the targets of the first `voices` voices from parameters and sources.
    pub(crate) fn apply(&mut self, controls: &Controls, voices: usize) {
        for &param in &self.modulated {
            let (lane, value) = (&mut self.targets[param as usize], controls[param]);
            let full_of = &mut self.full_of[param as usize];
            if self.routed[param as usize] {
                *full_of = None;
                lane[..voices].fill(to_sum(param.info().kind, value));
            } else if *full_of != Some(value) {
                *full_of = Some(value);
                lane.fill(value);
            }
        }
        for route in &self.routes {
            let add = &mut self.scratch[..voices];
            let source = &self.sources[route.source as usize][..voices];
            let lanes = add.iter_mut().zip(source);
            match route.curve {
                // Most are; without a choice for every voice this is vector code.
                RouteCurve::Linear => lanes.for_each(|(add, source)| *add = route.amount * source),
                curve => lanes.for_each(|(add, &source)| *add = route.amount * curve.shape(source)),
            }
            if let Some(via) = route.via {
                let via = &self.sources[via as usize][..voices];
                add.iter_mut().zip(via).for_each(|(add, via)| *add *= via);
            }
            let target = &mut self.targets[route.target as usize][..voices];
            target
                .iter_mut()
                .zip(add)
                .for_each(|(target, add)| *target += *add);
        }
        for &param in &self.modulated {
            if self.routed[param as usize] {
                from_sums(
                    param.info().kind,
                    &mut self.targets[param as usize][..voices],
                );
            }
        }
        for param in self.offsets.apply(&mut self.targets, voices) {
            self.full_of[param as usize] = None;
        }
    }

    /// Whether a route moves single copies.
    pub(crate) fn has_copies(&self) -> bool {
        !self.copy_routes.is_empty()
    }

    /// What routes add to the copy of `voice` at `place`, -1 to 1.
    pub(crate) fn copy(&self, voice: usize, place: f32) -> CopyMoves {
        fine::copy(&self.copy_routes, place, |source| {
            self.source(source, voice)
        })
    }

    /// Whether a route moves partials.
    pub(crate) fn has_partials(&self) -> bool {
        !self.partial_routes.is_empty()
    }

    /// What routes add to the partials of `voice`.
    pub(crate) fn partials(&self, voice: usize) -> PartialMoves {
        fine::partials(&self.partial_routes, |source| self.source(source, voice))
    }

    /// Whether a route moves anything for all voices at once.
    pub(crate) fn has_shared(&self) -> bool {
        !self.shared_routes.is_empty()
    }

    /// The parameters that routes move for all voices at once, each with its new value, where
    /// `source` says how high the sources are.
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
            // The first route to a parameter speaks for all of them.
            if self.shared_routes[..index].iter().any(|other| same(&other)) {
                continue;
            }
            let sum = self.shared_routes.iter().filter(same).map(amount).sum();
            let kind = route.target.info().kind;
            set(route.target, moved(kind, controls[route.target], sum));
        }
    }

    /// Adds to a parameter of one voice, in parts of the knob's way.
    pub(crate) fn set_offset(&mut self, voice: usize, param: Param, amount: f32) {
        let info = param.info();
        if info.modulated && !info.shared && amount.is_finite() {
            self.offsets.set(voice, param, amount);
        }
    }

    /// A voice starts without offsets.
    pub(crate) fn forget_offsets(&mut self, voice: usize) {
        self.offsets.forget(voice);
    }

    pub(crate) fn clear_offsets(&mut self) {
        self.offsets.clear();
    }
}

/// A parameter of this kind at `value`, after routes have added `amount`.
pub fn moved(kind: Kind, value: f32, amount: f32) -> f32 {
    from_sum(kind, to_sum(kind, value) + amount)
}

/// The amount of a route that moves a knob of this kind over its whole way.
pub fn whole_way(kind: Kind) -> f32 {
    let (min, max) = kind.range();
    to_sum(kind, max) - to_sum(kind, min)
}

/// Where routes add up: see [`Curve`].
fn to_sum(kind: Kind, value: f32) -> f32 {
    match kind {
        Kind::Number {
            curve: Curve::Exponential,
            ..
        } => value.log2(),
        Kind::Number {
            curve: Curve::Power(_),
            ..
        } => kind.to_scale(value),
        _ => value,
    }
}

/// The same for many, in a loop without branches where most of them are.
fn from_sums(kind: Kind, sums: &mut [f32]) {
    let (min, max) = kind.range();
    match kind {
        Kind::Number {
            curve: Curve::Exponential,
            ..
        } => sums
            .iter_mut()
            .for_each(|sum| *sum = exp2(*sum).clamp(min, max)),
        Kind::Number {
            curve: Curve::Linear,
            ..
        } => sums.iter_mut().for_each(|sum| *sum = sum.clamp(min, max)),
        _ => sums.iter_mut().for_each(|sum| *sum = from_sum(kind, *sum)),
    }
}

fn from_sum(kind: Kind, sum: f32) -> f32 {
    match kind {
        Kind::Number {
            curve: Curve::Exponential,
            ..
        } => kind.clamp(exp2(sum)),
        Kind::Number {
            curve: Curve::Power(_),
            ..
        } => kind.from_scale(sum),
        _ => kind.clamp(sum),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(source: Source, target: Param, amount: f32) -> Route {
        Route {
            source,
            via: None,
            target,
            amount,
            curve: RouteCurve::Linear,
        }
    }

    #[test]
    fn routes_add_in_the_targets_own_way_and_stay_in_range() {
        let controls = Controls::new(0.001);
        let mut modulation = Modulation::new(2);
        modulation.set_routes(&[
            route(Source::Env2, Param::FilterCutoff, 1.0),
            route(Source::Env2, Param::AmpPan, -3.0),
            Route {
                via: Some(Source::Wheel),
                ..route(Source::Lfo1, Param::PitchTune, 2.0)
            },
        ]);
        modulation
            .source_mut(Source::Env2)
            .copy_from_slice(&[0.0, 1.0]);
        modulation
            .source_mut(Source::Lfo1)
            .copy_from_slice(&[1.0, 1.0]);
        modulation
            .source_mut(Source::Wheel)
            .copy_from_slice(&[0.0, 0.5]);
        modulation.apply(&controls, 2);
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a} for {b}");
        near(modulation.target(Param::FilterCutoff, 0), 2_000.0);
        near(modulation.target(Param::FilterCutoff, 1), 4_000.0);
        near(modulation.target(Param::AmpPan, 1), -1.0);
        near(modulation.target(Param::PitchTune, 0), 0.0);
        near(modulation.target(Param::PitchTune, 1), 1.0);
    }
}
