//! Patches: a sound as data.

mod error;
mod factory_list;
mod migrate;
mod playable;
mod read;
mod search;
mod text;
mod write;

pub use error::PatchError;
pub use playable::Playable;
pub use search::search;

use crate::controls::Values;
use crate::modulation::{Drawing, LFOS, Route};
use crate::tracks::Tracks;
use crate::voice::LAYERS;
use std::sync::Arc;

/// The format that this version writes. Older ones are migrated, newer ones refused.
pub const FORMAT: u32 = 3;

/// How many macros a patch has.
pub const MACROS: usize = 8;

/// A sound: parameters, routes and what people want to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// What it is called.
    pub name: String,
    /// What it is for: keys, pad, bass and so on.
    pub category: String,
    /// Who made it.
    pub author: String,
    /// What to expect, in a sentence.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What the macros do here; empty for those without a use.
    pub macro_names: [String; MACROS],
    /// Every parameter.
    pub values: Values,
    /// What is drawn for the LFOs.
    pub drawings: [Drawing; LFOS],
    /// The tables that it brings along, for `source.table` and `layer.table` "imported".
    pub tracks: [Option<Arc<Tracks>>; LAYERS],
    /// The modulation matrix; at most [`crate::modulation::MAX_ROUTES`].
    pub routes: Vec<Route>,
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
            tracks: [const { None }; LAYERS],
            routes: Vec::new(),
        }
    }

    /// Reads a patch from TOML. `file` is what errors call it.
    ///
    /// # Errors
    /// When the text is not a patch: says where, which key, and what would be right.
    pub fn parse(text: &str, file: &str) -> Result<Patch, PatchError> {
        read::parse(text, file)
    }

    /// Says of itself what `other` does, and sounds as before.
    pub fn describe_as(&mut self, other: &Patch) {
        self.name.clone_from(&other.name);
        self.category.clone_from(&other.category);
        self.author.clone_from(&other.author);
        self.description.clone_from(&other.description);
        self.tags.clone_from(&other.tags);
        self.macro_names.clone_from(&other.macro_names);
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

/// The patches that Myriad comes with.
pub mod factory {
    use super::{Patch, factory_list};
    use std::sync::LazyLock;

    /// All of them, by name.
    pub fn patches() -> &'static [Patch] {
        static PATCHES: LazyLock<Vec<Patch>> = LazyLock::new(|| {
            let parse = |&(file, text): &(&str, &str)| Patch::parse(text, file);
            // A test holds every embedded patch against the parser; one that fails is left out.
            let read = factory_list::FILES.iter().map(parse);
            let mut patches: Vec<Patch> = read.filter_map(Result::ok).collect();
            patches.sort_by(|a, b| a.name.cmp(&b.name));
            patches
        });
        &PATCHES
    }

    /// The one with this name, in any case.
    pub fn find(name: &str) -> Option<&'static Patch> {
        patches()
            .iter()
            .find(|patch| patch.name.eq_ignore_ascii_case(name))
    }

    /// The name closest to `name`, for a misspelt one.
    pub fn closest(name: &str) -> Option<&'static str> {
        crate::patch::read::closest(name, patches().iter().map(|patch| patch.name.as_str()))
    }

    /// Files and texts of the embedded patches.
    pub fn files() -> &'static [(&'static str, &'static str)] {
        factory_list::FILES
    }
}

#[cfg(test)]
mod tests;
