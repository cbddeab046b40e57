//! Maps General MIDI programs to factory patches.

use crate::song::PERCUSSION_CHANNEL;
use myriad_engine::Patch;
use myriad_engine::params::Param;
use myriad_library as library;
use serde::Deserialize;

const MAP: &str = include_str!("../../../../assets/general-midi.toml");

/// The voice mode in which every key sounds by itself.
const POLY: f32 = 0.0;

/// The map of `assets/general-midi.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeneralMidi {
    /// The drum channel: the program from which on each kit is played.
    kits: Vec<(u8, Program)>,
    programs: Vec<Program>,
}

/// A program: its name, its patch, and how much louder that is here, in decibels.
#[derive(Debug, Default, Deserialize)]
struct Program(#[allow(dead_code, reason = "for readers of the file")] String, String, f32);

impl Program {
    /// The patch as a song plays it: polyphonic, because songs play chords with every program, and not
    /// transposed, because they write every instrument as it sounds.
    fn patch(&self) -> Option<Patch> {
        let Program(_, name, decibels) = self;
        let mut patch = library::named(name)?;
        if patch.values[Param::VoiceMode] != POLY {
            patch.values.set(Param::VoiceMode, POLY);
            // Notes of a chord would glide from those of the chord before.
            patch.values.set(Param::PitchGlide, 0.0);
        }
        patch.values.set(Param::PitchTranspose, 0.0);
        let gain = patch.values[Param::OutputGain] + decibels;
        patch.values.set(Param::OutputGain, gain);
        Some(patch)
    }
}

impl GeneralMidi {
    /// The embedded map; a test checks that it can be parsed.
    pub(crate) fn embedded() -> Self {
        toml::from_str(MAP).unwrap_or_default()
    }

    /// The patch of a channel and a program, both counted from 0. The default program is 0.
    pub(crate) fn patch(&self, channel: u8, program: Option<u8>) -> Patch {
        let program = match channel {
            PERCUSSION_CHANNEL => {
                let mut kits = self.kits.iter().rev();
                kits.find(|(first, _)| *first <= program.unwrap_or(0)).map(|(_, kit)| kit)
            }
            _ => self.programs.get(usize::from(program.unwrap_or(0))),
        };
        program.and_then(Program::patch).unwrap_or_else(library::default_patch)
    }
}

#[cfg(test)]
mod classes;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;
    use myriad_conformance::testing::{RATE, play};
    use myriad_engine::{Engine, EngineConfig, EventKind};
    use myriad_measure::loudest_half_second;
    use std::collections::BTreeSet;

    fn map() -> GeneralMidi {
        toml::from_str(MAP).unwrap()
    }

    fn on(key: u8) -> EventKind {
        EventKind::NoteOn { key, velocity: 80.0 / 127.0 }
    }

    fn engine(patch: &Patch) -> Engine {
        let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
        let mut engine = Engine::new(&config).unwrap();
        engine.set_patch(0, patch);
        engine
    }

    #[test]
    fn every_program_has_a_patch_that_exists() {
        let map = map();
        assert_eq!(map.programs.len(), 128);
        for Program(name, patch, _) in
            map.programs.iter().chain(map.kits.iter().map(|(_, kit)| kit))
        {
            assert!(library::named(patch).is_some(), "{name}: {patch}");
        }
        let patches: BTreeSet<&String> = map.programs.iter().map(|program| &program.1).collect();
        assert!(patches.len() > 90, "{} patches", patches.len());
    }

    #[test]
    fn every_program_plays_chords() {
        for program in map().programs {
            let mut engine = engine(&program.patch().unwrap());
            play(&mut engine, &[(0, on(57)), (0, on(60)), (0, on(64))], RATE / 20);
            assert!(engine.counters().voices >= 3, "{}", program.0);
        }
    }

    /// Every drum program is answered by a kit that has the whole General MIDI drum map.
    #[test]
    fn the_drum_channel_plays_kits() {
        let map = map();
        for program in 0..128 {
            let kit = map.patch(PERCUSSION_CHANNEL, Some(program));
            let has = |key: u8| kit.key_zones.iter().any(|zone| zone.contains(key));
            assert!((35..=81).all(has), "program {program}: {}", kit.name);
        }
        let name = |program| map.patch(PERCUSSION_CHANNEL, program).name;
        assert_eq!(name(None), "Acoustic Kit");
        assert_eq!(name(Some(25)), "Electronic Kit");
        assert_eq!(name(Some(40)), "Acoustic Kit");
    }

    /// A key in the register of the program.
    fn key(number: usize) -> u8 {
        match number {
            33..=40 | 44 | 48 | 59 | 68 | 71 => 40,
            _ => 60,
        }
    }

    /// Songs balance: at velocity 80 every program is about as loud as the others. And every program is
    /// as bright, starts and ends as its instrument does.
    #[test]
    fn programs_are_equally_loud_and_like_their_instruments() {
        const WANTED: f64 = -27.0;
        let mut wrong = Vec::new();
        for (number, program) in (1..).zip(map().programs) {
            let key = key(number);
            let off = EventKind::NoteOff { key, velocity: 0.5 };
            let mut engine = engine(&program.patch().unwrap());
            let [left, right] = play(&mut engine, &[(0, on(key)), (RATE, off)], 2 * RATE);
            let difference = loudest_half_second([&left, &right], RATE as u32) - WANTED;
            if difference.abs() > 1.0 {
                wrong.push(format!("{number} {}: {difference:+.1} dB", program.0));
            }
            if let Some(problem) = super::classes::problem(number - 1, [&left, &right]) {
                wrong.push(format!("{number} {}: {problem}", program.0));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
