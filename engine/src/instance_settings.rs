//! Settings of an instance, as players, plugins and their editors change them.

use crate::engine::PitchSettings;
use crate::mpe::MpeSettings;
use crate::tuning::ScaleSetting;
use std::sync::Arc;

/// Settings that belong to an instance and not to a patch. What they leave open is the patch's.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceSettings {
    /// The pitch of the keys.
    pub tuning: Option<Arc<ScaleSetting>>,
    /// Semitones of a full pitch bend.
    pub bend_range: Option<f32>,
    /// Controllers that send each note on its own channel.
    pub mpe: MpeSettings,
    /// Whether the tuning of an MTS-ESP master is followed, where there is one.
    pub follows_mts: bool,
}

impl Default for InstanceSettings {
    fn default() -> Self {
        let mpe = MpeSettings::default();
        Self { tuning: None, bend_range: None, mpe, follows_mts: true }
    }
}

impl InstanceSettings {
    /// The widest bend range.
    pub const MAX_BEND_RANGE: f32 = 96.0;

    /// What an engine needs of them.
    pub fn pitch(&self) -> PitchSettings {
        PitchSettings {
            tuning: self.tuning.as_ref().map(|scale| *scale.tuning()),
            bend_range: self.bend_range,
            ignores_followed: !self.follows_mts,
        }
    }
}
