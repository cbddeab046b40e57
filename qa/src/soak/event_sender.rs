//! The event sender: tells a session what the generator plays, and the watch what to expect.

use super::finding::{Finding, Kind};
use super::generator::{Act, LOAD, PARTS, PROBE, Scene, SceneGenerator, probe_patch};
use super::watch::{Bend, Watch};
use myriad_engine::{EventKind, Patch};
use myriad_player::Session;
use std::collections::VecDeque;

/// How far ahead acts are sent: longer than we may be kept from our work.
const AHEAD: f64 = 0.25;

/// Patches change this much before their time, so that the notes after them have them for sure.
const EARLY: f64 = 0.03;

/// How long voices may take to end, and when it is too late to say who holds them: a probe comes.
const ENDING: [f64; 2] = [0.03, 0.15];

/// For how long it must stay silent.
const QUIET: f64 = 0.1;

/// Plays scene after scene.
pub(super) struct EventSender {
    generator: SceneGenerator,
    /// The scene under way, its first frame, and the acts of it that were sent.
    scene: Scene,
    number: u64,
    start: u64,
    sent: usize,
    begun: bool,
    /// Patches that change when their time has come.
    patches: VecDeque<(u64, u8, Box<Patch>)>,
    /// Frames at which no voice may sound any more.
    quiet: VecDeque<u64>,
}

impl EventSender {
    /// Begins with scene `number`, a moment after the stream's start.
    pub(super) fn new(generator: SceneGenerator, number: u64) -> Self {
        Self {
            scene: generator.scene(number),
            number,
            start: (0.3 * generator.rate) as u64,
            sent: 0,
            begun: false,
            patches: VecDeque::new(),
            quiet: VecDeque::new(),
            generator,
        }
    }

    /// What sounds when a session begins: the patches of parts that no scene changes.
    pub(super) fn parts(generator: &SceneGenerator) -> Vec<(u8, Patch)> {
        let load = generator.load.patch(&Patch::new());
        vec![(1, Patch::new()), (PROBE, probe_patch()), (LOAD, load)]
    }

    /// Sends what is due soon. Gives a scene that begins, and its number.
    pub(super) fn tick(
        &mut self,
        session: &mut Session,
        watch: &mut Watch,
    ) -> Option<(u64, &Scene)> {
        let rate = self.generator.rate;
        let now = session.time();
        let horizon = now + (AHEAD * rate) as u64;
        if self.sent == self.scene.acts.len() && self.start + self.scene.frames <= horizon {
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
                watch.bend(Bend {
                    from: bend.from + latency,
                    to: bend.to + latency,
                    ..*bend
                });
            }
        }
        while let Some((frame, act)) = self.scene.acts.get(self.sent) {
            let time = self.start + frame;
            if time > horizon {
                break;
            }
            let act = act.clone();
            self.send(time, act, session, watch);
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

    fn send(&mut self, time: u64, act: Act, session: &mut Session, watch: &mut Watch) {
        let rate = self.generator.rate;
        let heard = time + session.stream_latency();
        match act {
            Act::Play { part, kind } => {
                session.plan(time, part, kind);
            }
            Act::Patch { part, patch } => self.patches.push_back((time, part, patch)),
            Act::Panic => {
                for part in 0..PARTS {
                    session.plan(time, part, EventKind::AllSoundOff);
                }
            }
            Act::ExpectNoVoices => self.quiet.push_back(time),
            Act::ExpectQuiet => {
                self.quiet.push_back(time);
                watch.expect_quiet(heard, heard + (QUIET * rate) as u64);
            }
            Act::Probe => {
                let (key, velocity) = (69, 0.8);
                session.plan(time, PROBE, EventKind::NoteOn { key, velocity });
                let end = time + (Act::PROBE_SECONDS * rate) as u64;
                session.plan(end, PROBE, EventKind::NoteOff { key, velocity });
                watch.expect_onset(heard);
            }
        }
    }

    /// Says so when voices sound that nothing holds.
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

    /// Ends everything that sounds, and gives every part its patch again.
    pub(super) fn clean_up(&mut self, session: &mut Session) {
        self.quiet.clear();
        for part in 0..PARTS {
            let now = session.time();
            session.plan(now, part, EventKind::AllSoundOff);
            // Volume and pan outlive a reset.
            for (cc, value) in [
                (64, 0.0),
                (66, 0.0),
                (121, 0.0),
                (7, 100.0 / 127.0),
                (10, 0.5),
            ] {
                session.plan(now, part, EventKind::Control { cc, value });
            }
        }
        session.set_patch_of(0, Patch::new());
        for (part, patch) in Self::parts(&self.generator) {
            session.set_patch_of(part, patch);
        }
    }
}
