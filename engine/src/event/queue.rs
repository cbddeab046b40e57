//! Bounded queues of events, and the one rule for a queue that is full.

use super::{Event, EventKind};
use ringbuf::traits::{Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};

/// An item of a queue: an event, optionally with a time stamp.
pub trait Queued: Copy {
    /// The event.
    fn event(&self) -> Event;
    /// The same part and time with another event.
    fn with_kind(&self, kind: EventKind) -> Self;
}

impl Queued for Event {
    fn event(&self) -> Event {
        *self
    }

    fn with_kind(&self, kind: EventKind) -> Self {
        Event { kind, ..*self }
    }
}

/// An event with a time stamp, in the unit of its queue. The event's frame is not used.
#[derive(Clone, Copy, Debug)]
pub struct TimedEvent<T> {
    /// The time stamp.
    pub time: T,
    /// The event.
    pub event: Event,
}

impl<T: Copy> Queued for TimedEvent<T> {
    fn event(&self) -> Event {
        self.event
    }

    fn with_kind(&self, kind: EventKind) -> Self {
        let event = self.event.with_kind(kind);
        Self { event, ..*self }
    }
}

/// Memory of fixed size for events in order.
pub trait EventStore {
    /// The items.
    type Item: Queued;
    /// How many more items fit.
    fn vacant(&self) -> usize;
    /// Appends an item; called only while there is room.
    fn put(&mut self, item: Self::Item);
}

impl<T: Queued> EventStore for Vec<T> {
    type Item = T;

    fn vacant(&self) -> usize {
        self.capacity() - self.len()
    }

    fn put(&mut self, item: T) {
        self.push(item);
    }
}

/// The producer's end of a ring buffer.
impl<T: Queued> EventStore for HeapProd<T> {
    type Item = T;

    fn vacant(&self) -> usize {
        self.vacant_len()
    }

    fn put(&mut self, item: T) {
        let put = self.try_push(item);
        debug_assert!(put.is_ok(), "only the producer fills a ring");
    }
}

/// A bounded queue of events, seen from its producer.
///
/// This is the overflow rule of every queue that events pass on their way to the engine:
///
/// - An event that finds the queue full is dropped, and the caller counts it.
/// - If the dropped event would have ended notes (a note-off, a pedal that goes up), its part is
///   released in its place: both pedals go up and all keys are let go, behind everything that is
///   already queued. Each queue keeps [`BoundedEvents::RESERVED`] places for that. So a flood may
///   cut notes short, but no note can hang, and the receiver needs to know nothing of the loss.
///
/// Never allocates, locks or waits.
pub struct BoundedEvents<Q> {
    store: Q,
    /// Parts, a bit each, that were released since the last event was accepted: nothing has been
    /// queued for them since, so they need not be released again.
    released: u64,
}

/// Releases all notes of a part.
const RELEASE: [EventKind; 3] = [
    EventKind::Control { cc: 64, value: 0.0 },
    EventKind::Control { cc: 66, value: 0.0 },
    EventKind::AllNotesOff,
];

/// An engine has no more parts than this.
const PARTS: usize = u64::BITS as usize;

impl<Q> BoundedEvents<Q> {
    /// Places of the store that only releases may take, enough for all parts.
    pub const RESERVED: usize = PARTS * RELEASE.len();

    /// Wraps an empty store, whose size is what the queue should hold and
    /// [`BoundedEvents::RESERVED`] more.
    pub const fn new(store: Q) -> Self {
        Self { store, released: 0 }
    }

    /// The events.
    pub const fn store(&self) -> &Q {
        &self.store
    }

    /// The events, to be taken out.
    pub const fn store_mut(&mut self) -> &mut Q {
        &mut self.store
    }
}

impl<T: Queued> BoundedEvents<Vec<T>> {
    /// A queue within one thread, for `length` events. Allocates.
    pub fn with_capacity(length: usize) -> Self {
        Self::new(Vec::with_capacity(length + Self::RESERVED))
    }
}

