//! Routes that are finer than a voice: to single copies of its unison, and to partials by how high
//! they are. Either is a source of its own, or what another source goes through.

use super::route::{Route, Source};
use crate::params::Param;

/// Octaves above the first partial at which the source [`Source::Partial`] is 1.
const OCTAVES: f32 = 10.0;

macro_rules! moves {
    ($($field:ident = $param:ident,)*) => {
        /// What routes add to a copy, where they add up.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub(crate) struct CopyMoves { $(pub(crate) $field: f32),* }

        impl CopyMoves {
            /// What the copies of a voice can have of their own.
            pub(super) const TARGETS: &[Param] = &[$(Param::$param),*];

            fn target(&mut self, param: Param) -> Option<&mut f32> {
                match param {
                    $(Param::$param => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

moves! {
    tune = PitchTune,
    level = AmpLevel,
    pan = AmpPan,
    position = SourcePosition,
    partials = SourcePartials,
    blend = LayerBlend,
    stretch = ShapeStretch,
    tilt = ShapeTilt,
    cutoff = FilterCutoff,
    cutoff2 = Filter2Cutoff,
}

/// What routes add to partials of a voice: per octave above the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartialMoves {
    /// Decibels.
    pub(crate) level: f32,
    /// Octaves.
    pub(crate) tune: f32,
}

/// What partials can have by how high they are.
const PARTIAL_TARGETS: &[Param] = &[Param::AmpLevel, Param::PitchTune];

/// Whose every one a route moves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    Voice,
    Copy,
    Partial,
}

impl Route {
    pub(super) fn grain(&self) -> Grain {
        let goes_through = |source| self.source == source || self.via == Some(source);
        match (goes_through(Source::Copy), goes_through(Source::Partial)) {
            (_, true) => Grain::Partial,
            (true, false) => Grain::Copy,
            (false, false) => Grain::Voice,
        }
    }

    /// Whether its target can be moved at all, and as finely as its source asks for.
    pub fn is_possible(&self) -> bool {
        self.targets().contains(&self.target)
    }

    /// The parameters that a route with these sources can move.
    pub fn targets(&self) -> &'static [Param] {
        match self.grain() {
            Grain::Copy => CopyMoves::TARGETS,
            Grain::Partial => PARTIAL_TARGETS,
            Grain::Voice => Param::modulated(),
        }
    }

    /// How much it adds to a copy at `place`, -1 to 1, where `heard` says how high the sources of the
    /// voice are.
    #[inline]
    fn at(&self, place: f32, heard: impl Fn(Source) -> f32) -> f32 {
        let height = |source| match source {
            Source::Copy => place,
            Source::Partial => 1.0,
            source => heard(source),
        };
        let via = self.via.map_or(1.0, height);
        self.amount * self.curve.shape(height(self.source)) * via
    }
}

/// What `routes` to copies add to the one at `place`.
pub(super) fn copy(routes: &[Route], place: f32, heard: impl Fn(Source) -> f32) -> CopyMoves {
    let mut moves = CopyMoves::default();
    for route in routes {
        if let Some(target) = moves.target(route.target) {
            *target += route.at(place, &heard);
        }
    }
    moves
}

/// What `routes` to partials add.
pub(super) fn partials(routes: &[Route], heard: impl Fn(Source) -> f32) -> PartialMoves {
    let mut moves = PartialMoves::default();
    for route in routes {
        let amount = route.at(0.0, &heard) / OCTAVES;
        match route.target {
            Param::AmpLevel => moves.level += amount,
            _ => moves.tune += amount / 12.0,
        }
    }
    moves
}
