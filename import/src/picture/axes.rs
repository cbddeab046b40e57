//! The axes of a picture: time, pitch and the level of white; as options, defaults, or the picture's own.

use super::super::ImportError;
use std::ops::RangeInclusive;

/// Without a word about it, a picture lasts four seconds and reaches from A0 to A9.
const SECONDS: f64 = 4.0;
const LOW: f64 = 27.5;
const HIGH: f64 = 14_080.0;
const KEY: u8 = 60;

/// What each may be.
const SECONDS_RANGE: RangeInclusive<f64> = 0.05..=120.0;
const HERTZ_RANGE: RangeInclusive<f64> = 10.0..=22_000.0;

/// The lowest pitch, as a ratio to the root key's: tables hold no lower ones.
const LOWEST_RATIO: f64 = 0.011;

/// Axes as far as they are given; an option of an import, or what a picture says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GivenAxes {
    /// Seconds from the first column to the last.
    pub seconds: Option<f64>,
    /// Pitch of the lower edge in Hertz.
    pub low: Option<f64>,
    /// Pitch of the upper edge in Hertz.
    pub high: Option<f64>,
    /// The key that plays the pitches as they are drawn.
    pub key: Option<u8>,
    /// The level of a white pixel, in decibels of a full-scale sine.
    pub white_db: Option<f64>,
}

/// The axes of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// Seconds from the first column to the last.
    pub seconds: f64,
    /// Pitch of the lower edge in Hertz.
    pub low: f64,
    /// Pitch of the upper edge in Hertz.
    pub high: f64,
    /// The key that plays the pitches as they are drawn.
    pub key: u8,
}

impl Default for Axes {
    fn default() -> Self {
        Self { seconds: SECONDS, low: LOW, high: HIGH, key: KEY }
    }
}

impl Axes {
    /// What is given, else what the picture says, else the default.
    pub(super) fn choose(given: &GivenAxes, own: &GivenAxes) -> Result<Self, ImportError> {
        let default = Self::default();
        let axes = Self {
            seconds: given.seconds.or(own.seconds).unwrap_or(default.seconds),
            low: given.low.or(own.low).unwrap_or(default.low),
            high: given.high.or(own.high).unwrap_or(default.high),
            key: given.key.or(own.key).unwrap_or(default.key),
        };
        axes.check()?;
        Ok(axes)
    }

    /// Says what cannot be.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        let misuse = |text: String| Err(ImportError::Misuse(text));
        let Self { seconds, low, high, key } = *self;
        if !SECONDS_RANGE.contains(&seconds) {
            let (least, most) = (SECONDS_RANGE.start(), SECONDS_RANGE.end());
            return misuse(format!("a picture lasts {least} to {most} seconds, not {seconds}"));
        }
        if !HERTZ_RANGE.contains(&low) || !HERTZ_RANGE.contains(&high) || high < 1.05 * low {
            let (least, most) = (HERTZ_RANGE.start(), HERTZ_RANGE.end());
            return misuse(format!(
                "a picture reaches from a low to a high pitch between {least} and {most} Hertz, not from {low} to {high}"
            ));
        }
        if key > 127 || low < LOWEST_RATIO * self.root() {
            return misuse(format!("{low} Hertz is too far below the root key {key}"));
        }
        Ok(())
    }

    /// The pitch of the root key in Hertz.
    pub(super) fn root(&self) -> f64 {
        440.0 * ((f64::from(self.key) - 69.0) / 12.0).exp2()
    }

    /// The pitch in Hertz at this share of the height, counted from the top.
    pub(super) fn hertz(&self, from_top: f64) -> f64 {
        self.high * (self.low / self.high).powf(from_top)
    }

    /// The row of `rows` that has this pitch, counted from the top.
    pub(super) fn row(&self, hertz: f64, rows: usize) -> Option<usize> {
        let from_top = (self.high / hertz).ln() / (self.high / self.low).ln();
        (0.0..1.0).contains(&from_top).then_some((from_top * rows as f64) as usize)
    }
}

