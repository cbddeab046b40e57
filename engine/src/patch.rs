//! Patches: a sound as data.

mod key_zone;
mod migrate;
mod playable;
mod read;
mod search;
mod text;
mod write;

pub use key_zone::{KeyZone, MAX_KEY_ZONES};
pub use playable::Playable;
pub use read::closest;
pub use search::search;
pub use text::PatchError;

use crate::controls::Values;
use crate::impulse::ImpulseResponse;
use crate::modulation::{Drawing, DrawnEnvelope, ENVELOPES, LFOS, Route};
use crate::params::Param;
use crate::tracks::Tracks;
use crate::tuning::ScaleSetting;
use crate::voice::LAYERS;
use std::sync::Arc;

/// The format that this version writes. Older ones are migrated, newer ones refused.
pub const FORMAT: u32 = 3;

/// How many macros a patch has.
pub const MACROS: usize = 8;

/// A sound: parameters, routes and metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Name.
    pub name: String,
    /// Category: keys, pad, bass and so on.
    pub category: String,
    /// Author.
    pub author: String,
    /// One sentence of description.
    pub description: String,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// Names of the macros; empty for those without a use.
    pub macro_names: [String; MACROS],
    /// Every parameter.
    pub values: Values,
    /// Drawn waveforms of the LFOs.
    pub drawings: [Drawing; LFOS],
    /// Envelopes that are drawn in place of their stages.
    pub envelopes: [Option<DrawnEnvelope>; ENVELOPES],
    /// Imported tables, for `source.table` and `layer.table` "imported".
    pub tracks: [Option<Arc<Tracks>>; LAYERS],
    /// The imported impulse response, for `convolver.response` "imported".
    pub impulse: Option<Arc<ImpulseResponse>>,
    /// The modulation matrix; at most [`crate::modulation::MAX_ROUTES`].
    pub routes: Vec<Route>,
    /// The pitch of its keys; none is equal temperament. A kit's drums keep their own.
    pub tuning: Option<Arc<ScaleSetting>>,
    /// Key zones, of a kit; at most [`MAX_KEY_ZONES`].
    pub key_zones: Vec<KeyZone>,
}

impl Patch {
    /// A patch in which everything has its default.
    pub fn new() -> Self {
        Self {
            name: "Init".into(),
            category: "template".into(),
            author: String::new(),
            description: String::new(),
            tags: Vec::new(),
            macro_names: Default::default(),
            values: Values::new(),
            drawings: [Drawing::default(); LFOS],
            envelopes: [None; ENVELOPES],
            tracks: [const { None }; LAYERS],
            impulse: None,
            routes: Vec::new(),
            tuning: None,
            key_zones: Vec::new(),
        }
    }

    /// Reads a patch from TOML. `file` is its name in errors.
    ///
    /// # Errors
    /// When the text is not a patch: file, line, key and what was expected.
    pub fn parse(text: &str, file: &str) -> Result<Patch, PatchError> {
        read::parse(text, file)
    }

    /// Copies name, category and other metadata of `other`; the sound stays.
    pub fn describe_as(&mut self, other: &Patch) {
        self.name.clone_from(&other.name);
        self.category.clone_from(&other.category);
        self.author.clone_from(&other.author);
        self.description.clone_from(&other.description);
        self.tags.clone_from(&other.tags);
        self.macro_names.clone_from(&other.macro_names);
    }

    /// Copies the drawn waveforms, the drawn envelopes and the tables of `other`.
    pub fn copy_drawn(&mut self, other: &Patch) {
        self.drawings = other.drawings;
        self.envelopes = other.envelopes;
        self.tracks.clone_from(&other.tracks);
    }

    /// The most clouds that it plays at once: for every voice one for each copy of its unison, in each
    /// layer that has clouds of its own; two where its partials are panned.
    pub fn most_clouds(&self) -> usize {
        if !self.key_zones.is_empty() {
            return self.key_zones.iter().map(crate::part::kit::most_clouds).sum();
        }
        let layers = crate::part::layers(self.values[Param::LayerMode]);
        let is_panned =
            |tracks: &Option<Arc<Tracks>>| tracks.as_ref().is_some_and(|t| t.is_panned());
        let clouds = self.tracks[..layers].iter().map(|tracks| 1 + usize::from(is_panned(tracks)));
        let number = |param: Param| self.values[param] as usize;
        number(Param::VoiceLimit) * number(Param::UnisonVoices) * clouds.sum::<usize>()
    }

    /// The patch as TOML, with only what differs from the defaults.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }
}

impl Default for Patch {
    fn default() -> Self {
        Self::new()
    }
}

/// The factory patches.
pub mod factory {
    use super::Patch;
    use std::sync::LazyLock;

    // FILES and DRUMS: names and texts of `assets/patches` and `assets/drums`, embedded by the build
    // script.
    include!(concat!(env!("OUT_DIR"), "/factory_list.rs"));

    /// All of them, by name.
    pub fn patches() -> &'static [Patch] {
        static PATCHES: LazyLock<Vec<Patch>> = LazyLock::new(|| {
            let parse = |&(file, text): &(&str, &str)| Patch::parse(text, file);
            // A test parses every embedded patch; one that fails is left out.
            let read = FILES.iter().map(parse);
            let mut patches: Vec<Patch> = read.filter_map(Result::ok).collect();
            patches.sort_by(|a, b| a.name.cmp(&b.name));
            patches
        });
        &PATCHES
    }

    /// The one with this name, in upper or lower case. Only its file is parsed, so a program that needs one
    /// patch starts quickly.
    pub fn find(name: &str) -> Option<Patch> {
        parse(FILES.iter(), name)
    }

    /// The drum or factory patch with this name, for kits.
    pub(super) fn sound(name: &str) -> Option<Patch> {
        parse(DRUMS.iter().chain(FILES), name)
    }

    /// Parses the patch with this name; its file is named after it.
    fn parse<'a>(
        mut files: impl Iterator<Item = &'a (&'a str, &'a str)>,
        name: &str,
    ) -> Option<Patch> {
        let wanted = format!("{}.toml", name.to_lowercase().replace(' ', "-"));
        let (file, text) = files.find(|(file, _)| *file == wanted)?;
        Patch::parse(text, file).ok()
    }

    /// Files and texts of the drums that kits are made of.
    pub fn drums() -> &'static [(&'static str, &'static str)] {
        DRUMS
    }

    /// Files and texts of the embedded patches.
    pub fn files() -> &'static [(&'static str, &'static str)] {
        FILES
    }
}

#[cfg(test)]
mod tests;
