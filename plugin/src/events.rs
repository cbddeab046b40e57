//! Translates the host's note events to the engine's.

use crate::notes::{ALL, Note, NoteMatch, Notes};
use crate::synth::PART;
use myriad_engine::mpe::{Mpe, MpeSettings};
use myriad_engine::params::Param;
use myriad_engine::{BoundedEvents, Event, EventKind, Expression};
use nice_plug::midi::{Key, NoteEvent};
use nice_plug::prelude::PluginApi;

/// Events for the engine's next block, in the order of their frames.
pub(crate) struct Queue {
    events: BoundedEvents<Vec<Event>>,
    dropped: u64,
}

impl Queue {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { events: BoundedEvents::with_capacity(capacity), dropped: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.events.store_mut().clear();
        self.dropped = 0;
    }

    /// Adds an event, not before those already added.
    pub(crate) fn push(&mut self, frame: u32, kind: EventKind) {
        let event = self.event(frame, kind);
        self.dropped += u64::from(!self.events.push(event));
    }

    /// Follows the overflow rule for an event that the host has lost.
    pub(crate) fn lose(&mut self, frame: u32, kind: EventKind) {
        let event = self.event(frame, kind);
        self.events.lose(event);
        self.dropped += 1;
    }

    fn event(&self, frame: u32, kind: EventKind) -> Event {
        let last = self.events().last().map_or(0, |event| event.frame);
        Event { frame: frame.max(last), part: PART as u8, kind }
    }

    pub(crate) fn events(&self) -> &[Event] {
        self.events.store()
    }

    /// Events of this block that were dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// What the translation of a block depends on.
#[derive(Clone, Copy)]
pub(crate) struct BlockContext {
    pub(crate) api: PluginApi,
    /// The MPE parameter, and the settings of its zone.
    pub(crate) mpe: MpeSettings,
    /// No note starts while bypassed.
    pub(crate) bypassed: bool,
}

/// Tracks the sounding notes and the state of MPE channels.
pub(crate) struct Translator {
    pub(crate) notes: Notes,
    mpe: Mpe,
}

impl Translator {
    pub(crate) fn new() -> Self {
        Self { notes: Notes::new(), mpe: Mpe::new() }
    }

    pub(crate) fn reset(&mut self) {
        self.notes.clear();
        self.mpe = Mpe::new();
    }

    /// Releases all notes: the host has dropped events, and note-offs may be among them.
    pub(crate) fn lose(&mut self, frame: u32, queue: &mut Queue) {
        self.notes.release(ALL).for_each(drop);
        queue.lose(frame, EventKind::AllNotesOff);
    }

    pub(crate) fn translate(
        &mut self,
        event: &NoteEvent<()>,
        block: BlockContext,
        queue: &mut Queue,
    ) {
        let frame = event.timing();
        self.mpe.configure(block.mpe);
        let notes = NoteMatch::of(event);
        match *event {
            // A wildcard is no key to start.
            NoteEvent::NoteOn { key: Key::Wildcard, .. } => {}
            NoteEvent::NoteOn {
                voice_id: id, channel, key: Key::Number(key), velocity, ..
            } if velocity > 0.0 => {
                if !block.bypassed {
                    let channel = channel.number().unwrap_or(0);
                    self.start(frame, Note { id, channel, key }, velocity, queue);
                }
            }
            // As in MIDI, a note-on with velocity 0 is a note-off.
            NoteEvent::NoteOn { velocity, .. } | NoteEvent::NoteOff { velocity, .. } => {
                for key in self.notes.release(notes) {
                    queue.push(frame, EventKind::NoteOff { key, velocity });
                }
            }
            NoteEvent::Choke { .. } => {
                for key in self.notes.release(notes) {
                    queue.push(frame, EventKind::NoteChoke { key });
                }
            }
            NoteEvent::PolyPressure { pressure, .. } => {
                let value = unit(pressure);
                for key in self.notes.keys(notes) {
                    queue.push(frame, EventKind::PolyPressure { key, value });
                }
            }
            NoteEvent::PolyModulation { poly_modulation_id, normalized_offset: offset, .. } => {
                let Some(&param) = Param::ALL.get(poly_modulation_id as usize) else {
                    return;
                };
                for key in self.notes.keys(notes) {
                    let kind = EventKind::NoteModulation { key, param, offset };
                    queue.push(frame, kind);
                }
            }
            NoteEvent::MidiPitchBend { channel, value, .. } => {
                let bend = bend(value);
                if self.mpe.has(channel) {
                    self.mpe.set_bend(channel, bend);
                    self.express(frame, channel, Expression::Pitch, queue);
                } else {
                    queue.push(frame, EventKind::PitchBend(bend));
                }
            }
            NoteEvent::MidiChannelPressure { channel, pressure, .. } => {
                let pressure = unit(pressure);
                if self.mpe.has(channel) {
                    self.mpe.member(channel).pressure = pressure;
                    self.press(frame, channel, queue);
                } else {
                    queue.push(frame, EventKind::ChannelPressure(pressure));
                }
            }
            NoteEvent::MidiCC { channel, cc, value, .. } => {
                self.mpe.control(channel, cc, value);
                // All sound off, all notes off, and the modes that imply it.
                if matches!(cc, 120 | 123..=127) {
                    self.notes.release(ALL).for_each(drop);
                }
                match (self.mpe.has(channel), cc) {
                    (true, 74) => {
                        self.mpe.member(channel).brightness = value;
                        self.express(frame, channel, Expression::Brightness, queue);
                    }
                    // MPE uses the registered parameters of note channels.
                    (true, 6 | 38 | 100 | 101) => {}
                    _ => queue.push(frame, EventKind::Control { cc, value }),
                }
            }
            _ => {
                if let Some((kind, value)) = expression(event, block.api) {
                    for key in self.notes.keys(notes) {
                        queue.push(frame, EventKind::NoteExpression { key, kind, value });
                    }
                }
            }
        }
    }

