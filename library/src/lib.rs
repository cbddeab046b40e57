//! The patches that editor, plugin and command line share: those of the factory, the user's own, which are
//! files in a folder, and which of them are favourites. [`explore`] makes new ones of them.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on stops here"))]

pub mod explore;
mod find;
mod library;
mod lists;
mod scale;

pub use find::{LibraryError, default_patch, load, named, resolve, resolve_in};
pub use library::{Entry, Library, file_name};
pub use lists::MAX_RATING;
pub use scale::{
    ScaleError, is_keyboard, is_scale, read_keyboard, read_scale, scale_files, scale_folder,
};

/// Larger files are not patches.
const MAX_FILE_BYTES: u64 = 4 << 20;
