//! The pitch of notes: transposition, tuning and bend range.

use super::Part;
use crate::engine::PitchSettings;
use crate::params::Param;
use crate::tuning::Tuning;

/// How long a sounding note takes to its pitch in another tuning.
const RETUNE_SECONDS: f32 = 0.02;

impl Part {
    /// Sets what wins over the patch's tuning and bend range. Sounding notes glide to their new pitch.
    pub(crate) fn set_pitch_settings(&mut self, settings: &PitchSettings) {
        let before = *self.tuning();
        self.pitch_settings = *settings;
        if *self.tuning() != before {
            self.retune();
        }
    }

    /// The tuning in effect.
    pub(super) fn tuning(&self) -> &Tuning {
        self.pitch_settings.tuning.as_ref().unwrap_or(&self.patch_tuning)
    }

    /// Semitones of a full pitch bend.
    pub(super) fn bend_range(&self) -> f32 {
        self.pitch_settings.bend_range.unwrap_or(self.controls[Param::PitchBend])
    }

    /// Sets the bend range as a MIDI message has asked for it.
    pub(super) fn set_bend_range(&mut self, semitones: f32) {
        match &mut self.pitch_settings.bend_range {
            Some(range) => *range = semitones,
            None => self.controls.set(Param::PitchBend, semitones),
        }
    }

    /// The note that a key plays after transposition.
    pub(super) fn transposed(&self, note: f32) -> f32 {
        note + self.kit_transpose + self.controls[Param::PitchTranspose]
    }

    /// Moves sounding notes to their pitch in the tuning in effect.
    fn retune(&mut self) {
        self.notes_changed = true;
        let tuning = *self.tuning();
        let share = (self.tick_seconds() / RETUNE_SECONDS).min(1.0);
        for voice in self.voices[..self.high].iter_mut().filter(|voice| !voice.is_free()) {
            voice.target = tuning.pitch(voice.note);
            let way = voice.target - voice.pitch;
            // A glide keeps its pace.
            voice.glide_step = match voice.glide_step == 0.0 {
                true => way * share,
                false => voice.glide_step.abs().copysign(way),
            };
        }
    }
}
