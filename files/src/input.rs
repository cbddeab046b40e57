//! Files that are read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file to read it. A named pipe is refused: opening it would wait until somebody writes to
/// it. Pipes of the shell, `<(command)`, are found below `/dev` and have somebody who writes.
///
/// # Errors
/// When the file cannot be opened, or is a named pipe.
pub fn open(path: &Path) -> io::Result<File> {
    if is_named_pipe(path) && !path.starts_with("/dev") {
        return Err(io::Error::other("a named pipe; give a file"));
    }
    File::open(path)
}

/// Reads a file; none when it is larger than `limit` bytes.
///
/// # Errors
/// When the file cannot be read, or is a named pipe.
pub fn read_limited(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Whether a path leads to a pipe.
pub(crate) fn is_named_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
