//! Gestures: live input from any thread, with its time, on its way to the audio callback.

use crossbeam_queue::ArrayQueue;
use myriad_engine::EventKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The most gestures between two blocks.
const CAPACITY: usize = 8_192;

#[derive(Clone, Copy)]
pub struct Gesture {
    /// When it was made, so that all gestures have the same latency.
    pub at: Instant,
    pub part: u8,
    pub kind: EventKind,
}

/// Gestures from any thread, for the callback.
pub struct GestureQueue {
    queue: ArrayQueue<Gesture>,
    /// Gestures that found the queue full, because no device was playing.
    lost: AtomicU64,
}

impl Default for GestureQueue {
    fn default() -> Self {
        Self {
            queue: ArrayQueue::new(CAPACITY),
            lost: AtomicU64::new(0),
        }
    }
}

impl GestureQueue {
    /// Queues a gesture that is made now.
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

    pub fn next(&self) -> Option<Gesture> {
        self.queue.pop()
    }

    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
