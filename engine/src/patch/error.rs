//! Why a text is not a patch.

/// An error with file, line and key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {}{problem}", if key.is_empty() { String::new() } else { format!("{key}: ") })]
pub struct PatchError {
    /// The file, as the caller called it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key; empty when the text could not be read that far.
    pub key: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}
