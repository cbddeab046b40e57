//! Files that are written completely or not at all.

pub mod atomic_file;

pub use atomic_file::AtomicFile;
