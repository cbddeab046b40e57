//! The render side: owns the engine and renders ahead of the audio side.

use super::command_queue::CommandReceiver;
use super::deadline::{DeadlineMiss, DeadlineMonitor, RingState, RunDelay};
use super::event_scheduler::{BATCH_EVENTS, EventScheduler};
use super::fade::Fader;
use super::frame_ring::{RenderEnd, Restart};
use super::overlap::Overlap;
use super::render_log::{LogWriter, Record};
use super::room::{Room, RoomEstimate};
use super::status::Shared;
use super::underrun::Report;
use crate::mts_esp::MtsClient;
use myriad_engine::TICK;
use myriad_engine::modulation::Route;
use myriad_engine::patch::Playable;
use myriad_engine::render::{Due, MAX_TICKS};
use myriad_engine::trace::{self, Stage};
use myriad_engine::{Engine, PitchSettings, SnapshotSender};
use ringbuf::HeapProd;
use ringbuf::traits::{Consumer, Producer};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The most frames that are rendered before they can be heard: a few of a renderer's blocks, so
/// that one can be computed while the next is prepared.
const BATCH: usize = 4 * MAX_TICKS * TICK;

/// A command of the control side. It brings all memory that it needs, and what it replaces is
/// returned in the same command.
pub(super) enum Command {
    Patch {
        part: usize,
        patch: Box<Playable>,
        /// Its number in the render log.
        number: u64,
    },
    /// Other routes, for notes that sound as well.
    Routes { part: usize, routes: Vec<Route>, number: u64 },
    /// The drawn waveforms and tables of a patch, for notes that sound as well.
    Drawn { part: usize, patch: Box<Playable>, number: u64 },
    /// Other pitch settings, for notes that sound as well.
    Pitch { settings: Box<PitchSettings> },
    /// Another audio side replaces the current one.
    FrameRing { end: Box<RenderEnd> },
}

impl Command {
    /// The part that it changes.
    pub(super) fn part(&self) -> Option<usize> {
        match *self {
            Command::Patch { part, .. }
            | Command::Routes { part, .. }
            | Command::Drawn { part, .. } => Some(part),
            Command::Pitch { .. } | Command::FrameRing { .. } => None,
        }
    }
}

/// Renders the frames that the audio side will read.
pub struct RenderSide {
    engine: Engine,
    end: Box<RenderEnd>,
    commands: CommandReceiver<Command>,
    scheduler: EventScheduler,
    reports: HeapProd<Report>,
    snapshots: SnapshotSender,
    shared: Arc<Shared>,
    fader: Fader,
    monitor: DeadlineMonitor,
    /// The last deadline miss, for the underruns that the audio side reports.
    miss: Option<DeadlineMiss>,
    /// The time at which this frame ring was connected.
    connected: u64,
    /// The time at which the next frame that is published will be heard.
    time: u64,
    /// About when the audio side asked for the last block, where a thread renders while it goes on.
    last_callback: Option<Instant>,
    /// Frames of a batch that is begun and not finished, if there is one; the frame at `time` is its first.
    begun: Option<usize>,
    overlap: Overlap,
    /// The room by what batches take, where it is measured, and that which the engine has.
    measured_room: Option<RoomEstimate>,
    room: usize,
    /// Scratch space for a batch.
    sound: [Vec<f32>; 2],
    /// The render log, where there is one.
    pub(super) log: Option<LogWriter>,
    /// The program that sets the tuning, where one is followed.
    mts: Option<MtsClient>,
}

