//! Tracing: how long each stage of a render takes, for a time line.
//!
//! Off until [`start`] is called. Then a stage costs two readings of the clock and a slot in a queue of
//! fixed size: nothing is allocated, locked or waited for. Spans that are not collected in time are
//! dropped and counted. Not used on the audio thread.

use crossbeam_queue::ArrayQueue;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The capacity of the queue.
const QUEUE: usize = 1 << 16;

/// A stage of rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Render thread: a batch of frames, including all stages below.
    Batch,
    /// Sorting the events of a batch.
    Events,
    /// A tick of envelopes, LFOs, routes and clouds.
    Modulation,
    /// Submitting a block to the renderer.
    Submit,
    /// Waiting for its audio; with the CPU renderer, rendering it.
    Collect,
    /// Mixing and limiting.
    Mix,
    /// The thread of the GPU: packing and launching a block.
    GpuSubmit,
    /// Waiting for the GPU, and copying the mixed audio.
    GpuWait,
    /// The GPU: fetching the block's clouds.
    GpuUpload,
    /// The GPU: rendering and mixing.
    GpuCompute,
}

impl Stage {
    /// The track of the time line: the thread or device that does it.
    pub fn track(self) -> &'static str {
        match self {
            Stage::GpuSubmit | Stage::GpuWait => "GPU thread",
            Stage::GpuUpload | Stage::GpuCompute => "GPU",
            _ => "render thread",
        }
    }

    /// Its name on the time line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Batch => "batch",
            Stage::Events => "events",
            Stage::Modulation => "modulation",
            Stage::Submit => "submit",
            Stage::Collect => "collect",
            Stage::Mix => "mix",
            Stage::GpuSubmit => "pack and launch",
            Stage::GpuWait => "wait and fetch",
            Stage::GpuUpload => "upload",
            Stage::GpuCompute => "render and mix",
        }
    }
}

/// A stage with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The stage.
    pub stage: Stage,
    /// Since tracing began.
    pub start: Duration,
    /// Its duration.
    pub length: Duration,
}

struct Sink {
    began: Instant,
    spans: ArrayQueue<Span>,
    lost: AtomicU64,
}

static SINK: OnceLock<Sink> = OnceLock::new();

/// Records stages from now on, until the program ends.
pub fn start() {
    SINK.get_or_init(|| Sink {
        began: Instant::now(),
        spans: ArrayQueue::new(QUEUE),
        lost: AtomicU64::new(0),
    });
}

/// Whether stages are recorded.
pub fn is_on() -> bool {
    SINK.get().is_some()
}

/// Records a stage from now until the returned guard is dropped.
#[inline]
#[must_use]
pub fn stage(stage: Stage) -> Running {
    Running { stage, start: is_on().then(Instant::now) }
}

/// The guard of a stage.
pub struct Running {
    stage: Stage,
    start: Option<Instant>,
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        if let Some(start) = self.start {
            record(self.stage, start, start.elapsed());
        }
    }
}

/// Records a finished stage.
pub fn record(stage: Stage, start: Instant, length: Duration) {
    let Some(sink) = SINK.get() else {
        return;
    };
    let span = Span { stage, start: start.saturating_duration_since(sink.began), length };
    if sink.spans.push(span).is_err() {
        sink.lost.fetch_add(1, Ordering::Relaxed);
    }
}

/// Removes and returns the oldest span.
pub fn next() -> Option<Span> {
    SINK.get()?.spans.pop()
}

/// Spans dropped because the queue was full.
pub fn lost() -> u64 {
    SINK.get().map_or(0, |sink| sink.lost.load(Ordering::Relaxed))
}
