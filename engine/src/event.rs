//! What happens to the engine, and on which sample.

mod queue;

pub use queue::{BoundedEvents, EventStore, Queued, TimedEvent};

use crate::params::Param;

/// Something that happens at a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Frames from the start of the block that the event arrives with.
    pub frame: u32,
    /// The part it is for; parts that do not exist ignore it.
    pub part: u8,
    /// What happens.
    pub kind: EventKind,
}

/// Kinds of events. Levels, velocities and controllers go from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A key goes down.
    NoteOn {
        /// MIDI key; 69 is A at 440 Hz.
        key: u8,
        /// How hard.
        velocity: f32,
    },
    /// A key goes up.
    NoteOff {
        /// The key.
        key: u8,
        /// How fast it was let go.
        velocity: f32,
    },
    /// The pitch wheel, -1 to 1; the range is a parameter.
    PitchBend(f32),
    /// Pressure on all keys.
    ChannelPressure(f32),
    /// Pressure on one key.
    PolyPressure {
        /// The key.
        key: u8,
        /// How hard it is pressed.
        value: f32,
    },
    /// A MIDI controller. The engine knows modulation (1), breath (2), data entry (6, 38) for
    /// the bend range, volume (7), pan (10), expression (11), sustain (64), sostenuto (66),
    /// brightness (74), all sound off (120), reset (121) and all notes off (123).
    Control {
        /// Its number.
        cc: u8,
        /// Its position.
        value: f32,
    },
    /// One note's own expression.
    NoteExpression {
        /// The note's key.
        key: u8,
        /// What of it moves.
        kind: Expression,
        /// To where.
        value: f32,
    },
    /// One note stops at once: it fades within milliseconds.
    NoteChoke {
        /// The note's key.
        key: u8,
    },
    /// What a host adds to a parameter for one note alone, until the note ends.
    NoteModulation {
        /// The note's key.
        key: u8,
        /// Which; others than modulated ones are ignored.
        param: Param,
        /// Parts of the knob's way, -1 to 1; a new offset replaces the one before.
        offset: f32,
    },
    /// A parameter changes to a value in its own unit.
    Param {
        /// Which.
        param: Param,
        /// Its new value; clamped to its range.
        value: f32,
    },
    /// Every note is released; pedals still hold theirs.
    AllNotesOff,
    /// Every sound fades within milliseconds.
    AllSoundOff,
    /// Where the song is, for what follows its tempo. Goes to all parts.
    Transport {
        /// Quarter notes per minute.
        bpm: f32,
        /// Quarter notes since the start of the song.
        beat: f64,
    },
}

impl EventKind {
    /// Whether a note could sound for ever if this were lost.
    const fn ends_notes(&self) -> bool {
        match *self {
            EventKind::NoteOff { .. }
            | EventKind::NoteChoke { .. }
            | EventKind::AllNotesOff
            | EventKind::AllSoundOff => true,
            EventKind::NoteOn { velocity, .. } => velocity <= 0.0,
            EventKind::Control { cc, value } => match cc {
                64 | 66 => value < 0.5,
                _ => cc >= 120,
            },
            _ => false,
        }
    }
}

/// What a single note can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Semitones added to its pitch.
    Pitch,
    /// A factor of its level, 0 to 4.
    Level,
    /// Its place, -1 left to 1 right.
    Pan,
    /// Its brightness, 0 to 1, for routes from `brightness`.
    Brightness,
}
