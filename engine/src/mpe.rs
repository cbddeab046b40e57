//! MPE: controllers that send each note on its own channel.
//!
//! A zone is a channel that controls all notes, and note channels next to it, each of which controls the
//! bend, pressure and brightness of its own notes: the lower zone is channel 1 with the channels above
//! it, the upper zone channel 16 with those below it. Zones are there by the settings, or by the
//! configuration message of MPE controllers (registered parameter 6 on the zone's first channel: the
//! number of note channels).

mod channels;
mod settings;

pub use channels::Channels;
pub use settings::{MpeSettings, MpeZone};

/// The channel that controls all notes of a zone: of the lower, of the upper.
const MANAGERS: [u8; 2] = [0, 15];

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
    settings: MpeSettings,
    /// Note channels that the controller has announced, of the lower and the upper zone.
    announced: [u8; 2],
    /// Semitones of a full bend.
    range: f32,
    /// The registered parameter that is selected on each channel.
    registered: [[u8; 2]; 16],
}

impl Mpe {
    /// Every channel at rest, no zones.
    pub fn new() -> Self {
        let settings = MpeSettings::default();
        Self {
            members: [NEUTRAL; 16],
            settings,
            announced: [0; 2],
            range: settings.bend_range.into(),
            registered: [[127; 2]; 16],
        }
    }

    /// Changes the settings; nothing happens if they are the same.
    pub fn configure(&mut self, settings: MpeSettings) {
        if settings.bend_range != self.settings.bend_range {
            self.range = settings.bend_range.into();
        }
        self.settings = settings;
    }

    /// Whether a channel is a note channel.
    pub fn has(&self, channel: u8) -> bool {
        let [lower, upper] = match self.settings.zone {
            MpeZone::Off => self.announced,
            MpeZone::Lower => [self.settings.channels, 0],
            MpeZone::Upper => [0, self.settings.channels],
        };
        let [lower, upper] = [lower.min(15), upper.min(15)];
        (1..=lower).contains(&channel) || (upper > 0 && (15 - upper..15).contains(&channel))
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
    pub fn control(&mut self, channel: u8, cc: u8, value: f32) {
        let number = (value * 127.0).round() as u8;
        let member = self.has(channel);
        let zone = MANAGERS.iter().position(|manager| *manager == channel);
        let registered = &mut self.registered[usize::from(channel & 15)];
        match (cc, &registered) {
            (101, _) => registered[0] = number,
            (100, _) => registered[1] = number,
            (6, [0, 6]) => {
                if let Some(zone) = zone {
                    // A zone takes channels from the other one.
                    self.announced[zone] = number.min(15);
                    self.announced[1 - zone] = self.announced[1 - zone].min(14 - number.min(14));
                }
            }
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

    fn say(mpe: &mut Mpe, channel: u8, messages: [(u8, f32); 3]) {
        messages.iter().for_each(|(cc, value)| mpe.control(channel, *cc, value / 127.0));
    }

    #[test]
    fn a_controller_announces_its_channels_and_their_bend_range() {
        let mut mpe = Mpe::new();
        assert!(!mpe.has(1));
        say(&mut mpe, 0, [(101, 0.0), (100, 6.0), (6, 7.0)]);
        say(&mut mpe, 3, [(101, 0.0), (100, 0.0), (6, 24.0)]);
        assert!(mpe.has(7) && !mpe.has(8) && !mpe.has(0));
        mpe.set_bend(3, 0.5);
        assert_eq!(mpe.semitones(3), 12.0);
        // The upper zone beside it, and then instead of it.
        say(&mut mpe, 15, [(101, 0.0), (100, 6.0), (6, 5.0)]);
        assert!(mpe.has(7) && mpe.has(10) && mpe.has(14) && !mpe.has(9) && !mpe.has(15));
        say(&mut mpe, 15, [(101, 0.0), (100, 6.0), (6, 15.0)]);
        assert!(mpe.has(1) && mpe.has(14) && !mpe.has(15));
        say(&mut mpe, 15, [(101, 0.0), (100, 6.0), (6, 0.0)]);
        assert!(!(0..16).any(|channel| mpe.has(channel)));
    }

    #[test]
    fn settings_choose_zone_channels_and_bend_range() {
        let mut mpe = Mpe::new();
        mpe.set_bend(14, 0.5);
        mpe.configure(MpeSettings { zone: MpeZone::Upper, channels: 3, bend_range: 12 });
        assert!((0..16).filter(|&channel| mpe.has(channel)).eq(12..15));
        assert_eq!(mpe.semitones(14), 6.0);
        mpe.configure(MpeSettings { zone: MpeZone::Lower, channels: 15, bend_range: 12 });
        assert!((0..16).filter(|&channel| mpe.has(channel)).eq(1..16));
        // A controller that says otherwise wins until the setting changes.
        say(&mut mpe, 3, [(101, 0.0), (100, 0.0), (6, 48.0)]);
        mpe.configure(MpeSettings { zone: MpeZone::Lower, channels: 15, bend_range: 12 });
        assert_eq!(mpe.semitones(14), 24.0);
    }
}
