//! The event scheduler: merges the events of the audio side and of the control side into those of a
//! batch, in the order of their times.

use super::status::Shared;
use myriad_engine::{BoundedEvents, Event, EventStore};
use ringbuf::traits::Consumer;
use ringbuf::{HeapCons, HeapProd};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;

/// Capacity of the queue from the audio side.
pub(super) const EVENT_QUEUE: usize = 8_192;

/// Capacity of the queue from the control side, and of the schedule behind it.
const CONTROL_QUEUE: usize = 4_096;
const SCHEDULE: usize = 16_384;

/// The most events in a batch: half of what the engine takes in a tick. Further events wait for the
/// next batch.
pub(super) const BATCH_EVENTS: usize = 2_048;

/// An event with its time in frames since the stream's start; the past means as soon as possible.
pub(super) type TimedEvent = myriad_engine::TimedEvent<u64>;

/// The time of an event that is played as soon as possible.
pub(super) const NOW: u64 = 0;

/// The control side's end of its queue.
pub(super) type Sender = BoundedEvents<HeapProd<TimedEvent>>;

/// The render side's view of events.
pub(super) struct EventScheduler {
    incoming: HeapCons<TimedEvent>,
    scheduled: BoundedEvents<Schedule>,
    /// The events of the last batch.
    batch: Vec<Event>,
}

impl EventScheduler {
    pub(super) fn new() -> (Sender, Self) {
        let (sender, incoming) = BoundedEvents::ring(CONTROL_QUEUE);
        let scheduler = Self {
            incoming,
            scheduled: BoundedEvents::new(Schedule {
                entries: BinaryHeap::with_capacity(SCHEDULE + Sender::RESERVED),
                added: 0,
            }),
            batch: Vec::with_capacity(BATCH_EVENTS),
        };
        (sender, scheduler)
    }

    /// The events of a batch of `frames` frames from the time `start` on. `direct` is the queue of
    /// the audio side.
    pub(super) fn batch(
        &mut self,
        direct: &mut HeapCons<TimedEvent>,
        start: u64,
        frames: usize,
        shared: &Shared,
    ) -> &[Event] {
        self.batch.clear();
        // When the schedule is full, further events stay in the queue.
        while self.scheduled.has_room()
            && let Some(event) = self.incoming.try_pop()
        {
            self.schedule(event, shared);
        }
        let end = start + frames as u64;
        // Short batches share a tick, and so what the engine takes in one.
        let most = BATCH_EVENTS.min(64 * frames);
        while self.batch.len() < most
            && let Some(TimedEvent { time, event }) = self.next_before(end, direct)
        {
            if time < start && time != NOW {
                shared.events_late.fetch_add(1, Relaxed);
            }
            let frame = time.saturating_sub(start) as u32;
            self.batch.push(Event { frame, ..event });
        }
        &self.batch
    }

    fn schedule(&mut self, event: TimedEvent, shared: &Shared) {
        if !self.scheduled.push(event) {
            shared.events_refused.fetch_add(1, Relaxed);
        }
    }

    /// The next event, if it is due before `end`. Of two at the same time, the scheduled one is first.
    fn next_before(&mut self, end: u64, direct: &mut HeapCons<TimedEvent>) -> Option<TimedEvent> {
        let schedule = self.scheduled.store_mut();
        let played = direct.try_peek().map(|event| event.time);
        let planned = schedule.entries.peek().map(|entry| entry.0.event.time);
        let earliest = played.into_iter().chain(planned).min()?;
        if earliest >= end {
            None
        } else if planned == Some(earliest) {
            schedule.entries.pop().map(|entry| entry.0.event)
        } else {
            direct.try_pop()
        }
    }

    /// Drops the audio side's events from before a restart at `time`.
    pub(super) fn restart(&mut self, direct: &mut HeapCons<TimedEvent>, time: u64) {
        while direct.try_peek().is_some_and(|event| event.time < time) {
            direct.try_pop();
        }
    }

    /// Schedules what the previous audio side has queued for now, after another has replaced it.
    pub(super) fn take_over(&mut self, direct: &mut HeapCons<TimedEvent>, shared: &Shared) {
        for TimedEvent { event, .. } in direct.pop_iter() {
            self.schedule(TimedEvent { time: NOW, event }, shared);
        }
    }
}

/// Events by their times.
struct Schedule {
    entries: BinaryHeap<Reverse<Entry>>,
    /// The number of events ever added.
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

/// A scheduled event. Events of the same time stay in the order in which they were sent.
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