impl<T: Queued> BoundedEvents<HeapProd<T>> {
    /// A queue between two threads, for `length` events, and its consumer's end. Allocates.
    pub fn ring(length: usize) -> (Self, HeapCons<T>) {
        let (store, events) = HeapRb::new(length + Self::RESERVED).split();
        (Self::new(store), events)
    }
}

impl<Q: EventStore> BoundedEvents<Q> {
    /// Whether the next event will be accepted.
    pub fn has_room(&self) -> bool {
        self.store.vacant() > Self::RESERVED
    }

    /// Queues `item`, or follows the overflow rule. Returns whether it was accepted.
    #[must_use = "a dropped event is counted"]
    pub fn push(&mut self, item: Q::Item) -> bool {
        if self.has_room() {
            self.store.put(item);
            self.released = 0;
            return true;
        }
        self.lose(item);
        false
    }

    /// Follows the overflow rule for an event that was lost before it reached this queue.
    pub fn lose(&mut self, item: Q::Item) {
        let Event { part, kind, .. } = item.event();
        let part = 1u64.checked_shl(part.into()).unwrap_or(0);
        if kind.ends_notes() && part & !self.released != 0 {
            self.released |= part;
            for kind in RELEASE {
                self.store.put(item.with_kind(kind));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringbuf::traits::Consumer;

    const fn event(part: u8, kind: EventKind) -> Event {
        let frame = 0;
        Event { frame, part, kind }
    }

    const fn on(key: u8) -> EventKind {
        EventKind::NoteOn { key, velocity: 0.5 }
    }

    const fn off(key: u8) -> EventKind {
        EventKind::NoteOff { key, velocity: 0.5 }
    }

    #[test]
    fn a_lost_note_off_releases_its_part_once_behind_what_is_queued() {
        let mut queue = BoundedEvents::with_capacity(2);
        assert!(queue.push(event(3, on(1))) && queue.push(event(3, on(2))));
        for kind in [on(3), off(1), off(2), EventKind::AllNotesOff] {
            assert!(!queue.push(event(3, kind)));
        }
        let mut expected = vec![event(3, on(1)), event(3, on(2))];
        expected.extend(RELEASE.map(|kind| event(3, kind)));
        assert_eq!(*queue.store(), expected);
        // After it had room and is full again, the next loss counts as a new one.
        queue.store_mut().clear();
        assert!(queue.push(event(3, on(1))) && queue.push(event(3, on(2))));
        assert!(!queue.push(event(3, off(1))));
        assert_eq!(*queue.store(), expected);
    }

    #[test]
    fn every_part_can_be_released_and_parts_that_cannot_exist_are_ignored() {
        let mut queue = BoundedEvents::with_capacity(0);
        for part in 0..=u8::MAX {
            assert!(!queue.push(event(part, off(60))));
        }
        assert_eq!(queue.store().len(), BoundedEvents::<()>::RESERVED);
        assert_eq!(queue.store().vacant(), 0);
    }

    /// Random traffic through a ring: at the end no key that was let go is still held.
    #[test]
    fn no_key_hangs_whatever_is_lost() {
        let (mut queue, mut out) = BoundedEvents::ring(8);
        let (mut state, mut lost) = (1u32, 0);
        let mut held = [[false; 128]; 4];
        let mut take = |count: usize| {
            for event in out.pop_iter().take(count) {
                let Event { part, kind, .. } = event;
                let keys = &mut held[usize::from(part)];
                match kind {
                    EventKind::NoteOn { key, .. } => keys[usize::from(key)] = true,
                    EventKind::NoteOff { key, .. } => keys[usize::from(key)] = false,
                    EventKind::AllNotesOff => *keys = [false; 128],
                    _ => {}
                }
            }
        };
        for _ in 0..100_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (part, key) = ((state >> 8 & 3) as u8, (state >> 10 & 7) as u8);
            lost += u32::from(!queue.push(event(part, on(key))));
            lost += u32::from(!queue.push(event(part, off(key))));
            if state >> 28 == 0 {
                take((state >> 16 & 63) as usize);
            }
        }
        take(usize::MAX);
        assert!(lost > 10_000, "{lost}");
        assert_eq!(held, [[false; 128]; 4]);
    }
}
