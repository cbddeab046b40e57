//! The render side: owns the engine, and keeps the frames coming.

use super::cause::{Lateness, Queueing, Scene, Watch};
use super::command_queue::WorkEnd;
use super::events::Agenda;
use super::fade::Fader;
use super::frame_ring::{RenderEnd, Restart};
use super::intake::{self, Intake};
use super::status::Shared;
use super::underrun::Report;
use myriad_engine::TICK;
use myriad_engine::modulation::Route;
use myriad_engine::patch::Playable;
use myriad_engine::render::MAX_TICKS;
use myriad_engine::trace::{self, Stage};
use myriad_engine::{Engine, SnapshotSender};
use ringbuf::HeapProd;
use ringbuf::traits::{Consumer, Producer};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The most frames that are rendered before they can be heard: a few of a renderer's blocks, so
/// that one can be computed while the next is prepared.
const BATCH: usize = 4 * MAX_TICKS * TICK;

/// What the control side wants. All memory that it needs comes with it, and what it replaces goes
/// back in its place.
pub(super) enum Command {
    Patch {
        part: usize,
        patch: Box<Playable>,
    },
    /// Other routes while notes go on.
    Routes {
        part: usize,
        routes: Vec<Route>,
    },
    /// Another audio side listens.
    FrameRing {
        end: Box<RenderEnd>,
    },
}

impl Command {
    /// The part whose sound it changes.
    pub(super) fn part(&self) -> Option<usize> {
        match *self {
            Command::Patch { part, .. } | Command::Routes { part, .. } => Some(part),
            Command::FrameRing { .. } => None,
        }
    }
}

/// Renders what the audio side will ask for.
pub struct RenderSide {
    engine: Engine,
    end: Box<RenderEnd>,
    orders: WorkEnd<Command>,
    intake: Intake,
    reports: HeapProd<Report>,
    snapshots: SnapshotSender,
    shared: Arc<Shared>,
    fader: Fader,
    watch: Watch,
    /// Why it was last too late, until the audio side says what that has cost.
    lateness: Option<Lateness>,
    /// The time at which this line began.
    connected: u64,
    /// The time at which the next frame will be heard.
    time: u64,
    /// Scratch space for a batch.
    sound: [Vec<f32>; 2],
}

