//! The lanes of some voices: what sources and moved parameters are for each of them.

use super::{CopyMoves, Modulation, Moving, PartialMoves, Route, RouteCurve};
use super::{SPEEDS, Source, fine, from_sums};
use crate::controls::Controls;
use crate::params::{COUNT, Param, TABLE};
use crate::simd::{F32x16, LANES, Simd, U32x16};
use std::ops::{Deref, DerefMut};

/// Voices whose lanes are together, and which one thread computes.
pub(crate) const CHUNK: usize = 32;

/// One number for every voice of a chunk, in cache lines of their own.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lane<T = f32>(pub(crate) [T; CHUNK]);

impl Lane {
    pub(crate) const ZERO: Self = Self([0.0; CHUNK]);

    /// The numbers as vectors.
    #[inline(always)]
    fn vectors(&self) -> &[F32x16; CHUNK / LANES] {
        // SAFETY: so many of them, in whole cache lines.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The same, to write to.
    #[inline(always)]
    fn vectors_mut(&mut self) -> &mut [F32x16; CHUNK / LANES] {
        // SAFETY: as above.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// The bits of the numbers.
    #[inline(always)]
    pub(crate) fn bits(&self) -> &Lane<u32> {
        // SAFETY: of the same size and alignment, and any bits are a number.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

impl Lane<u32> {
    pub(crate) const ZEROS: Self = Self([0; CHUNK]);

    /// The numbers as vectors.
    #[inline(always)]
    pub(crate) fn vectors(&self) -> &[U32x16; CHUNK / LANES] {
        // SAFETY: so many of them, in whole cache lines.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }
}

impl<T> Deref for Lane<T> {
    type Target = [T; CHUNK];

    #[inline(always)]
    fn deref(&self) -> &[T; CHUNK] {
        &self.0
    }
}

impl<T> DerefMut for Lane<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; CHUNK] {
        &mut self.0
    }
}

/// The number of the lane of each parameter that is modulated voice by voice, and how many there are. Others share the one
/// after the last.
const TARGETS: ([u8; COUNT], usize) = {
    let (mut lanes, mut count, mut row) = ([0; COUNT], 0, 0);
    while row < COUNT {
        count += is_target(row) as usize;
        row += 1;
    }
    let mut next = 0;
    row = 0;
    while row < COUNT {
        let lane = if is_target(row) { next } else { count };
        assert!(lane <= u8::MAX as usize);
        lanes[row] = lane as u8;
        next += is_target(row) as usize;
        row += 1;
    }
    (lanes, count)
};

const fn is_target(row: usize) -> bool {
    TABLE[row].is_per_voice()
}

#[inline(always)]
fn lane_of(param: Param) -> usize {
    usize::from(TARGETS.0[param as usize])
}

/// Sources and targets of the voices of a chunk. All voices of it are computed, also those that are free: loops of a constant
/// length are quicker.
#[derive(Debug)]
pub(crate) struct ModulationLanes {
    sources: [Lane; Source::COUNT],
    /// A bit for each source that is zero for all voices.
    at_zero: u32,
    targets: [Lane; TARGETS.1 + 1],
}

const _: () = assert!(Source::COUNT <= u32::BITS as usize);

impl ModulationLanes {
    pub(crate) const fn new() -> Self {
        Self {
            sources: [Lane::ZERO; Source::COUNT],
            at_zero: 0,
            targets: [Lane::ZERO; TARGETS.1 + 1],
        }
    }

    /// A voice starts: values that are needed before its first tick are those of the knobs.
    pub(crate) fn start(&mut self, voice: usize, controls: &Controls) {
        for param in SPEEDS {
            self.targets[lane_of(param)][voice] = controls[param];
        }
    }

    /// The values of a source, which the caller sets.
    #[inline(always)]
    pub(crate) fn source_mut(&mut self, source: Source) -> &mut [f32; CHUNK] {
        self.at_zero &= !(1 << source as usize);
        &mut self.sources[source as usize]
    }

    /// Sets a source that is the same for all voices.
    #[inline(always)]
    pub(crate) fn fill_source(&mut self, source: Source, value: f32) {
        self.source_mut(source).fill(value);
        self.at_zero |= u32::from(value == 0.0) << source as usize;
    }

    /// Whether a route adds nothing, because a controller is at zero.
    #[inline(always)]
    fn has_no_effect(&self, route: &Route) -> bool {
        let is_at_zero = |source: Source| self.at_zero >> source as usize & 1 == 1;
        let from_zero = route.curve == RouteCurve::Linear && is_at_zero(route.source);
        from_zero || route.via.is_some_and(is_at_zero)
    }

    /// The modulated parameter of all these voices.
    #[inline(always)]
    pub(crate) fn lane(&self, param: Param) -> &Lane {
        &self.targets[lane_of(param)]
    }

    /// The modulated parameter of `voice`.
    #[inline]
    pub(crate) fn target(&self, param: Param, voice: usize) -> f32 {
        self.targets[lane_of(param)][voice]
    }

    /// Sets a parameter of all voices, which no route moves.
    pub(crate) fn fill(&mut self, param: Param, value: f32) {
        self.targets[lane_of(param)].fill(value);
    }

    /// Computes the targets of all voices from parameters and sources; `first` is the number of the first voice.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(&mut self, simd: S, modulation: &Modulation, first: usize) {
        for Moving { param, kind, knob, routes } in &modulation.moving {
            // Routes within vectors, so that a sum stays in a register.
            for vector in 0..CHUNK / LANES {
                let mut sum = simd.splat(*knob);
                for route in &modulation.routes[routes.clone()] {
                    if self.has_no_effect(route) {
                        continue;
                    }
                    let source = &self.sources[route.source as usize].vectors()[vector];
                    let mut add = match route.curve {
                        RouteCurve::Linear => simd.load(source),
                        curve => simd.load(&F32x16(source.0.map(|x| curve.shape(x)))),
                    };
                    add = simd.mul(add, simd.splat(route.amount));
                    if let Some(via) = route.via {
                        let via = &self.sources[via as usize].vectors()[vector];
                        add = simd.mul(add, simd.load(via));
                    }
                    sum = simd.add(sum, add);
                }
                simd.store(sum, &mut self.targets[lane_of(*param)].vectors_mut()[vector]);
            }
            from_sums(*kind, &mut self.targets[lane_of(*param)]);
        }
        for (voice, param, amount) in modulation.offsets.of(first..first + CHUNK) {
            let kind = param.info().kind;
            let target = &mut self.targets[lane_of(param)][voice - first];
            *target = kind.from_scale(kind.to_scale(*target) + amount);
        }
    }
}

/// The lanes of some voices, and the routes that fill them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulated<'a> {
    pub(crate) modulation: &'a Modulation,
    pub(crate) lanes: &'a ModulationLanes,
}

impl<'a> Modulated<'a> {
    /// The modulated parameter of all voices.
    #[inline(always)]
    pub(crate) fn lane(self, param: Param) -> &'a Lane {
        self.lanes.lane(param)
    }

