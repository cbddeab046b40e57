//! What is going on, for meters: written by the audio thread, read whenever somebody draws.

use myriad_engine::Counters;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// What the audio thread shows. Written once a block, read whenever an editor draws.
#[derive(Default)]
pub struct Meters {
    /// Bits of the highest levels since they were last read; positive floats sort as integers.
    peaks: [AtomicU32; 2],
    voices: AtomicU32,
    clouds: AtomicU32,
    partials: AtomicU32,
    voices_stolen: AtomicU64,
    notes_dropped: AtomicU64,
    events_dropped: AtomicU64,
    renders_failed: AtomicU64,
    /// Events that found no room on their way to the engine.
    events_refused: AtomicU64,
    /// Bits of the share of its time that rendering took lately, and of the song's tempo.
    load: AtomicU32,
    bpm: AtomicU32,
    /// Times when sound was not ready.
    underruns: AtomicU64,
    /// Blocks that the host has asked for.
    blocks: AtomicU64,
}

impl Meters {
    /// The share of its time that rendering took lately; known while somebody watches.
    pub fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed))
    }

    /// Quarter notes per minute; zero where the host says nothing.
    pub fn bpm(&self) -> f32 {
        f32::from_bits(self.bpm.load(Relaxed))
    }

    /// Times when sound was not ready.
    pub fn underruns(&self) -> u64 {
        self.underruns.load(Relaxed)
    }

    /// Blocks that the host has asked for: as long as they go on, it plays.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Relaxed)
    }

    pub(crate) fn count_block(&self) {
        self.blocks.fetch_add(1, Relaxed);
    }

    pub(crate) fn show_load(&self, load: f32) {
        self.load.store(load.to_bits(), Relaxed);
    }

    pub(crate) fn show_bpm(&self, bpm: f32) {
        self.bpm.store(bpm.to_bits(), Relaxed);
    }

    pub(crate) fn show_underruns(&self, underruns: u64) {
        self.underruns.store(underruns, Relaxed);
    }

    pub(crate) fn count_refused(&self, events: u64) {
        self.events_refused.fetch_add(events, Relaxed);
    }

    pub(crate) fn count_underrun(&self) {
        self.underruns.fetch_add(1, Relaxed);
    }

    /// The highest levels, left and right, since this was last asked.
    pub fn take_peaks(&self) -> [f32; 2] {
        let take = |peak: &AtomicU32| f32::from_bits(peak.swap(0, Relaxed));
        [take(&self.peaks[0]), take(&self.peaks[1])]
    }

    /// What the engine is doing.
    pub fn counters(&self) -> Counters {
        Counters {
            voices: self.voices.load(Relaxed) as usize,
            clouds: self.clouds.load(Relaxed) as usize,
            partials: self.partials.load(Relaxed) as usize,
            voices_stolen: self.voices_stolen.load(Relaxed),
            notes_dropped: self.notes_dropped.load(Relaxed),
            events_dropped: self.events_dropped.load(Relaxed) + self.events_refused.load(Relaxed),
            renders_failed: self.renders_failed.load(Relaxed),
        }
    }

    pub(crate) fn show(&self, left: &[f32], right: &[f32], counters: &Counters) {
        for (peak, channel) in self.peaks.iter().zip([left, right]) {
            let highest = channel.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
            peak.fetch_max(highest.to_bits(), Relaxed);
        }
        self.voices.store(counters.voices as u32, Relaxed);
        self.clouds.store(counters.clouds as u32, Relaxed);
        self.partials.store(counters.partials as u32, Relaxed);
        self.voices_stolen.store(counters.voices_stolen, Relaxed);
        self.notes_dropped.store(counters.notes_dropped, Relaxed);
        self.events_dropped.store(counters.events_dropped, Relaxed);
        self.renders_failed.store(counters.renders_failed, Relaxed);
    }
}
