//! Packs: patches in one file, to give to others. A pack is a zip archive of patch files.

use crate::MAX_FILE_BYTES;
use crate::folders;
use crate::library::{Entry, Library, file_name, free_file, write_whole};
use myriad_engine::Patch;
use myriad_files::atomic_file;
use myriad_files::input;
use std::collections::HashSet;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Packs with more files are refused.
const MAX_FILES: usize = 4_096;
/// And those with more to unpack.
const MAX_BYTES: u64 = 256 << 20;

/// Why a pack cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PackError {
    #[error("{file}: {error}")]
    Unreadable { file: String, error: io::Error },
    #[error("{file}: not a pack, which is a zip archive of patches: {error}")]
    NoArchive { file: String, error: ZipError },
    #[error("{file}: more than {MAX_FILES} files, or more than {} MiB; this is no pack", MAX_BYTES >> 20)]
    TooLarge { file: String },
    #[error("{file}: there is no patch in it{}", because(.reason))]
    NoPatches { file: String, reason: Option<String> },
    #[error("no patches to put into the pack")]
    NothingChosen,
    #[error("{file}: {error}")]
    Unwritable { file: String, error: io::Error },
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map_or_else(String::new, |reason| format!("; {reason}"))
}

/// What became of the files of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackReport {
    /// The folder of the patches, below that of all patches.
    pub folder: String,
    /// How many patches were added.
    pub added: usize,
    /// How many were there already, the same in every value.
    pub known: usize,
    /// Why others were left out, a line each.
    pub left_out: Vec<String>,
}

impl PackReport {
    /// One sentence for users.
    pub fn sentence(&self) -> String {
        let patches = |count: usize| match count {
            1 => "1 patch".to_owned(),
            count => format!("{count} patches"),
        };
        let mut text = format!("{} added to the folder {}", patches(self.added), self.folder);
        if self.known > 0 {
            text += &format!(", {} there already", patches(self.known));
        }
        match self.left_out.as_slice() {
            [] => text + ".",
            [one] => format!("{text}, 1 file left out: {one}"),
            [first, ..] => format!("{text}, {} files left out: {first}", self.left_out.len()),
        }
    }
}

/// Whether a file is a pack, by its name.
pub fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}

/// Writes patches as a pack. Patches of one folder of the user's lie in that folder of the archive, unless all
/// are of that one.
///
/// # Errors
/// When there are none, or the file cannot be written; what was there before stays then.
pub fn write_pack(entries: &[&Entry], path: &Path) -> Result<(), PackError> {
    let file = || path.display().to_string();
    let first = entries.first().ok_or(PackError::NothingChosen)?;
    if entries.len() > MAX_FILES {
        return Err(PackError::TooLarge { file: file() });
    }
    let is_one_folder = entries.iter().all(|entry| entry.folder == first.folder);
    let unwritable = |error| PackError::Unwritable { file: file(), error };
    let bytes = archive(entries, is_one_folder).map_err(|error| unwritable(error.into()))?;
    atomic_file::write(path, &bytes).map_err(unwritable)
}

