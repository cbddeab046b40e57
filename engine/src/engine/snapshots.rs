//! Transfers snapshots from the render thread to the display.
//!
//! A fixed number of snapshots circulates between the two by two ring buffers: nothing is
//! allocated, neither side waits, and nothing is copied unless a part is watched.

use super::{Engine, Snapshot};
use ringbuf::traits::{Consumer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Snapshots that circulate: one being filled, one in the ring buffer, one being displayed.
const CIRCULATING: usize = 3;
/// The most snapshots a second: one for each frame of a screen.
const PER_SECOND: f32 = 60.0;
/// After this time without a snapshot the display shows silence, because nothing is rendered.
const SILENCE: Duration = Duration::from_millis(400);
/// Stands for no part.
const NO_PART: usize = usize::MAX;

/// Sends snapshots of an engine. For the render thread.
pub struct SnapshotSender {
    filled: HeapProd<Box<Snapshot>>,
    empty: HeapCons<Box<Snapshot>>,
    /// The part that is watched.
    watched: Arc<AtomicUsize>,
    /// Frames rendered since the last snapshot.
    passed: usize,
}

/// Receives snapshots of an engine. For the display.
pub struct SnapshotReceiver {
    filled: HeapCons<Box<Snapshot>>,
    empty: HeapProd<Box<Snapshot>>,
    watched: Arc<AtomicUsize>,
    /// When the last snapshot came.
    came: Instant,
}

/// Both ends. No part is watched yet.
pub fn snapshots() -> (SnapshotSender, SnapshotReceiver) {
    let (filled_in, filled_out) = HeapRb::new(CIRCULATING).split();
    let (mut empty_in, empty_out) = HeapRb::new(CIRCULATING).split();
    empty_in.push_iter((0..CIRCULATING).map(|_| Box::default()));
    let watched = Arc::new(AtomicUsize::new(NO_PART));
    let sender = SnapshotSender {
        filled: filled_in,
        empty: empty_out,
        watched: Arc::clone(&watched),
        passed: 0,
    };
    let receiver =
        SnapshotReceiver { filled: filled_out, empty: empty_in, watched, came: Instant::now() };
    (sender, receiver)
}

impl SnapshotSender {
    /// Call after `engine` has rendered `frames` more. Never allocates or waits.
    pub fn show(&mut self, engine: &Engine, frames: usize) {
        let part = self.watched.load(Relaxed);
        self.passed += frames;
        if part == NO_PART || (self.passed as f32) < engine.config().sample_rate / PER_SECOND {
            return;
        }
        let Some(mut snapshot) = self.empty.try_pop() else {
            return;
        };
        self.passed = 0;
        engine.snapshot(part, &mut snapshot);
        if let Err(snapshot) = self.filled.try_push(snapshot) {
            debug_assert!(false, "there is a place for every snapshot");
            // A leak is better than freeing memory on the audio thread.
            std::mem::forget(snapshot);
        }
    }
}

impl SnapshotReceiver {
    /// Chooses the part that is watched, if any.
    pub fn watch(&self, part: Option<usize>) {
        self.watched.store(part.unwrap_or(NO_PART), Relaxed);
    }

    /// Copies the latest snapshot; without a new one, `into` stays as it is.
    pub fn look(&mut self, into: &mut Snapshot) {
        while let Some(snapshot) = self.filled.try_pop() {
            into.copy(&snapshot);
            self.came = Instant::now();
            // There is room for every snapshot.
            let _ = self.empty.try_push(snapshot);
        }
        if self.came.elapsed() > SILENCE {
            into.fall_silent();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EngineConfig, Event, EventKind};

    #[test]
    fn snapshots_arrive_only_while_a_part_is_watched() {
        let mut engine = Engine::new(&EngineConfig::default()).unwrap();
        let (mut sender, mut receiver) = snapshots();
        let (mut left, mut right) = ([0.0; 1_024], [0.0; 1_024]);
        let kind = EventKind::NoteOn { key: 60, velocity: 1.0 };
        let on = Event { frame: 0, part: 0, kind };
        engine.render(&[on], &mut left, &mut right);
        let mut seen = Snapshot::new();
        sender.show(&engine, 1_024);
        receiver.look(&mut seen);
        assert!(!seen.sounding, "nobody watched");
        receiver.watch(Some(0));
        // Far more often than the receiver reads.
        (0..100).for_each(|_| sender.show(&engine, 1_024));
        receiver.look(&mut seen);
        assert!(seen.sounding && seen.keys == 1 << 60 && !seen.clouds.is_empty());
        receiver.came -= 2 * SILENCE;
        receiver.look(&mut seen);
        assert!(!seen.sounding, "nobody renders any more");
    }
}
