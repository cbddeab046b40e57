//! The generator: plays scene after scene, each made up from the seed and its number.
//!
//! A scene is a plain list of what happens on which frame, so it can be sent ahead of its time and
//! lands on its exact sample. Any scene can be made without those before it, which is how a
//! soak that was stopped goes on.

mod scenes;
mod score;
mod sharpness;

use super::rng::Rng;
use super::watch::Bend;
use myriad_engine::params::Param;
use myriad_engine::{Patch, factory};
use myriad_player::Load;
pub(super) use score::{Act, Score};

/// The parts of a soak's session.
pub(super) const HANDS: u8 = 0;
pub(super) const DRONE: u8 = 1;
pub(super) const PROBE: u8 = 2;
pub(super) const LOAD: u8 = 3;
pub(super) const PARTS: u8 = 4;

/// A sine that is there at once: what timing is measured with.
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

/// A stretch of playing.
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// The first patch that it plays.
    pub(super) patch: Option<String>,
    /// What happens, by frames from its start.
    pub(super) acts: Vec<(u64, Act)>,
    /// Where the sound may turn a corner, likewise.
    pub(super) bends: Vec<Bend>,
    /// Its length.
    pub(super) frames: u64,
}

/// What every scene is made with.
#[derive(Clone, Copy)]
pub(super) struct SceneGenerator {
    pub(super) seed: u64,
    /// Frames a second.
    pub(super) rate: f64,
    /// Where load ramps end.
    pub(super) load: Load,
}

/// Writes a scene.
type Compose = fn(&mut Score, &mut Rng);

/// The kinds of scenes and how often they come, of a hundred.
const PROGRAMME: [(u32, Compose); 7] = [
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
        let mut score = Score::new(self.rate, self.load);
        let total: u32 = PROGRAMME.iter().map(|(weight, _)| weight).sum();
        let mut draw = rng.below(total as usize) as u32;
        for (weight, play) in PROGRAMME {
            if draw < weight {
                play(&mut score, &mut rng);
                break;
            }
            draw -= weight;
        }
        score.finish()
    }
}

/// The longest that anything sounds after its key was let go, in seconds.
pub(super) fn longest_release() -> f64 {
    let releases = factory::patches()
        .iter()
        .map(|patch| patch.values[Param::Env1Release]);
    f64::from(releases.fold(0.5, f32::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::EventKind;
    use std::collections::HashSet;

    fn generator(seed: u64) -> SceneGenerator {
        SceneGenerator {
            seed,
            rate: 48_000.0,
            load: Load {
                voices: 16,
                partials: 16,
            },
        }
    }

    #[test]
    fn a_scene_repeats_from_its_seed_and_number() {
        let played = |seed| {
            let scene = generator(seed).scene(17);
            (scene.name, scene.frames, format!("{:?}", scene.acts))
        };
        assert_eq!(played(1), played(1));
        assert_ne!(played(1), played(2));
    }

    /// What is pressed in a scene is let go in it, so that nothing hangs unless Myriad is wrong.
    #[test]
    fn every_key_that_goes_down_goes_up_and_every_kind_of_scene_comes() {
        let mut names = HashSet::new();
        for number in 0..300 {
            let scene = generator(5).scene(number);
            names.insert(scene.name);
            let mut held = HashSet::new();
            assert!(scene.acts.is_sorted_by_key(|(frame, _)| *frame));
            for (frame, act) in &scene.acts {
                assert!(*frame < scene.frames, "{}", scene.name);
                match act {
                    Act::Play { part, kind } => match *kind {
                        EventKind::NoteOn { key, .. } => {
                            held.insert((*part, key));
                        }
                        EventKind::NoteOff { key, .. } => {
                            held.remove(&(*part, key));
                        }
                        _ => {}
                    },
                    Act::Panic => held.clear(),
                    _ => {}
                }
            }
            assert!(held.is_empty(), "{}: {held:?}", scene.name);
        }
        assert_eq!(names.len(), PROGRAMME.len());
    }
}
