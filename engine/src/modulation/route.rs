//! Routes: from a source, by an amount, to a parameter.

use crate::params::Param;

/// The most routes a patch can have.
pub const MAX_ROUTES: usize = 64;

/// One row of the modulation matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Route {
    /// The source.
    pub source: Source,
    /// A second source that scales the first, if any.
    pub via: Option<Source>,
    /// The target.
    pub target: Param,
    /// Amount at the source's full height: in the parameter's unit, in octaves for frequencies, as
    /// a fraction of the knob's range for times (see [`crate::params::Curve`]).
    pub amount: f32,
    /// The curve that is applied to the source first.
    pub curve: RouteCurve,
}

/// Curves that are applied to a source before it is scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteCurve {
    /// No curve.
    #[default]
    Linear,
    /// Squared, with its sign: slow at first.
    Squared,
    /// Square root, with its sign: fast at first.
    Root,
    /// Slow at both ends, fast in the middle.
    Smooth,
    /// Quantised to eight steps.
    Steps,
    /// Absolute value.
    Fold,
    /// Inverted: one minus the value.
    Inverse,
}

impl RouteCurve {
    /// All curves with the names that patches use.
    pub const NAMES: &[(&str, RouteCurve)] = &[
        ("linear", RouteCurve::Linear),
        ("squared", RouteCurve::Squared),
        ("root", RouteCurve::Root),
        ("smooth", RouteCurve::Smooth),
        ("steps", RouteCurve::Steps),
        ("fold", RouteCurve::Fold),
        ("inverse", RouteCurve::Inverse),
    ];

    /// The curve at `x`.
    #[inline]
    pub fn shape(self, x: f32) -> f32 {
        match self {
            RouteCurve::Linear => x,
            RouteCurve::Squared => x * x.abs(),
            RouteCurve::Root => x.abs().sqrt().copysign(x),
            RouteCurve::Smooth => {
                let y = x.abs().min(1.0);
                (y * y * (3.0 - 2.0 * y)).copysign(x)
            }
            RouteCurve::Steps => (8.0 * x).round() / 8.0,
            RouteCurve::Fold => x.abs(),
            RouteCurve::Inverse => 1.0 - x,
        }
    }
}

macro_rules! sources {
    ($($source:ident = $name:literal, $help:literal;)*) => {
        /// Modulation sources.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Source { $(#[doc = $help] $source),* }

        impl Source {
            /// All sources with the names that patches use.
            pub const NAMES: &[(&str, Source)] = &[$(($name, Source::$source)),*];
            /// How many there are.
            pub const COUNT: usize = Self::NAMES.len();
            const HELP: &[&str] = &[$($help),*];
        }
    };
}

sources! {
    Env1 = "env1", "Envelope 1, which also controls the level, 0 to 1.";
    Env2 = "env2", "Envelope, 0 to 1.";
    Env3 = "env3", "Envelope, 0 to 1.";
    Env4 = "env4", "Envelope, 0 to 1.";
    Lfo1 = "lfo1", "LFO, -1 to 1.";
    Lfo2 = "lfo2", "LFO, -1 to 1.";
    Lfo3 = "lfo3", "LFO, -1 to 1.";
    Lfo4 = "lfo4", "LFO, -1 to 1.";
    Lfo5 = "lfo5", "LFO, -1 to 1.";
    Lfo6 = "lfo6", "LFO, -1 to 1.";
    Velocity = "velocity", "Note-on velocity, 0 to 1.";
    Release = "release", "Release velocity, 0 to 1; zero while the key is held.";
    Key = "key", "Key tracking: distance from middle C in units of five octaves.";
    Wheel = "wheel", "The modulation wheel, 0 to 1.";
    Bend = "bend", "The pitch wheel, -1 to 1.";
    Pressure = "pressure", "Channel or key pressure, the larger of both, 0 to 1.";
    Brightness = "brightness", "Controller 74 plus the note's own brightness, -1 to 1.";
    Breath = "breath", "Controller 2, 0 to 1.";
    Expression = "expression", "Controller 11, 0 to 1.";
    Random = "random", "A random value for each note, -1 to 1.";
    Copy = "copy", "Unison copy: -1 for the lowest to 1 for the highest; reaches only some parameters.";
    Partial = "partial", "Frequency of a partial: 0 for the first, 1 ten octaves above; reaches level and tune.";
    Macro1 = "macro1", "Macro 1, 0 to 1.";
    Macro2 = "macro2", "Macro 2, 0 to 1.";
    Macro3 = "macro3", "Macro 3, 0 to 1.";
    Macro4 = "macro4", "Macro 4, 0 to 1.";
    Macro5 = "macro5", "Macro 5, 0 to 1.";
    Macro6 = "macro6", "Macro 6, 0 to 1.";
    Macro7 = "macro7", "Macro 7, 0 to 1.";
    Macro8 = "macro8", "Macro 8, 0 to 1.";
}

impl Source {
    /// The name that patches use.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// One sentence for tooltips.
    pub fn help(self) -> &'static str {
        Self::HELP[self as usize]
    }

    /// Whether it is bipolar.
    pub fn is_bipolar(self) -> bool {
        use Source::*;
        matches!(
            self,
            Lfo1 | Lfo2 | Lfo3 | Lfo4 | Lfo5 | Lfo6 | Key | Bend | Brightness | Random | Copy
        )
    }

    /// The source `offset` further on, for those that repeat.
    pub(crate) fn offset(self, offset: usize) -> Source {
        Self::NAMES[self as usize + offset].1
    }
}
