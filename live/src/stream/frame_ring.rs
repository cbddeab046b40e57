//! The ring buffer of frames between the render side and the audio side, and the queues beside it.
//!
//! The slot of a frame follows from its time. So the latency stays the same when frames are lost: the
//! audio side reads at its own time, and skips what was not written in time. In a queue, every lost
//! frame would delay all later ones.

use super::StreamError;
use super::audio::AudioSide;
use super::event_scheduler::{EVENT_QUEUE, TimedEvent};
use super::status::Shared;
use super::underrun::UnderrunSpan;
use crossbeam_queue::ArrayQueue;
use myriad_engine::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use myriad_engine::{BoundedEvents, EngineConfig, OUTPUTS, Values};
use ringbuf::traits::Split;
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;

/// Frames and the positions of both sides. Times are frames since the stream's start.
#[derive(Debug)]
pub(super) struct FrameRing {
    /// For the main output, and then the others if there are any: left and right in one word, so that a
    /// frame is read whole. The length is a power of two and at least `depth`: the render side writes at
    /// most that far ahead.
    outputs: Vec<Box<[AtomicU64]>>,
    /// Frames that the audio side finds ready when the render side is on time.
    pub(super) depth: usize,
    /// All frames before this one have been asked for. Only the audio side writes it, when it has
    /// read them and queued their events.
    asked: AtomicU64,
    /// Frames of the last block that was asked for; zero before the first one.
    block: AtomicUsize,
    /// All frames before this one are written or skipped. Only the render side writes it.
    written: AtomicU64,
    /// Another ring has replaced this one: the render side writes no more.
    closed: AtomicBool,
}

impl FrameRing {
    fn new(depth: usize, start: u64, outputs: usize) -> Self {
        let silence = || AtomicU64::new(0);
        let slots = depth.next_power_of_two();
        let frames = || std::iter::repeat_with(silence).take(slots).collect();
        Self {
            outputs: (0..outputs).map(|_| frames()).collect(),
            depth,
            asked: AtomicU64::new(start),
            block: AtomicUsize::new(0),
            // Silence for the latency of the ring.
            written: AtomicU64::new(start + depth as u64),
            closed: AtomicBool::new(false),
        }
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Acquire)
    }

    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// Frames that are ready.
    pub(super) fn fill(&self) -> usize {
        self.written().saturating_sub(self.asked()) as usize
    }

    /// The outputs, the main one among them.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Reads frames of an output from `at` on, which must have been published.
    pub(super) fn read(&self, output: usize, at: u64, left: &mut [f32], right: &mut [f32]) {
        for (offset, (left, right)) in left.iter_mut().zip(right).enumerate() {
            let frame = self.slot(output, at + offset as u64).load(Ordering::Relaxed);
            *left = f32::from_bits(frame as u32);
            *right = f32::from_bits((frame >> 32) as u32);
        }
    }

    /// Publishes that `block` frames from `at` on have been read, and their events queued.
    pub(super) fn ask(&self, at: u64, block: usize) {
        self.block.store(block, Ordering::Relaxed);
        self.asked.store(at + block as u64, Ordering::Release);
    }

    /// Frames of the last block that was asked for. Before the first one, as many as it may have.
    pub(super) fn block(&self) -> usize {
        match self.block.load(Ordering::Relaxed) {
            0 => self.depth,
            block => block,
        }
    }

    /// Whether a block has been asked for.
    pub(super) fn has_begun(&self) -> bool {
        self.block.load(Ordering::Relaxed) != 0
    }

    /// Writes frames of an output from `at` on.
    pub(super) fn write(&self, output: usize, at: u64, left: &[f32], right: &[f32]) {
        for (offset, (left, right)) in left.iter().zip(right).enumerate() {
            let frame = u64::from(left.to_bits()) | u64::from(right.to_bits()) << 32;
            self.slot(output, at + offset as u64).store(frame, Ordering::Relaxed);
        }
    }

    /// Publishes that all frames before `at` are written in all outputs, or skipped.
    pub(super) fn publish(&self, at: u64) {
        self.written.store(at, Ordering::Release);
    }

    /// Publishes that nothing more will be written.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn slot(&self, output: usize, at: u64) -> &AtomicU64 {
        let frames = &self.outputs[output];
        &frames[at as usize & (frames.len() - 1)]
    }
}

/// Asks the render side to reset the engine.
pub(super) struct Restart {
    /// The time of the first frame.
    pub(super) time: u64,
    pub(super) part: usize,
    /// The part's parameters from then on.
    pub(super) values: Values,
}

/// The render side's end.
pub(super) struct RenderEnd {
    pub(super) frame_ring: Arc<FrameRing>,
    pub(super) events: HeapCons<TimedEvent>,
    pub(super) restarts: Arc<ArrayQueue<Restart>>,
    pub(super) underrun_spans: HeapCons<UnderrunSpan>,
}

/// The audio side's end.
pub(super) struct AudioEnd {
    pub(super) frame_ring: Arc<FrameRing>,
    pub(super) events: BoundedEvents<HeapProd<TimedEvent>>,
    pub(super) restarts: Arc<ArrayQueue<Restart>>,
    pub(super) underrun_spans: HeapProd<UnderrunSpan>,
}

/// Capacity of the queue of underruns to the render side; more are only counted.
const SPAN_QUEUE: usize = 256;

/// A ring for a stream of that configuration, of another depth, whose time begins at `start`, and its two
/// ends.
pub(super) fn connect(
    engine: &EngineConfig,
    depth: usize,
    start: u64,
    engine_latency: usize,
    shared: &Arc<Shared>,
) -> Result<(AudioSide, RenderEnd), StreamError> {
    if !(1..=super::MAX_DEPTH).contains(&depth) {
        return Err(StreamError::Depth(depth));
    }
    let others = if engine.outputs == 0 { 0 } else { OUTPUTS };
    let frame_ring = Arc::new(FrameRing::new(depth, start, 1 + others));
    let (event_in, event_out) = BoundedEvents::ring(EVENT_QUEUE);
    // A new restart replaces one that the render side has not seen yet.
    let restarts = Arc::new(ArrayQueue::new(1));
    let (span_in, span_out) = HeapRb::new(SPAN_QUEUE).split();
    let audio = AudioEnd {
        frame_ring: Arc::clone(&frame_ring),
        events: event_in,
        restarts: Arc::clone(&restarts),
        underrun_spans: span_in,
    };
    let render = RenderEnd { frame_ring, events: event_out, restarts, underrun_spans: span_out };
    let audio = AudioSide::new(audio, start, engine_latency + depth, Arc::clone(shared));
    Ok((audio, render))
}

#[cfg(test)]
mod model;