fn archive(entries: &[&Entry], is_one_folder: bool) -> Result<Vec<u8>, ZipError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Without dates, so that the same patches give the same file.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut taken = HashSet::new();
    for entry in entries {
        let folder = match (is_one_folder, entry.folder.as_str()) {
            (true, _) | (_, "") => String::new(),
            (false, folder) => format!("{folder}/"),
        };
        let stem = format!("{folder}{}", file_name(&entry.patch.name));
        let numbers = (2..).map(|number| format!("{stem}-{number}"));
        let mut names = std::iter::once(stem.clone()).chain(numbers);
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or(stem);
        writer.start_file(format!("{name}.toml"), options)?;
        writer.write_all(entry.patch.to_toml().as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

impl Library {
    /// Adds the patches of a pack, in a folder with the pack's name. Nothing that is there is replaced.
    ///
    /// # Errors
    /// When the pack cannot be read or has no patches, or the folder cannot be written.
    pub fn import_pack(&mut self, path: &Path) -> Result<PackReport, PackError> {
        let file = || path.display().to_string();
        let unreadable = |error| PackError::Unreadable { file: file(), error };
        let bytes = input::read_limited(path, MAX_BYTES).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| PackError::TooLarge { file: file() })?;
        let archive = ZipArchive::new(Cursor::new(bytes));
        let archive = archive.map_err(|error| PackError::NoArchive { file: file(), error })?;
        let (patches, left_out) =
            read_all(archive).ok_or_else(|| PackError::TooLarge { file: file() })?;
        if patches.is_empty() {
            return Err(PackError::NoPatches { file: file(), reason: left_out.into_iter().next() });
        }
        let root = self.folder().map_err(|error| PackError::Unwritable { file: file(), error })?;
        let folder = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let target = match folders::below(root, &folder) {
            target if target == root => root.join("Pack"),
            target => target,
        };
        let folder = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut report = PackReport { folder, left_out, ..PackReport::default() };
        for Packed { patch, folder } in patches {
            let written = add(&patch, &folders::below(&target, &folder));
            let unwritable = |error| PackError::Unwritable { file: file(), error };
            match written.map_err(unwritable) {
                Ok(true) => report.added += 1,
                Ok(false) => report.known += 1,
                Err(error) => {
                    self.refresh();
                    return Err(error);
                }
            }
        }
        self.refresh();
        Ok(report)
    }
}

/// Saves a patch in a folder, in a file of its own. Returns false if it is there already.
fn add(patch: &Patch, folder: &Path) -> io::Result<bool> {
    let stem = file_name(&patch.name);
    let numbers = (2..).map(|number| format!("{stem}-{number}"));
    let names = std::iter::once(stem.clone()).chain(numbers);
    let files = names.map(|name| folder.join(format!("{name}.toml")));
    let mut there = files.take_while(|file| file.exists());
    if there.any(|file| crate::load(&file).is_ok_and(|other| other == *patch)) {
        return Ok(false);
    }
    let file: PathBuf = free_file(folder, &stem);
    write_whole(&file, &patch.to_toml()).map(|()| true)
}

/// A patch in a pack, and the folder that it lies in there.
struct Packed {
    patch: Patch,
    folder: String,
}

/// All patches, and why other files are none. None if there is too much. Sizes that an archive states are not
/// trusted.
fn read_all<R: Read + Seek>(mut archive: ZipArchive<R>) -> Option<(Vec<Packed>, Vec<String>)> {
    if archive.len() > MAX_FILES {
        return None;
    }
    let (mut patches, mut left_out) = (Vec::new(), Vec::new());
    let mut room = MAX_BYTES;
    for index in 0..archive.len() {
        let mut file = match archive.by_index(index) {
            Ok(file) => file,
            Err(error) => {
                left_out.push(error.to_string());
                continue;
            }
        };
        let name = match file.name() {
            Ok(name) => name.into_owned(),
            Err(error) => {
                left_out.push(error.to_string());
                continue;
            }
        };
        // Systems leave files of their own in archives, beside folders.
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        if file.is_dir() || last.starts_with('.') || name.starts_with("__MACOSX") {
            continue;
        }
        let read = read_file(&mut file, &name);
        room = room.checked_sub(read.bytes)?;
        match read.patch {
            Ok(patch) => {
                let folder = name.strip_suffix(last).unwrap_or_default().to_owned();
                patches.push(Packed { patch, folder });
            }
            Err(reason) => left_out.push(reason),
        }
    }
    Some((patches, left_out))
}

struct ReadFile {
    /// How much was unpacked.
    bytes: u64,
    patch: Result<Patch, String>,
}

fn read_file<R: Read>(file: &mut ZipFile<'_, R>, name: &str) -> ReadFile {
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    let unpacked = bytes.len() as u64;
    let patch = match (read, unpacked > MAX_FILE_BYTES) {
        (Err(error), _) => Err(format!("{name}: {error}")),
        (_, true) => Err(format!("{name}: larger than {} MiB", MAX_FILE_BYTES >> 20)),
        _ => String::from_utf8(bytes)
            .map_err(|_| format!("{name}: not a text file"))
            .and_then(|text| Patch::parse(&text, name).map_err(|error| error.to_string())),
    };
    ReadFile { bytes: unpacked, patch }
}

/// Reads any bytes as a pack: for the fuzzer.
#[cfg(fuzzing)]
pub fn fuzz_pack(bytes: &[u8]) {
    if let Ok(archive) = ZipArchive::new(Cursor::new(bytes)) {
        let folder = Path::new("patches");
        for packed in read_all(archive).map_or_else(Vec::new, |(patches, _)| patches) {
            let place = folders::below(folder, &packed.folder);
            assert!(place.starts_with(folder));
            assert!(place.components().all(|part| part.as_os_str() != ".."));
        }
    }
}

#[cfg(test)]
mod tests;
