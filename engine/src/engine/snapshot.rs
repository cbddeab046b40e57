//! A snapshot of what sounds, for displays: copied between two blocks.

use super::Engine;
use crate::controls::Values;
use crate::modulation::Source;
use crate::spectrum::Cloud;

/// State of a part at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The clouds that sound, newest notes first; at most [`Snapshot::MAX_CLOUDS`].
    pub clouds: Vec<Cloud>,
    /// Frames per second, which the clouds' pitches refer to.
    pub sample_rate: f32,
    /// Keys that are down or held by a pedal, a bit each.
    pub keys: u128,
    /// Whether anything sounds. If not, the next two fields are not valid.
    pub sounding: bool,
    /// Modulated parameters of the newest note.
    pub heard: Values,
    /// Source values of the newest note; zero for sources that no route uses.
    pub sources: [f32; Source::COUNT],
}

impl Snapshot {
    /// Enough for a display; further clouds are left out.
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

    /// Copies another one into the memory of this one.
    pub(super) fn copy(&mut self, other: &Snapshot) {
        self.clouds.clone_from(&other.clouds);
        self.heard.0 = other.heard.0;
        self.sources = other.sources;
        (self.sample_rate, self.keys) = (other.sample_rate, other.keys);
        self.sounding = other.sounding;
    }

    /// Sets it to silence.
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
    /// Copies the state of `part`. Never allocates: copies at most [`Snapshot::MAX_CLOUDS`] clouds.
    pub fn snapshot(&self, part: usize, into: &mut Snapshot) {
        into.fall_silent();
        into.sample_rate = self.config.sample_rate;
        if let Some(playing) = self.parts.get(part) {
            playing.snapshot(&self.pool, into);
        }
        for zone in self.playing(part).skip(1) {
            zone.snapshot_clouds(&self.pool, into);
        }
    }
}
