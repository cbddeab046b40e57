//! Kinds of parameter values: their ranges, scales and text formats.

use super::ParamInfo;
use super::choices::FORMER_NAMES;

/// The values a parameter can have. Values are plain numbers in the parameter's own unit;
/// choices are numbered from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any number between two.
    Number {
        /// Smallest value.
        min: f32,
        /// Largest value.
        max: f32,
        /// Mapping from the knob.
        curve: Curve,
        /// Its unit.
        unit: Unit,
    },
    /// A whole number between two.
    Whole {
        /// Smallest value.
        min: i32,
        /// Largest value.
        max: i32,
    },
    /// One of several names.
    Choice(&'static [&'static str]),
}

/// Mapping from a knob's position to a value, and how routes add to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// Linear; routes add in the parameter's unit.
    Linear,
    /// Exponential; routes add octaves.
    Exponential,
    /// A power, fine at the low end; routes add fractions of the knob's range.
    Power(i32),
}

/// What a number is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum Unit {
    Plain,
    Percent,
    Hertz,
    Seconds,
    Cents,
    Semitones,
    Decibels,
    DecibelsPerOctave,
    DecibelsPerSecond,
    Pan,
}

impl Unit {
    /// Symbol after a number of this unit, in patches and the manual.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Plain | Unit::Pan => "",
            Unit::Percent => "%",
            Unit::Hertz => "Hz",
            Unit::Seconds => "s",
            Unit::Cents => "cents",
            Unit::Semitones => "semitones",
            Unit::Decibels => "dB",
            Unit::DecibelsPerOctave => "dB/octave",
            Unit::DecibelsPerSecond => "dB/s",
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "a row of the table has these columns")]
pub(super) const fn number(
    id: &'static str,
    name: &'static str,
    min: f32,
    max: f32,
    curve: Curve,
    unit: Unit,
    default: f32,
    help: &'static str,
) -> ParamInfo {
    let kind = Kind::Number { min, max, curve, unit };
    row(id, name, kind, default, help)
}

pub(super) const fn whole(
    id: &'static str,
    name: &'static str,
    min: i32,
    max: i32,
    default: i32,
    help: &'static str,
) -> ParamInfo {
    row(id, name, Kind::Whole { min, max }, default as f32, help)
}

pub(super) const fn choice(
    id: &'static str,
    name: &'static str,
    names: &'static [&'static str],
    default: usize,
    help: &'static str,
) -> ParamInfo {
    row(id, name, Kind::Choice(names), default as f32, help)
}

const fn row(
    id: &'static str,
    name: &'static str,
    kind: Kind,
    default: f32,
    help: &'static str,
) -> ParamInfo {
    ParamInfo { id, name, kind, default, modulated: false, shared: false, help }
}

impl Kind {
    /// The smallest and the largest value.
    pub fn range(self) -> (f32, f32) {
        match self {
            Kind::Number { min, max, .. } => (min, max),
            Kind::Whole { min, max } => (min as f32, max as f32),
            Kind::Choice(names) => (0.0, (names.len() - 1) as f32),
        }
    }

    /// The nearest value of this kind.
    pub fn clamp(self, value: f32) -> f32 {
        let (min, max) = self.range();
        match self {
            Kind::Number { .. } => value.clamp(min, max),
            Kind::Whole { .. } | Kind::Choice(_) => value.round().clamp(min, max),
        }
    }

    /// The knob position, 0 to 1, of `value`.
    pub fn to_scale(self, value: f32) -> f32 {
        let (min, max) = self.range();
        let value = value.clamp(min, max);
        match self {
            Kind::Number { curve: Curve::Exponential, .. } => {
                (value / min).log2() / (max / min).log2()
            }
            Kind::Number { curve: Curve::Power(power), .. } => {
                ((value - min) / (max - min)).powf(1.0 / power as f32)
            }
            _ => (value - min) / (max - min).max(f32::MIN_POSITIVE),
        }
    }

