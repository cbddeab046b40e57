//! Makes patches from sounds: a recorded note, the cycles of a wavetable, or an impulse response.

mod impulse;
mod instrument;
mod partials;
mod pitch;
mod recording;
mod sound;
mod wavetable;

use crate::wav::WavReadError;
use myriad_engine::Patch;
use myriad_engine::impulse::ImpulseError;
use myriad_engine::tracks::TracksError;
use std::path::Path;

pub use instrument::add_layer;

/// What a WAV file holds.
#[derive(Clone, Copy, Debug)]
pub enum Material {
    /// One recorded note; its pitch in Hertz is detected unless it is given.
    Note { hertz: Option<f64> },
    /// Cycles of a wave. Without a length in samples the file's own is used, else 2048, else the
    /// whole file is one cycle.
    Wavetable { cycle: Option<usize> },
}

/// Why a sound cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Unreadable(#[from] WavReadError),
    #[error("contains samples that are not numbers")]
    NotFinite,
    #[error("nothing but silence")]
    Silence,
    #[error("too short: {0}")]
    TooShort(&'static str),
    #[error("no pitch was found; if you know it, give it with --pitch")]
    NoPitch,
    #[error("{0}")]
    Misuse(String),
    #[error(transparent)]
    Tracks(#[from] TracksError),
    #[error(transparent)]
    Impulse(#[from] ImpulseError),
}

/// A patch, and what was found while it was made.
pub struct Imported {
    pub patch: Patch,
    pub findings: Vec<(&'static str, String)>,
}

/// Makes a patch called `name` from a WAV file.
///
/// # Errors
/// When the file cannot be read, or holds nothing that can be imported.
pub fn import(file: &Path, material: Material, name: &str) -> Result<Imported, ImportError> {
    let sound = sound::read(file)?;
    match material {
        Material::Note { hertz } => recording::import(&sound, hertz, name),
        Material::Wavetable { cycle } => wavetable::import(&sound, cycle, name),
    }
}

/// Puts the impulse response of a WAV file into `patch`, for its convolver.
///
/// # Errors
/// When the file cannot be read, or is no impulse response.
pub fn import_impulse(file: &Path, patch: Patch) -> Result<Imported, ImportError> {
    impulse::import(file, patch)
}

#[cfg(test)]
mod tests;
