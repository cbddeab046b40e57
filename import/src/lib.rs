//! Makes patches from sounds (a recorded note, any other sound, the cycles of a wavetable, an impulse response)
//! and from pictures, and pictures from patches.
//!
//! [`read`] reads a sound and [`import_sound`] analyses it; [`read_picture`] and [`import_picture`] do so with
//! a picture. [`Job`] does either on a thread of its own. [`draw`] makes a picture of what a patch plays.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on stops here"))]

mod any_sound;
mod contained;
mod decode;
mod impulse;
mod instrument;
mod job;
mod level;
mod overview;
mod partials;
mod picture;
mod pitch;
mod progress;
mod recording;
mod sound;
mod wavetable;

use myriad_engine::impulse::ImpulseError;
use myriad_engine::tracks::TracksError;
use myriad_engine::{EngineError, Patch};
use myriad_files::wav::WavReadError;
use std::path::Path;

pub use instrument::add_layer;
pub use job::{Content, Finished, Input, Job};
pub use overview::{Overview, PartialLine};
pub use picture::{
    Axes, DrawOptions, Drawing, GivenAxes, Picture, PictureOptions, draw, import_picture,
    is_picture, read_picture,
};
pub use progress::Progress;
pub use sound::{Sound, read};

/// Below this harmonic share, in decibels, the partials miss most of what makes the sound.
pub const CLEAR_HARMONIC_DB: f64 = 10.0;

/// What a sound file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Material {
    /// A wavetable if it looks like one, else a recorded note if most of it is one, else any sound.
    #[default]
    Detect,
    /// One recorded note; its pitch in Hertz is detected unless it is given.
    Note {
        /// The pitch.
        hertz: Option<f64>,
    },
    /// Cycles of a wave. Without a length in samples the file's own is used, else 2048, else the
    /// whole file is one cycle.
    Wavetable {
        /// The length of a cycle.
        cycle: Option<usize>,
    },
    /// Anything else: speech, a loop, a chord, drums, an extract of a song.
    AnySound,
}

/// What to make of a sound or a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// What a sound holds.
    pub material: Material,
    /// The part of a sound that is used, in seconds; all of it without silence if it is not given.
    pub region: Option<[f64; 2]>,
    /// How a picture is read.
    pub picture: PictureOptions,
}

/// Why a sound or a picture cannot be imported.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ImportError {
    #[error(transparent)]
    Unreadable(#[from] WavReadError),
    #[error(
        "not a sound or picture that can be read; WAV, FLAC, AIFF, OGG Vorbis, MP3, PNG and JPEG are"
    )]
    UnknownFormat,
    #[error("{0}")]
    Undecodable(String),
    #[error("contains samples that are not numbers")]
    NotFinite,
    #[error("nothing but silence")]
    Silence,
    #[error("the picture is black all over: nothing would sound")]
    Black,
    #[error("too short: {0}")]
    TooShort(&'static str),
    #[error("no pitch was found; give it with --pitch, or import it with --any-sound")]
    NoPitch,
    #[error("{0}")]
    Misuse(String),
    #[error(transparent)]
    Tracks(#[from] TracksError),
    #[error(transparent)]
    Impulse(#[from] ImpulseError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("could not be written: {0}")]
    Unwritten(std::io::Error),
    #[error("cancelled")]
    Cancelled,
}

/// A patch, and what was found while it was made.
#[derive(Debug)]
pub struct Imported {
    /// The patch.
    pub patch: Patch,
    /// What was found, as names and values.
    pub findings: Vec<(&'static str, String)>,
    /// What was found in a recording; none for anything else.
    pub recording: Option<Recording>,
}

/// What was found in a recorded note, or in any other sound but a wavetable.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its pitch in Hertz; if it is not one note, that of the key that plays it as it is.
    pub hertz: f64,
    /// Decibels from what the partials do not explain to the partials; 0 if it is not one note.
    pub harmonic_db: f64,
    /// Whether it was taken for one note, and not for any sound.
    pub is_one_note: bool,
    /// The part of the sound that was used, in seconds.
    pub region: [f64; 2],
    /// The loudest partials through time.
    pub partials: Vec<PartialLine>,
}

impl Recording {
    /// Why it may not sound like the recording, and what helps; none if it should.
    pub fn warning(&self) -> Option<&'static str> {
        (self.is_one_note && self.harmonic_db < CLEAR_HARMONIC_DB).then_some(
            "Little of it is one note. Take it as Any sound, trim it to a steady part, or set the root key.",
        )
    }
}

/// Makes a patch called `name` from a sound file.
///
/// # Errors
/// When the file cannot be read, or holds nothing that can be imported.
pub fn import(file: &Path, material: Material, name: &str) -> Result<Imported, ImportError> {
    let progress = Progress::default();
    let sound = read(file, &progress)?;
    import_sound(&sound, &Options { material, ..Options::default() }, name, &progress)
}

/// Puts the impulse response of a WAV file into `patch`, for its convolver.
///
/// # Errors
/// When the file cannot be read, or is no impulse response.
pub fn import_impulse(file: &Path, patch: Patch) -> Result<Imported, ImportError> {
    impulse::import(file, patch)
}

/// Makes a patch called `name` from a sound.
///
/// # Errors
/// When the sound holds nothing that can be imported, or it was cancelled.
pub fn import_sound(
    sound: &Sound,
    options: &Options,
    name: &str,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    match options.material {
        Material::Detect if wavetable::is_likely(sound) => wavetable::import(sound, None, name),
        Material::Detect => {
            let note = recording::import(sound, None, options.region, name, progress);
            match &note {
                Ok(Imported { recording: Some(found), .. }) if found.warning().is_none() => note,
                Ok(_) | Err(ImportError::NoPitch | ImportError::TooShort(_)) => {
                    any_sound::import(sound, options.region, name, progress)
                }
                Err(_) => note,
            }
        }
        Material::Note { hertz } => recording::import(sound, hertz, options.region, name, progress),
        Material::Wavetable { cycle } => wavetable::import(sound, cycle, name),
        Material::AnySound => any_sound::import(sound, options.region, name, progress),
    }
}

#[cfg(test)]
mod tests;
