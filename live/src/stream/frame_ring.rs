//! The line between the render side and the audio side: frames one way, events the other.
//!
//! Every frame has its place by its time, so there is nothing to shift when frames are lost: the
//! audio side looks where it is, and what was not written in time is simply not there. That is
//! why this is no queue: after a pop too few, a queue would be late for ever.

use super::StreamError;
use super::audio::AudioSide;
use super::events::{EVENT_QUEUE, TimedEvent};
use super::status::Shared;
use super::underrun::Starvation;
use crossbeam_queue::ArrayQueue;
use myriad_engine::BoundedEvents;
use myriad_engine::Values;
use myriad_engine::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use ringbuf::traits::Split;
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;

/// Frames and how far they have come. Times are frames since the stream's start.
#[derive(Debug)]
pub(super) struct FrameRing {
    /// Left and right in one word, so that a frame is never half old. A power of two, and at
    /// least `depth`: the render side writes at most that far ahead of what is being read.
    frames: Box<[AtomicU64]>,
    /// Frames that the audio side finds ready when the render side is on time.
    pub(super) depth: usize,
    /// All frames before this one have been asked for. The audio side alone writes it, when it
    /// has read them and handed in their events.
    asked: AtomicU64,
    /// Frames of the last block that was asked for.
    block: AtomicUsize,
    /// All frames before this one are written, or will never be. The render side alone writes it.
    written: AtomicU64,
    /// The render side writes no more here: another line has taken this one's place.
    closed: AtomicBool,
}

impl FrameRing {
    fn new(depth: usize, start: u64) -> Self {
        let silence = || AtomicU64::new(0);
        let places = depth.next_power_of_two();
        Self {
            frames: std::iter::repeat_with(silence).take(places).collect(),
            depth,
            asked: AtomicU64::new(start),
            block: AtomicUsize::new(depth),
            // Silence until the first events can be heard.
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

    /// Reads frames from `at` on, which must have been written.
    pub(super) fn read(&self, at: u64, left: &mut [f32], right: &mut [f32]) {
        for (offset, (left, right)) in left.iter_mut().zip(right).enumerate() {
            let frame = self.place(at + offset as u64).load(Ordering::Relaxed);
            *left = f32::from_bits(frame as u32);
            *right = f32::from_bits((frame >> 32) as u32);
        }
    }

    /// Says that `block` frames from `at` on have been read, and their events handed in.
    pub(super) fn ask(&self, at: u64, block: usize) {
        self.block.store(block, Ordering::Relaxed);
        self.asked.store(at + block as u64, Ordering::Release);
    }

    /// Frames of the last block that was asked for.
    pub(super) fn block(&self) -> usize {
        self.block.load(Ordering::Relaxed)
    }

    /// Writes frames from `at` on and lets them be read.
    pub(super) fn write(&self, at: u64, left: &[f32], right: &[f32]) {
        for (offset, (left, right)) in left.iter().zip(right).enumerate() {
            let frame = u64::from(left.to_bits()) | u64::from(right.to_bits()) << 32;
            self.place(at + offset as u64)
                .store(frame, Ordering::Relaxed);
        }
        self.written
            .store(at + left.len() as u64, Ordering::Release);
    }

    /// Says that frames before `at` will never be written.
    pub(super) fn skip_to(&self, at: u64) {
        self.written.store(at, Ordering::Release);
    }

    /// Says that nothing more will be written.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn place(&self, at: u64) -> &AtomicU64 {
        &self.frames[at as usize & (self.frames.len() - 1)]
    }
}

/// The audio side wants everything to be as in the beginning.
pub(super) struct Restart {
    /// The time of the first frame.
    pub(super) time: u64,
    pub(super) part: usize,
    /// What the part's parameters are then.
    pub(super) values: Values,
}

/// The render side's end.
pub(super) struct RenderEnd {
    pub(super) frame_ring: Arc<FrameRing>,
    pub(super) events: HeapCons<TimedEvent>,
    pub(super) restarts: Arc<ArrayQueue<Restart>>,
    pub(super) starvations: HeapCons<Starvation>,
}

/// The audio side's end.
pub(super) struct AudioEnd {
    pub(super) frame_ring: Arc<FrameRing>,
    pub(super) events: BoundedEvents<HeapProd<TimedEvent>>,
    pub(super) restarts: Arc<ArrayQueue<Restart>>,
    pub(super) starvations: HeapProd<Starvation>,
}

/// Underruns that may wait for the render side to look at them; more are only counted.
const STARVATION_QUEUE: usize = 256;

/// A line whose time begins at `start`.
pub(super) fn connect(
    depth: usize,
    start: u64,
    engine_latency: usize,
    shared: &Arc<Shared>,
) -> Result<(AudioSide, RenderEnd), StreamError> {
    if !(1..=super::MAX_DEPTH).contains(&depth) {
        return Err(StreamError::Depth(depth));
    }
    let frame_ring = Arc::new(FrameRing::new(depth, start));
    let (event_in, event_out) = BoundedEvents::ring(EVENT_QUEUE);
    // Only the newest counts: it replaces one that the render side has not seen yet.
    let restarts = Arc::new(ArrayQueue::new(1));
    let (starvation_in, starvation_out) = HeapRb::new(STARVATION_QUEUE).split();
    let audio = AudioEnd {
        frame_ring: Arc::clone(&frame_ring),
        events: event_in,
        restarts: Arc::clone(&restarts),
        starvations: starvation_in,
    };
    let render = RenderEnd {
        frame_ring,
        events: event_out,
        restarts,
        starvations: starvation_out,
    };
    let audio = AudioSide::new(audio, start, engine_latency + depth, Arc::clone(shared));
    Ok((audio, render))
}

#[cfg(test)]
mod model;
