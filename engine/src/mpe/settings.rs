//! What an instance says about MPE.

/// Which channels are note channels without being announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MpeZone {
    /// None.
    #[default]
    Off,
    /// Those above channel 1.
    Lower,
    /// Those below channel 16.
    Upper,
}

/// MPE as an instance is set to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpeSettings {
    /// Whether there are note channels, and where.
    pub zone: MpeZone,
    /// How many, 1 to 15.
    pub channels: u8,
    /// Semitones of a full bend of a note channel, unless the controller says otherwise.
    pub bend_range: u8,
}

impl Default for MpeSettings {
    fn default() -> Self {
        Self { zone: MpeZone::Off, channels: 15, bend_range: 48 }
    }
}

impl MpeSettings {
    /// The widest bend range.
    pub const MAX_BEND_RANGE: u8 = 96;

    /// As a number, for atomics.
    pub const fn to_bits(self) -> u32 {
        u32::from_le_bytes([self.zone as u8, self.channels, self.bend_range, 0])
    }

    /// From such a number; every number gives valid settings.
    pub fn from_bits(bits: u32) -> Self {
        let [zone, channels, bend_range, _] = bits.to_le_bytes();
        let zone = match zone {
            1 => MpeZone::Lower,
            2 => MpeZone::Upper,
            _ => MpeZone::Off,
        };
        Self { zone, channels, bend_range }.clamped()
    }

    /// The nearest settings in range.
    pub fn clamped(self) -> Self {
        Self {
            channels: self.channels.clamp(1, 15),
            bend_range: self.bend_range.min(Self::MAX_BEND_RANGE),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_atomics() {
        for zone in [MpeZone::Off, MpeZone::Lower, MpeZone::Upper] {
            let settings = MpeSettings { zone, channels: 7, bend_range: 24 };
            assert_eq!(MpeSettings::from_bits(settings.to_bits()), settings);
        }
        let settings = MpeSettings::from_bits(u32::MAX);
        assert_eq!((settings.zone, settings.channels, settings.bend_range), (MpeZone::Off, 15, 96));
    }
}