impl GivenAxes {
    /// The keyword of the text in a PNG file that says what its axes are.
    pub(super) const KEYWORD: &str = "Myriad";

    /// All of them, as a picture says it.
    pub(super) fn of(axes: &Axes, white_db: f64) -> Self {
        Self {
            seconds: Some(axes.seconds),
            low: Some(axes.low),
            high: Some(axes.high),
            key: Some(axes.key),
            white_db: Some(white_db),
        }
    }

    /// The text for a PNG file.
    pub(super) fn to_text(self) -> String {
        let numbers = [
            ("seconds", self.seconds),
            ("low", self.low),
            ("high", self.high),
            ("key", self.key.map(f64::from)),
            ("white", self.white_db),
        ];
        let words = numbers.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let words: Vec<String> = words.map(|(name, value)| format!("{name}={value}")).collect();
        words.join(" ")
    }

    /// Reads such a text. Words that are unknown or make no sense are left out.
    pub(super) fn from_text(text: &str) -> Self {
        let mut axes = Self::default();
        for word in text.split_whitespace().take(16) {
            let Some((name, value)) = word.split_once('=') else { continue };
            let Some(value) = value.parse::<f64>().ok().filter(|value| value.is_finite()) else {
                continue;
            };
            match name {
                "seconds" if SECONDS_RANGE.contains(&value) => axes.seconds = Some(value),
                "low" if HERTZ_RANGE.contains(&value) => axes.low = Some(value),
                "high" if HERTZ_RANGE.contains(&value) => axes.high = Some(value),
                "key" if (0.0..=127.0).contains(&value) => axes.key = Some(value as u8),
                "white" if (-120.0..=20.0).contains(&value) => axes.white_db = Some(value),
                _ => {}
            }
        }
        axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_picture_is_read_again() {
        let axes = Axes { seconds: 2.5, low: 40.0, high: 9_000.0, key: 48 };
        let own = GivenAxes::of(&axes, -17.25);
        assert_eq!(GivenAxes::from_text(&own.to_text()), own);
        assert_eq!(Axes::choose(&GivenAxes::default(), &own).unwrap(), axes);
        let longer = GivenAxes { seconds: Some(9.0), ..GivenAxes::default() };
        assert_eq!(Axes::choose(&longer, &own).unwrap(), Axes { seconds: 9.0, ..axes });
        let nonsense = "seconds=NaN low=-3 high=1e99 key=200 white=x = == seconds";
        assert_eq!(GivenAxes::from_text(nonsense), GivenAxes::default());
    }

    #[test]
    fn rows_and_pitches_are_inverse() {
        let axes = Axes::default();
        for rows in [1, 2, 97, 2_160] {
            for row in 0..rows {
                let hertz = axes.hertz((row as f64 + 0.5) / rows as f64);
                assert_eq!(axes.row(hertz, rows), Some(row));
            }
        }
        assert_eq!(axes.row(20.0, 100), None);
        assert_eq!(axes.row(20_000.0, 100), None);
    }

    #[test]
    fn impossible_axes_have_a_line() {
        let said = |given: GivenAxes| {
            Axes::choose(&given, &GivenAxes::default()).err().map(|error| error.to_string())
        };
        let given = GivenAxes::default();
        assert_eq!(said(given), None);
        for (given, words) in [
            (GivenAxes { seconds: Some(0.0), ..given }, "lasts 0.05 to 120 seconds"),
            (GivenAxes { seconds: Some(f64::NAN), ..given }, "not NaN"),
            (GivenAxes { low: Some(14_080.0), ..given }, "from 14080 to 14080"),
            (GivenAxes { high: Some(1e6), ..given }, "between 10 and 22000"),
            (GivenAxes { key: Some(127), ..given }, "too far below the root key 127"),
        ] {
            let said = said(given).unwrap();
            assert!(said.contains(words), "{said}");
        }
    }
}
