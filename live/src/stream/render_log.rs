//! The render log: what the engine of a stream was given and where its frames went, so that another
//! engine can render the same again.
//!
//! The render side writes small records into a ring buffer. Patches and routes own memory, so the control
//! side keeps copies of them, and the records have their numbers.

use super::render_side::Command;
use myriad_engine::modulation::Route;
use myriad_engine::{Event, Patch};
use ringbuf::traits::{Consumer, Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::collections::VecDeque;

/// Records that wait to be read: those of some seconds, or of several floods of events.
const CAPACITY: usize = 1 << 16;

/// An entry of the log, in the order of the engine's calls.
#[derive(Clone, Debug)]
pub enum LogEntry {
    /// The patch of a part changed before the next batch.
    Patch {
        /// The part.
        part: usize,
        /// Its patch from now on.
        patch: Box<Patch>,
    },
    /// The routes of a part changed before the next batch.
    Routes {
        /// The part.
        part: usize,
        /// Its routes from now on.
        routes: Vec<Route>,
    },
    /// The drawn waveforms and tables of a part changed before the next batch.
    Drawn {
        /// The part.
        part: usize,
        /// A patch that has them.
        patch: Box<Patch>,
    },
    /// The engine has room for so many slots from the next batch on.
    Room {
        /// The slots.
        slots: usize,
    },
    /// An event of the next batch. Its frame counts from the beginning of the batch.
    Event(Event),
    /// Another audio side has replaced the last one, at this time of the stream. Its first frames are
    /// silent, and the batches after this fade in.
    Connected {
        /// The time of the audio side's first frame.
        time: u64,
    },
    /// Frames that the engine has rendered.
    Batch {
        /// The time of the stream for events: that of the batch's first frame.
        start: u64,
        /// The time at which the first frame is to be heard.
        time: u64,
        /// How many frames.
        frames: usize,
    },
}

/// An entry without memory of its own.
#[derive(Clone, Copy)]
pub(super) enum Record {
    /// A patch, or a part of one, by number.
    Change(u64),
    Room {
        slots: usize,
    },
    Event(Event),
    Connected {
        time: u64,
    },
    Batch {
        start: u64,
        time: u64,
        frames: usize,
    },
}

/// The render side's end.
pub(super) struct LogWriter {
    records: HeapProd<Record>,
    is_cut: bool,
}

/// The control side's end.
pub(super) struct LogReader {
    records: HeapCons<Record>,
    /// Copies of patches and routes that were sent, by number.
    changes: VecDeque<(u64, LogEntry)>,
    sent: u64,
}

pub(super) fn render_log() -> (LogWriter, LogReader) {
    let (writer, reader) = HeapRb::new(CAPACITY).split();
    (
        LogWriter { records: writer, is_cut: false },
        LogReader { records: reader, changes: VecDeque::new(), sent: 0 },
    )
}

impl LogWriter {
    /// Adds a record. A log that was full once is incomplete, so nothing is added to it any more.
    pub(super) fn write(&mut self, record: Record) {
        self.is_cut = self.is_cut || self.records.try_push(record).is_err();
    }
}

impl LogReader {
    /// Keeps a copy of what a command brings, and returns its number.
    pub(super) fn keep(&mut self, command: &Command) -> u64 {
        let entry = match command {
            Command::Patch { part, patch, .. } => {
                LogEntry::Patch { part: *part, patch: Box::new(Patch::clone(patch)) }
            }
            Command::Routes { part, routes, .. } => {
                LogEntry::Routes { part: *part, routes: routes.clone() }
            }
            Command::Drawn { part, patch, .. } => {
                LogEntry::Drawn { part: *part, patch: Box::new(Patch::clone(patch)) }
            }
            Command::Pitch { .. } | Command::FrameRing { .. } => return 0,
        };
        self.sent += 1;
        self.changes.push_back((self.sent, entry));
        self.sent
    }

    /// Appends the entries since the last call. Returns false when the log was full, so that entries are
    /// missing from here on.
    pub(super) fn read(&mut self, entries: &mut Vec<LogEntry>) -> bool {
        let is_complete = !self.records.is_full();
        for record in self.records.pop_iter() {
            entries.extend(match record {
                Record::Event(event) => Some(LogEntry::Event(event)),
                Record::Room { slots } => Some(LogEntry::Room { slots }),
                Record::Connected { time } => Some(LogEntry::Connected { time }),
                Record::Batch { start, time, frames } => {
                    Some(LogEntry::Batch { start, time, frames })
                }
                Record::Change(number) => {
                    // Those before it were replaced while they waited.
                    let replaced = self.changes.partition_point(|change| change.0 < number);
                    self.changes.drain(..replaced);
                    self.changes.pop_front().map(|change| change.1)
                }
            });
        }
        is_complete
    }
}
