//! Events on their way to the render side, and the agenda of those whose time has not come.

use myriad_engine::{BoundedEvents, EventStore};
use ringbuf::traits::Consumer;
use ringbuf::{HeapCons, HeapProd};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Events that may wait between the audio side and the render side.
pub(super) const EVENT_QUEUE: usize = 8_192;

/// Events of the control side that may wait: in the queue, and for their time.
const CONTROL_QUEUE: usize = 4_096;
const AGENDA: usize = 16_384;

/// An event with its time in frames since the stream's start; the past means as soon as possible.
pub(super) type TimedEvent = myriad_engine::TimedEvent<u64>;

/// The time of what is to happen as soon as possible.
pub(super) const NOW: u64 = 0;

/// The control side's end.
pub(super) type Sender = BoundedEvents<HeapProd<TimedEvent>>;

/// The events of the control side, in the order of their times.
pub(super) struct Agenda {
    incoming: HeapCons<TimedEvent>,
    waiting: BoundedEvents<Schedule>,
}

/// A queue for the control side's events.
pub(super) fn queue() -> (Sender, Agenda) {
    let (sender, incoming) = BoundedEvents::ring(CONTROL_QUEUE);
    let agenda = Agenda {
        incoming,
        waiting: BoundedEvents::new(Schedule {
            entries: BinaryHeap::with_capacity(AGENDA + Sender::RESERVED),
            added: 0,
        }),
    };
    (sender, agenda)
}

impl Agenda {
    /// Takes in what has been sent. When the agenda is full, the rest waits in the queue.
    pub(super) fn collect(&mut self) {
        while self.waiting.has_room()
            && let Some(event) = self.incoming.try_pop()
        {
            let _ = self.add(event);
        }
    }

    /// Adds an event. Returns whether there was room for it.
    #[must_use = "a dropped event is counted"]
    pub(super) fn add(&mut self, event: TimedEvent) -> bool {
        self.waiting.push(event)
    }

    /// The time of the next event.
    pub(super) fn next_time(&self) -> Option<u64> {
        let next = self.waiting.store().entries.peek();
        next.map(|entry| entry.0.event.time)
    }

    pub(super) fn pop(&mut self) -> Option<TimedEvent> {
        let next = self.waiting.store_mut().entries.pop();
        next.map(|entry| entry.0.event)
    }
}

/// Events by their times.
struct Schedule {
    entries: BinaryHeap<Reverse<Entry>>,
    /// How many were ever added.
    added: u64,
}

impl EventStore for Schedule {
    type Item = TimedEvent;

    fn vacant(&self) -> usize {
        self.entries.capacity() - self.entries.len()
    }

    fn put(&mut self, event: TimedEvent) {
        let order = self.added;
        self.added += 1;
        self.entries.push(Reverse(Entry { event, order }));
    }
}

/// An event of the agenda; those of the same time stay in the order in which they were sent.
struct Entry {
    event: TimedEvent,
    order: u64,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.event.time, self.order).cmp(&(other.event.time, other.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}
