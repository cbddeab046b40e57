//! Files that are written beside their final name, synced, and renamed when they are complete.

use crate::input::is_named_pipe;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What the stem of a visible temporary name ends in.
pub const UNFINISHED: &str = "myriad-unfinished";

/// A file being written. Dropped before [`finish`](Self::finish), it is removed, so that neither an
/// error nor Ctrl-C leaves an incomplete file, unless it is to be [kept](Self::keep).
#[derive(Debug)]
pub struct AtomicFile {
    /// The path as the user gave it.
    name: PathBuf,
    /// The same with symbolic links followed.
    target: PathBuf,
    /// None when the target is a device such as `/dev/null`, and after the rename.
    temporary: Option<PathBuf>,
    /// To sync it, and to hold the lock of a visible file.
    handle: File,
    /// Whether it stays when it is dropped.
    keep: bool,
}

impl AtomicFile {
    /// Creates the temporary file for `target`, under a hidden name.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn create(target: &Path) -> io::Result<(Self, File)> {
        Self::create_with(target, create_hidden)
    }

    /// The same under a visible name that a user finds when the program was killed: `take.wav` is
    /// `take.myriad-unfinished.wav`. It is locked as long as it is written.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn create_visible(target: &Path) -> io::Result<(Self, File)> {
        Self::create_with(target, create_locked)
    }

    fn create_with(
        target: &Path,
        create: fn(&Path) -> io::Result<(PathBuf, File)>,
    ) -> io::Result<(Self, File)> {
        let real = follow_links(target);
        if is_named_pipe(&real) {
            return Err(io::Error::other(
                "a named pipe, which cannot be written in places; give a file",
            ));
        }
        let replaced = fs::metadata(&real).ok();
        let kind = replaced.as_ref().map(Metadata::file_type);
        let (temporary, handle) = match kind {
            Some(kind) if kind.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Some(kind) if !kind.is_file() => (None, OpenOptions::new().write(true).open(&real)?),
            _ => {
                // Renaming would replace a file that is write-protected, so the permission is checked.
                if kind.is_some() {
                    OpenOptions::new().append(true).open(&real)?;
                }
                let (path, handle) = create(&real)?;
                (Some(path), handle)
            }
        };
        let file = Self { name: target.to_owned(), target: real, temporary, handle, keep: false };
        if let (Some(replaced), Some(_)) = (replaced, &file.temporary) {
            copy_ownership(&replaced, &file.handle)?;
        }
        let handle = file.handle.try_clone()?;
        Ok((file, handle))
    }

    /// The path as the user gave it.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The open file.
    pub fn handle(&self) -> &File {
        &self.handle
    }

    /// From here on the file stays under its temporary name when it cannot be finished.
    pub fn keep(&mut self) {
        self.keep = true;
    }

    /// Syncs the file and renames it to its final name. It must be flushed before.
    ///
    /// # Errors
    /// When it cannot be synced or renamed.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        let renamed = self.handle.sync_all().and_then(|()| fs::rename(temporary, &self.target));
        renamed.map_err(|error| match self.keep {
            true => io::Error::other(format!("{error}; it is kept as {}", temporary.display())),
            false => error,
        })?;
        self.temporary = None;
        sync_folder(&self.target);
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
        if let Some(temporary) = self.temporary.take_if(|_| !self.keep) {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// The path that a symbolic link leads to, which need not exist: a link is not replaced by a file.
pub fn follow_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// Gives the new file the mode of the file that it replaces and, where that is allowed, its owner.
fn copy_ownership(replaced: &Metadata, file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Group and owner apart: the group may be allowed where the owner is not.
        let _ = fchown(file, None, Some(replaced.gid()));
        let _ = fchown(file, Some(replaced.uid()), None);
    }
    file.set_permissions(replaced.permissions())
}

/// Makes a rename survive a power cut. Where folders cannot be synced, the file system does what it can.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

/// Creates a file under a hidden name in the same folder, because a rename works within one file
/// system only.
fn create_hidden(target: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = target.with_file_name(format!(".myriad-{}-{count}.part", std::process::id()));
    let file = File::create(&path)?;
    Ok((path, file))
}

/// Creates and locks a file under the first visible name that is free.
fn create_locked(target: &Path) -> io::Result<(PathBuf, File)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    for number in 1.. {
        let path = numbered(target, UNFINISHED, number);
        match options.open(&path) {
            Ok(file) => {
                // File systems without locks have no recovery either.
                let _ = file.lock();
                // Before it was locked, a recovery may have taken it for one that was left behind.
                if path.exists() {
                    return Ok((path, file));
                }
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// `take.wav` with the word "more" is `take.more.wav`, and with the number 2 `take.more-2.wav`.
pub fn numbered(path: &Path, word: &str, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{word}"));
    if number > 1 {
        name.push(format!("-{number}"));
    }
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        for mode in [0o600, 0o664, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let owner = fs::metadata(&path).unwrap().uid();
            write(&path, b"new").unwrap();
            let metadata = fs::metadata(&path).unwrap();
            assert_eq!((metadata.mode() & 0o7777, metadata.uid()), (mode, owner));
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }

    /// A link stays a link, also when it leads nowhere yet.
    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [link, second, real] = ["link", "second", "real"].map(|name| folder.path().join(name));
        symlink("second", &link).unwrap();
        symlink(&real, &second).unwrap();
        for text in ["created", "replaced"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&real).unwrap(), text);
            assert!(link.is_symlink() && second.is_symlink() && !real.is_symlink());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn unfinished_files_have_visible_names_and_are_removed_unless_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("take.wav");
        let (first, _) = AtomicFile::create_visible(&path).unwrap();
        let (mut second, _) = AtomicFile::create_visible(&path).unwrap();
        let names = [".myriad-unfinished.wav", ".myriad-unfinished-2.wav"];
        let [one, two] = names.map(|end| folder.path().join(format!("take{end}")));
        assert!(one.exists() && two.exists());
        second.keep();
        drop((first, second));
        assert!(!one.exists() && two.exists() && !path.exists());
    }
}
