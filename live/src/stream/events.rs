//! Events on their way to the render side, and the agenda of those whose time has not come.

use ringbuf::traits::{Consumer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
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
pub(super) struct Sender(HeapProd<TimedEvent>);

impl Sender {
    /// Whether there was room.
    pub(super) fn send(&mut self, event: TimedEvent) -> bool {
        self.0.try_push(event).is_ok()
    }
}

/// The events of the control side, in the order of their times.
pub(super) struct Agenda {
    incoming: HeapCons<TimedEvent>,
    waiting: BinaryHeap<Reverse<Entry>>,
    entries: u64,
}

/// A queue for the control side's events.
pub(super) fn queue() -> (Sender, Agenda) {
    let (sender, incoming) = HeapRb::new(CONTROL_QUEUE).split();
    let agenda = Agenda {
        incoming,
        waiting: BinaryHeap::with_capacity(AGENDA),
        entries: 0,
    };
    (Sender(sender), agenda)
}

impl Agenda {
    /// Takes in what has been sent. When the agenda is full, the rest waits in the queue.
    pub(super) fn collect(&mut self) {
        let room = AGENDA.saturating_sub(self.waiting.len());
        for _ in 0..room {
            match self.incoming.try_pop() {
                Some(event) => self.add(event),
                None => break,
            }
        }
    }

    /// Adds an event.
    pub(super) fn add(&mut self, event: TimedEvent) {
        let order = self.entries;
        self.entries += 1;
        self.waiting.push(Reverse(Entry { event, order }));
    }

    /// The time of the next event.
    pub(super) fn next_time(&self) -> Option<u64> {
        self.waiting.peek().map(|entry| entry.0.event.time)
    }

    pub(super) fn pop(&mut self) -> Option<TimedEvent> {
        self.waiting.pop().map(|entry| entry.0.event)
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
