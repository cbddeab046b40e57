//! Gestures: live input from any thread, with its time, on its way to the audio callback.

use myriad_engine::{BoundedEvents, Event, EventKind, TimedEvent};
use ringbuf::{HeapCons, HeapProd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most gestures between two blocks.
const CAPACITY: usize = 8_192;

/// A live event and the time when it was made, so that all gestures have the same latency.
pub type Gesture = TimedEvent<Instant>;

/// Takes gestures from any thread but the audio thread, for the callback.
pub struct GestureQueue {
    /// The lock is between senders; the callback never takes it.
    queue: Mutex<BoundedEvents<HeapProd<Gesture>>>,
    /// Gestures that found the queue full, because no device was playing.
    lost: AtomicU64,
}

impl GestureQueue {
    /// The queue, and the end that the callback reads.
    pub fn new() -> (Self, HeapCons<Gesture>) {
        let (queue, receiver) = BoundedEvents::ring(CAPACITY);
        let gestures = Self { queue: Mutex::new(queue), lost: AtomicU64::new(0) };
        (gestures, receiver)
    }

    /// Queues a gesture that is made now.
    pub fn play(&self, part: u8, kind: EventKind) {
        self.play_at(Instant::now(), part, kind);
    }

    /// Queues a gesture that was made at `time`.
    pub fn play_at(&self, time: Instant, part: u8, kind: EventKind) {
        let event = Event { frame: 0, part, kind };
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if !queue.push(TimedEvent { time, event }) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
