//! Files that are read and written.

pub use myriad_files::atomic_file;
pub mod library;
pub mod trace;
pub mod wav;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file; none when it is larger than `limit` bytes.
pub(crate) fn read_limited(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}
