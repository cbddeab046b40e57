//! Builds a scene: actions at the seconds at which they happen.

use super::sharpness::Sharpness;
use super::{DRONE, LEAD, LOAD, PARTS, PROBE, Scene};
use crate::soak::watch::Bend;
use myriad_engine::{EventKind, Patch};
use myriad_player::Load;

/// What can happen in a scene.
#[derive(Clone, Debug)]
pub(in crate::soak) enum Action {
    /// An event of a part.
    Play { part: u8, kind: EventKind },
    /// A part plays another patch.
    Patch { part: u8, patch: Box<Patch> },
    /// All sound off in every part.
    Panic,
    /// From here on no voice may sound.
    ExpectNoVoices,
    /// From here on nothing may sound.
    ExpectQuiet,
    /// A note after silence: its first sample is checked.
    Probe,
}

impl Action {
    /// How long a probe sounds.
    pub(in crate::soak) const PROBE_SECONDS: f64 = 0.1;
}

/// A scene that is being built.
pub(in crate::soak) struct SceneBuilder {
    pub(super) rate: f64,
    pub(super) load: Load,
    name: &'static str,
    /// The first patch that is played, by name.
    patch: Option<String>,
    actions: Vec<(u64, Action)>,
    bends: Vec<Bend>,
    /// The sharpness of each part's patch, where the scene has set it.
    sharpness: [Sharpness; PARTS as usize],
    /// The patch of each part, where the scene has set it.
    playing: [Option<Box<Patch>>; PARTS as usize],
}

impl SceneBuilder {
    pub(super) fn new(rate: f64, load: Load) -> Self {
        Self {
            rate,
            load,
            name: "",
            patch: None,
            actions: Vec::new(),
            bends: Vec::new(),
            sharpness: [Sharpness::SHARP; PARTS as usize],
            playing: [const { None }; PARTS as usize],
        }
    }

    pub(super) fn name(&mut self, name: &'static str) {
        self.name = name;
    }

    pub(super) fn add(&mut self, seconds: f64, action: Action) {
        self.actions.push(((seconds * self.rate) as u64, action));
    }

    pub(super) fn play(&mut self, seconds: f64, part: u8, kind: EventKind) {
        self.add(seconds, Action::Play { part, kind });
    }

    /// A part changes its patch. What sounded fades out quickly, at about that time.
    pub(super) fn patch(&mut self, seconds: f64, part: u8, patch: &Patch) {
        self.bend(seconds - 0.06, Sharpness::CHANGE);
        self.sharpness[usize::from(part)] = Sharpness::of(patch);
        self.patch.get_or_insert_with(|| patch.name.clone());
        let patch = Box::new(patch.clone());
        self.playing[usize::from(part)] = Some(patch.clone());
        self.add(seconds, Action::Patch { part, patch });
    }

    /// Notes of a part may be drums.
    pub(super) fn expect_drums(&mut self, part: u8) {
        self.sharpness[usize::from(part)] = Sharpness::STRUCK;
    }

    /// The sound may have a transient here.
    pub(super) fn bend(&mut self, seconds: f64, sharpness: Sharpness) {
        let from = (seconds.max(0.0) * self.rate) as u64;
        self.bends.push(Bend {
            from,
            to: from + (sharpness.seconds * self.rate) as u64,
            size: sharpness.size,
        });
    }

    pub(super) fn control(&mut self, seconds: f64, part: u8, cc: u8, value: f64) {
        let value = value as f32;
        self.play(seconds, part, EventKind::Control { cc, value });
    }

    /// A key is pressed, and released after `length`.
    pub(super) fn note(&mut self, seconds: f64, length: f64, part: u8, key: u8, velocity: f64) {
        self.press(seconds, part, key, velocity);
        let velocity = velocity as f32;
        self.play(seconds + length, part, EventKind::NoteOff { key, velocity });
        self.bend(seconds + length, self.sharpness[usize::from(part)].let_go());
        self.hold(seconds, length, part);
    }

    /// The patch of a part may sound for so long.
    pub(super) fn hold(&mut self, seconds: f64, length: f64, part: u8) {
        if let Some(patch) = self.playing[usize::from(part)].take() {
            self.bend_throughout(seconds, length, &patch);
            self.playing[usize::from(part)] = Some(patch);
        }
    }

    /// The sound of a patch may have transients as long as its notes sound.
    pub(super) fn bend_throughout(&mut self, seconds: f64, length: f64, patch: &Patch) {
        if let Some(long) = Sharpness::throughout(patch, length) {
            self.bend(seconds, long);
        }
    }

    /// A key is pressed.
    pub(super) fn press(&mut self, seconds: f64, part: u8, key: u8, velocity: f64) {
        let velocity = velocity as f32;
        self.play(seconds, part, EventKind::NoteOn { key, velocity });
        self.bend(seconds, self.sharpness[usize::from(part)]);
    }

    /// Resets the controllers, wheels and pedals of a part.
    pub(super) fn rest(&mut self, seconds: f64, part: u8) {
        self.control(seconds, part, 64, 0.0);
        self.control(seconds, part, 121, 0.0);
        self.play(seconds, part, EventKind::PitchBend(0.0));
    }

    /// The time of the last action, in seconds.
    pub(super) fn end(&self) -> f64 {
        let last = self.actions.iter().map(|(frame, _)| *frame).max();
        last.unwrap_or(0) as f64 / self.rate
    }

    /// The scene. All pedals are released at its end, so that released notes end.
    pub(super) fn finish(mut self) -> Scene {
        let end = self.end() + 0.01;
        for part in [LEAD, DRONE, PROBE, LOAD] {
            self.rest(end, part);
        }
        self.bend(end, Sharpness::CHANGE);
        // Stable: actions of the same frame keep their order.
        self.actions.sort_by_key(|(frame, _)| *frame);
        Scene {
            name: self.name,
            patch: self.patch,
            actions: self.actions,
            bends: self.bends,
            frames: ((end + 0.05) * self.rate) as u64,
        }
    }
}