    /// The modulated parameter of `voice`.
    #[inline]
    pub(crate) fn target(self, param: Param, voice: usize) -> f32 {
        self.lanes.target(param, voice)
    }

    /// Whether the parameter is `value` for every voice.
    pub(crate) fn is_constant_at(self, param: Param, value: f32) -> bool {
        self.constant(param) == Some(value)
    }

    /// The value of the parameter, if it is the same for every voice.
    pub(crate) fn constant(self, param: Param) -> Option<f32> {
        self.modulation.constant[param as usize]
    }

    /// Last value of the source for `voice`; zero unless a route uses it.
    pub(crate) fn source(self, source: Source, voice: usize) -> f32 {
        match self.modulation.uses(source) {
            true => self.lanes.sources[source as usize][voice],
            false => 0.0,
        }
    }

    /// Whether a route moves single copies.
    pub(crate) fn has_copies(self) -> bool {
        !self.modulation.copy_routes.is_empty()
    }

    /// Amounts that routes add to the copy of `voice` at `place`, -1 to 1.
    pub(crate) fn copy(self, voice: usize, place: f32) -> CopyMoves {
        fine::copy(&self.modulation.copy_routes, place, |source| self.source(source, voice))
    }

    /// Whether a route moves partials.
    pub(crate) fn has_partials(self) -> bool {
        !self.modulation.partial_routes.is_empty()
    }

    /// Amounts that routes add to the partials of `voice`.
    pub(crate) fn partials(self, voice: usize) -> PartialMoves {
        fine::partials(&self.modulation.partial_routes, |source| self.source(source, voice))
    }
}
