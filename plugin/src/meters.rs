//! Meters: written by the audio thread, read by the editor.

use myriad_engine::Counters;
use myriad_live::stream::AtomicCounters;
use myriad_measure::OutputTap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Written once a block, read when an editor paints.
#[derive(Default)]
pub struct Meters {
    /// Bits of the peaks since they were last read; positive floats sort as integers.
    peaks: [AtomicU32; 2],
    engine: AtomicCounters,
    /// Events that were dropped before they reached the engine.
    events_refused: AtomicU64,
    /// Bits of the render load and of the tempo.
    load: AtomicU32,
    bpm: AtomicU32,
    /// Underruns.
    underruns: AtomicU64,
    /// Blocks that the host has asked for.
    blocks: AtomicU64,
    /// The latest frames of the output, written while an editor is open.
    pub(crate) output: OutputTap,
}

impl Meters {
    /// Render time as a share of the duration; measured while an editor is open.
    pub fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed))
    }

    /// Quarter notes per minute; zero if the host does not tell.
    pub fn bpm(&self) -> f32 {
        f32::from_bits(self.bpm.load(Relaxed))
    }

    /// Underruns.
    pub fn underruns(&self) -> u64 {
        self.underruns.load(Relaxed)
    }

    /// Blocks that the host has asked for. The host plays while they increase.
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

    /// The peaks, left and right, since the last call.
    pub fn take_peaks(&self) -> [f32; 2] {
        let take = |peak: &AtomicU32| f32::from_bits(peak.swap(0, Relaxed));
        [take(&self.peaks[0]), take(&self.peaks[1])]
    }

    /// The counters of the engine, with all dropped events.
    pub fn counters(&self) -> Counters {
        let mut counters = self.engine.load();
        counters.events_dropped += self.events_refused.load(Relaxed);
        counters
    }

    pub(crate) fn show(&self, left: &[f32], right: &[f32], counters: &Counters) {
        for (peak, channel) in self.peaks.iter().zip([left, right]) {
            let highest = channel.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
            peak.fetch_max(highest.to_bits(), Relaxed);
        }
        self.engine.store(counters);
    }
}

/// The duration over which the load is averaged: blocks may be as short as a sample.
const WINDOW: Duration = Duration::from_millis(100);

/// Measures the render load: the time spent, and the duration of what was rendered.
#[derive(Default)]
pub(crate) struct LoadMeter {
    spent: Duration,
    rendered: Duration,
}

impl LoadMeter {
    /// Records the time spent on a block.
    pub(crate) fn record(
        &mut self,
        spent: Duration,
        frames: usize,
        sample_rate: f32,
        meters: &Meters,
    ) {
        self.spent += spent;
        self.rendered += Duration::from_secs_f32(frames as f32 / sample_rate);
        if self.rendered >= WINDOW {
            let load = self.spent.as_secs_f32() / self.rendered.as_secs_f32();
            meters.show_load(load);
            if load > 1.0 {
                meters.count_underrun();
            }
            *self = Self::default();
        }
    }
}
