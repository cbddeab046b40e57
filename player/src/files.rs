//! Files that are read and written.

pub mod trace;
pub mod wav;

pub use myriad_files::{atomic_file, input};
