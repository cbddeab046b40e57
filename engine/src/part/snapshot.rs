//! Fills in a part's [`Snapshot`].

use super::Part;
use super::layer::{Walk, table};
use crate::engine::Snapshot;
use crate::modulation::Source;
use crate::params::Param;
use crate::pool::CloudPool;
use crate::voice::VoiceState;

impl Part {
    /// Fills in everything but the sample rate.
    pub(crate) fn snapshot(&self, pool: &CloudPool, into: &mut Snapshot) {
        let sounding = || {
            let voices = self.voices[..self.high].iter().enumerate();
            // A new note is modulated and rendered from the next tick on.
            voices.filter(|(_, voice)| !voice.is_free() && voice.starts_at.is_none())
        };
        for (_, voice) in sounding() {
            let held = matches!(voice.state, VoiceState::Held | VoiceState::Pedal);
            into.keys |= u128::from(held) << (voice.key & 127);
        }
        let Some((newest, voice)) = sounding().max_by_key(|(_, voice)| voice.order) else {
            return;
        };
        into.sounding = true;
        for &param in Param::ALL {
            let heard = match param.info().modulated && !param.info().shared {
                true => self.modulation.target(param, newest),
                false => self.controls[param],
            };
            into.heard.set(param, heard);
        }
        // A position that moves by itself is shown where it is now.
        let layers = [
            (Param::SourceTable, Param::SourcePosition),
            (Param::LayerTable, Param::LayerPosition),
        ];
        for (layer, (choice, position)) in layers.into_iter().enumerate() {
            let table = table(self.controls[choice], self.imported[layer]);
            let walk = Walk::new(table, &self.controls, self.sample_rate);
            let place = walk.place(&voice.layers[layer], into.heard[position]);
            into.heard.set(position, place);
        }
        for &(_, source) in Source::NAMES {
            into.sources[source as usize] = self.modulation.source(source, newest);
        }
        let others = sounding().filter(|(index, _)| *index != newest);
        for (_, voice) in sounding().filter(|(index, _)| *index == newest).chain(others) {
            for slot in voice.slots() {
                if into.clouds.len() < Snapshot::MAX_CLOUDS {
                    into.clouds.push(pool.last(slot));
                }
            }
        }
    }
}
