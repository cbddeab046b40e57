//! Maps General MIDI programs to factory patches.

use crate::library;
use crate::song::PERCUSSION_CHANNEL;
use myriad_engine::Patch;
use serde::Deserialize;

const MAP: &str = include_str!("../../../../assets/general-midi.toml");

/// The map of `assets/general-midi.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeneralMidi {
    /// The patch of the drum channel, for every program.
    percussion: String,
    families: Vec<Family>,
}

/// A range of programs with one patch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    #[allow(dead_code, reason = "for readers of the file")]
    name: String,
    /// First and last program, counted from 1.
    programs: [u8; 2],
    patch: String,
}

impl GeneralMidi {
    /// The embedded map; a test checks that it can be parsed.
    pub(crate) fn embedded() -> Self {
        toml::from_str(MAP).unwrap_or_default()
    }

    /// The patch of a channel and a program, both counted from 0. The default program is 0.
    pub(crate) fn patch(&self, channel: u8, program: Option<u8>) -> Patch {
        let name = if channel == PERCUSSION_CHANNEL {
            Some(self.percussion.as_str())
        } else {
            self.patch_name(program.unwrap_or(0))
        };
        name.and_then(library::named).unwrap_or_else(library::default_patch)
    }

    fn patch_name(&self, program: u8) -> Option<&str> {
        let number = program.saturating_add(1);
        let covers = |family: &&Family| {
            let [first, last] = family.programs;
            (first..=last).contains(&number)
        };
        self.families.iter().find(covers).map(|family| family.patch.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_patch_that_exists() {
        let map: GeneralMidi = toml::from_str(MAP).unwrap();
        assert!(library::named(&map.percussion).is_some(), "{}", map.percussion);
        for program in 0..128 {
            let name = map.patch_name(program).unwrap_or("none");
            assert!(library::named(name).is_some(), "program {}: {name}", program + 1);
        }
    }
}
