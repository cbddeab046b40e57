//! The settings of an instance, as a project saves them.

use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::{InstanceSettings, ScaleSetting};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The JSON of [`InstanceSettings`]. Whether MPE is on is a parameter; here is what it is when it is on.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Saved {
    scale: Option<SavedScale>,
    bend_range: Option<f32>,
    mpe_upper: bool,
    mpe_channels: u8,
    mpe_bend_range: u8,
    follows_mts: bool,
}

/// A scale and its keyboard map.
#[derive(Serialize, Deserialize)]
struct SavedScale {
    name: String,
    scale: String,
    keyboard: Option<String>,
}

impl Default for Saved {
    fn default() -> Self {
        Self::new(&InstanceSettings::default())
    }
}

impl Saved {
    fn new(settings: &InstanceSettings) -> Self {
        let saved = |scale: &Arc<ScaleSetting>| SavedScale {
            name: scale.name().to_owned(),
            scale: scale.scale().to_owned(),
            keyboard: scale.keyboard().map(str::to_owned),
        };
        Self {
            scale: settings.tuning.as_ref().map(saved),
            bend_range: settings.bend_range,
            mpe_upper: settings.mpe.zone == MpeZone::Upper,
            mpe_channels: settings.mpe.channels,
            mpe_bend_range: settings.mpe.bend_range,
            follows_mts: settings.follows_mts,
        }
    }
}

/// The text that a project saves.
pub(crate) fn write(settings: &InstanceSettings) -> String {
    serde_json::to_string(&Saved::new(settings)).unwrap_or_default()
}

/// The settings of a text; what cannot be read has its default.
pub(crate) fn read(text: &str) -> InstanceSettings {
    let saved: Saved = serde_json::from_str(text).unwrap_or_default();
    let scale = |saved: SavedScale| {
        let scale = ScaleSetting::read(&saved.name, &saved.scale).ok()?;
        match saved.keyboard {
            Some(keyboard) => scale.with_keyboard(&keyboard).ok(),
            None => Some(scale),
        }
    };
    let range = 0.0..=InstanceSettings::MAX_BEND_RANGE;
    let mpe = MpeSettings {
        zone: if saved.mpe_upper { MpeZone::Upper } else { MpeZone::Lower },
        channels: saved.mpe_channels,
        bend_range: saved.mpe_bend_range,
    };
    InstanceSettings {
        tuning: saved.scale.and_then(scale).map(Arc::new),
        bend_range: saved.bend_range.filter(|semitones| range.contains(semitones)),
        mpe: mpe.clamped(),
        follows_mts: saved.follows_mts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_restored() {
        let scale = ScaleSetting::built_in("31 equal").unwrap();
        let scale = scale.with_keyboard("0\n0\n127\n69\n69\n432.0\n31\n").unwrap();
        let settings = InstanceSettings {
            tuning: Some(Arc::new(scale)),
            bend_range: Some(7.0),
            mpe: MpeSettings { zone: MpeZone::Upper, channels: 5, bend_range: 24 },
            follows_mts: false,
        };
        assert_eq!(read(&write(&settings)), settings);
    }

    #[test]
    fn what_cannot_be_read_has_its_default() {
        let usual = read("");
        assert_eq!((usual.tuning, usual.bend_range, usual.follows_mts), (None, None, true));
        assert_eq!(usual.mpe, MpeSettings { zone: MpeZone::Lower, ..MpeSettings::default() });
        let text = r#"{"scale": {"name": "x", "scale": "no scale"}, "bend_range": 1e9,
            "mpe_channels": 200, "later": 3}"#;
        let settings = read(text);
        assert_eq!((settings.tuning, settings.bend_range), (None, None));
        assert_eq!(settings.mpe.channels, 15);
    }
}
