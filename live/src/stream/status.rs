//! What a stream is doing: counters that any thread may read.

use super::activity::ActivitySnapshot;
use myriad_engine::Counters;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::Thread;
use std::time::Instant;

/// The state of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamStatus {
    /// What the engine is doing.
    pub engine: Counters,
    /// Frames ready for the audio side.
    pub fill: usize,
    /// Frames that are ready when the render thread is on time.
    pub depth: usize,
    /// Frames that the audio side has asked for.
    pub frames_asked: u64,
    /// Frames that were rendered.
    pub frames_rendered: u64,
    /// Frames that were left out because their time had passed.
    pub frames_skipped: u64,
    /// Batches whose rendering took longer than their duration. That is an underrun only if the
    /// frames that were ready did not last.
    pub slow_blocks: u64,
    /// The render time of batches as a share of their duration.
    pub render_time: Histogram,
    /// The render time of the last batch as a share of its duration.
    pub load: f32,
    /// Underruns since the start.
    pub underruns: u64,
    /// Whether an underrun lasts now.
    pub in_underrun: bool,
    /// Events for which there was no room.
    pub events_refused: u64,
    /// Events that came too late for their time, or had to wait because too many came at once.
    pub events_late: u64,
    /// Whether the render thread runs with raised priority.
    pub raised_priority: bool,
    /// Whether the stream was neither stopped nor has crashed: a renderer that panics ends the thread.
    pub running: bool,
}

/// Buckets of a histogram.
const BUCKETS: usize = 320;
/// Buckets that an octave is divided into: each is 4% wider than the one before.
const PER_OCTAVE: f32 = 16.0;
/// The upper edge of the first bucket.
const SMALLEST: f32 = 1.0 / 8_192.0;

/// Shares of a deadline, counted in sixteenths of octaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// The count of each bucket.
    pub counts: [u64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; BUCKETS] }
    }
}

impl Histogram {
    /// The lower edge of a bucket; that of the first is zero.
    pub fn lower_edge(bucket: usize) -> f32 {
        match bucket {
            0 => 0.0,
            _ => SMALLEST * ((bucket - 1) as f32 / PER_OCTAVE).exp2(),
        }
    }

    /// The bucket of a share.
    pub fn bucket(share: f32) -> usize {
        let place = (share / SMALLEST).log2() * PER_OCTAVE;
        (place.floor() + 1.0).clamp(0.0, (BUCKETS - 1) as f32) as usize
    }

    /// The sum of all buckets.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The share below which the part `quantile` (0 to 1) of all counts lies, to 4%.
    pub fn quantile(&self, quantile: f64) -> f32 {
        let wanted = (quantile * self.total() as f64).ceil() as u64;
        let mut sum = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            sum += count;
            if sum >= wanted && sum > 0 {
                return Self::lower_edge(bucket + 1);
            }
        }
        0.0
    }
}

/// The engine's [`Counters`], written by one thread and read by others.
#[derive(Debug, Default)]
pub struct AtomicCounters([AtomicU64; 7]);

impl AtomicCounters {
    /// Writes all counters.
    pub fn store(&self, counters: &Counters) {
        let values = [
            counters.voices as u64,
            counters.clouds as u64,
            counters.partials as u64,
            counters.voices_stolen,
            counters.notes_dropped,
            counters.events_dropped,
            counters.renders_failed,
        ];
        let counters = self.0.iter().zip(values);
        counters.for_each(|(counter, value)| counter.store(value, Relaxed));
    }

    /// Reads all counters.
    pub fn load(&self) -> Counters {
        let [
            voices,
            clouds,
            partials,
            voices_stolen,
            notes_dropped,
            events_dropped,
            renders_failed,
        ] = self.0.each_ref().map(|counter| counter.load(Relaxed));
        Counters {
            voices: voices as usize,
            clouds: clouds as usize,
            partials: partials as usize,
            voices_stolen,
            notes_dropped,
            events_dropped,
            renders_failed,
        }
    }
}

/// State that the three sides share without a queue.
pub(super) struct Shared {
    pub(super) started: Instant,
    pub(super) engine: AtomicCounters,
    pub(super) activity: ActivitySnapshot,
    pub(super) frames_rendered: AtomicU64,
    pub(super) frames_skipped: AtomicU64,
    pub(super) slow_blocks: AtomicU64,
    render_time: [AtomicU64; BUCKETS],
    load: AtomicU64,
    pub(super) underruns: AtomicU64,
    pub(super) in_underrun: AtomicBool,
    pub(super) events_refused: AtomicU64,
    pub(super) events_late: AtomicU64,
    pub(super) raised_priority: AtomicBool,
    /// Whether the audio side waits for frames, however long they take.
    pub(super) waits: AtomicBool,
    /// The control side asks the render thread to fade out and return.
    pub(super) stopping: AtomicBool,
    /// The control side asks the render thread to return at once.
    pub(super) abandoned: AtomicBool,
    /// The render side has ended: no more frames are rendered.
    pub(super) ended: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Shared {
    pub(super) fn new(parts: usize) -> Self {
        Self {
            started: Instant::now(),
            engine: AtomicCounters::default(),
            activity: ActivitySnapshot::new(parts),
            frames_rendered: AtomicU64::new(0),
            frames_skipped: AtomicU64::new(0),
            slow_blocks: AtomicU64::new(0),
            render_time: std::array::from_fn(|_| AtomicU64::new(0)),
            load: AtomicU64::new(0),
            underruns: AtomicU64::new(0),
            in_underrun: AtomicBool::new(false),
            events_refused: AtomicU64::new(0),
            events_late: AtomicU64::new(0),
            raised_priority: AtomicBool::new(false),
            waits: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            thread: OnceLock::new(),
        }
    }

    /// Records the render time of a batch as a share of its duration.
    pub(super) fn record_load(&self, share: f32) {
        self.render_time[Histogram::bucket(share)].fetch_add(1, Relaxed);
        self.load.store(u64::from(share.to_bits()), Relaxed);
        if share > 1.0 {
            self.slow_blocks.fetch_add(1, Relaxed);
        }
    }

    /// The render time of the last batch as a share of its duration.
    pub(super) fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed) as u32)
    }

    /// All counters; the caller adds those of the frame ring.
    pub(super) fn status(&self) -> StreamStatus {
        StreamStatus {
            engine: self.engine.load(),
            frames_rendered: self.frames_rendered.load(Relaxed),
            frames_skipped: self.frames_skipped.load(Relaxed),
            slow_blocks: self.slow_blocks.load(Relaxed),
            render_time: Histogram {
                counts: std::array::from_fn(|i| self.render_time[i].load(Relaxed)),
            },
            load: self.load(),
            underruns: self.underruns.load(Relaxed),
            in_underrun: self.in_underrun.load(Relaxed),
            events_refused: self.events_refused.load(Relaxed),
            events_late: self.events_late.load(Relaxed),
            raised_priority: self.raised_priority.load(Relaxed),
            ..StreamStatus::default()
        }
    }

    pub(super) fn set_thread(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// Wakes the render thread. A system call: not for the audio thread.
    pub(super) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}