impl RenderSide {
    pub(super) fn new(
        engine: Engine,
        end: RenderEnd,
        orders: WorkEnd<Command>,
        agenda: Agenda,
        reports: HeapProd<Report>,
        snapshots: SnapshotSender,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            intake: Intake::new(agenda),
            engine,
            time: end.frame_ring.written(),
            end: Box::new(end),
            orders,
            reports,
            snapshots,
            shared,
            fader: Fader::open(),
            watch: Watch::new(),
            lateness: None,
            connected: 0,
            sound: std::array::from_fn(|_| vec![0.0; BATCH]),
        }
    }

    /// Does what there is to do: follows the control side, and renders until the audio side has
    /// its full depth ready, or so many frames that somebody else should have the processor for a
    /// moment. Returns the frames rendered.
    pub fn step(&mut self) -> usize {
        let mut rendered = 0;
        loop {
            let asked = self.listen();
            if self.time < asked && self.end.restarts.is_empty() {
                self.skip_to(asked);
            }
            self.restart();
            self.report_underruns();
            let depth = self.end.frame_ring.depth;
            let missing = (asked + depth as u64).saturating_sub(self.time) as usize;
            if missing == 0 || self.has_ended() {
                self.watch.is_on_time();
                return rendered;
            }
            if rendered > depth {
                return rendered;
            }
            rendered += self.batch(missing);
        }
    }

    /// Follows the control side. Returns how many frames the audio side has asked for.
    fn listen(&mut self) -> u64 {
        // First the frames, then the wishes: what was wished for before a block was asked for is in
        // effect when it is rendered.
        let asked = self.end.frame_ring.asked();
        match self.follow() {
            true => self.end.frame_ring.asked(),
            false => asked,
        }
    }

    /// Goes on with the frame `asked`: the time of those before has passed, and nobody would hear
    /// them.
    fn skip_to(&mut self, asked: u64) {
        self.lateness = Some(self.watch.explain(&self.scene(asked)));
        self.shared
            .frames_skipped
            .fetch_add(asked - self.time, Relaxed);
        self.time = asked;
    }

    /// Begins anew, if the audio side wants that. What it has handed in before is of no use any
    /// more, and what was not rendered until then will not be heard.
    fn restart(&mut self) {
        while let Some(Restart { time, part, values }) = self.end.restarts.pop() {
            self.intake.restart(&mut self.end.events, time);
            self.engine.set_values(part, &values);
            self.engine.reset();
            self.time = time + self.end.frame_ring.depth as u64;
            self.end.frame_ring.skip_to(self.time);
        }
    }

    fn scene(&self, asked: u64) -> Scene {
        Scene {
            age: asked - self.connected,
            block: self.end.frame_ring.block(),
            depth: self.end.frame_ring.depth,
            sample_rate: self.engine.config().sample_rate,
            flood: intake::EVENTS / 2,
        }
    }

    /// Begins on this thread.
    pub(super) fn begin(&mut self) {
        self.watch.begin(Queueing::of_this_thread());
    }

    /// Says that the thread has slept so much longer than it wanted to.
    pub(super) fn has_overslept(&mut self, time: Duration) {
        self.watch.overslept += time;
    }

    /// Frames of the audio side's last block, and the sample rate.
    pub(super) fn pace(&self) -> (usize, f32) {
        (
            self.end.frame_ring.block(),
            self.engine.config().sample_rate,
        )
    }

    /// Frames that the audio side has asked for.
    pub(super) fn asked(&self) -> u64 {
        self.end.frame_ring.asked()
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Whether it has faded out, or is not waited for any more, and will not render again.
    pub fn has_ended(&self) -> bool {
        self.shared.ended.load(Relaxed) || self.shared.abandoned.load(Relaxed)
    }

    /// Renders at most `wanted` frames and lets them be heard.
    fn batch(&mut self, wanted: usize) -> usize {
        let began = Instant::now();
        let _stage = trace::stage(Stage::Batch);
        let mut frames = wanted.min(BATCH);
        if self.fader.is_closing() {
            frames = frames.min(self.fader.remaining());
        }
        let start = self.time - self.end.frame_ring.depth as u64;
        let stage = trace::stage(Stage::Events);
        let events = self
            .intake
            .gather(&mut self.end.events, start, frames, &self.shared);
        drop(stage);
        self.watch.events = self.watch.events.max(events.len());
        let [left, right] = self.sound.each_mut().map(|side| &mut side[..frames]);
        self.engine.render(events, left, right);
        self.fader.apply(left, right);
        self.end.frame_ring.write(self.time, left, right);
        self.time += frames as u64;
        self.shared.note_counters(self.engine.counters());
        self.shared.sounding.note(&self.engine, self.time);
        self.snapshots.show(&self.engine, frames);
        self.shared
            .frames_rendered
            .fetch_add(frames as u64, Relaxed);
        // Whole ticks are rendered, also for blocks that are shorter.
        let sounds_for = frames.max(TICK) as f32 / self.engine.config().sample_rate;
        self.shared
            .note_load(began.elapsed().as_secs_f32() / sounds_for);
        if self.fader.is_shut() {
            self.shared.ended.store(true, Relaxed);
        }
        frames
    }

    /// Does what the control side has asked for. Returns whether another audio side listens now.
    fn follow(&mut self) -> bool {
        let mut connected = false;
        if self.shared.stopping.load(Relaxed) {
            self.fader.close();
        }
        while let Some(command) = self.orders.take() {
            match command {
                Command::Patch { part, mut patch } => {
                    self.engine.exchange_patch(part, &mut patch);
                    self.orders.give_back(Command::Patch { part, patch });
                }
                Command::Routes { part, mut routes } => {
                    self.engine.swap_routes(part, &mut routes);
                    self.orders.give_back(Command::Routes { part, routes });
                }
                Command::FrameRing { mut end } => {
                    // Who listened before does not any more: nothing is left to fade.
                    std::mem::swap(&mut self.end, &mut end);
                    end.frame_ring.close();
                    self.intake.take_over(&mut end.events, &self.shared);
                    (self.connected, self.time) =
                        (self.end.frame_ring.asked(), self.end.frame_ring.written());
                    self.orders.give_back(Command::FrameRing { end });
                    self.fader.reopen();
                    connected = true;
                }
            }
        }
        connected
    }

    /// Tells the control side what the audio side says it has lost.
    fn report_underruns(&mut self) {
        while let Some(starvation) = self.end.starvations.try_pop() {
            // When nobody asks for them, they are only counted.
            let _ = self.reports.try_push(Report {
                starvation,
                at_time: self.shared.started.elapsed(),
                lateness: self.lateness,
            });
        }
    }
}
