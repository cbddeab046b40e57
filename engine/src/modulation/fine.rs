//! Routes to single unison copies, and to partials by their frequency. Copy and partial are sources
//! of their own, or the `via` of another source.

use super::route::{Route, Source};
use crate::params::Param;

/// Octaves above the first partial at which the source [`Source::Partial`] is 1.
const OCTAVES: f32 = 10.0;

macro_rules! moves {
    ($($field:ident = $param:ident,)*) => {
        /// Amounts that routes add to a copy.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub(crate) struct CopyMoves { $(pub(crate) $field: f32),* }

        impl CopyMoves {
            /// Parameters that every copy can have its own value of.
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

/// Amounts that routes add to the partials of a voice, per octave above the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartialMoves {
    /// Decibels.
    pub(crate) level: f32,
    /// Octaves.
    pub(crate) tune: f32,
}

/// Parameters that can be moved per partial.
const PARTIAL_TARGETS: &[Param] = &[Param::AmpLevel, Param::PitchTune];

/// What a route moves: whole voices, single copies or single partials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granularity {
    Voice,
    Copy,
    Partial,
}

impl Route {
    pub(super) fn granularity(&self) -> Granularity {
        let goes_through = |source| self.source == source || self.via == Some(source);
        match (goes_through(Source::Copy), goes_through(Source::Partial)) {
            (_, true) => Granularity::Partial,
            (true, false) => Granularity::Copy,
            (false, false) => Granularity::Voice,
        }
    }

    /// Whether its target can be modulated, and by copy or by partial if its source needs that.
    pub fn is_possible(&self) -> bool {
        self.targets().contains(&self.target)
    }

    /// The parameters that a route with these sources can move.
    pub fn targets(&self) -> &'static [Param] {
        match self.granularity() {
            Granularity::Copy => CopyMoves::TARGETS,
            Granularity::Partial => PARTIAL_TARGETS,
            Granularity::Voice => Param::modulated(),
        }
    }

    /// The amount that it adds to a copy at `place`, -1 to 1; `heard` gives the values of the
    /// voice's sources.
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

/// Amounts that `routes` to copies add to the one at `place`.
pub(super) fn copy(routes: &[Route], place: f32, heard: impl Fn(Source) -> f32) -> CopyMoves {
    let mut moves = CopyMoves::default();
    for route in routes {
        if let Some(target) = moves.target(route.target) {
            *target += route.at(place, &heard);
        }
    }
    moves
}

/// Amounts that `routes` to partials add.
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
