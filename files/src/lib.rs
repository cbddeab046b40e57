//! Files that are written completely or not at all, and files that are read.

pub mod atomic_file;
pub mod input;
pub mod wav;

pub use atomic_file::AtomicFile;
