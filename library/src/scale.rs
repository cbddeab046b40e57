//! Scala files: read from anywhere, and those in the user's folder.

use crate::{Library, MAX_FILE_BYTES};
use myriad_engine::ScaleSetting;
use myriad_engine::tuning::TuningError;
use myriad_files::input::read_limited;
use std::io;
use std::path::{Path, PathBuf};

/// Why a scale or keyboard map cannot be used: the file, the line where there is one, and the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScaleError(String);

impl ScaleError {
    fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }

    fn invalid(path: &Path, TuningError { line, problem }: TuningError) -> Self {
        Self(format!("{}:{line}: {problem}", path.display()))
    }
}

/// Reads a scale (`.scl`), which is named after its file.
///
/// # Errors
/// When the file cannot be read or is no scale.
pub fn read_scale(path: &Path) -> Result<ScaleSetting, ScaleError> {
    let text = read_text(path).map_err(|error| ScaleError::unreadable(path, &error))?;
    let name = path.file_stem().map_or("".into(), |name| name.to_string_lossy());
    ScaleSetting::read(&name, &text).map_err(|error| ScaleError::invalid(path, error))
}

/// Adds the keyboard map of a file (`.kbm`) to a scale.
///
/// # Errors
/// When the file cannot be read or is no keyboard map.
pub fn read_keyboard(scale: &ScaleSetting, path: &Path) -> Result<ScaleSetting, ScaleError> {
    let text = read_text(path).map_err(|error| ScaleError::unreadable(path, &error))?;
    scale.with_keyboard(&text).map_err(|error| ScaleError::invalid(path, error))
}

/// The folder of the user's scales and keyboard maps, beside that of the patches.
pub fn scale_folder() -> Option<PathBuf> {
    Some(Library::user_folder()?.parent()?.join("scales"))
}

/// The scales and keyboard maps in a folder, by name; none if it does not exist.
pub fn scale_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        files.map(|file| file.path()).filter(|path| is_scale(path) || is_keyboard(path)).collect();
    paths.sort();
    paths
}

/// Whether a file is a scale, by its name.
pub fn is_scale(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("scl"))
}

/// Whether a file is a keyboard map, by its name.
pub fn is_keyboard(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("kbm"))
}

/// Reads a text in UTF-8, or else in Latin-1, which is the encoding of Scala files.
fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_limited(path, MAX_FILE_BYTES)?;
    let bytes = bytes.ok_or_else(|| io::Error::other("larger than 4 MiB; this is no scale"))?;
    let latin_1 = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect();
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| latin_1(error.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lists_scales_and_maps() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("b.SCL"), "b\n1\n2/1\n").unwrap();
        std::fs::write(path("a.kbm"), "0\n0\n127\n60\n69\n432.0\n1\n").unwrap();
        std::fs::write(path("notes.txt"), "").unwrap();
        assert_eq!(scale_files(folder.path()), [path("a.kbm"), path("b.SCL")]);
        let scale = read_scale(&path("b.SCL")).unwrap();
        assert_eq!(scale.name(), "b");
        assert!(read_keyboard(&scale, &path("a.kbm")).unwrap().keyboard().is_some());
        let error = read_scale(&path("notes.txt")).unwrap_err().to_string();
        assert!(error.contains("notes.txt:1: "), "{error}");
        assert!(scale_files(&path("none")).is_empty());
    }
}
