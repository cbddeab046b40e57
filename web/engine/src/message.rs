//! Messages from the page to an instrument: three words each.

use myriad_engine::EventKind;
use myriad_engine::params::Param;

/// A message as the page writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Message {
    /// The kind in the low byte, then the channel, then a key, controller or, in two bytes, a parameter.
    pub head: u32,
    /// A value in the unit of its kind.
    pub value: f32,
    /// The frame of the next block on which it takes effect.
    pub frame: u32,
}

impl Message {
    /// The MIDI channel, from 0.
    pub(crate) fn channel(self) -> u8 {
        (self.head >> 8) as u8 & 15
    }

    /// What it says; `None` for kinds and parameters that do not exist, and values that are no numbers.
    pub(crate) fn kind(self) -> Option<EventKind> {
        let number = (self.head >> 16) as u8 & 127;
        let value = self.value.is_finite().then_some(self.value)?;
        let unit = value.clamp(0.0, 1.0);
        Some(match self.head as u8 {
            1 if unit > 0.0 => EventKind::NoteOn { key: number, velocity: unit },
            1 | 2 => EventKind::NoteOff { key: number, velocity: unit },
            3 => EventKind::PitchBend(value.clamp(-1.0, 1.0)),
            4 => EventKind::ChannelPressure(unit),
            5 => EventKind::PolyPressure { key: number, value: unit },
            6 => EventKind::Control { cc: number, value: unit },
            7 => EventKind::Param { param: *Param::ALL.get((self.head >> 16) as usize)?, value },
            8 => EventKind::AllSoundOff,
            _ => return None,
        })
    }
}
