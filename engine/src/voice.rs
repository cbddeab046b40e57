//! A voice: one note, from its key to its clouds.

use crate::part::balance::Balance;

/// The most copies that unison makes of a voice.
pub(crate) const MAX_COPIES: usize = 16;

/// Layers of a voice.
pub(crate) const LAYERS: usize = 2;

/// What a note has of its own. What modulation does to it lies in lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Voice {
    pub(crate) state: VoiceState,
    pub(crate) key: u8,
    pub(crate) velocity: f32,
    pub(crate) release_velocity: f32,
    /// Held by the sostenuto pedal.
    pub(crate) sostenuto: bool,
    /// The number of the note since the start: the lower, the older.
    pub(crate) order: u64,
    /// Frames of the current tick that its envelopes have already lived through.
    pub(crate) clock: u32,
    /// Seconds since its start.
    pub(crate) age: f32,
    /// Its key, transposed as the patch said when it was played.
    pub(crate) target: f32,
    /// The same, or on the way there when it glides.
    pub(crate) pitch: f32,
    /// Semitones that a tick of gliding covers; zero when it has arrived.
    pub(crate) glide_step: f32,
    pub(crate) expression: NoteExpression,
    /// Pressure on its own key.
    pub(crate) pressure: f32,
    /// A number of its own, for phases and random modulation.
    pub(crate) seed: u32,
    /// How far it has faded in after its clouds were replaced, 0 to 1; notes start at 1, since
    /// their envelope begins at zero.
    pub(crate) entry: f32,
    /// Set until it has been rendered for the first time: the frame at which it starts.
    pub(crate) starts_at: Option<u32>,
    /// Its layers; the first `sounding` have clouds.
    pub(crate) layers: [VoiceLayer; LAYERS],
    pub(crate) sounding: usize,
    /// The clouds of each.
    pub(crate) copies: usize,
    /// What the phases of each copy are chosen by.
    pub(crate) seeds: [u32; MAX_COPIES],
}

/// What a note has of its own in one of its layers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VoiceLayer {
    /// The slots of its clouds; as many as the voice has copies.
    pub(crate) slots: [u32; MAX_COPIES],
    /// Powers of two that ratio 1 has decayed by.
    pub(crate) damping: f32,
    /// How far it has come through its table by itself.
    pub(crate) travelled: f32,
    /// What contrast leaves as it is, as a mark of its clouds; known from the first time on that there
    /// is any, and the same until the note ends.
    pub(crate) loudest: Option<u8>,
    /// What keeps it as loud as it was; see there.
    pub(crate) balance: Balance,
}

/// Where a voice is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum VoiceState {
    /// Silent, and free for a note.
    #[default]
    Free,
    /// Its key is down.
    Held,
    /// Its key is up, but a pedal holds it.
    Pedal,
    /// It is fading by itself.
    Released,
}

/// Expression of a single note.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoteExpression {
    pub(crate) semitones: f32,
    pub(crate) level: f32,
    pub(crate) pan: f32,
    pub(crate) brightness: f32,
}

impl Default for NoteExpression {
    fn default() -> Self {
        Self {
            semitones: 0.0,
            level: 1.0,
            pan: 0.0,
            brightness: 0.5,
        }
    }
}

impl Voice {
    pub(crate) fn is_free(&self) -> bool {
        self.state == VoiceState::Free
    }

    /// The slots of all its clouds.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        let layers = self.layers[..self.sounding].iter();
        layers.flat_map(|layer| layer.slots[..self.copies].iter().copied())
    }

    /// Moves the pitch towards the key by one tick.
    pub(crate) fn glide(&mut self) {
        self.pitch += self.glide_step;
        let past = (self.target - self.pitch) * self.glide_step.signum() <= 0.0;
        if self.glide_step == 0.0 || past {
            self.pitch = self.target;
            self.glide_step = 0.0;
        }
    }
}