    fn start(&mut self, frame: u32, note: Note, velocity: f32, queue: &mut Queue) {
        let Note { channel, key, .. } = note;
        self.notes.start(note);
        queue.push(frame, EventKind::NoteOn { key, velocity });
        if self.mpe.has(channel) {
            self.express(frame, channel, Expression::Pitch, queue);
            self.express(frame, channel, Expression::Brightness, queue);
            self.press(frame, channel, queue);
        }
    }

    /// Sends the pitch or brightness of an MPE channel to its notes.
    fn express(&mut self, frame: u32, channel: u8, kind: Expression, queue: &mut Queue) {
        let value = match kind {
            Expression::Pitch => self.mpe.semitones(channel),
            _ => self.mpe.member(channel).brightness,
        };
        for key in self.notes.on_channel(channel) {
            queue.push(frame, EventKind::NoteExpression { key, kind, value });
        }
    }

    /// Sends the pressure of an MPE channel to its notes.
    fn press(&mut self, frame: u32, channel: u8, queue: &mut Queue) {
        let value = self.mpe.member(channel).pressure;
        for key in self.notes.on_channel(channel) {
            queue.push(frame, EventKind::PolyPressure { key, value });
        }
    }
}

/// The engine's equivalent of a note expression, if there is one.
fn expression(event: &NoteEvent<()>, api: PluginApi) -> Option<(Expression, f32)> {
    Some(match *event {
        NoteEvent::PolyVolume { gain, .. } => (Expression::Level, gain),
        NoteEvent::PolyPan { pan, .. } => (Expression::Pan, pan),
        NoteEvent::PolyTuning { tuning, .. } => (Expression::Pitch, tuning),
        // nice-plug 0.4.2 swaps brightness and expression in VST3.
        NoteEvent::PolyBrightness { brightness: value, .. } if api != PluginApi::Vst3 => {
            (Expression::Brightness, value)
        }
        NoteEvent::PolyExpression { expression: value, .. } if api == PluginApi::Vst3 => {
            (Expression::Brightness, value)
        }
        _ => return None,
    })
}

/// Clamps to 0 to 1; NaN becomes 0.
fn unit(value: f32) -> f32 {
    match value.is_nan() {
        true => 0.0,
        false => value.clamp(0.0, 1.0),
    }
}

/// The pitch bend, -1 to 1, from a host's 0 to 1. The centre of MIDI is 8,192 of 16,383, that of VST3
/// is one half: both become 0.
fn bend(value: f32) -> f32 {
    let bend = 2.0 * value - 1.0;
    match bend.abs() < 1.5 / 16_383.0 {
        true => 0.0,
        false => bend,
    }
}

#[cfg(test)]
mod tests;
