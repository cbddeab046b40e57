//! From the host's note events to the engine's.

use crate::mpe::Mpe;
use crate::notes::{ALL, Address, Note, Notes};
use crate::synth::PART;
use myriad_engine::params::Param;
use myriad_engine::{BoundedEvents, Event, EventKind, Expression};
use nice_plug::midi::{Key, NoteEvent, VoiceID};
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

    /// Adds an event; never before an earlier one.
    pub(crate) fn push(&mut self, frame: u32, kind: EventKind) {
        let event = self.event(frame, kind);
        self.dropped += u64::from(!self.events.push(event));
    }

    /// An event was lost before it could be added.
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

    /// Events of this block for which there was no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// How things stand while a block is translated.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) api: PluginApi,
    /// The switch for MPE.
    pub(crate) mpe: bool,
    /// While bypassed, no note starts.
    pub(crate) bypassed: bool,
}

/// Knows which notes sound and what MPE channels have said.
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

    /// The host had more events than it could hand over: the ends of notes may be among them.
    pub(crate) fn lose(&mut self, frame: u32, queue: &mut Queue) {
        self.notes.release(ALL).for_each(drop);
        queue.lose(frame, EventKind::AllNotesOff);
    }

    pub(crate) fn translate(&mut self, event: &NoteEvent<()>, setting: Setting, queue: &mut Queue) {
        let frame = event.timing();
        match *event {
            NoteEvent::NoteOn {
                voice_id: id, channel, key: Key::Number(key), velocity, ..
            } if velocity > 0.0 => {
                if !setting.bypassed {
                    let channel = channel.number().unwrap_or(0);
                    self.start(frame, Note { id, channel, key }, velocity, setting, queue);
                }
            }
            // Any key is none to strike.
            NoteEvent::NoteOn { key: Key::Wildcard, .. } => {}
            // As in MIDI, a key struck with nothing is let go.
            NoteEvent::NoteOn { voice_id: id, channel, key, velocity, .. }
            | NoteEvent::NoteOff { voice_id: id, channel, key, velocity, .. } => {
                for key in self.notes.release(Address { id, channel, key }) {
                    queue.push(frame, EventKind::NoteOff { key, velocity });
                }
            }
            NoteEvent::Choke { voice_id: id, channel, key, .. } => {
                for key in self.notes.release(Address { id, channel, key }) {
                    queue.push(frame, EventKind::NoteChoke { key });
                }
            }
            NoteEvent::PolyPressure { voice_id: id, channel, key, pressure, .. } => {
                let value = unit(pressure);
                for key in self.notes.keys(Address { id, channel, key }) {
                    queue.push(frame, EventKind::PolyPressure { key, value });
                }
            }
            NoteEvent::PolyModulation {
                voice_id,
                poly_modulation_id,
                normalized_offset: offset,
                ..
            } => {
                let Some(&param) = Param::ALL.get(poly_modulation_id as usize) else {
                    return;
                };
                let id = VoiceID::ID(voice_id);
                for key in self.notes.keys(Address { id, ..ALL }) {
                    let kind = EventKind::NoteModulation { key, param, offset };
                    queue.push(frame, kind);
                }
            }
            NoteEvent::MidiPitchBend { channel, value, .. } => {
                let bend = bend(value);
                if self.mpe.has(channel, setting.mpe) {
                    self.mpe.set_bend(channel, bend);
                    self.express(frame, channel, Expression::Pitch, queue);
                } else {
                    queue.push(frame, EventKind::PitchBend(bend));
                }
            }
            NoteEvent::MidiChannelPressure { channel, pressure, .. } => {
                let pressure = unit(pressure);
                if self.mpe.has(channel, setting.mpe) {
                    self.mpe.member(channel).pressure = pressure;
                    self.press(frame, channel, queue);
                } else {
                    queue.push(frame, EventKind::ChannelPressure(pressure));
                }
            }
            NoteEvent::MidiCC { channel, cc, value, .. } => {
                self.mpe.control(channel, cc, value, setting.mpe);
                // All sound off, all notes off, and what implies it.
                if matches!(cc, 120 | 123..=127) {
                    self.notes.release(ALL).for_each(drop);
                }
                match (self.mpe.has(channel, setting.mpe), cc) {
                    (true, 74) => {
                        self.mpe.member(channel).brightness = value;
                        self.express(frame, channel, Expression::Brightness, queue);
                    }
                    // Registered parameters of note channels are MPE's own.
                    (true, 6 | 38 | 100 | 101) => {}
                    _ => queue.push(frame, EventKind::Control { cc, value }),
                }
            }
            _ => self.translate_expression(event, setting.api, queue),
        }
    }

    /// Note expressions, of which the engine knows four.
    fn translate_expression(&self, event: &NoteEvent<()>, api: PluginApi, queue: &mut Queue) {
        let (id, channel, key, kind, value) = match *event {
            NoteEvent::PolyVolume { voice_id, channel, key, gain, .. } => {
                (voice_id, channel, key, Expression::Level, gain)
            }
            NoteEvent::PolyPan { voice_id, channel, key, pan, .. } => {
                (voice_id, channel, key, Expression::Pan, pan)
            }
            NoteEvent::PolyTuning { voice_id, channel, key, tuning, .. } => {
                (voice_id, channel, key, Expression::Pitch, tuning)
            }
            NoteEvent::PolyBrightness { voice_id, channel, key, brightness, .. }
                if api != PluginApi::Vst3 =>
            {
                (voice_id, channel, key, Expression::Brightness, brightness)
            }
            // nice-plug 0.4.2 mixes up these two in VST3.
            NoteEvent::PolyExpression { voice_id, channel, key, expression, .. }
                if api == PluginApi::Vst3 =>
            {
                (voice_id, channel, key, Expression::Brightness, expression)
            }
            _ => return,
        };
        let frame = event.timing();
        for key in self.notes.keys(Address { id, channel, key }) {
            queue.push(frame, EventKind::NoteExpression { key, kind, value });
        }
    }

    fn start(
        &mut self,
        frame: u32,
        note: Note,
        velocity: f32,
        setting: Setting,
        queue: &mut Queue,
    ) {
        let Note { channel, key, .. } = note;
        self.notes.start(note);
        queue.push(frame, EventKind::NoteOn { key, velocity });
        if self.mpe.has(channel, setting.mpe) {
            self.express(frame, channel, Expression::Pitch, queue);
            self.express(frame, channel, Expression::Brightness, queue);
            self.press(frame, channel, queue);
        }
    }

    /// Tells the notes of an MPE channel where their wheel or slider is.
    fn express(&mut self, frame: u32, channel: u8, kind: Expression, queue: &mut Queue) {
        let value = match kind {
            Expression::Pitch => self.mpe.semitones(channel),
            _ => self.mpe.member(channel).brightness,
        };
        for key in self.notes.on_channel(channel) {
            queue.push(frame, EventKind::NoteExpression { key, kind, value });
        }
    }

    /// Tells the notes of an MPE channel how hard they are pressed.
    fn press(&mut self, frame: u32, channel: u8, queue: &mut Queue) {
        let value = self.mpe.member(channel).pressure;
        for key in self.notes.on_channel(channel) {
            queue.push(frame, EventKind::PolyPressure { key, value });
        }
    }
}

/// What goes from 0 to 1, whatever the host says.
fn unit(value: f32) -> f32 {
    match value.is_nan() {
        true => 0.0,
        false => value.clamp(0.0, 1.0),
    }
}

/// The wheel, -1 to 1, from a host's 0 to 1. MIDI's middle is 8,192 of 16,383 and VST3's is one
/// half: both are the middle.
fn bend(value: f32) -> f32 {
    let bend = 2.0 * value - 1.0;
    match bend.abs() < 1.5 / 16_383.0 {
        true => 0.0,
        false => bend,
    }
}

#[cfg(test)]
mod tests;