    /// The value at knob position `scale`, 0 to 1.
    pub fn from_scale(self, scale: f32) -> f32 {
        let (min, max) = self.range();
        let scale = scale.clamp(0.0, 1.0);
        match self {
            Kind::Number { curve: Curve::Exponential, .. } => min * (max / min).powf(scale),
            Kind::Number { curve: Curve::Power(power), .. } => {
                min + (max - min) * scale.powi(power)
            }
            Kind::Number { curve: Curve::Linear, .. } => min + (max - min) * scale,
            Kind::Whole { .. } | Kind::Choice(_) => self.clamp(min + (max - min) * scale),
        }
    }

    /// `value` as people read it. [`Kind::parse`] reads it back to a value that is written the
    /// same.
    pub fn format(self, value: f32) -> String {
        let unit = match self {
            Kind::Choice(names) => return names[self.clamp(value) as usize].to_string(),
            Kind::Whole { .. } => return decimals(value, 0),
            Kind::Number { unit, .. } => unit,
        };
        match unit {
            // As many decimals as knob positions can be told apart.
            Unit::Plain if value.abs() >= 100.0 => trimmed(value, 1),
            Unit::Plain if value.abs() >= 1.0 => trimmed(value, 2),
            Unit::Plain => trimmed(value, 4),
            Unit::Percent => trimmed(100.0 * value, 1) + "%",
            Unit::Hertz if value >= 999.995 => decimals(value / 1000.0, 2) + " kHz",
            Unit::Hertz => decimals(value, 2) + " Hz",
            Unit::Seconds if value < 0.999_95 => decimals(1000.0 * value, 1) + " ms",
            Unit::Seconds => decimals(value, 2) + " s",
            Unit::Pan => match (100.0 * value).round() {
                0.0 => "centre".into(),
                percent if percent < 0.0 => format!("{:.0}% left", -percent),
                percent => format!("{percent:.0}% right"),
            },
            _ => format!("{} {}", decimals(value, 2), unit.symbol()),
        }
    }

    /// Reads a value as people write it: with or without its unit, in upper or lower case, a choice also
    /// by a former name. `None` if the text is no value of this kind; a number out of range becomes the
    /// nearest value.
    pub fn parse(self, text: &str) -> Option<f32> {
        let text = text.trim().to_lowercase();
        let unit = match self {
            Kind::Choice(names) => {
                let index = |text: &str| names.iter().position(|name| name.to_lowercase() == text);
                let former = || FORMER_NAMES.iter().find(|(former, _)| *former == text);
                let index = index(&text).or_else(|| index(former()?.1));
                return index.map(|index| index as f32);
            }
            Kind::Whole { .. } => Unit::Plain,
            Kind::Number { unit, .. } => unit,
        };
        if unit == Unit::Pan && matches!(text.as_str(), "centre" | "center" | "c") {
            return Some(0.0);
        }
        let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)));
        let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
        let number: f32 = number.parse().ok()?;
        let suffix = suffix.trim();
        let value = match (unit, suffix) {
            (Unit::Percent, "" | "%") => number / 100.0,
            (Unit::Hertz, "khz" | "k") => number * 1000.0,
            (Unit::Seconds, "ms") => number / 1000.0,
            (Unit::Pan, "% left" | "left" | "l") => -number / 100.0,
            (Unit::Pan, "" | "% right" | "right" | "r") => number / 100.0,
            (_, suffix) if suffix.is_empty() || suffix == unit.symbol().to_lowercase() => number,
            _ => return None,
        };
        (!value.is_nan()).then(|| self.clamp(value))
    }
}

/// A number with this many decimals; zero has no sign.
fn decimals(value: f32, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.into(),
        _ => text,
    }
}

/// A number with at most this many decimals.
fn trimmed(value: f32, places: usize) -> String {
    let text = decimals(value, places);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}
