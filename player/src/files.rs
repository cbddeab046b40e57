//! Files that are read and written.

pub mod atomic_file;
pub mod library;
pub mod trace;
pub mod wav;
