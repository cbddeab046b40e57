//! The built-in scales, as Scala texts.

/// The notes of a scale.
enum Notes {
    /// Equal steps of an interval.
    Equal { steps: usize, cents: f64 },
    /// Ratios or cents as Scala writes them.
    Listed(&'static str),
}

use Notes::{Equal, Listed};

const OCTAVE: f64 = 1_200.0;
/// Three to one, in cents.
const TWELFTH: f64 = 1_901.955;

/// Names and notes, in the order in which users read them.
const SCALES: &[(&str, Notes)] = &[
    ("Just intonation", Listed("16/15 9/8 6/5 5/4 4/3 45/32 3/2 8/5 5/3 9/5 15/8 2/1")),
    (
        "Pythagorean",
        Listed("2187/2048 9/8 32/27 81/64 4/3 729/512 3/2 6561/4096 27/16 16/9 243/128 2/1"),
    ),
    (
        "Meantone 1/4 comma",
        Listed(
            "76.049 193.1569 310.2647 386.3137 503.4216 579.4706 696.5784 772.6274 889.7353 \
             1006.8431 1082.8921 2/1",
        ),
    ),
    (
        "Werckmeister III",
        Listed(
            "90.225 192.18 294.135 390.225 498.045 588.27 696.09 792.18 888.27 996.09 1092.18 2/1",
        ),
    ),
    (
        "Kirnberger III",
        Listed(
            "90.225 193.157 294.135 386.314 498.045 590.224 696.578 792.18 889.735 996.09 \
             1088.269 2/1",
        ),
    ),
    (
        "Vallotti",
        Listed(
            "94.135 196.09 298.045 392.18 501.955 592.18 698.045 796.09 894.135 1000.0 \
             1090.225 2/1",
        ),
    ),
    ("Harmonics 8 to 16", Listed("9/8 5/4 11/8 3/2 13/8 7/4 15/8 2/1")),
    (
        "Harmonics 16 to 32",
        Listed(
            "17/16 9/8 19/16 5/4 21/16 11/8 23/16 3/2 25/16 13/8 27/16 7/4 29/16 15/8 31/16 2/1",
        ),
    ),
    ("5 equal", Equal { steps: 5, cents: OCTAVE }),
    ("7 equal", Equal { steps: 7, cents: OCTAVE }),
    ("19 equal", Equal { steps: 19, cents: OCTAVE }),
    ("22 equal", Equal { steps: 22, cents: OCTAVE }),
    ("24 equal", Equal { steps: 24, cents: OCTAVE }),
    ("31 equal", Equal { steps: 31, cents: OCTAVE }),
    ("53 equal", Equal { steps: 53, cents: OCTAVE }),
    ("Bohlen-Pierce", Equal { steps: 13, cents: TWELFTH }),
];

/// The names of the scales.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SCALES.iter().map(|(name, _)| *name)
}

/// The text of a scale, by its name in upper or lower case.
pub(super) fn text(name: &str) -> Option<String> {
    let (name, notes) = SCALES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let notes: Vec<String> = match notes {
        Equal { steps, cents } => {
            (1..=*steps).map(|step| format!("{:.5}", cents * step as f64 / *steps as f64)).collect()
        }
        Listed(notes) => notes.split_whitespace().map(str::to_owned).collect(),
    };
    Some(format!("{name}\n{}\n{}\n", notes.len(), notes.join("\n")))
}
