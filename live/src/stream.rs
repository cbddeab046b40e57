//! The stream: an engine that plays live, on its own render thread.
//!
//! Three roles, each with its own type:
//!
//! - [`Control`], for any thread without a deadline: patches, notes, counters;
//! - [`AudioSide`], for the audio callback: it queues events, reads finished frames, and never
//!   allocates, locks, waits or logs;
//! - [`RenderSide`], which owns the engine and renders ahead. [`start`] runs it on a thread;
//!   [`build`] returns it, for tests and for callers that drive it themselves.
//!
//! **Time is counted in frames that the device has asked the audio side for.** An event at frame `t`
//! is heard at frame `t + latency`, whatever the block sizes, and also after an underrun: frames that
//! come too late are skipped, never played later.
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
mod command_queue;
mod control;
mod deadline;
mod event_scheduler;
mod fade;
mod frame_ring;
mod overlap;
mod render_log;
mod render_side;
mod room;
mod status;
mod stereo;
mod thread;
mod underrun;

pub use audio::AudioSide;
pub use control::Control;
pub use render_log::LogEntry;
pub use render_side::RenderSide;
pub use room::Room;
pub use status::{AtomicCounters, Histogram, StreamStatus};
pub use underrun::{Cause, Underrun};

use crate::mts_esp::MtsClient;
use command_queue::command_queue;
use control::State;
use event_scheduler::EventScheduler;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::Renderer;
use myriad_engine::tracks::TracksError;
use myriad_engine::{Engine, EngineConfig, EngineError, snapshots};
use render_log::render_log;
use ringbuf::HeapRb;
use ringbuf::traits::Split;
use status::Shared;
use std::sync::Arc;

/// What a stream is built for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamConfig {
    /// What its engine is built for.
    pub engine: EngineConfig,
    /// Frames kept ready for the audio side: at least its largest block, 1 to 65,536. The frames
    /// beyond that block are how late the render thread may be; half a block is a good choice.
    pub depth: usize,
    /// The policy of its render thread.
    pub thread_policy: ThreadPolicy,
    /// How much of the engine's room is used.
    pub room: Room,
    /// Whether [`Control::read_log`] is used. Restarts of the audio side are not in the log.
    pub log: bool,
    /// Whether the tuning of an MTS-ESP master is followed, where one is installed.
    pub follows_mts: bool,
}

impl StreamConfig {
    /// The depth for callbacks of at most `block` frames: half as much again, at least a tick.
    pub const fn depth_for(block: usize) -> usize {
        let spare = block / 2;
        let depth = block + if spare < myriad_engine::TICK { myriad_engine::TICK } else { spare };
        if depth < MAX_DEPTH { depth } else { MAX_DEPTH }
    }
}

impl Default for StreamConfig {
    fn default() -> Self {
        Self {
            engine: EngineConfig::default(),
            depth: Self::depth_for(512),
            thread_policy: ThreadPolicy::RealTime,
            room: Room::All,
            log: false,
            follows_mts: false,
        }
    }
}

/// The most frames that can be kept ready.
pub const MAX_DEPTH: usize = 65_536;

/// Capacity of the queue of underrun reports to the control side; more are only counted.
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
    /// The render thread has not executed earlier commands yet: it hangs, or there are too many.
    #[error("the render thread is busy with earlier changes")]
    Busy,
    /// A table of the patch cannot be loaded.
    #[error(transparent)]
    Tables(#[from] TracksError),
    /// The renderer has panicked, which ended the render thread.
    #[error("the render thread has crashed")]
    Crashed,
    /// The stream was stopped.
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

/// Builds the three sides of a stream without a thread: the caller runs [`RenderSide::step`], and so
/// decides when frames are rendered.
///
/// # Errors
/// When the engine cannot be built or the renderer cannot be prepared.
pub fn build(
    config: &StreamConfig,
    mut renderer: Box<dyn Renderer>,
) -> Result<(Control, AudioSide, RenderSide), StreamError> {
    if config.room == Room::Measured {
        renderer.begin_with(EngineConfig::DEFAULT_SLOTS);
    }
    let engine = Engine::with_renderer(&config.engine, renderer)?;
    let shared = Arc::new(Shared::new(config.engine.parts));
    let latency = engine.latency();
    let (audio, end) = frame_ring::connect(&config.engine, config.depth, 0, latency, &shared)?;
    let frame_ring = Arc::clone(&end.frame_ring);
    let (command_sender, command_receiver) = command_queue();
    let (sender, scheduler) = EventScheduler::new();
    let (report_in, report_out) = HeapRb::new(UNDERRUN_QUEUE).split();
    let (snapshot_sender, snapshot_receiver) = snapshots();
    let mut render = RenderSide::new(
        engine,
        end,
        command_receiver,
        scheduler,
        report_in,
        snapshot_sender,
        Arc::clone(&shared),
    );
    let mut state = State::new(
        config,
        latency,
        frame_ring,
        command_sender,
        sender,
        report_out,
        snapshot_receiver,
    );
    render.follow_room(config.room);
    (render.log, state.log) = config.log.then(render_log).unzip();
    render.follow(config.follows_mts.then(MtsClient::open).flatten());
    let control = Control::new(state, shared);
    Ok((control, audio, render))
}
