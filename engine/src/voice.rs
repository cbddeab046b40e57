//! A voice: one note, from its key to its clouds.

use crate::part::balance::Balance;
use crate::spectrum::MAX_COPIES;
use crate::spectrum::unison::SeedSteps;

/// The most copies of a voice whose partials are panned: each has a cloud on the left and one on the right.
pub(crate) const MAX_PANNED_COPIES: usize = MAX_COPIES / 2;

/// Layers of a voice.
pub(crate) const LAYERS: usize = 2;

/// The state of a note. Its modulation is computed in SIMD lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Voice {
    pub(crate) state: VoiceState,
    pub(crate) key: u8,
    pub(crate) velocity: f32,
    pub(crate) release_velocity: f32,
    /// Held by the sostenuto pedal.
    pub(crate) sostenuto: bool,
    /// The number of the note: lower is older.
    pub(crate) order: u64,
    /// Frames of the current tick that its envelopes have already computed.
    pub(crate) clock: u32,
    /// Its key, transposed as the patch said when it was played.
    pub(crate) note: f32,
    /// The pitch of that note in the tuning.
    pub(crate) target: f32,
    /// The current pitch, which differs from `target` during a glide.
    pub(crate) pitch: f32,
    /// Semitones per tick of a glide; zero at the target.
    pub(crate) glide_step: f32,
    pub(crate) expression: NoteExpression,
    /// Pressure on its own key.
    pub(crate) pressure: f32,
    /// A random number for phases and random modulation.
    pub(crate) seed: u32,
    /// The frame at which it starts; `None` after its first render.
    pub(crate) starts_at: Option<u32>,
    /// Its layers; the first `sounding` have clouds.
    pub(crate) layers: [VoiceLayer; LAYERS],
    pub(crate) sounding: usize,
    /// The clouds of each.
    pub(crate) copies: usize,
    /// The seeds of the phases of the copies, relative to that of the voice.
    pub(crate) seed_steps: SeedSteps,
}

/// The state of one layer of a note.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VoiceLayer {
    /// The first slot of its copies, and where they are panned that of their clouds on the right.
    pub(crate) slots: [u32; 2],
    /// Whether every copy has two clouds, for the left and the right.
    pub(crate) is_panned: bool,
    /// Flags for the level that contrast leaves unchanged; set when contrast is first used, and constant
    /// until the note ends.
    pub(crate) loudest: Option<u8>,
    /// Keeps its loudness constant.
    pub(crate) balance: Balance,
}

impl VoiceLayer {
    /// The first slot of its copies: the only ones, or with `right` the second of a panned layer.
    #[inline(always)]
    pub(crate) fn side(&self, right: bool) -> u32 {
        self.slots[usize::from(right)]
    }

    /// The first slots of all its copies.
    pub(crate) fn sides(&self) -> impl Iterator<Item = u32> {
        self.slots.into_iter().take(1 + usize::from(self.is_panned))
    }
}

/// The state of a voice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum VoiceState {
    /// Silent, available for a note.
    #[default]
    Free,
    /// Silent since this tick of the block; its slots are not free yet.
    Ended {
        /// The tick.
        tick: u8,
    },
    /// Its key is down.
    Held,
    /// Its key is up, but a pedal holds it.
    Pedal,
    /// Its release phase.
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
        Self { semitones: 0.0, level: 1.0, pan: 0.0, brightness: 0.5 }
    }
}

impl Voice {
    pub(crate) fn is_free(&self) -> bool {
        matches!(self.state, VoiceState::Free | VoiceState::Ended { .. })
    }

    /// The first slots of the copies of all its layers and sides.
    pub(crate) fn sides(&self) -> impl Iterator<Item = u32> + '_ {
        self.layers[..self.sounding].iter().flat_map(VoiceLayer::sides)
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
