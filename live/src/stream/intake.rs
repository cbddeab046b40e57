//! The events of a batch: those of the audio side and those of the agenda, in the order of their times.

use super::events::{Agenda, NOW, TimedEvent};
use super::status::Shared;
use myriad_engine::Event;
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::sync::atomic::Ordering::Relaxed;

/// The most events handed to the engine with a batch. Twice that is what the engine takes in a
/// tick; what is more waits for the next batch.
pub(super) const EVENTS: usize = 2_048;

/// What the render side knows of events.
pub(super) struct Intake {
    agenda: Agenda,
    /// Those of the last batch.
    events: Vec<Event>,
}

impl Intake {
    pub(super) fn new(agenda: Agenda) -> Self {
        Self {
            agenda,
            events: Vec::with_capacity(EVENTS),
        }
    }

    /// The events of a batch of `frames` frames from the time `start` on. `direct` are those of
    /// the audio side.
    pub(super) fn gather(
        &mut self,
        direct: &mut HeapCons<TimedEvent>,
        start: u64,
        frames: usize,
        shared: &Shared,
    ) -> &[Event] {
        self.events.clear();
        self.agenda.collect();
        let end = start + frames as u64;
        // Short batches share a tick, and so what the engine takes in one.
        let most = EVENTS.min(64 * frames);
        while self.events.len() < most
            && let Some(TimedEvent { time, event }) = self.next_before(end, direct)
        {
            if time < start && time != NOW {
                shared.events_late.fetch_add(1, Relaxed);
            }
            let frame = time.saturating_sub(start) as u32;
            self.events.push(Event { frame, ..event });
        }
        &self.events
    }

    /// The next event, if it is due before `end`.
    fn next_before(&mut self, end: u64, direct: &mut HeapCons<TimedEvent>) -> Option<TimedEvent> {
        let played = direct.try_peek().map(|event| event.time);
        let planned = self.agenda.next_time();
        let earliest = played.into_iter().chain(planned).min()?;
        if earliest >= end {
            None
        } else if planned == Some(earliest) {
            self.agenda.pop()
        } else {
            direct.try_pop()
        }
    }

    /// Everything begins anew at `time`: what was handed in for earlier is forgotten.
    pub(super) fn restart(&mut self, direct: &mut HeapCons<TimedEvent>, time: u64) {
        while direct.try_peek().is_some_and(|event| event.time < time) {
            direct.try_pop();
        }
    }

    /// Another audio side listens: what the last one has handed in happens now.
    pub(super) fn take_over(&mut self, direct: &mut HeapCons<TimedEvent>, shared: &Shared) {
        for TimedEvent { event, .. } in direct.pop_iter() {
            if !self.agenda.add(TimedEvent { time: NOW, event }) {
                shared.events_refused.fetch_add(1, Relaxed);
            }
        }
    }
}
