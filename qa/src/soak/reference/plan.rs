//! Compares the events that the engine was given with those that were sent.

use myriad_engine::EventKind;
use myriad_live::stream::LogEntry;
use std::collections::BTreeMap;
use std::fmt;

/// An event that was given late or not at all.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MissedEvent {
    /// The frame that it was sent for.
    pub(super) time: u64,
    part: u8,
    kind: EventKind,
    /// When it was given, if it was.
    given: Option<u64>,
}

impl MissedEvent {
    /// By how many frames it was late; 0 if it was lost.
    pub(super) fn frames(&self) -> f64 {
        self.given.map_or(0.0, |given| (given - self.time) as f64)
    }
}

impl fmt::Display for MissedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, kind, .. } = self;
        write!(f, "an event for part {part} was ")?;
        match self.given {
            Some(_) => write!(f, "{} frames late: {kind:?}", self.frames()),
            None => write!(f, "lost: {kind:?}"),
        }
    }
}

/// Frames after which an event is lost. When very many come at once, some of them wait.
const LOST_AFTER: u64 = 4_800;

/// Events that were sent and not yet given to the engine.
#[derive(Default)]
pub(super) struct Plan {
    events: BTreeMap<u64, Vec<(u8, EventKind)>>,
    /// Events of the batch whose entry comes next: frame, part, kind.
    batch: Vec<(u64, u8, EventKind)>,
    /// The time of the last batch's end.
    end: u64,
}

impl Plan {
    /// An event was sent for this frame.
    pub(super) fn expect(&mut self, time: u64, part: u8, kind: EventKind) {
        self.events.entry(time).or_default().push((part, kind));
    }

    /// Takes entries of the log, and returns events that are late or lost. Events that nobody planned
    /// come from MIDI and are as they should be.
    pub(super) fn check(&mut self, entries: &[LogEntry]) -> Vec<MissedEvent> {
        let mut off = Vec::new();
        for entry in entries {
            match *entry {
                LogEntry::Event(event) => {
                    self.batch.push((u64::from(event.frame), event.part, event.kind));
                }
                LogEntry::Batch { start, frames, .. } => {
                    self.check_batch(start, frames as u64, &mut off);
                }
                LogEntry::Patch { .. }
                | LogEntry::Routes { .. }
                | LogEntry::Drawn { .. }
                | LogEntry::Room { .. }
                | LogEntry::Connected { .. } => {}
            }
        }
        off
    }

    fn check_batch(&mut self, start: u64, frames: u64, off: &mut Vec<MissedEvent>) {
        for (frame, part, kind) in std::mem::take(&mut self.batch) {
            let at = start + frame;
            if self.take(at, part, kind) {
                continue;
            }
            // It is late: because its frame was skipped in an underrun, or for no good reason.
            let times: Vec<u64> = self.events.range(..at).map(|(time, _)| *time).collect();
            if let Some(time) = times.into_iter().find(|time| self.take(*time, part, kind))
                && !(self.end..start).contains(&time)
            {
                off.push(MissedEvent { time, part, kind, given: Some(at) });
            }
        }
        let end = start + frames;
        let later = self.events.split_off(&end.saturating_sub(LOST_AFTER));
        for (time, events) in std::mem::replace(&mut self.events, later) {
            let lost = |(part, kind)| MissedEvent { time, part, kind, given: None };
            off.extend(events.into_iter().map(lost));
        }
        self.end = end;
    }

    /// Removes an event, if it was sent for this frame.
    fn take(&mut self, time: u64, part: u8, kind: EventKind) -> bool {
        let Some(events) = self.events.get_mut(&time) else {
            return false;
        };
        let Some(found) = events.iter().position(|event| *event == (part, kind)) else {
            return false;
        };
        events.remove(found);
        if events.is_empty() {
            self.events.remove(&time);
        }
        true
    }
}
