//! The control side: what any thread without a deadline may do with a stream.

mod state;

use super::audio::AudioSide;
use super::event_scheduler::{NOW, TimedEvent};
use super::frame_ring::{FrameRing, connect};
use super::render_log::LogEntry;
use super::render_side::{Command, RenderSide};
use super::status::{Shared, StreamStatus};
use super::underrun::Underrun;
use super::{StreamError, thread};
use myriad_engine::SnapshotReceiver;
use myriad_engine::modulation::Route;
use myriad_engine::patch::{Patch, Playable};
use myriad_engine::{EngineConfig, PitchSettings, ThreadPolicy};
use myriad_engine::{Event, EventKind};
pub(super) use state::State;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// How long stopping waits for each of two things: the end of the fade-out, and the end of the
/// thread.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

/// How often returned memory is freed and underruns get their causes.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(50);

/// The handle of a stream. May be shared between threads; none of its calls is for the audio
/// thread. Dropping it stops the stream.
pub struct Control {
    shared: Arc<Shared>,
    state: Arc<Mutex<State>>,
}

impl Control {
    pub(super) fn new(state: State, shared: Arc<Shared>) -> Self {
        Self { shared, state: Arc::new(Mutex::new(state)) }
    }

    /// Starts the render thread and the maintenance thread.
    pub(super) fn spawn(
        &self,
        render: RenderSide,
        thread_policy: ThreadPolicy,
    ) -> Result<(), StreamError> {
        self.state().thread = Some(thread::spawn(render, thread_policy)?);
        let state = Arc::downgrade(&self.state);
        Builder::new()
            .name("myriad-maintain".into())
            .spawn(move || maintain(&state))
            .map_err(StreamError::Thread)?;
        Ok(())
    }

    /// Changes the patch of a part. Sounding notes fade out within milliseconds, later notes have the
    /// new sound. A render thread that was blocked continues with the newest patch. Parts that do
    /// not exist are ignored.
    ///
    /// # Errors
    /// When the stream was stopped or has crashed, or there is no room for the patch's table.
    pub fn set_patch(&self, part: usize, patch: Patch) -> Result<(), StreamError> {
        self.play(part, Playable::new(patch).complete()?)
    }

    /// Like [`Control::set_patch`], but a sawtooth replaces tables for which there was no room.
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn play(&self, part: usize, patch: Playable) -> Result<(), StreamError> {
        // Takes a moment when there are impulse responses, so nothing is locked meanwhile.
        let sample_rate = self.running()?.engine.sample_rate;
        let patch = Box::new(patch.prepared(sample_rate));
        let mut state = self.running()?;
        if part < state.engine.parts {
            state.change_part(Command::Patch { part, patch, number: 0 });
        }
        Ok(())
    }

    /// Changes the routes of a part, also for notes that sound; see [`Control::set_patch`].
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn set_routes(&self, part: usize, routes: Vec<Route>) -> Result<(), StreamError> {
        let mut state = self.running()?;
        if part < state.engine.parts {
            state.change_part(Command::Routes { part, routes, number: 0 });
        }
        Ok(())
    }

    /// Changes the drawn waveforms and tables of a part to those of `patch`, also for notes that sound; see
    /// [`Control::set_patch`].
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn set_drawn(&self, part: usize, patch: Playable) -> Result<(), StreamError> {
        let mut state = self.running()?;
        if part < state.engine.parts {
            state.change_part(Command::Drawn { part, patch: Box::new(patch), number: 0 });
        }
        Ok(())
    }

    /// Changes tuning and bend range of all parts; sounding notes glide to their new pitch.
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn set_pitch(&self, settings: PitchSettings) -> Result<(), StreamError> {
        self.running()?.change_pitch(settings);
        Ok(())
    }

    /// Whether patches or routes wait because the command queue is full.
    pub fn is_behind(&self) -> bool {
        self.state().is_behind()
    }

    /// When the stream was started; the times of underruns count from here.
    pub fn started(&self) -> Instant {
        self.shared.started
    }

    /// The receiver of snapshots; none after the first call.
    pub fn snapshots(&self) -> Option<SnapshotReceiver> {
        self.state().snapshots.take()
    }

    /// Makes a new audio side that replaces the last one, for another device. The engine and the
    /// stream's time go on; the sound fades in.
    ///
    /// # Errors
    /// When the depth is out of range, the stream was stopped, or its render thread hangs.
    pub fn connect(&self, depth: usize) -> Result<AudioSide, StreamError> {
        let mut state = self.running()?;
        let start = state.frame_ring.asked();
        let (audio, end) =
            connect(&state.engine, depth, start, state.engine_latency, &self.shared)?;
        let frame_ring = Arc::clone(&end.frame_ring);
        let end = Box::new(end);
        state.send_command(Command::FrameRing { end })?;
        state.frame_ring = frame_ring;
        self.shared.in_underrun.store(false, Relaxed);
        Ok(audio)
    }

