//! Files that are written beside their final name and renamed when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file being written. Dropped before [`finish`](Self::finish), it is removed, so that neither an
/// error nor Ctrl-C leaves an incomplete file.
#[derive(Debug)]
pub struct AtomicFile {
    /// The path as the user gave it.
    name: PathBuf,
    /// The same with symbolic links followed.
    target: PathBuf,
    /// None when the target is a device such as `/dev/null`, and after the rename.
    temporary: Option<PathBuf>,
}

impl AtomicFile {
    /// Creates the temporary file for `target`.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn create(target: &Path) -> io::Result<(Self, File)> {
        // Links are followed, so that a link is not replaced by a file.
        let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let temporary = match fs::metadata(&real).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(kind) if !kind.is_file() => None,
            // Renaming would replace a file that is write-protected, so the permission is checked.
            Ok(_) => {
                File::options().append(true).open(&real)?;
                Some(temporary_beside(&real))
            }
            Err(_) => Some(temporary_beside(&real)),
        };
        let file = match &temporary {
            Some(path) => File::create(path)?,
            None => File::options().write(true).open(&real)?,
        };
        let atomic_file = Self { name: target.to_owned(), target: real, temporary };
        Ok((atomic_file, file))
    }

    /// The path as the user gave it.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Renames the file to its final name. It must be closed or flushed before.
    ///
    /// # Errors
    /// When it cannot be renamed; it is removed then.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

/// Writes a whole file.
///
/// # Errors
/// When the file cannot be written.
pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(target, |file| file.write_all(bytes))
}

/// Writes a file in pieces, for content that is too large for memory.
///
/// # Errors
/// When the file cannot be written.
pub fn write_with(
    target: &Path,
    pieces: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let (atomic_file, file) = AtomicFile::create(target)?;
    let mut file = BufWriter::new(file);
    pieces(&mut file)?;
    file.flush()?;
    drop(file);
    atomic_file.finish()
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A hidden name in the same folder, because a rename works within one file system only.
fn temporary_beside(target: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    target.with_file_name(format!(".myriad-{}-{count}.part", std::process::id()))
}
