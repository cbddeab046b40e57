//! Generates scenes to play, each from the seed and its number.
//!
//! A scene is a list of actions with their frames, so it can be sent ahead of time and every action takes
//! place on its exact sample. A scene does not depend on those before it: a soak that was stopped can
//! be resumed.

mod builder;
mod scenes;
mod sharpness;

use super::rng::Rng;
use super::watch::Bend;
pub(super) use builder::{Action, SceneBuilder};
use myriad_engine::params::Param;
use myriad_engine::{Patch, factory};
use myriad_player::Load;

/// The parts of a soak's session.
pub(super) const LEAD: u8 = 0;
pub(super) const DRONE: u8 = 1;
pub(super) const PROBE: u8 = 2;
pub(super) const LOAD: u8 = 3;
pub(super) const PARTS: u8 = 4;

/// A sine without an attack, to measure timing with.
pub(super) fn probe_patch() -> Patch {
    let mut patch = Patch::new();
    patch.name = "Probe".to_owned();
    for (param, value) in [
        (Param::SourcePartials, 1.0),
        (Param::Env1Attack, 0.0),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Release, 0.01),
    ] {
        patch.values.set(param, value);
    }
    patch
}

/// Some seconds of playing.
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// The first patch that it plays.
    pub(super) patch: Option<String>,
    /// Actions and their frames, from the start of the scene.
    pub(super) actions: Vec<(u64, Action)>,
    /// Where the sound itself may have transients.
    pub(super) bends: Vec<Bend>,
    pub(super) frames: u64,
}

/// What all scenes of a soak have in common.
#[derive(Clone, Copy)]
pub(super) struct SceneGenerator {
    pub(super) seed: u64,
    /// Frames a second.
    pub(super) rate: f64,
    /// The highest load of a ramp.
    pub(super) load: Load,
}

type Compose = fn(&mut SceneBuilder, &mut Rng);

/// The kinds of scenes, and how many of a hundred scenes are of that kind.
const KINDS: [(u32, Compose); 7] = [
    (30, scenes::storm),
    (18, scenes::drone),
    (12, scenes::patches),
    (18, scenes::sweep),
    (8, scenes::panic),
    (10, scenes::silence),
    (4, scenes::ramp),
];

impl SceneGenerator {
    /// Scene number `number`.
    pub(super) fn scene(&self, number: u64) -> Scene {
        let mut rng = Rng::new(self.seed, number);
        let mut scene = SceneBuilder::new(self.rate, self.load);
        let total: u32 = KINDS.iter().map(|(weight, _)| weight).sum();
        let mut draw = rng.below(total as usize) as u32;
        for (weight, play) in KINDS {
            if draw < weight {
                play(&mut scene, &mut rng);
                break;
            }
            draw -= weight;
        }
        scene.finish()
    }
}

/// The longest release of all factory patches, in seconds. Cymbals of drum kits ring longest.
pub(super) fn longest_release() -> f64 {
    let sounds = factory::patches().iter().flat_map(|patch| {
        let zones = patch.key_zones.iter().map(|zone| &zone.patch);
        zones.chain(std::iter::once(patch))
    });
    let releases = sounds.map(|patch| patch.values[Param::Env1Release]);
    f64::from(releases.fold(0.5, f32::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::EventKind;
    use std::collections::HashSet;

    fn generator(seed: u64) -> SceneGenerator {
        SceneGenerator { seed, rate: 48_000.0, load: Load { voices: 16, copies: 1, partials: 16 } }
    }

    #[test]
    fn a_scene_repeats_from_its_seed_and_number() {
        let played = |seed| {
            let scene = generator(seed).scene(17);
            (scene.name, scene.frames, format!("{:?}", scene.actions))
        };
        assert_eq!(played(1), played(1));
        assert_ne!(played(1), played(2));
    }

    /// Voices of a kit may sound as long as its longest cymbal.
    #[test]
    fn the_longest_release_is_that_of_a_kits_cymbal() {
        let kit = factory::find("Acoustic Kit").unwrap();
        let zones = kit.key_zones.iter().map(|zone| zone.patch.values[Param::Env1Release]);
        let cymbal = f64::from(zones.fold(0.0, f32::max));
        assert!(cymbal > 6.0 && longest_release() >= cymbal, "{cymbal}");
    }

    /// Every key that a scene presses is released in it, so a hanging note is a fault of Myriad.
    #[test]
    fn every_pressed_key_is_released_and_every_kind_of_scene_occurs() {
        let mut names = HashSet::new();
        for number in 0..300 {
            let scene = generator(5).scene(number);
            names.insert(scene.name);
            let mut held = HashSet::new();
            assert!(scene.actions.is_sorted_by_key(|(frame, _)| *frame));
            for (frame, action) in &scene.actions {
                assert!(*frame < scene.frames, "{}", scene.name);
                match action {
                    Action::Play { part, kind } => match *kind {
                        EventKind::NoteOn { key, .. } => {
                            held.insert((*part, key));
                        }
                        EventKind::NoteOff { key, .. } => {
                            held.remove(&(*part, key));
                        }
                        _ => {}
                    },
                    Action::Panic => held.clear(),
                    _ => {}
                }
            }
            assert!(held.is_empty(), "{}: {held:?}", scene.name);
        }
        assert_eq!(names.len(), KINDS.len());
    }
}
