//! Files that appear when they are complete and not before.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file being written beside its final name. Dropped before [`finish`](Self::finish), it is
/// removed, so neither an error nor Ctrl-C leaves half a file.
#[derive(Debug)]
pub(crate) struct UnfinishedFile {
    target: PathBuf,
    /// None when the target is a device such as `/dev/null`, or when all is done.
    temporary: Option<PathBuf>,
}

impl UnfinishedFile {
    /// Begins the file that will be called `target`.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub(crate) fn create(target: &Path) -> io::Result<(Self, File)> {
        // A link is followed, so that it still is one afterwards.
        let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let temporary = match fs::metadata(&real).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(kind) if !kind.is_file() => None,
            // Renaming would replace a file that is protected from writing: ask for that right.
            Ok(_) => File::options()
                .append(true)
                .open(&real)
                .map(|_| temporary_beside(&real))?,
            Err(_) => temporary_beside(&real),
        };
        let file = match &temporary {
            Some(path) => File::create(path)?,
            None => File::options().write(true).open(&real)?,
        };
        let unfinished = Self {
            target: real,
            temporary,
        };
        Ok((unfinished, file))
    }

    /// What it will be called.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the file its name. It must be closed, or at least flushed.
    ///
    /// # Errors
    /// When it cannot be renamed; then it is removed.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A hidden name in the same folder, so that renaming stays within one disk.
fn temporary_beside(target: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(target.file_name()?);
    name.push(format!(".{}.part", std::process::id()));
    Some(target.with_file_name(name))
}
