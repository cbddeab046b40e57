//! A snapshot of what sounds, for those who draw it: copied out between two blocks.

use super::Engine;
use crate::controls::Values;
use crate::modulation::Source;
use crate::spectrum::Cloud;

/// What a part is doing at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The clouds that sound, newest notes first; at most [`Snapshot::MAX_CLOUDS`].
    pub clouds: Vec<Cloud>,
    /// Frames per second, which the clouds' pitches refer to.
    pub sample_rate: f32,
    /// Keys that are down or held by a pedal, a bit each.
    pub keys: u128,
    /// Whether anything sounds. If not, the next two fields say nothing.
    pub sounding: bool,
    /// Parameters as the newest note hears them.
    pub heard: Values,
    /// Sources as the newest note hears them; those that no route uses are zero.
    pub sources: [f32; Source::COUNT],
}

impl Snapshot {
    /// Enough for a picture; the rest is left out.
    pub const MAX_CLOUDS: usize = 256;

    /// Silence.
    pub fn new() -> Self {
        Self {
            clouds: Vec::with_capacity(Self::MAX_CLOUDS),
            sample_rate: 48_000.0,
            keys: 0,
            sounding: false,
            heard: Values::new(),
            sources: [0.0; Source::COUNT],
        }
    }

    /// Becomes like another one, and keeps its own memory.
    pub(super) fn copy(&mut self, other: &Snapshot) {
        self.clouds.clone_from(&other.clouds);
        self.heard.0 = other.heard.0;
        self.sources = other.sources;
        (self.sample_rate, self.keys) = (other.sample_rate, other.keys);
        self.sounding = other.sounding;
    }

    /// Nothing sounds.
    pub(super) fn fall_silent(&mut self) {
        self.clouds.clear();
        self.sounding = false;
        self.keys = 0;
    }
}

impl Default for Snapshot {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// Shows what `part` is doing. Never allocates: copies at most [`Snapshot::MAX_CLOUDS`]
    /// clouds.
    pub fn snapshot(&self, part: usize, into: &mut Snapshot) {
        into.fall_silent();
        into.sample_rate = self.config.sample_rate;
        if let Some(part) = self.parts.get(part) {
            part.snapshot(&self.pool, into);
        }
    }
}
