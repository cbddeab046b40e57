//! A scale as patches and instances keep it: its name, the texts of its files, and the tuning they give.

use super::{Tuning, TuningError};
use crate::tuning::built_in;

/// Characters of a name, and of a line of a file, that are kept.
const MOST_CHARS: usize = 200;

/// The most lines of a scale or keyboard map: their numbers, and a line for each note.
const MOST_LINES: usize = 1_040;

/// A scale with its keyboard map.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleSetting {
    name: String,
    /// The Scala texts, without comments; the map is empty where there is none.
    scale: String,
    keyboard: String,
    tuning: Tuning,
}

impl ScaleSetting {
    /// A scale by the text of its file. `name` is what users call it.
    ///
    /// # Errors
    /// When the text is invalid: says in which line, and what is expected.
    pub fn read(name: &str, scale: &str) -> Result<Self, TuningError> {
        // An error names the line of the text as it was given.
        Tuning::read(scale, None)?;
        let scale = tidy(scale);
        let tuning = Tuning::read(&scale, None)?;
        Ok(Self { name: shortened(name), scale, keyboard: String::new(), tuning })
    }

    /// The same scale with a keyboard map, by the text of its file.
    ///
    /// # Errors
    /// When the text is invalid: says in which line, and what is expected.
    pub fn with_keyboard(&self, keyboard: &str) -> Result<Self, TuningError> {
        Tuning::read(&self.scale, Some(keyboard))?;
        let keyboard = tidy(keyboard);
        let tuning = Tuning::read(&self.scale, Some(&keyboard))?;
        Ok(Self { keyboard, tuning, ..self.clone() })
    }

    /// The built-in scale of this name, in upper or lower case.
    pub fn built_in(name: &str) -> Option<Self> {
        let scale = built_in::text(name)?;
        let name = built_in::names().find(|known| known.eq_ignore_ascii_case(name))?;
        Self::read(name, &scale).ok()
    }

    /// The names of the built-in scales.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        built_in::names()
    }

    /// Whether its scale is the built-in one of its name.
    pub fn is_built_in(&self) -> bool {
        built_in::text(&self.name).is_some_and(|text| tidy(&text) == self.scale)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the scale.
    pub fn scale(&self) -> &str {
        &self.scale
    }

    /// The text of the keyboard map, if it has one.
    pub fn keyboard(&self) -> Option<&str> {
        (!self.keyboard.is_empty()).then_some(&self.keyboard)
    }

    /// The pitches of the keys.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }
}

/// A text without comments and with lines of bounded length, which means the same.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('!'));
    lines.take(MOST_LINES).map(|line| shortened(line) + "\n").collect()
}

fn shortened(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scale_can_be_read() {
        for name in ScaleSetting::built_in_names() {
            let setting = ScaleSetting::built_in(&name.to_uppercase()).unwrap();
            assert_eq!(setting.name(), name);
            assert!(setting.is_built_in(), "{name}");
            assert!((setting.tuning().pitch(60.0) - 60.0).abs() < 1e-4, "{name}");
        }
        assert!(ScaleSetting::built_in("none").is_none());
        // Its major third is pure.
        let meantone = ScaleSetting::built_in("Meantone 1/4 comma").unwrap();
        assert!((meantone.tuning().pitch(64.0) - 63.863_14).abs() < 1e-4);
        let nineteen = ScaleSetting::built_in("19 equal").unwrap();
        assert!((nineteen.tuning().pitch(79.0) - 72.0).abs() < 1e-4);
    }

    #[test]
    fn texts_are_kept_without_comments() {
        let text = "! just.scl\nJust\n! notes\n 3\n 5/4 third\n 3/2\n 2/1\n! end\n";
        let scale = ScaleSetting::read("just.scl", text).unwrap();
        assert_eq!(scale.scale(), "Just\n3\n5/4 third\n3/2\n2/1\n");
        assert!(!scale.is_built_in());
        let map = "! map\n0\n0\n127\n69\n69\n432.0\n3\n";
        let mapped = scale.with_keyboard(map).unwrap();
        assert_eq!(mapped.tuning(), &Tuning::read(text, Some(map)).unwrap());
        assert_eq!(mapped.keyboard(), Some("0\n0\n127\n69\n69\n432.0\n3\n"));
        assert_eq!(ScaleSetting::read("x", "x\n1\nhigh").unwrap_err().line, 3);
        assert!(scale.with_keyboard("12\n").is_err());
    }
}
