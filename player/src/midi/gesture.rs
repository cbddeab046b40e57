//! Gestures: what players do, on its way to the audio thread.

use crossbeam_queue::ArrayQueue;
use myriad_engine::EventKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// More than hands can do between two blocks.
const CAPACITY: usize = 8_192;

/// Something a player did.
#[derive(Clone, Copy)]
pub struct Gesture {
    /// When, so that it sounds as long after as every other gesture.
    pub at: Instant,
    pub part: u8,
    pub kind: EventKind,
}

/// Gestures from any thread, for the callback to pick up.
pub struct GestureQueue {
    queue: ArrayQueue<Gesture>,
    /// Gestures for which there was no room, since nothing picks them up.
    lost: AtomicU64,
}

impl GestureQueue {
    pub fn new() -> Self {
        Self {
            queue: ArrayQueue::new(CAPACITY),
            lost: AtomicU64::new(0),
        }
    }

    /// A player does something now.
    pub fn play(&self, part: u8, kind: EventKind) {
        let gesture = Gesture {
            at: Instant::now(),
            part,
            kind,
        };
        if self.queue.push(gesture).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The oldest gesture that nobody has picked up.
    pub fn next(&self) -> Option<Gesture> {
        self.queue.pop()
    }

    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
