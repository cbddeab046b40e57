//! Gestures: what players do, on its way to the audio thread.

use myriad_engine::{BoundedEvents, Event, EventKind, TimedEvent};
use ringbuf::{HeapCons, HeapProd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// More than hands can do between two blocks.
const CAPACITY: usize = 8_192;

/// Something a player did, and when, so that it sounds as long after as every other gesture.
pub type Gesture = TimedEvent<Instant>;

/// Takes gestures from any thread but the audio thread, for the callback to pick up.
pub struct GestureQueue {
    /// Players wait for each other here, and never the callback for them.
    queue: Mutex<BoundedEvents<HeapProd<Gesture>>>,
    /// Gestures for which there was no room, since nothing picks them up.
    lost: AtomicU64,
}

impl GestureQueue {
    /// The queue, and the end that the callback reads.
    pub fn new() -> (Self, HeapCons<Gesture>) {
        let (queue, receiver) = BoundedEvents::ring(CAPACITY);
        let gestures = Self {
            queue: Mutex::new(queue),
            lost: AtomicU64::new(0),
        };
        (gestures, receiver)
    }

    /// A player does something now.
    pub fn play(&self, part: u8, kind: EventKind) {
        self.play_at(Instant::now(), part, kind);
    }

    /// A player did something at `time`.
    pub fn play_at(&self, time: Instant, part: u8, kind: EventKind) {
        let event = Event {
            frame: 0,
            part,
            kind,
        };
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if !queue.push(TimedEvent { time, event }) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
