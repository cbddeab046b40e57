//! The control side: what any thread that is not in a hurry may do with a stream.

mod state;

use super::audio::AudioSide;
use super::events::{NOW, TimedEvent};
use super::frame_ring::{FrameRing, connect};
use super::render_side::{Command, RenderSide};
use super::status::{Shared, StreamStatus};
use super::underrun::Underrun;
use super::{StreamError, thread};
use myriad_engine::SnapshotReceiver;
use myriad_engine::ThreadPolicy;
use myriad_engine::modulation::Route;
use myriad_engine::patch::{Patch, Playable};
use myriad_engine::{Event, EventKind};
pub(super) use state::State;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// How long each of two things is waited for when a stream stops: that its fade has been heard,
/// and that its thread has ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often leftovers are tidied away and underruns explained.
const TENDING: Duration = Duration::from_millis(50);

/// The handle of a stream. May be shared between threads; none of its calls is for the audio
/// thread. Dropping it stops the stream.
pub struct Control {
    shared: Arc<Shared>,
    state: Arc<Mutex<State>>,
}

impl Control {
    pub(super) fn new(state: State, shared: Arc<Shared>) -> Self {
        Self {
            shared,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Gives the render side its thread, and the control side one that tends to it.
    pub(super) fn spawn(
        &self,
        render: RenderSide,
        thread_policy: ThreadPolicy,
    ) -> Result<(), StreamError> {
        self.state().thread = Some(thread::spawn(render, thread_policy)?);
        let state = Arc::downgrade(&self.state);
        Builder::new()
            .name("myriad-tend".into())
            .spawn(move || tend(&state))
            .map_err(StreamError::Thread)?;
        Ok(())
    }

    /// Changes what a part plays: what sounds fades within milliseconds, what is played from now
    /// on has the new sound. A render thread that is held up plays the newest patch when it goes
    /// on. Parts that do not exist are ignored.
    ///
    /// # Errors
    /// When the stream was stopped or has crashed, or there is no room for the patch's table.
    pub fn set_patch(&self, part: usize, patch: Patch) -> Result<(), StreamError> {
        self.play(part, Playable::new(patch).complete()?)
    }

    /// The same for a patch whose tables have found room or not: a sawtooth replaces those that
    /// have not.
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn play(&self, part: usize, patch: Playable) -> Result<(), StreamError> {
        let mut state = self.running()?;
        if part < state.engine.parts {
            let patch = Box::new(patch);
            state.change_part(Command::Patch { part, patch });
        }
        Ok(())
    }

    /// Changes a part's routes while its notes go on; see [`Control::set_patch`].
    ///
    /// # Errors
    /// When the stream was stopped or has crashed.
    pub fn set_routes(&self, part: usize, routes: Vec<Route>) -> Result<(), StreamError> {
        let mut state = self.running()?;
        if part < state.engine.parts {
            state.change_part(Command::Routes { part, routes });
        }
        Ok(())
    }

    /// Whether the render thread is so far behind that patches or routes wait for it.
    pub fn is_behind(&self) -> bool {
        self.state().is_behind()
    }

    /// When the stream was started, from which underruns count their time.
    pub fn started(&self) -> Instant {
        self.shared.started
    }

    /// Shows what sounds, to the first who asks.
    pub fn snapshots(&self) -> Option<SnapshotReceiver> {
        self.state().snapshots.take()
    }

    /// Gives a new audio side in the place of the last one, for another device or after the last
    /// one was lost. The engine goes on where it was; the sound fades in. Time goes on too.
    ///
    /// # Errors
    /// When the depth is out of range, the stream was stopped, or its render thread hangs.
    pub fn connect(&self, depth: usize) -> Result<AudioSide, StreamError> {
        let mut state = self.running()?;
        let start = state.frame_ring.asked();
        let (audio, end) = connect(depth, start, state.engine_latency, &self.shared)?;
        let frame_ring = Arc::clone(&end.frame_ring);
        let end = Box::new(end);
        state.command(Command::FrameRing { end })?;
        state.frame_ring = frame_ring;
        self.shared.starving.store(false, Relaxed);
        Ok(audio)
    }

    /// Something happens to a part, as soon as possible. Returns whether there was room for it;
    /// if not, it is dropped by the rule of [`BoundedEvents`](myriad_engine::BoundedEvents) and counted.
    pub fn send(&self, part: u8, kind: EventKind) -> bool {
        self.send_at(NOW, part, kind)
    }

    /// The same at the frame `time` of the stream, to be heard [`Control::latency`] frames later.
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

    /// Whether there is room for an event, for those who would rather wait than lose it.
    pub fn has_room(&self) -> bool {
        self.state().sender.has_room()
    }

    /// Every sound of every part fades within milliseconds.
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

    /// What the stream is doing.
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

    /// The underruns that have ended since this was last asked; the last thousand of them.
    pub fn underruns(&self) -> Vec<Underrun> {
        let mut state = self.state();
        state.tend();
        state.underruns.drain(..).collect()
    }

    /// Fades out and ends. Returns when the fade has been heard, or when it is clear that nobody
    /// listens or that the renderer hangs: after a second at the latest. A renderer that hangs is
    /// left to itself.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Relaxed);
        self.shared.wake();
        let mut state = self.state();
        let Some(thread) = state.thread.take() else {
            return;
        };
        let heard =
            |frame_ring: &FrameRing| self.shared.ended.load(Relaxed) && frame_ring.fill() == 0;
        wait(PATIENCE, || heard(&state.frame_ring));
        self.shared.abandoned.store(true, Relaxed);
        self.shared.wake();
        if wait(PATIENCE, || thread.is_finished()) {
            // It has ended, so this does not wait. What it owned is dropped here.
            drop(thread.join());
        }
        state.tend();
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

/// Tends to a stream until its handle is gone.
fn tend(state: &Weak<Mutex<State>>) {
    while let Some(state) = state.upgrade() {
        state.lock().unwrap_or_else(PoisonError::into_inner).tend();
        drop(state);
        sleep(TENDING);
    }
}

/// Waits until `done`, but not longer than `patience`; whether it was done.
fn wait(patience: Duration, done: impl Fn() -> bool) -> bool {
    let give_up = Instant::now() + patience;
    while !done() {
        if Instant::now() > give_up {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    true
}