impl RenderSide {
    pub(super) fn new(
        engine: Engine,
        end: RenderEnd,
        commands: CommandReceiver<Command>,
        scheduler: EventScheduler,
        reports: HeapProd<Report>,
        snapshots: SnapshotSender,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            scheduler,
            engine,
            time: end.frame_ring.written(),
            last_callback: None,
            begun: None,
            overlap: Overlap::default(),
            measured_room: None,
            room: usize::MAX,
            end: Box::new(end),
            commands,
            reports,
            snapshots,
            shared,
            fader: Fader::open(),
            monitor: DeadlineMonitor::new(),
            miss: None,
            connected: 0,
            sound: std::array::from_fn(|_| vec![0.0; BATCH]),
            log: None,
            mts: None,
        }
    }

    /// Follows the tuning of an MTS-ESP master from now on.
    pub fn follow(&mut self, client: Option<MtsClient>) {
        self.mts = client;
    }

    /// Uses so much of the engine's room from now on.
    pub(super) fn follow_room(&mut self, room: Room) {
        self.measured_room = (room == Room::Measured).then(RoomEstimate::new);
    }

    /// Executes commands, and renders until the full depth is ready, or until so many frames are
    /// rendered that other threads should run for a moment. Returns the frames rendered.
    pub fn step(&mut self) -> usize {
        let mut rendered = 0;
        loop {
            let asked = self.poll();
            if self.time < asked && self.end.restarts.is_empty() {
                self.skip_to(asked);
            }
            self.restart();
            self.report_underruns();
            let depth = self.end.frame_ring.depth;
            let missing = (asked + depth as u64).saturating_sub(self.begun_until()) as usize;
            if missing == 0 && self.begun.is_some() && self.engine.is_block_rendered() {
                self.finish();
            }
            if missing == 0 || self.has_ended() {
                self.monitor.on_time();
                return rendered;
            }
            if rendered > depth {
                return rendered;
            }
            rendered += self.batch(missing);
        }
    }

    /// Executes commands. Returns how many frames the audio side has asked for.
    fn poll(&mut self) -> u64 {
        // The frames are read before the commands: a command that was sent before a block was asked
        // for is in effect when the block is rendered.
        let asked = self.end.frame_ring.asked();
        match self.run_commands() {
            true => self.end.frame_ring.asked(),
            false => asked,
        }
    }

    /// The time of the first frame that is not begun.
    fn begun_until(&self) -> u64 {
        self.time + self.begun.unwrap_or(0) as u64
    }

    /// Skips to the frame `asked`: the time of the frames before it has passed.
    fn skip_to(&mut self, asked: u64) {
        self.finish();
        if self.time >= asked {
            return;
        }
        self.miss = Some(self.monitor.miss(&self.ring_state(asked)));
        self.shared.frames_skipped.fetch_add(asked - self.time, Relaxed);
        self.time = asked;
    }

    /// Restarts the engine if the audio side has asked for it. Earlier events and frames are dropped.
    fn restart(&mut self) {
        while let Some(Restart { time, part, values }) = self.end.restarts.pop() {
            self.finish();
            self.scheduler.restart(&mut self.end.events, time);
            self.engine.set_values(part, &values);
            self.engine.reset();
            self.time = time + self.end.frame_ring.depth as u64;
            self.end.frame_ring.publish(self.time);
        }
    }

    fn ring_state(&self, asked: u64) -> RingState {
        RingState {
            age: asked - self.connected,
            block: self.end.frame_ring.block(),
            depth: self.end.frame_ring.depth,
            sample_rate: self.engine.config().sample_rate,
            flood: BATCH_EVENTS / 2,
        }
    }

    /// Starts to measure the calling thread.
    pub(super) fn begin(&mut self) {
        self.monitor.begin(RunDelay::of_this_thread());
    }

    /// Records when the audio side asked for the last block, if it has asked for one.
    pub(super) fn observe_callback(&mut self, time: Option<Instant>) {
        self.last_callback = time;
    }

    /// Records that the thread has slept longer than intended.
    pub(super) fn has_overslept(&mut self, time: Duration) {
        self.monitor.overslept += time;
    }

    /// Frames of the audio side's last block, and the sample rate.
    pub(super) fn pace(&self) -> (usize, f32) {
        (self.end.frame_ring.block(), self.engine.config().sample_rate)
    }

    /// Frames that the audio side has asked for; none before its first block.
    pub(super) fn asked(&self) -> Option<u64> {
        let frame_ring = &self.end.frame_ring;
        frame_ring.has_begun().then(|| frame_ring.asked())
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Whether it has faded out or was abandoned, and will not render again.
    pub fn has_ended(&self) -> bool {
        self.shared.ended.load(Relaxed) || self.shared.abandoned.load(Relaxed)
    }

    /// Renders at most `wanted` frames into the ring.
    fn batch(&mut self, wanted: usize) -> usize {
        let began = Instant::now();
        let _stage = trace::stage(Stage::Batch);
        let mut frames = wanted.min(BATCH);
        if self.fader.is_closing() {
            frames = frames.min(self.fader.remaining());
        }
        let depth = self.end.frame_ring.depth;
        // When it is late, several follow each other: a long one would have to be waited for.
        let block = self.end.frame_ring.block().clamp(TICK, Engine::MAX_BEGUN_FRAMES).min(frames);
        let overlaps = !self.fader.is_closing()
            && self.overlap.is_worth_it(block, depth)
            && self.engine.can_overlap();
        match overlaps {
            true => frames = block,
            false => self.finish(),
        }
        let waits = self.shared.waits.load(Relaxed);
        self.engine.set_due(match (waits, self.last_callback) {
            (true, _) => Due::Whenever,
            (false, Some(last)) => Due::By(last + self.lasts()),
            (false, None) => Due::InRealTime,
        });
        self.set_room(waits);
        let time = self.begun_until();
        let start = time - depth as u64;
        let stage = trace::stage(Stage::Events);
        let events = self.scheduler.batch(&mut self.end.events, start, frames, &self.shared);
        drop(stage);
        if let Some(log) = &mut self.log {
            events.iter().for_each(|event| log.write(Record::Event(*event)));
            log.write(Record::Batch { start, time, frames });
        }
        self.monitor.events = self.monitor.events.max(events.len());
        if let Some(tuning) = self.mts.as_mut().and_then(MtsClient::poll) {
            self.engine.follow_tuning(tuning.as_ref());
        }
        self.monitor.used_device |= self.engine.renders_on_device();
        let rendering = Instant::now();
        if overlaps {
            self.engine.begin_block(events, frames);
            self.finish();
            self.begun = Some(frames);
        } else {
            let [left, right] = self.sound.each_mut().map(|side| &mut side[..frames]);
            self.engine.render(events, left, right);
            self.publish(frames);
        }
        self.monitor.rendering += rendering.elapsed();
        // Whole ticks are rendered, also for shorter batches.
        let duration = frames.max(TICK) as f32 / self.engine.config().sample_rate;
        let share = began.elapsed().as_secs_f32() / duration;
        self.shared.record_load(share);
        let clouds = self.engine.counters().clouds;
        self.overlap.record(share, clouds);
        self.measured_room.iter_mut().for_each(|room| room.record(share, clouds));
        if self.fader.is_shut() {
            self.shared.ended.store(true, Relaxed);
        }
        frames
    }

    /// The time from the last callback to the first one for which too few frames are ready.
    fn lasts(&self) -> Duration {
        let (block, rate) = self.pace();
        let blocks = 1 + self.end.frame_ring.fill() / block.max(1);
        Duration::from_secs_f32((blocks * block) as f32 / rate)
    }

    /// Gives the engine room for what holds, or for all when the audio side waits, and for what its renderer is ready for.
    fn set_room(&mut self, waits: bool) {
        let measured = self.measured_room.as_ref().filter(|_| !waits);
        let holds = measured.map_or(usize::MAX, RoomEstimate::slots);
        let slots = holds.min(self.engine.renderer_room());
        if slots != self.room {
            self.room = slots;
            self.engine.set_room(slots);
            self.log(Record::Room { slots });
        }
    }

    /// Waits for the batch that is begun, if there is one, and publishes it.
    fn finish(&mut self) {
        if let Some(frames) = self.begun.take() {
            let [left, right] = self.sound.each_mut().map(|side| &mut side[..frames]);
            self.engine.finish_block(left, right);
            self.publish(frames);
        }
    }

    /// Writes the frames that the engine has rendered into the ring.
    fn publish(&mut self, frames: usize) {
        let [left, right] = self.sound.each_mut().map(|side| &mut side[..frames]);
        let fader = self.fader;
        self.fader.apply(left, right);
        let frame_ring = &self.end.frame_ring;
        frame_ring.write(0, self.time, left, right);
        for output in 1..frame_ring.outputs() {
            // The scratch space is free again.
            for (side, sound) in [&mut *left, right].into_iter().zip(self.engine.output(output - 1))
            {
                side.iter_mut().zip(sound).for_each(|(sample, sound)| *sample = *sound);
            }
            let mut fader = fader;
            fader.apply(left, right);
            frame_ring.write(output, self.time, left, right);
        }
        self.time += frames as u64;
        self.end.frame_ring.publish(self.time);
        self.shared.engine.store(&self.engine.counters());
        self.shared.activity.record(&self.engine, self.time);
        self.snapshots.show(&self.engine, frames);
        self.shared.frames_rendered.fetch_add(frames as u64, Relaxed);
    }

    /// Executes the control side's commands. Returns whether the audio side was replaced.
    fn run_commands(&mut self) -> bool {
        let mut connected = false;
        if self.shared.stopping.load(Relaxed) {
            self.fader.close();
        }
        while let Some(command) = self.commands.take() {
            self.finish();
            match command {
                Command::Patch { part, mut patch, number } => {
                    self.engine.exchange_patch(part, &mut patch);
                    self.commands.give_back(Command::Patch { part, patch, number });
                    self.log(Record::Change(number));
                }
                Command::Routes { part, mut routes, number } => {
                    self.engine.swap_routes(part, &mut routes);
                    self.commands.give_back(Command::Routes { part, routes, number });
                    self.log(Record::Change(number));
                }
                Command::Drawn { part, mut patch, number } => {
                    self.engine.exchange_drawn(part, &mut patch);
                    self.commands.give_back(Command::Drawn { part, patch, number });
                    self.log(Record::Change(number));
                }
                Command::Pitch { settings } => {
                    self.engine.set_pitch_settings(&settings);
                    self.commands.give_back(Command::Pitch { settings });
                }
                Command::FrameRing { mut end } => {
                    // The previous audio side reads no more frames, so there is nothing to fade out.
                    std::mem::swap(&mut self.end, &mut end);
                    end.frame_ring.close();
                    self.scheduler.take_over(&mut end.events, &self.shared);
                    (self.connected, self.time) =
                        (self.end.frame_ring.asked(), self.end.frame_ring.written());
                    self.commands.give_back(Command::FrameRing { end });
                    self.fader.reopen();
                    connected = true;
                    let depth = self.end.frame_ring.depth as u64;
                    self.log(Record::Connected { time: self.time - depth });
                }
            }
        }
        connected
    }

    fn log(&mut self, record: Record) {
        if let Some(log) = &mut self.log {
            log.write(record);
        }
    }

    /// Passes underruns of the audio side on to the control side.
    fn report_underruns(&mut self) {
        while let Some(span) = self.end.underrun_spans.try_pop() {
            // When the queue is full, the underrun is only counted.
            let _ = self.reports.try_push(Report {
                span,
                at_time: self.shared.started.elapsed(),
                miss: self.miss,
            });
        }
    }
}
