//! Where time goes, stage by stage: for those who want to see it on a time line.
//!
//! Off until somebody calls [`start`], and then a stage costs two looks at the clock and a place in
//! a queue of fixed size: nothing is allocated, locked or waited for, and what nobody collects in
//! time is lost and counted. Never used by the audio side.

use crossbeam_queue::ArrayQueue;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Spans that may wait to be collected.
const QUEUE: usize = 1 << 16;

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Render thread: a batch of frames, with all that follows.
    Batch,
    /// Sorting the events of a batch.
    Events,
    /// A tick of envelopes, LFOs, routes and clouds.
    Modulation,
    /// Handing a block to the renderer.
    Submit,
    /// Waiting for its sound; where the processor renders, that is rendering.
    Collect,
    /// Mixing and limiting.
    Mix,
    /// The thread that has the GPU: packing and launching a block.
    GpuSubmit,
    /// Waiting for the GPU, and copying what it mixed.
    GpuWait,
    /// The GPU: fetching the block's clouds.
    GpuUpload,
    /// The GPU: rendering and mixing.
    GpuCompute,
}

impl Stage {
    /// Who is busy with it: a line of its own.
    pub fn track(self) -> &'static str {
        match self {
            Stage::GpuSubmit | Stage::GpuWait => "GPU thread",
            Stage::GpuUpload | Stage::GpuCompute => "GPU",
            _ => "render thread",
        }
    }

    /// What people call it.
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

/// A stage, and when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// What.
    pub stage: Stage,
    /// Since tracing began.
    pub start: Duration,
    /// How long.
    pub length: Duration,
}

struct Sink {
    began: Instant,
    spans: ArrayQueue<Span>,
    lost: AtomicU64,
}

static SINK: OnceLock<Sink> = OnceLock::new();

/// From now on stages are noted, until the program ends.
pub fn start() {
    SINK.get_or_init(|| Sink {
        began: Instant::now(),
        spans: ArrayQueue::new(QUEUE),
        lost: AtomicU64::new(0),
    });
}

/// Whether stages are noted.
pub fn is_on() -> bool {
    SINK.get().is_some()
}

/// Notes a stage from now until what is returned is dropped.
#[inline]
#[must_use]
pub fn stage(stage: Stage) -> Running {
    Running {
        stage,
        start: is_on().then(Instant::now),
    }
}

/// A stage under way.
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

/// Notes a stage that is over.
pub fn record(stage: Stage, start: Instant, length: Duration) {
    let Some(sink) = SINK.get() else {
        return;
    };
    let span = Span {
        stage,
        start: start.saturating_duration_since(sink.began),
        length,
    };
    if sink.spans.push(span).is_err() {
        sink.lost.fetch_add(1, Ordering::Relaxed);
    }
}

/// The next span that nobody has collected.
pub fn next() -> Option<Span> {
    SINK.get()?.spans.pop()
}

/// Spans for which there was no room.
pub fn lost() -> u64 {
    SINK.get()
        .map_or(0, |sink| sink.lost.load(Ordering::Relaxed))
}
