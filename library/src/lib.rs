//! The patches that editor, plugin and command line share: those of the factory, the user's own, which are
//! files in a folder, and which of them are favourites. [`explore`] makes new ones of them.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on stops here"))]

pub mod explore;
mod find;
mod folders;
mod library;
mod lists;
mod pack;
mod presets;
mod scale;

pub use find::{LibraryError, default_patch, load, named, resolve, resolve_in};
pub use folders::is_deleted;
pub use library::{Entry, Library, file_name};
pub use lists::MAX_RATING;
#[cfg(fuzzing)]
pub use pack::fuzz_pack;
pub use pack::{PackError, PackReport, is_pack, write_pack};
pub use presets::{Preset, PresetKind};
pub use scale::{
    ScaleError, is_keyboard, is_scale, read_keyboard, read_scale, scale_files, scale_folder,
};

/// Larger files are not patches.
const MAX_FILE_BYTES: u64 = 4 << 20;
