//! Tuning and bend range of an engine, which win over those of its patches.

use super::Engine;
use crate::tuning::Tuning;

/// What an instance says about pitch. What it leaves open is the patch's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PitchSettings {
    /// The pitch of every key.
    pub tuning: Option<Tuning>,
    /// Semitones of a full pitch bend.
    pub bend_range: Option<f32>,
    /// Whether [`Engine::follow_tuning`] has no effect.
    pub ignores_followed: bool,
}

impl Engine {
    /// Changes tuning and bend range of all parts; sounding notes glide to their new pitch. Never
    /// allocates.
    pub fn set_pitch_settings(&mut self, settings: &PitchSettings) {
        self.config.pitch = *settings;
        self.apply_pitch_settings();
    }

    /// Follows the tuning of another program, which wins over all settings; `None` ends it. Sounding notes
    /// glide to their new pitch. Never allocates.
    pub fn follow_tuning(&mut self, tuning: Option<&Tuning>) {
        self.followed = tuning.copied();
        self.apply_pitch_settings();
    }

    fn apply_pitch_settings(&mut self) {
        let mut settings = self.config.pitch;
        if !settings.ignores_followed {
            settings.tuning = self.followed.or(settings.tuning);
        }
        for part in &mut self.parts {
            part.set_pitch_settings(&settings);
        }
    }
}
