//! Events of MIDI channels as the engine's: on the note channels of an MPE controller, bends, pressure and
//! brightness are for the notes of their channel alone.

use super::{Mpe, MpeSettings};
use crate::{EventKind, Expression};

/// What is known of the channels of one instrument.
#[derive(Clone, Debug)]
pub struct Channels {
    mpe: Mpe,
    /// The channel that each key was pressed on.
    pressed: [Option<u8>; 128],
}

impl Channels {
    /// Every channel at rest, no key pressed.
    pub fn new() -> Self {
        Self { mpe: Mpe::new(), pressed: [None; 128] }
    }

    /// Changes the settings; nothing happens if they are the same.
    pub fn configure(&mut self, settings: MpeSettings) {
        self.mpe.configure(settings);
    }

    /// Calls `out` with what the engine is to play for an event on a channel, which counts from 0. Never
    /// allocates.
    pub fn play(&mut self, channel: u8, kind: EventKind, out: &mut impl FnMut(EventKind)) {
        let member = self.mpe.has(channel);
        match kind {
            EventKind::NoteOn { key, velocity } if velocity > 0.0 => {
                out(kind);
                self.pressed[usize::from(key)] = Some(channel);
                if member {
                    self.express(channel, Expression::Pitch, out);
                    self.express(channel, Expression::Brightness, out);
                    self.press(channel, out);
                }
            }
            EventKind::NoteOn { key, .. } | EventKind::NoteOff { key, .. } => {
                self.pressed[usize::from(key)] = None;
                out(kind);
            }
            EventKind::PitchBend(bend) if member => {
                self.mpe.set_bend(channel, bend);
                self.express(channel, Expression::Pitch, out);
            }
            EventKind::ChannelPressure(pressure) if member => {
                self.mpe.member(channel).pressure = pressure;
                self.press(channel, out);
            }
            EventKind::Control { cc, value } => {
                self.mpe.control(channel, cc, value);
                match (self.mpe.has(channel), cc) {
                    (true, 74) => {
                        self.mpe.member(channel).brightness = value;
                        self.express(channel, Expression::Brightness, out);
                    }
                    // MPE uses the registered parameters of note channels.
                    (true, 6 | 38 | 100 | 101) => {}
                    _ => out(kind),
                }
            }
            EventKind::AllSoundOff => {
                self.pressed = [None; 128];
                out(kind);
            }
            _ => out(kind),
        }
    }

    /// Sends the pitch or brightness of a channel to its notes.
    fn express(&mut self, channel: u8, kind: Expression, out: &mut impl FnMut(EventKind)) {
        let value = match kind {
            Expression::Pitch => self.mpe.semitones(channel),
            _ => self.mpe.member(channel).brightness,
        };
        self.keys(channel).for_each(|key| out(EventKind::NoteExpression { key, kind, value }));
    }

    /// Sends the pressure of a channel to its notes.
    fn press(&mut self, channel: u8, out: &mut impl FnMut(EventKind)) {
        let value = self.mpe.member(channel).pressure;
        self.keys(channel).for_each(|key| out(EventKind::PolyPressure { key, value }));
    }

    /// Keys that were pressed on a channel.
    fn keys(&self, channel: u8) -> impl Iterator<Item = u8> {
        (0..128).filter(move |key| self.pressed[usize::from(*key)] == Some(channel))
    }
}

impl Default for Channels {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bend_on_a_note_channel_is_for_its_note() {
        let mut channels = Channels::new();
        let mut play = |channel, kind| {
            let mut out = Vec::new();
            channels.play(channel, kind, &mut |kind| out.push(kind));
            out
        };
        let on = |key| EventKind::NoteOn { key, velocity: 0.5 };
        assert_eq!(play(0, EventKind::PitchBend(0.5)), [EventKind::PitchBend(0.5)]);
        // The MPE configuration message: 15 note channels.
        for (cc, value) in [(101, 0.0), (100, 6.0 / 127.0), (6, 15.0 / 127.0)] {
            play(0, EventKind::Control { cc, value });
        }
        play(1, on(60));
        play(2, on(64));
        let bent = play(2, EventKind::PitchBend(0.25));
        let kind = Expression::Pitch;
        assert_eq!(bent, [EventKind::NoteExpression { key: 64, kind, value: 12.0 }]);
        play(2, EventKind::NoteOff { key: 64, velocity: 0.5 });
        assert_eq!(play(2, EventKind::PitchBend(0.5)), []);
    }
}
