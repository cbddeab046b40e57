//! Fills in a part's [`Snapshot`].

use super::Part;
use super::layer::{Walk, table};
use crate::engine::Snapshot;
use crate::modulation::Source;
use crate::params::Param;
use crate::pool::CloudPool;
use crate::voice::{Voice, VoiceState};

impl Part {
    /// Fills in everything but the sample rate.
    pub(crate) fn snapshot(&self, pool: &CloudPool, into: &mut Snapshot) {
        self.snapshot_clouds(pool, into);
        let Some((newest, _)) = self.newest_rendered() else {
            return;
        };
        into.sounding = true;
        for &param in Param::ALL {
            let heard = match param.info().is_per_voice() {
                true => self.target(param, newest),
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
            let (lanes, index) = self.lanes_of(newest);
            let travelled = lanes.layers[layer].travelled[index];
            let place = walk.place(travelled, into.heard[position]);
            into.heard.set(position, place);
        }
        for &(_, source) in Source::NAMES {
            into.sources[source as usize] = self.source(source, newest);
        }
    }

    /// Adds keys and clouds.
    pub(crate) fn snapshot_clouds(&self, pool: &CloudPool, into: &mut Snapshot) {
        for (_, voice) in self.rendered() {
            let held = matches!(voice.state, VoiceState::Held | VoiceState::Pedal);
            into.keys |= u128::from(held) << (voice.key & 127);
        }
        let Some((newest, _)) = self.newest_rendered() else {
            return;
        };
        let others = self.rendered().filter(|(index, _)| *index != newest);
        for (_, voice) in self.rendered().filter(|(index, _)| *index == newest).chain(others) {
            let clouds = voice.sides().flat_map(|slot| pool.last(slot, voice.copies));
            let room = Snapshot::MAX_CLOUDS - into.clouds.len();
            into.clouds.extend(clouds.take(room));
        }
    }

    /// Voices that sound. A new note is modulated and rendered from the next tick on.
    fn rendered(&self) -> impl Iterator<Item = (usize, &Voice)> {
        let voices = self.voices[..self.high].iter().enumerate();
        voices.filter(|(_, voice)| !voice.is_free() && voice.starts_at.is_none())
    }

    fn newest_rendered(&self) -> Option<(usize, &Voice)> {
        self.rendered().max_by_key(|(_, voice)| voice.order)
    }
}
