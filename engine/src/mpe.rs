//! MPE: controllers that send each note on its own channel.
//!
//! The first channel controls all notes; each other channel controls the bend, pressure and brightness
//! of its own notes. MPE is on by the parameter, or by the configuration message of MPE controllers
//! (registered parameter 6 on the first channel: the number of note channels).

mod channels;

pub use channels::Channels;

/// MPE's default bend range, in semitones.
const BEND_RANGE: f32 = 48.0;

/// The last values of a note channel.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Pitch bend, -1 to 1.
    bend: f32,
    /// Pressure, 0 to 1.
    pub pressure: f32,
    /// Brightness, 0 to 1; the middle is neutral.
    pub brightness: f32,
}

const NEUTRAL: Member = Member { bend: 0.0, pressure: 0.0, brightness: 0.5 };

/// The state of all channels.
#[derive(Clone, Debug)]
pub struct Mpe {
    members: [Member; 16],
    /// Note channels that the controller has announced.
    announced: u8,
    /// Semitones of a full bend.
    range: f32,
    /// The registered parameter that is selected on each channel.
    registered: [[u8; 2]; 16],
}

impl Mpe {
    /// Every channel at rest, none announced.
    pub fn new() -> Self {
        Self { members: [NEUTRAL; 16], announced: 0, range: BEND_RANGE, registered: [[127; 2]; 16] }
    }

    /// Whether a channel is a note channel. `switch` is the parameter.
    pub fn has(&self, channel: u8, switch: bool) -> bool {
        let members = if switch { 15 } else { self.announced };
        (1..=members).contains(&channel)
    }

    /// The values of a channel.
    pub fn member(&mut self, channel: u8) -> &mut Member {
        &mut self.members[usize::from(channel & 15)]
    }

    /// The channel's pitch bend in semitones.
    pub fn semitones(&self, channel: u8) -> f32 {
        self.members[usize::from(channel & 15)].bend * self.range
    }

    /// Bends a channel, by -1 to 1 of its range.
    pub fn set_bend(&mut self, channel: u8, bend: f32) {
        self.member(channel).bend = bend;
    }

    /// Handles registered parameters: the configuration message, and the bend range of note channels.
    pub fn control(&mut self, channel: u8, cc: u8, value: f32, switch: bool) {
        let number = (value * 127.0).round() as u8;
        let member = self.has(channel, switch);
        let registered = &mut self.registered[usize::from(channel & 15)];
        match (cc, &registered) {
            (101, _) => registered[0] = number,
            (100, _) => registered[1] = number,
            (6, [0, 6]) if channel == 0 => self.announced = number.min(15),
            (6, [0, 0]) if member => self.range = f32::from(number),
            _ => {}
        }
    }
}

impl Default for Mpe {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_announces_its_channels_and_their_bend_range() {
        let mut mpe = Mpe::new();
        assert!(!mpe.has(1, false) && mpe.has(1, true) && !mpe.has(0, true));
        let mut say = |channel, cc, value: f32| mpe.control(channel, cc, value / 127.0, false);
        for (channel, cc, value) in [(0, 101, 0.0), (0, 100, 6.0), (0, 6, 7.0)] {
            say(channel, cc, value);
        }
        for (channel, cc, value) in [(3, 101, 0.0), (3, 100, 0.0), (3, 6, 24.0)] {
            say(channel, cc, value);
        }
        assert!(mpe.has(7, false) && !mpe.has(8, false));
        mpe.set_bend(3, 0.5);
        assert_eq!(mpe.semitones(3), 12.0);
    }
}
