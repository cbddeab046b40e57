//! The stream: an engine that plays live, on a thread of its own.
//!
//! Three roles, each with its own type:
//!
//! - [`Control`], for any thread that is not in a hurry: patches, notes, counters;
//! - [`AudioSide`], for the audio callback: it hands in events, takes finished frames, and never
//!   allocates, locks, waits or logs;
//! - [`RenderSide`], which owns the engine and keeps the frames coming. [`start`] gives it a thread;
//!   [`build`] hands it out, for tests and for callers with a clock of their own.
//!
//! **Time is counted in frames that the audio side was asked for.** An event at frame `t` is heard
//! at frame `t + latency`, whatever the block sizes, and also after frames have been lost: what
//! comes too late is left out, never played later.
//!
//! ```
//! use myriad_live::stream::{self, StreamConfig};
//! use myriad_engine::{Event, EventKind, render::CpuRenderer};
//!
//! let config = StreamConfig::default();
//! let (control, mut audio) = stream::start(&config, Box::new(CpuRenderer::new(1)))?;
//! control.send(0, EventKind::NoteOn { key: 60, velocity: 0.8 });
//! let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
//! audio.process(&[], &mut left, &mut right); // as the audio device asks for it
//! control.stop();
//! # Ok::<(), stream::StreamError>(())
//! ```

mod activity;
mod audio;
mod cause;
mod command_queue;
mod control;
mod events;
mod fade;
mod frame_ring;
mod intake;
mod render_side;
mod status;
mod thread;
mod underrun;

pub use audio::AudioSide;
pub use control::Control;
pub use render_side::RenderSide;
pub use status::{Histogram, StreamStatus};
pub use underrun::{Cause, Underrun};

use command_queue::command_queue;
use control::State;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::Renderer;
use myriad_engine::tracks::TracksError;
use myriad_engine::{Engine, EngineConfig, EngineError, snapshots};
use ringbuf::HeapRb;
use ringbuf::traits::Split;
use status::Shared;
use std::sync::Arc;

/// What a stream is built for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamConfig {
    /// What its engine is built for.
    pub engine: EngineConfig,
    /// Frames kept ready for the audio side: at least its largest block, 1 to 65,536. What is
    /// beyond that is how late the render thread may be. Half a block more is a good choice.
    pub depth: usize,
    /// That of its render thread.
    pub thread_policy: ThreadPolicy,
}

impl StreamConfig {
    /// The depth for callbacks of at most `block` frames: half as much again, at least a tick.
    pub const fn depth_for(block: usize) -> usize {
        let spare = block / 2;
        let depth = block
            + if spare < myriad_engine::TICK {
                myriad_engine::TICK
            } else {
                spare
            };
        if depth < MAX_DEPTH { depth } else { MAX_DEPTH }
    }
}

impl Default for StreamConfig {
    fn default() -> Self {
        Self {
            engine: EngineConfig::default(),
            depth: Self::depth_for(512),
            thread_policy: ThreadPolicy::RealTime,
        }
    }
}

/// The most frames that can be kept ready.
pub const MAX_DEPTH: usize = 65_536;

/// Underruns that may wait until the control side asks for them; more are only counted.
const UNDERRUN_QUEUE: usize = 1_024;

/// Why a stream cannot be started or changed.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The engine cannot be built.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A depth out of range.
    #[error("the stream's depth must be 1 to {MAX_DEPTH} frames, not {0}")]
    Depth(usize),
    /// The render thread was refused.
    #[error("no thread for rendering: {0}")]
    Thread(std::io::Error),
    /// The render thread has not followed earlier wishes yet: it hangs, or too much is asked.
    #[error("the render thread is busy with earlier changes")]
    Busy,
    /// The patch brings a table along that cannot be had.
    #[error(transparent)]
    Tables(#[from] TracksError),
    /// A renderer has panicked, and its thread with it.
    #[error("the render thread has crashed")]
    Crashed,
    /// It was stopped.
    #[error("the stream has been stopped")]
    Stopped,
}

/// Starts a stream with a render thread of its own.
///
/// # Errors
/// When the engine cannot be built, the renderer cannot be prepared, or a thread is refused.
pub fn start(
    config: &StreamConfig,
    renderer: Box<dyn Renderer>,
) -> Result<(Control, AudioSide), StreamError> {
    let (control, audio, render) = build(config, renderer)?;
    control.spawn(render, config.thread_policy)?;
    Ok((control, audio))
}

/// The parts of a stream without a thread: the caller lets [`RenderSide::step`] do its work,
/// so that time is what the caller makes of it.
///
/// # Errors
/// When the engine cannot be built or the renderer cannot be prepared.
pub fn build(
    config: &StreamConfig,
    renderer: Box<dyn Renderer>,
) -> Result<(Control, AudioSide, RenderSide), StreamError> {
    let engine = Engine::with_renderer(&config.engine, renderer)?;
    let shared = Arc::new(Shared::new(config.engine.parts));
    let latency = engine.latency();
    let (audio, end) = frame_ring::connect(config.depth, 0, latency, &shared)?;
    let frame_ring = Arc::clone(&end.frame_ring);
    let (commands, orders) = command_queue();
    let (sender, agenda) = events::queue();
    let (report_in, report_out) = HeapRb::new(UNDERRUN_QUEUE).split();
    let (shown, seen) = snapshots();
    let render = RenderSide::new(
        engine,
        end,
        orders,
        agenda,
        report_in,
        shown,
        Arc::clone(&shared),
    );
    let state = State::new(
        config, latency, frame_ring, commands, sender, report_out, seen,
    );
    let control = Control::new(state, shared);
    Ok((control, audio, render))
}
