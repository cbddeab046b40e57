//! Files that appear when they are complete and not before.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file being written beside its final name. Dropped before [`finish`](Self::finish), it is
/// removed, so neither an error nor Ctrl-C leaves half a file.
#[derive(Debug)]
pub struct AtomicFile {
    /// What the user calls it.
    name: PathBuf,
    /// The same with all links followed.
    target: PathBuf,
    /// None when the target is a device such as `/dev/null`, or when all is done.
    temporary: Option<PathBuf>,
}

impl AtomicFile {
    /// Begins the file that will be called `target`.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn create(target: &Path) -> io::Result<(Self, File)> {
        // A link is followed, so that it still is one afterwards.
        let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let temporary = match fs::metadata(&real).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(kind) if !kind.is_file() => None,
            // Renaming would replace a file that is protected from writing: ask for that right.
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
        let atomic_file = Self {
            name: target.to_owned(),
            target: real,
            temporary,
        };
        Ok((atomic_file, file))
    }

    /// What the user calls it.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Gives the file its name. It must be closed, or at least flushed.
    ///
    /// # Errors
    /// When it cannot be renamed; then it is removed.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

/// Writes a whole file: the old one is there until the new one is complete.
///
/// # Errors
/// When nothing can be written there.
pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(target, |file| file.write_all(bytes))
}

/// The same piece by piece, for what is too large to hold.
///
/// # Errors
/// When nothing can be written there.
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

/// A hidden name in the same folder, so that renaming stays within one disk.
fn temporary_beside(target: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    target.with_file_name(format!(".myriad-{}-{count}.part", std::process::id()))
}
