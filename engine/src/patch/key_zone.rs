//! Key zones: keys of a kit that play a patch of their own.

use super::Patch;

/// The most key zones of a patch.
pub const MAX_KEY_ZONES: usize = 128;

/// A key, or a range of keys, and the patch that they play. A patch with key zones is a kit: it plays
/// its zones, through its own effects; its other keys are silent.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyZone {
    /// First and last key.
    pub keys: [u8; 2],
    /// The note that the first key plays; those above follow in semitones.
    pub note: u8,
    /// Semitones added to it.
    pub tune: f32,
    /// Added to the pan of the patch, -1 to 1.
    pub pan: f32,
    /// Added to the level of the patch, in decibels.
    pub level: f32,
    /// A note cuts off all others of its choke group; 0 is none.
    pub choke: u8,
    /// The output that it is heard on, 1 to [`crate::OUTPUTS`]; 0 is the main one. Outputs that are not open are
    /// heard on the main one too.
    pub output: u8,
    /// What the keys play. Its effects and its own key zones are not used.
    pub patch: Patch,
}

impl KeyZone {
    /// The note that a zone's first key plays unless it says otherwise: middle C.
    pub const NOTE: u8 = 60;

    /// A zone of one key that plays `patch`.
    pub fn new(key: u8, patch: Patch) -> Self {
        let key = key.min(127);
        Self {
            keys: [key; 2],
            note: Self::NOTE,
            tune: 0.0,
            pan: 0.0,
            level: 0.0,
            choke: 0,
            output: 0,
            patch,
        }
    }

    /// Whether `key` belongs to it.
    pub fn contains(&self, key: u8) -> bool {
        (self.keys[0]..=self.keys[1]).contains(&key)
    }
}
