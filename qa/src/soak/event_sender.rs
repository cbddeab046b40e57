//! Sends the generator's scenes to a session, and their expected sound to the watch.

use super::finding::{Finding, Kind};
use super::generator::{Action, LOAD, PARTS, PROBE, Scene, SceneGenerator, probe_patch};
use super::watch::{Bend, Watch};
use myriad_engine::{EventKind, Patch};
use myriad_player::Session;
use std::collections::VecDeque;

/// How far ahead actions are sent, in seconds: longer than this thread may stall.
const AHEAD: f64 = 0.25;

/// Seconds before its frame in which an event must be sent to be on time.
const LATEST: f64 = 0.05;

/// Seconds by which patches change early, so that they are in use for the notes after them.
const EARLY: f64 = 0.03;

/// How long voices may take to end, and when it is too late to check because a probe follows.
const ENDING: [f64; 2] = [0.03, 0.15];

/// How many seconds of silence must follow.
const QUIET: f64 = 0.1;

/// Plays scene after scene.
pub(super) struct EventSender {
    generator: SceneGenerator,
    /// The current scene, its first frame, and how many of its actions were sent.
    scene: Scene,
    number: u64,
    start: u64,
    sent: usize,
    begun: bool,
    /// Patch changes that are due later.
    patches: VecDeque<(u64, u8, Box<Patch>)>,
    /// Frames from which on no voice may sound.
    quiet: VecDeque<u64>,
    /// Events that were sent for a frame, early enough.
    planned: Vec<(u64, u8, EventKind)>,
}

impl EventSender {
    /// Begins with scene `number`, 0.3 s after the stream's start.
    pub(super) fn new(generator: SceneGenerator, number: u64) -> Self {
        Self {
            scene: generator.scene(number),
            number,
            start: (0.3 * generator.rate) as u64,
            sent: 0,
            begun: false,
            patches: VecDeque::new(),
            quiet: VecDeque::new(),
            planned: Vec::new(),
            generator,
        }
    }

    /// The patches of all parts but the first at the start of a session.
    pub(super) fn parts(generator: &SceneGenerator) -> Vec<(u8, Patch)> {
        let load = generator.load.patch(&Patch::new());
        vec![(1, Patch::new()), (PROBE, probe_patch()), (LOAD, load)]
    }

    /// Sends what is due soon. Returns a scene that begins, and its number.
    pub(super) fn tick(
        &mut self,
        session: &mut Session,
        watch: &mut Watch,
    ) -> Option<(u64, &Scene)> {
        let rate = self.generator.rate;
        let now = session.time();
        let horizon = now + (AHEAD * rate) as u64;
        if self.sent == self.scene.actions.len() && self.start + self.scene.frames <= horizon {
            self.start += self.scene.frames;
            self.number += 1;
            self.scene = self.generator.scene(self.number);
            (self.sent, self.begun) = (0, false);
        }
        let begins = !self.begun && self.start <= horizon;
        if begins {
            self.begun = true;
            let latency = session.stream_latency() + self.start;
            for bend in &self.scene.bends {
                watch.bend(Bend { from: bend.from + latency, to: bend.to + latency, ..*bend });
            }
        }
        while let Some((frame, action)) = self.scene.actions.get(self.sent) {
            let time = self.start + frame;
            if time > horizon {
                break;
            }
            let action = action.clone();
            self.send(time, action, session, watch);
            self.sent += 1;
        }
        let soon = now + (EARLY * rate) as u64;
        while self.patches.front().is_some_and(|patch| patch.0 <= soon) {
            if let Some((_, part, patch)) = self.patches.pop_front() {
                session.set_patch_of(part, *patch);
            }
        }
        begins.then_some((self.number, &self.scene))
    }

    fn send(&mut self, time: u64, action: Action, session: &mut Session, watch: &mut Watch) {
        let rate = self.generator.rate;
        let heard = time + session.stream_latency();
        match action {
            Action::Play { part, kind } => self.plan(session, time, part, kind),
            Action::Patch { part, patch } => self.patches.push_back((time, part, patch)),
            Action::Panic => {
                for part in 0..PARTS {
                    self.plan(session, time, part, EventKind::AllSoundOff);
                }
            }
            Action::ExpectNoVoices => self.quiet.push_back(time),
            Action::ExpectQuiet => {
                self.quiet.push_back(time);
                watch.expect_quiet(heard, heard + (QUIET * rate) as u64);
            }
            Action::Probe => {
                let (key, velocity) = (69, 0.8);
                self.plan(session, time, PROBE, EventKind::NoteOn { key, velocity });
                let end = time + (Action::PROBE_SECONDS * rate) as u64;
                self.plan(session, end, PROBE, EventKind::NoteOff { key, velocity });
                watch.expect_onset(heard);
            }
        }
    }

    fn plan(&mut self, session: &Session, time: u64, part: u8, kind: EventKind) {
        session.plan(time, part, kind);
        // When this thread stalled, it may be too late already.
        if time > session.time() + (LATEST * self.generator.rate) as u64 {
            self.planned.push((time, part, kind));
        }
    }

    /// Events that the engine must be given on their frames, since the last call.
    pub(super) fn take_planned(&mut self) -> Vec<(u64, u8, EventKind)> {
        std::mem::take(&mut self.planned)
    }

    /// A finding when voices sound that nothing holds.
    pub(super) fn check_voices(&mut self, session: &Session, watch: &Watch) -> Option<Finding> {
        let rate = self.generator.rate;
        let [ended, too_late] = ENDING.map(|seconds| (seconds * rate) as u64);
        let now = session.time();
        let quiet = *self.quiet.front()?;
        if now < quiet + ended {
            return None;
        }
        self.quiet.pop_front();
        let voices = session.status().engine.voices;
        let frame = quiet + ended;
        (voices > 0 && now < quiet + too_late).then(|| {
            let text = format!("{voices} voices sound that nothing holds");
            let (seconds, size) = (watch.seconds(frame), voices as f64);
            Finding::ours(seconds, frame, Kind::StuckVoices, size, text)
        })
    }

    /// Ends all sound, and restores the patch of every part.
    pub(super) fn clean_up(&mut self, session: &mut Session) {
        self.quiet.clear();
        for part in 0..PARTS {
            let now = session.time();
            session.plan(now, part, EventKind::AllSoundOff);
            // Reset All Controllers does not reset volume and pan.
            for (cc, value) in [(64, 0.0), (66, 0.0), (121, 0.0), (7, 100.0 / 127.0), (10, 0.5)] {
                session.plan(now, part, EventKind::Control { cc, value });
            }
        }
        session.set_patch_of(0, Patch::new());
        for (part, patch) in Self::parts(&self.generator) {
            session.set_patch_of(part, patch);
        }
    }
}
