//! The control side: what any thread that is not in a hurry may do with a stream.

use super::audio::AudioSide;
use super::events::{Sender, TimedEvent};
use super::exchange::ControlEnd;
use super::line::{Line, connect};
use super::render_side::{Command, RenderSide};
use super::status::{Shared, StreamStatus};
use super::switch::Nothing;
use super::underrun::Underrun;
use super::{StreamConfig, StreamError, thread};
use crate::engine::{Engine, EngineConfig};
use crate::event::{Event, EventKind};
use crate::patch::Patch;
use crate::render::Renderer;
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// How long a render thread that should end is waited for, before it is left to itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// The handle of a stream. May be shared between threads; none of its calls is for the audio
/// thread. Dropping it stops the stream.
pub struct Control {
    shared: Arc<Shared>,
    state: Mutex<State>,
}

struct State {
    engine: EngineConfig,
    engine_latency: usize,
    line: Arc<Line>,
    /// What each part plays, for an engine that takes over.
    patches: Vec<Patch>,
    commands: ControlEnd<Command>,
    renderers: ControlEnd<Box<dyn Renderer>>,
    sender: Sender,
    underruns: HeapCons<Underrun>,
    thread: Option<JoinHandle<()>>,
}

impl Control {
    pub(super) fn new(
        config: &StreamConfig,
        engine_latency: usize,
        line: Arc<Line>,
        commands: ControlEnd<Command>,
        renderers: ControlEnd<Box<dyn Renderer>>,
        sender: Sender,
        underruns: HeapCons<Underrun>,
        shared: Arc<Shared>,
    ) -> Self {
        let state = State {
            engine: config.engine,
            engine_latency,
            line,
            patches: vec![Patch::new(); config.engine.parts],
            commands,
            renderers,
            sender,
            underruns,
            thread: None,
        };
        Self {
            shared,
            state: Mutex::new(state),
        }
    }

    pub(super) fn spawn(&mut self, render: RenderSide) -> Result<(), StreamError> {
        let mut state = self.state();
        let nap = Duration::from_micros(200);
        let (depth, rate) = (state.line.depth as u32, state.engine.sample_rate as u32);
        let thread = thread::spawn(render, Arc::clone(&self.shared), nap, depth, rate);
        state.thread = Some(thread.map_err(StreamError::Thread)?);
        drop(state);
        Ok(())
    }

    /// Changes what a part plays: what sounds fades within milliseconds, what is played from now
    /// on has the new sound. Parts that do not exist are ignored.
    ///
    /// # Errors
    /// When the stream was stopped, or its render thread hangs.
    pub fn set_patch(&self, part: usize, patch: Patch) -> Result<(), StreamError> {
        let mut state = self.running()?;
        let Some(slot) = state.patches.get_mut(part) else {
            return Ok(());
        };
        slot.clone_from(&patch);
        state.command(Command::SetPatch {
            part,
            patch: Box::new(patch),
        })
    }

    /// Changes the renderer. It is prepared here, which may take a while; then both play for a
    /// moment, and what sounds goes on.
    ///
    /// # Errors
    /// When the renderer cannot be prepared, the stream was stopped, or its render thread hangs.
    pub fn set_renderer(&self, mut renderer: Box<dyn Renderer>) -> Result<(), StreamError> {
        let capacity = self.running()?.engine.capacity();
        renderer.prepare(capacity)?;
        let mut state = self.running()?;
        state
            .renderers
            .send(renderer)
            .map_err(|_| StreamError::Busy)
    }

    /// Changes the sample rate. What sounds fades; keys that are held, controllers and parameters
    /// go on in the new rate.
    ///
    /// # Errors
    /// When no engine can have that rate, the stream was stopped, or its render thread hangs.
    pub fn set_sample_rate(&self, sample_rate: f32) -> Result<(), StreamError> {
        let mut state = self.running()?;
        let config = EngineConfig {
            sample_rate,
            ..state.engine
        };
        let mut engine = Engine::with_renderer(&config, Box::new(Nothing))?;
        for (part, patch) in state.patches.iter().enumerate() {
            engine.set_patch(part, patch);
        }
        state.command(Command::SetEngine(Box::new(engine)))?;
        state.engine = config;
        Ok(())
    }

    /// Gives a new audio side in the place of the last one, for another device or after the last
    /// one was lost. The engine goes on where it was; the sound fades in. Time goes on too.
    ///
    /// # Errors
    /// When the depth is out of range, the stream was stopped, or its render thread hangs.
    pub fn connect(&self, depth: usize) -> Result<AudioSide, StreamError> {
        let mut state = self.running()?;
        let start = state.line.asked();
        let (audio, end) = connect(depth, start, state.engine_latency, &self.shared)?;
        let line = Arc::clone(&end.line);
        state.command(Command::SetLine {
            end: Box::new(end),
            start,
        })?;
        state.line = line;
        Ok(audio)
    }

    /// Something happens to a part, as soon as possible. Returns whether there was room for it.
    pub fn send(&self, part: u8, kind: EventKind) -> bool {
        self.send_at(TimedEvent::NOW, part, kind)
    }

    /// Something happens to a part at the frame `time` of the stream, to be heard
    /// [`Control::latency`] frames later. Returns whether there was room for it: some 20,000
    /// events may wait for their time.
    pub fn send_at(&self, time: u64, part: u8, kind: EventKind) -> bool {
        let event = Event {
            frame: 0,
            part,
            kind,
        };
        self.state().sender.send(TimedEvent { time, event })
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
        state.engine_latency + state.line.depth
    }

    /// The stream's time: frames that the audio side was asked for so far.
    pub fn time(&self) -> u64 {
        self.state().line.asked()
    }

    /// Frames per second.
    pub fn sample_rate(&self) -> f32 {
        self.state().engine.sample_rate
    }

    /// What the stream is doing.
    pub fn status(&self) -> StreamStatus {
        let mut state = self.state();
        state.tidy();
        StreamStatus {
            fill: state.line.fill(),
            depth: state.line.depth,
            frames_asked: state.line.asked(),
            ..self.shared.status()
        }
    }

    /// The underruns that have ended since this was last asked.
    pub fn underruns(&self) -> Vec<Underrun> {
        self.state().underruns.pop_iter().collect()
    }

    /// Fades out and ends. Returns when the fade has been heard, or when it is clear that nobody
    /// listens or that the renderer hangs: never later than two seconds.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Relaxed);
        self.shared.wake();
        let mut state = self.state();
        let Some(thread) = state.thread.take() else {
            return;
        };
        let heard = |line: &Line| self.shared.ended.load(Relaxed) && line.fill() == 0;
        wait(PATIENCE, || heard(&state.line));
        self.shared.abandoned.store(true, Relaxed);
        self.shared.wake();
        if wait(PATIENCE, || thread.is_finished()) {
            // It has ended, so this does not wait.
            let _ = thread.join();
        }
        state.tidy();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> Result<MutexGuard<'_, State>, StreamError> {
        match self.shared.stopping.load(Relaxed) {
            true => Err(StreamError::Stopped),
            false => Ok(self.state()),
        }
    }
}

impl State {
    fn command(&mut self, command: Command) -> Result<(), StreamError> {
        self.commands.send(command).map_err(|_| StreamError::Busy)
    }

    /// Drops what has come back.
    fn tidy(&mut self) {
        self.commands.tidy();
        self.renderers.tidy();
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.stop();
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
