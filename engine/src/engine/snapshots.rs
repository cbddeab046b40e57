//! Glimpses on their way from whoever renders to whoever draws.
//!
//! A few of them go round between the two: nothing is allocated, nobody waits, and as long as
//! nobody watches nothing is copied.

use super::{Engine, Snapshot};
use ringbuf::traits::{Consumer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Glimpses that go round: one being filled, one under way, one being looked at.
const AROUND: usize = 3;
/// Glimpses a second, at most: as many as a screen shows.
const PER_SECOND: f32 = 60.0;
/// When nothing has come for so long, nobody renders any more, and nothing sounds.
const SILENCE: Duration = Duration::from_millis(400);
/// In the place of a part.
const NOBODY: usize = usize::MAX;

/// Shows what an engine does. For whoever renders.
pub struct SnapshotSender {
    there: HeapProd<Box<Snapshot>>,
    back: HeapCons<Box<Snapshot>>,
    /// The part that is watched.
    watched: Arc<AtomicUsize>,
    /// Frames rendered since the last snapshot.
    passed: usize,
}

/// Watches what an engine does. For whoever draws.
pub struct SnapshotReceiver {
    there: HeapCons<Box<Snapshot>>,
    back: HeapProd<Box<Snapshot>>,
    watched: Arc<AtomicUsize>,
    /// When the last snapshot came.
    came: Instant,
}

/// Both ends. Nothing is watched yet.
pub fn snapshots() -> (SnapshotSender, SnapshotReceiver) {
    let (there_in, there_out) = HeapRb::new(AROUND).split();
    let (mut back_in, back_out) = HeapRb::new(AROUND).split();
    back_in.push_iter((0..AROUND).map(|_| Box::default()));
    let watched = Arc::new(AtomicUsize::new(NOBODY));
    let sender = SnapshotSender {
        there: there_in,
        back: back_out,
        watched: Arc::clone(&watched),
        passed: 0,
    };
    let receiver = SnapshotReceiver {
        there: there_out,
        back: back_in,
        watched,
        came: Instant::now(),
    };
    (sender, receiver)
}

impl SnapshotSender {
    /// `engine` has rendered so many more frames. Never allocates or waits.
    pub fn show(&mut self, engine: &Engine, frames: usize) {
        let part = self.watched.load(Relaxed);
        self.passed += frames;
        if part == NOBODY || (self.passed as f32) < engine.config().sample_rate / PER_SECOND {
            return;
        }
        let Some(mut snapshot) = self.back.try_pop() else {
            return;
        };
        self.passed = 0;
        engine.snapshot(part, &mut snapshot);
        if let Err(snapshot) = self.there.try_push(snapshot) {
            debug_assert!(false, "there is a place for every snapshot");
            // Better a leak than memory freed here.
            std::mem::forget(snapshot);
        }
    }
}

impl SnapshotReceiver {
    /// Watches a part, or none.
    pub fn watch(&self, part: Option<usize>) {
        self.watched.store(part.unwrap_or(NOBODY), Relaxed);
    }

    /// Copies the latest snapshot; when there is no news, `into` stays as it is.
    pub fn look(&mut self, into: &mut Snapshot) {
        while let Some(snapshot) = self.there.try_pop() {
            into.copy(&snapshot);
            self.came = Instant::now();
            // There is a place for every snapshot.
            let _ = self.back.try_push(snapshot);
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
    fn what_sounds_is_seen_by_who_watches() {
        let mut engine = Engine::new(&EngineConfig::default()).unwrap();
        let (mut sender, mut receiver) = snapshots();
        let (mut left, mut right) = ([0.0; 1_024], [0.0; 1_024]);
        let kind = EventKind::NoteOn {
            key: 60,
            velocity: 1.0,
        };
        let on = Event {
            frame: 0,
            part: 0,
            kind,
        };
        engine.render(&[on], &mut left, &mut right);
        let mut seen = Snapshot::new();
        sender.show(&engine, 1_024);
        receiver.look(&mut seen);
        assert!(!seen.sounding, "nobody watched");
        receiver.watch(Some(0));
        // Far more often than anybody looks.
        (0..100).for_each(|_| sender.show(&engine, 1_024));
        receiver.look(&mut seen);
        assert!(seen.sounding && seen.keys == 1 << 60 && !seen.clouds.is_empty());
        receiver.came -= 2 * SILENCE;
        receiver.look(&mut seen);
        assert!(!seen.sounding, "nobody renders any more");
    }
}
