//! Finding patches: by the name of a factory patch, or by the path of a file.

use crate::failure::Failure;
use crate::input::read_limited;
use myriad_engine::{Patch, PatchError, factory};
use std::io;
use std::path::Path;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Why a patch cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("no patch is called '{name}'; {}", hint(*.suggestion))]
    Unknown { name: String, suggestion: Option<&'static str> },
    #[error("{file}: {error}")]
    Unreadable { file: String, error: io::Error },
    #[error("{file}: larger than {} MiB; this is no patch", MAX_FILE_BYTES >> 20)]
    TooLarge { file: String },
    #[error("{file}: not a text file")]
    NotText { file: String },
    #[error("{0}")]
    Malformed(#[from] PatchError),
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::Unknown { .. } => Failure::misuse(error),
            _ => Failure::failed(error),
        }
    }
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

/// The factory patch called `request`, else the file at that path.
///
/// # Errors
/// When there is no such patch, or its file cannot be read or understood.
pub fn resolve(request: &str) -> Result<Patch, LibraryError> {
    if let Some(patch) = named(request) {
        return Ok(patch);
    }
    let looks_like_a_file = request.contains(['/', '\\'])
        || request.to_ascii_lowercase().ends_with(".toml")
        || Path::new(request).exists();
    if looks_like_a_file {
        load(request)
    } else {
        Err(LibraryError::Unknown { name: request.to_owned(), suggestion: suggestion(request) })
    }
}

fn load(file: &str) -> Result<Patch, LibraryError> {
    let unreadable = |error| LibraryError::Unreadable { file: file.to_owned(), error };
    let bytes = read_limited(Path::new(file), MAX_FILE_BYTES).map_err(unreadable)?;
    let bytes = bytes.ok_or_else(|| LibraryError::TooLarge { file: file.to_owned() })?;
    let text =
        String::from_utf8(bytes).map_err(|_| LibraryError::NotText { file: file.to_owned() })?;
    Ok(Patch::parse(&text, file)?)
}

/// A similar name, or one that contains `wanted`.
fn suggestion(wanted: &str) -> Option<&'static str> {
    let wanted = wanted.trim().to_lowercase();
    let contains = |patch: &&Patch| patch.name.to_lowercase().contains(&wanted);
    factory::closest(&wanted).or_else(|| {
        let found = factory::patches().iter().find(contains);
        found.map(|patch| patch.name.as_str())
    })
}
