//! What is drawn of each harmonic: its level, its tuning, its pan or its decay.

use myriad_engine::tracks::{Harmonic, MAX_DECAY, MAX_TUNING};

/// The lowest level that a bar shows, in decibels.
const LOWEST_DB: f32 = -60.0;
/// The tuning at the top of the canvas, in cents; formulas can reach further.
const TOP_CENTS: f32 = 100.0;
/// The decay at the top of the canvas, in decibels from a frame to the next.
const TOP_DECAY: f32 = 12.0;

/// One of the four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lane {
    #[default]
    Level,
    Tuning,
    Pan,
    Decay,
}

impl Lane {
    pub(super) const ALL: [Lane; 4] = [Lane::Level, Lane::Tuning, Lane::Pan, Lane::Decay];

    pub(super) fn name(self) -> &'static str {
        match self {
            Lane::Level => "Level",
            Lane::Tuning => "Tuning",
            Lane::Pan => "Pan",
            Lane::Decay => "Decay",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Lane::Level => "How loud every harmonic is in this frame, from -60 dB to 0 dB",
            Lane::Tuning => "How far every harmonic is from its place in this frame, in cents",
            Lane::Pan => {
                "Where every harmonic is in this frame: right above the middle, left below it; \
                 panned harmonics are computed twice"
            }
            Lane::Decay => {
                "How much every harmonic loses from this frame to the next, in decibels; heard where the \
                 position moves through the table"
            }
        }
    }

    /// The value of a harmonic: a level from 0 to 1, cents, a pan from -1 to 1, or decibels.
    pub(super) fn get(self, harmonic: &Harmonic) -> f32 {
        match self {
            Lane::Level => harmonic.level,
            Lane::Tuning => harmonic.tuning,
            Lane::Pan => harmonic.pan,
            Lane::Decay => harmonic.decay,
        }
    }

    /// Sets the value of a harmonic, within its range.
    pub(super) fn set(self, harmonic: &mut Harmonic, value: f32) {
        match self {
            // A negative amplitude is as loud as a positive one.
            Lane::Level => harmonic.level = value.abs().min(1.0),
            Lane::Tuning => harmonic.tuning = value.clamp(-MAX_TUNING, MAX_TUNING),
            Lane::Pan => harmonic.pan = value.clamp(-1.0, 1.0),
            Lane::Decay => harmonic.decay = value.clamp(0.0, MAX_DECAY),
        }
    }

    /// The height of a value on the canvas, 0 to 1.
    pub(super) fn height(self, value: f32) -> f32 {
        let height = match self {
            Lane::Level if value <= 0.0 => 0.0,
            Lane::Level => 1.0 - 20.0 * value.log10() / LOWEST_DB,
            Lane::Tuning => 0.5 + 0.5 * value / TOP_CENTS,
            Lane::Pan => 0.5 + 0.5 * value,
            Lane::Decay => value / TOP_DECAY,
        };
        height.clamp(0.0, 1.0)
    }

    /// The value at a height; a level at the bottom is silent.
    pub(super) fn value(self, height: f32) -> f32 {
        match self {
            Lane::Level if height <= 0.0 => 0.0,
            Lane::Level => 10.0_f32.powf(LOWEST_DB * (1.0 - height) / 20.0),
            Lane::Tuning => (2.0 * height - 1.0) * TOP_CENTS,
            Lane::Pan => 2.0 * height - 1.0,
            Lane::Decay => height * TOP_DECAY,
        }
    }

    pub(super) fn format(self, value: f32) -> String {
        match self {
            Lane::Level if value <= 0.0 => "silent".to_owned(),
            Lane::Level => format!("{:.1} dB", 20.0 * value.log10()),
            Lane::Tuning => format!("{value:+.1} cents"),
            Lane::Pan => match (100.0 * value).round() {
                0.0 => "centre".to_owned(),
                percent if percent < 0.0 => format!("{:.0}% left", -percent),
                percent => format!("{percent:.0}% right"),
            },
            Lane::Decay => format!("-{value:.1} dB a frame"),
        }
    }

    /// Formulas to begin with: what they are, and their text.
    pub(super) fn formulas(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Lane::Level => &[
                ("Sawtooth", "1/n"),
                ("Square", "odd(n)/n"),
                ("Triangle", "odd(n)/n^2"),
                ("Bright", "1/sqrt(n)"),
                ("Soft", "1/n^2"),
                ("Equal", "1"),
                ("Silent", "0"),
                ("Comb", "sin(n*0.3)/n"),
                ("Peak that moves", "1/(1+(n-1-8*t)^2)"),
                ("Random", "random(n+99*frame)/n"),
            ],
            Lane::Tuning => &[
                ("In tune", "0"),
                ("Stretched", "0.5*(n-1)"),
                ("Random", "30*(random(n)-0.5)"),
                ("Odd up, even down", "10*(2*odd(n)-1)"),
                ("Apart through the table", "100*t*(random(n)-0.5)"),
            ],
            Lane::Pan => &[
                ("Centre", "0"),
                ("Odd left, even right", "1-2*odd(n)"),
                ("Low in the centre, high apart", "(1-1/n)*(1-2*odd(n))"),
                ("Random", "2*random(n)-1"),
                ("Wave", "sin(n*0.5)"),
                ("From left to right through the table", "2*t-1"),
            ],
            Lane::Decay => &[
                ("None", "0"),
                ("Alike", "3"),
                ("High ones faster", "0.2*n"),
                ("Even ones faster", "4-3*odd(n)"),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Formula;

    #[test]
    fn heights_and_values_are_inverse() {
        for lane in Lane::ALL {
            for step in 0..=20 {
                let height = step as f32 / 20.0;
                assert!((lane.height(lane.value(height)) - height).abs() < 1e-5, "{lane:?}");
            }
            assert_eq!(lane.value(lane.height(0.0)), 0.0, "{lane:?}");
        }
    }

    #[test]
    fn every_formula_of_the_lists_can_be_read() {
        for (name, text) in Lane::ALL.iter().flat_map(|lane| lane.formulas()) {
            assert!(
                Formula::parse(text, &super::super::tools::VARIABLES).is_ok(),
                "{name}: {text}"
            );
        }
    }
}
