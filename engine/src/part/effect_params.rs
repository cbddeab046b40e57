//! The parameters of a part's effects, with the routes applied.

use super::{Part, Transport};
use crate::effects::{EffectContext, EffectParams, EffectValues};
use crate::modulation::Source;
use crate::params::Param;

impl Part {
    /// Fills in the effect parameters for the tick that was just computed.
    pub(crate) fn effect_params(&mut self, transport: Transport, effect_params: &mut EffectParams) {
        effect_params.changed = std::mem::take(&mut self.patch_changed);
        effect_params.cut = self.cut;
        effect_params.convolution = self.convolution;
        effect_params.used =
            EffectValues::SWITCHES.iter().any(|&switch| self.controls[switch] != 0.0);
        if !effect_params.used {
            return;
        }
        effect_params.context = EffectContext { bpm: transport.bpm, beat: transport.beat };
        effect_params.values.read(self.controls.values());
        if self.modulation.has_shared() {
            self.listen();
            let source = |source: Source| self.heard[source as usize];
            self.modulation.shared_targets(&self.controls, source, |param, value| {
                effect_params.values.set(param, value);
            });
        }
    }

    /// Keeps the source values of the newest note. After its end, sources that belong to no note go
    /// on.
    fn listen(&mut self) {
        let newest = self.newest();
        for &(_, source) in Source::NAMES {
            if !self.modulation.uses(source) {
                continue;
            }
            let value = match newest {
                Some(voice) => Some(self.source(source, voice)),
                None => self.without_notes(source),
            };
            if let Some(value) = value {
                self.heard[source as usize] = value;
            }
        }
    }

    /// Value of a source that is the same for all notes, and without any.
    pub(super) fn without_notes(&self, source: Source) -> Option<f32> {
        let channel = &self.channel;
        match source {
            Source::Wheel => Some(channel.wheel.now()),
            Source::Bend => Some(channel.bend.now()),
            Source::Breath => Some(channel.breath.now()),
            Source::Expression => Some(channel.expression.now()),
            Source::Lfo1
            | Source::Lfo2
            | Source::Lfo3
            | Source::Lfo4
            | Source::Lfo5
            | Source::Lfo6 => self.lfos[source as usize - Source::Lfo1 as usize].shared(),
            source if source as usize >= Source::Macro1 as usize => {
                let index = source as usize - Source::Macro1 as usize;
                Some(self.controls[Param::Macro1.offset(index)])
            }
            _ => None,
        }
    }
}
