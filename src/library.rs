//! Finding patches: by the name of a factory patch, or by the path of a file.

use crate::failure::Failure;
use myriad_engine::{Patch, PatchError, factory};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More than any patch holds; reading stops there rather than filling the memory.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// How alike two names must be, from 0 to 1, before one is offered for the other.
const SUGGEST_ABOVE: f64 = 0.7;

/// Why there is no such patch.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LibraryError {
    #[error("no patch is called '{name}'; {}", hint(.suggestion.as_deref()))]
    Unknown {
        name: String,
        suggestion: Option<String>,
    },
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

/// All factory patches.
pub(crate) fn all() -> impl Iterator<Item = Patch> {
    factory::patches().map(|entry| entry.patch())
}

/// The factory patch of that name, in any case.
pub(crate) fn named(name: &str) -> Option<Patch> {
    factory::find(name.trim()).map(|entry| entry.patch())
}

/// The patch that plays when nothing says otherwise.
pub(crate) fn default_patch() -> Patch {
    all().next().unwrap_or_default()
}

/// The patch that `request` means: a factory patch's name, else a file.
///
/// # Errors
/// When there is no such patch, or its file cannot be read or understood.
pub(crate) fn resolve(request: &str) -> Result<Patch, LibraryError> {
    if let Some(patch) = named(request) {
        return Ok(patch);
    }
    let looks_like_a_file = request.contains(['/', '\\'])
        || request.to_ascii_lowercase().ends_with(".toml")
        || Path::new(request).exists();
    if looks_like_a_file {
        load(request)
    } else {
        Err(LibraryError::Unknown {
            name: request.to_owned(),
            suggestion: closest(request, all().map(|patch| patch.name)),
        })
    }
}

fn load(file: &str) -> Result<Patch, LibraryError> {
    let unreadable = |error| LibraryError::Unreadable {
        file: file.to_owned(),
        error,
    };
    let mut bytes = Vec::new();
    let mut source = File::open(file)
        .map_err(unreadable)?
        .take(MAX_FILE_BYTES + 1);
    source.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(LibraryError::TooLarge {
            file: file.to_owned(),
        });
    }
    let text = String::from_utf8(bytes).map_err(|_| LibraryError::NotText {
        file: file.to_owned(),
    })?;
    Ok(Patch::parse(&text, file)?)
}

/// The name most like `wanted`, when one is like it at all: a misspelling, or a part of it.
pub(crate) fn closest(wanted: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let wanted = wanted.trim().to_lowercase();
    names
        .map(|name| {
            let lower = name.to_lowercase();
            let contains = wanted.len() >= 3 && lower.contains(&wanted);
            let alike = strsim::normalized_damerau_levenshtein(&wanted, &lower)
                .max(strsim::jaro_winkler(&wanted, &lower) - 0.1);
            (if contains { alike.max(0.9) } else { alike }, name)
        })
        .filter(|(alike, _)| *alike >= SUGGEST_ABOVE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggest(wanted: &str) -> Option<String> {
        let names = ["Glass Bells", "Warm Pad", "Deep Bass"];
        closest(wanted, names.into_iter().map(str::to_owned))
    }

    #[test]
    fn misspellings_find_their_patch() {
        assert_eq!(suggest("glas bels").as_deref(), Some("Glass Bells"));
        assert_eq!(suggest("wramPad").as_deref(), Some("Warm Pad"));
        assert_eq!(suggest("bass").as_deref(), Some("Deep Bass"));
        assert_eq!(suggest("xyzzy"), None);
    }
}