    /// Sends an event to a part, for as soon as possible. Returns whether there was room for it;
    /// if not, it is dropped by the rule of [`BoundedEvents`](myriad_engine::BoundedEvents) and counted.
    pub fn send(&self, part: u8, kind: EventKind) -> bool {
        self.send_at(NOW, part, kind)
    }

    /// Sends an event for the frame `time` of the stream, heard [`Control::latency`] frames later.
    /// Some 20,000 events may wait for their time.
    pub fn send_at(&self, time: u64, part: u8, kind: EventKind) -> bool {
        let frame = 0;
        let event = Event { frame, part, kind };
        let sent = self.state().sender.push(TimedEvent { time, event });
        if !sent {
            self.shared.events_refused.fetch_add(1, Relaxed);
        }
        sent
    }

    /// Whether there is room for an event.
    pub fn has_room(&self) -> bool {
        self.state().sender.has_room()
    }

    /// Fades out every sound of every part within milliseconds.
    pub fn all_sound_off(&self) {
        let parts = self.state().engine.parts;
        for part in 0..parts {
            self.send(part as u8, EventKind::AllSoundOff);
        }
    }

    /// Frames from an event to its sound.
    pub fn latency(&self) -> usize {
        let state = self.state();
        state.engine_latency + state.frame_ring.depth
    }

    /// The stream's time: frames that the audio side was asked for so far.
    pub fn time(&self) -> u64 {
        self.state().frame_ring.asked()
    }

    /// Frames per second.
    pub fn sample_rate(&self) -> f32 {
        self.state().engine.sample_rate
    }

    /// What its engine was built for.
    pub fn engine_config(&self) -> EngineConfig {
        self.state().engine
    }

    /// The state of the stream.
    pub fn status(&self) -> StreamStatus {
        let state = self.state();
        StreamStatus {
            fill: state.frame_ring.fill(),
            depth: state.frame_ring.depth,
            frames_asked: state.frame_ring.asked(),
            running: !self.shared.stopping.load(Relaxed) && !state.has_crashed(),
            ..self.shared.status()
        }
    }

    /// The underruns that have ended since the last call, at most the last thousand.
    pub fn underruns(&self) -> Vec<Underrun> {
        let mut state = self.state();
        state.maintain();
        state.underruns.drain(..).collect()
    }

    /// Appends the render log since the last call, where the stream has one. Returns false when entries
    /// are missing because it was full.
    pub fn read_log(&self, entries: &mut Vec<LogEntry>) -> bool {
        self.state().log.as_mut().is_none_or(|log| log.read(entries))
    }

    /// Fades out and stops. Returns when the fade-out has been played, or after a second at the latest
    /// when the device has stopped or the renderer hangs. A thread that hangs is detached.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Relaxed);
        self.shared.wake();
        let mut state = self.state();
        let Some(thread) = state.thread.take() else {
            return;
        };
        let has_faded_out =
            |frame_ring: &FrameRing| self.shared.ended.load(Relaxed) && frame_ring.fill() == 0;
        wait(STOP_TIMEOUT, || has_faded_out(&state.frame_ring));
        self.shared.abandoned.store(true, Relaxed);
        self.shared.wake();
        if wait(STOP_TIMEOUT, || thread.is_finished()) {
            // It has ended, so this does not block. The render side is dropped here.
            drop(thread.join());
        }
        state.maintain();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> Result<MutexGuard<'_, State>, StreamError> {
        if self.shared.stopping.load(Relaxed) {
            return Err(StreamError::Stopped);
        }
        let state = self.state();
        match state.has_crashed() {
            true => Err(StreamError::Crashed),
            false => Ok(state),
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The maintenance thread: runs until the handle of the stream is dropped.
fn maintain(state: &Weak<Mutex<State>>) {
    while let Some(state) = state.upgrade() {
        state.lock().unwrap_or_else(PoisonError::into_inner).maintain();
        drop(state);
        sleep(MAINTENANCE_INTERVAL);
    }
}

/// Waits until `done`, at most for `timeout`. Returns whether it is done.
fn wait(timeout: Duration, done: impl Fn() -> bool) -> bool {
    let give_up = Instant::now() + timeout;
    while !done() {
        if Instant::now() > give_up {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    true
}
