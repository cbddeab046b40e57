//! What sounds after the last batch that was rendered.

use myriad_engine::Engine;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The value of an end that is not known.
const ENDLESS: u64 = u64::MAX;

/// Written by the render side, read by the audio side.
pub(super) struct ActivitySnapshot {
    /// The time from which on silence was rendered, or [`ENDLESS`] while there is sound.
    until: AtomicU64,
    /// Frames until silence, see [`Engine::tail`].
    tail: AtomicU64,
    /// The keys of every part, a bit each, in two halves.
    keys: Box<[[AtomicU64; 2]]>,
}

impl ActivitySnapshot {
    pub(super) fn new(parts: usize) -> Self {
        Self {
            until: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            keys: (0..parts).map(|_| Default::default()).collect(),
        }
    }

    /// Records the state of the engine, which has rendered all frames before `time`.
    pub(super) fn record(&self, engine: &Engine, time: u64) {
        match (engine.is_silent(), self.until.load(Relaxed)) {
            (false, _) => self.until.store(ENDLESS, Relaxed),
            (true, ENDLESS) => self.until.store(time, Relaxed),
            (true, _) => {}
        }
        let tail = engine.tail().map_or(ENDLESS, |frames| frames as u64);
        self.tail.store(tail, Relaxed);
        for (part, halves) in self.keys.iter().enumerate() {
            let keys = engine.keys(part);
            halves[0].store(keys as u64, Relaxed);
            halves[1].store((keys >> 64) as u64, Relaxed);
        }
    }

    pub(super) fn until(&self) -> Option<u64> {
        let time = self.until.load(Relaxed);
        (time != ENDLESS).then_some(time)
    }

    pub(super) fn tail(&self) -> Option<usize> {
        let frames = self.tail.load(Relaxed);
        (frames != ENDLESS).then_some(frames as usize)
    }

    pub(super) fn keys(&self, part: usize) -> u128 {
        let halves = self.keys.get(part).map(|halves| {
            let [low, high] = halves.each_ref().map(|half| half.load(Relaxed));
            u128::from(low) | u128::from(high) << 64
        });
        halves.unwrap_or(0)
    }
}
