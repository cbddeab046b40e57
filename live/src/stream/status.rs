//! What a stream is doing: counters that any thread may read.

use super::activity::ActivitySnapshot;
use myriad_engine::Counters;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::Thread;
use std::time::Instant;

/// A stream at a glance.
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
    /// Batches whose rendering took longer than they sound. Late they are only if the frames that
    /// were ready did not last: then there is an underrun.
    pub slow_blocks: u64,
    /// How long batches took, as a share of the time in which they sound.
    pub render_time: Histogram,
    /// The share that the last batch took.
    pub load: f32,
    /// Underruns since the start.
    pub underruns: u64,
    /// Whether the audio side is without frames now.
    pub starving: bool,
    /// Events for which there was no room.
    pub events_refused: u64,
    /// Events that came too late for their time, or had to wait because too many came at once.
    pub events_late: u64,
    /// Whether the render thread runs with raised priority.
    pub raised_priority: bool,
    /// Whether it was neither stopped nor lost: a renderer that panics takes its thread with it.
    pub running: bool,
}

/// Buckets of a histogram.
const BUCKETS: usize = 40;
/// Buckets that an octave is divided into.
const PER_OCTAVE: f32 = 2.0;
/// The first bucket is what takes less than this share.
const SMALLEST: f32 = 1.0 / 8_192.0;

/// Shares of a deadline, counted in half octaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// How many fell into each bucket.
    pub counts: [u64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: [0; BUCKETS],
        }
    }
}

impl Histogram {
    /// The share that a bucket begins with; the first begins with nothing.
    pub fn lower_edge(bucket: usize) -> f32 {
        match bucket {
            0 => 0.0,
            _ => SMALLEST * ((bucket - 1) as f32 / PER_OCTAVE).exp2(),
        }
    }

    fn bucket(share: f32) -> usize {
        let place = (share / SMALLEST).log2() * PER_OCTAVE;
        (place.floor() + 1.0).clamp(0.0, (BUCKETS - 1) as f32) as usize
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// A share that at least the part `quantile` (0 to 1) stays below, to half an octave.
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

/// What the three sides tell one another without a queue.
pub(super) struct Shared {
    pub(super) started: Instant,
    pub(super) voices: AtomicUsize,
    pub(super) clouds: AtomicUsize,
    pub(super) partials: AtomicUsize,
    pub(super) voices_stolen: AtomicU64,
    pub(super) notes_dropped: AtomicU64,
    pub(super) events_dropped: AtomicU64,
    pub(super) renders_failed: AtomicU64,
    pub(super) sounding: ActivitySnapshot,
    pub(super) frames_rendered: AtomicU64,
    pub(super) frames_skipped: AtomicU64,
    pub(super) slow_blocks: AtomicU64,
    render_time: [AtomicU64; BUCKETS],
    load: AtomicU64,
    pub(super) underruns: AtomicU64,
    pub(super) starving: AtomicBool,
    pub(super) events_refused: AtomicU64,
    pub(super) events_late: AtomicU64,
    pub(super) raised_priority: AtomicBool,
    /// The control side wants an end: fade, then return.
    pub(super) stopping: AtomicBool,
    /// The control side waits no longer: return at once.
    pub(super) abandoned: AtomicBool,
    /// The render side has ended: nothing more will come.
    pub(super) ended: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Shared {
    pub(super) fn new(parts: usize) -> Self {
        Self {
            started: Instant::now(),
            voices: AtomicUsize::new(0),
            clouds: AtomicUsize::new(0),
            partials: AtomicUsize::new(0),
            voices_stolen: AtomicU64::new(0),
            notes_dropped: AtomicU64::new(0),
            events_dropped: AtomicU64::new(0),
            renders_failed: AtomicU64::new(0),
            sounding: ActivitySnapshot::new(parts),
            frames_rendered: AtomicU64::new(0),
            frames_skipped: AtomicU64::new(0),
            slow_blocks: AtomicU64::new(0),
            render_time: std::array::from_fn(|_| AtomicU64::new(0)),
            load: AtomicU64::new(0),
            underruns: AtomicU64::new(0),
            starving: AtomicBool::new(false),
            events_refused: AtomicU64::new(0),
            events_late: AtomicU64::new(0),
            raised_priority: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            thread: OnceLock::new(),
        }
    }

    /// Notes what the engine is doing.
    pub(super) fn note_counters(&self, counters: Counters) {
        self.voices.store(counters.voices, Relaxed);
        self.clouds.store(counters.clouds, Relaxed);
        self.partials.store(counters.partials, Relaxed);
        self.voices_stolen.store(counters.voices_stolen, Relaxed);
        self.notes_dropped.store(counters.notes_dropped, Relaxed);
        self.events_dropped.store(counters.events_dropped, Relaxed);
        self.renders_failed.store(counters.renders_failed, Relaxed);
    }

    /// Notes the share of its time that a batch took.
    pub(super) fn note_load(&self, share: f32) {
        self.render_time[Histogram::bucket(share)].fetch_add(1, Relaxed);
        self.load.store(u64::from(share.to_bits()), Relaxed);
        if share > 1.0 {
            self.slow_blocks.fetch_add(1, Relaxed);
        }
    }

    /// What the engine is doing.
    pub(super) fn counters(&self) -> Counters {
        Counters {
            voices: self.voices.load(Relaxed),
            clouds: self.clouds.load(Relaxed),
            partials: self.partials.load(Relaxed),
            voices_stolen: self.voices_stolen.load(Relaxed),
            notes_dropped: self.notes_dropped.load(Relaxed),
            events_dropped: self.events_dropped.load(Relaxed),
            renders_failed: self.renders_failed.load(Relaxed),
        }
    }

    /// The share that the last batch took.
    pub(super) fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed) as u32)
    }

    /// All counters; what belongs to the line is left for the caller.
    pub(super) fn status(&self) -> StreamStatus {
        StreamStatus {
            engine: self.counters(),
            frames_rendered: self.frames_rendered.load(Relaxed),
            frames_skipped: self.frames_skipped.load(Relaxed),
            slow_blocks: self.slow_blocks.load(Relaxed),
            render_time: Histogram {
                counts: std::array::from_fn(|i| self.render_time[i].load(Relaxed)),
            },
            load: self.load(),
            underruns: self.underruns.load(Relaxed),
            starving: self.starving.load(Relaxed),
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
