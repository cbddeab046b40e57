//! Messages from the page to an instrument: three words each.

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

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    NoteOn { key: u8, velocity: f32 },
    NoteOff { key: u8, velocity: f32 },
    Bend(f32),
    Pressure(f32),
    KeyPressure { key: u8, value: f32 },
    Control { cc: u8, value: f32 },
    Param { param: Param, value: f32 },
    Panic,
}

impl Message {
    /// The MIDI channel, from 0.
    pub(crate) fn channel(self) -> u8 {
        (self.head >> 8) as u8 & 15
    }

    /// What it says; `None` for kinds and parameters that do not exist, and values that are no numbers.
    pub(crate) fn kind(self) -> Option<Kind> {
        let number = (self.head >> 16) as u8 & 127;
        let value = self.value.is_finite().then_some(self.value)?;
        let unit = value.clamp(0.0, 1.0);
        Some(match self.head as u8 {
            1 => Kind::NoteOn { key: number, velocity: unit },
            2 => Kind::NoteOff { key: number, velocity: unit },
            3 => Kind::Bend(value.clamp(-1.0, 1.0)),
            4 => Kind::Pressure(unit),
            5 => Kind::KeyPressure { key: number, value: unit },
            6 => Kind::Control { cc: number, value: unit },
            7 => Kind::Param { param: *Param::ALL.get((self.head >> 16) as usize)?, value },
            8 => Kind::Panic,
            _ => return None,
        })
    }
}
