//! Finding patches: by name, or by the path of a file.

use crate::folders::own_patches;
use crate::{Library, MAX_FILE_BYTES};
use myriad_engine::patch::closest;
use myriad_engine::{Patch, PatchError, factory};
use myriad_files::input::read_limited;
use std::io;
use std::path::Path;

/// Why a patch cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LibraryError {
    #[error("no patch is called '{name}'; {}", hint(.suggestion.as_deref()))]
    Unknown { name: String, suggestion: Option<String> },
    #[error("{file}: {error}")]
    Unreadable { file: String, error: io::Error },
    #[error("{file}: larger than {} MiB; this is no patch", MAX_FILE_BYTES >> 20)]
    TooLarge { file: String },
    #[error("{file}: not a text file")]
    NotText { file: String },
    #[error("{0}")]
    Malformed(#[from] PatchError),
}

fn hint(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean '{name}'?"),
        None => "`myriad patches` lists them".to_owned(),
    }
}

/// The factory patch of that name; upper and lower case are the same.
pub fn named(name: &str) -> Option<Patch> {
    factory::find(name.trim())
}

/// The first factory patch.
pub fn default_patch() -> Patch {
    factory::patches().first().cloned().unwrap_or_default()
}

/// The patch that a user asks for: the factory patch of that name, else the file at that path, else the
/// patch of that name that the user has saved.
///
/// # Errors
/// When there is no such patch, or its file cannot be read or understood.
pub fn resolve(request: &str) -> Result<Patch, LibraryError> {
    resolve_in(Library::user_folder().as_deref(), request)
}

/// The same, with the folder of the user's patches.
///
/// # Errors
/// When there is no such patch, or its file cannot be read or understood.
pub fn resolve_in(folder: Option<&Path>, request: &str) -> Result<Patch, LibraryError> {
    if let Some(patch) = named(request) {
        return Ok(patch);
    }
    let looks_like_a_file = request.contains(['/', '\\'])
        || request.to_ascii_lowercase().ends_with(".toml")
        || Path::new(request).exists();
    if looks_like_a_file {
        return load(Path::new(request));
    }
    let own: Vec<Patch> = folder.map_or_else(Vec::new, |folder| {
        own_patches(folder).entries.into_iter().map(|entry| entry.patch).collect()
    });
    let wanted = request.trim();
    match own.iter().find(|patch| patch.name.eq_ignore_ascii_case(wanted)) {
        Some(patch) => Ok(patch.clone()),
        None => Err(LibraryError::Unknown {
            name: request.to_owned(),
            suggestion: suggestion(wanted, &own),
        }),
    }
}

/// The patch in a file.
///
/// # Errors
/// When the file cannot be read or understood.
pub fn load(path: &Path) -> Result<Patch, LibraryError> {
    let file = || path.display().to_string();
    let unreadable = |error| LibraryError::Unreadable { file: file(), error };
    let bytes = read_limited(path, MAX_FILE_BYTES).map_err(unreadable)?;
    let bytes = bytes.ok_or_else(|| LibraryError::TooLarge { file: file() })?;
    let text = String::from_utf8(bytes).map_err(|_| LibraryError::NotText { file: file() })?;
    Ok(Patch::parse(&text, &file())?)
}

/// A similar name, or one that contains `wanted`.
fn suggestion(wanted: &str, own: &[Patch]) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let all = || factory::patches().iter().chain(own).map(|patch| patch.name.as_str());
    let containing = || all().find(|name| name.to_lowercase().contains(&wanted));
    closest(&wanted, all()).or_else(containing).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was saved is found by its name, in any case, and suggested when it is misspelt. A name of a
    /// factory patch is that patch, so that scripts mean the same on every machine.
    #[test]
    fn saved_patches_are_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut library = Library::open(Some(folder.path().into()));
        let mut mine = named("Aurora").unwrap();
        mine.description = "mine".into();
        library.save(&mine).unwrap();
        mine.name = "Mus Test".into();
        library.save(&mine).unwrap();
        let find = |name: &str| resolve_in(Some(folder.path()), name);
        assert_eq!(find("mus test ").unwrap(), mine);
        assert_eq!(find("Aurora").unwrap(), named("Aurora").unwrap());
        let error = find("Mus Tset").unwrap_err().to_string();
        assert!(error.contains("did you mean 'Mus Test'?"), "{error}");
        let error = resolve_in(None, "Mus Test").unwrap_err();
        assert!(matches!(error, LibraryError::Unknown { .. }), "{error}");
    }
}
