//! WAV files, which appear under their names only when they are complete. Until then they have a name
//! that says so, and a header that is brought up to date each second of sound.

mod dither;
mod repair;

pub use myriad_files::wav::{WavReadError, WavReader};
pub use repair::recover_beside;

use crate::atomic_file::AtomicFile;
use crate::failure::Failure;
use dither::Dither;
use hound::{SampleFormat, WavSpec, WavWriter};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The most sample data in a WAV file: its sizes are 32-bit numbers, and the header needs room.
const MAX_DATA_BYTES: u64 = u32::MAX as u64 - 128;

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Bits {
    /// 16-bit integers, dithered
    #[value(name = "16")]
    Int16,
    /// 24-bit integers
    #[value(name = "24")]
    Int24,
    /// 32-bit floating point
    #[value(name = "32f")]
    Float32,
}

impl Bits {
    fn count(self) -> u16 {
        match self {
            Bits::Int16 => 16,
            Bits::Int24 => 24,
            Bits::Float32 => 32,
        }
    }

    /// The longest stereo file, in frames.
    pub fn max_frames(self) -> u64 {
        MAX_DATA_BYTES / (2 * u64::from(self.count() / 8))
    }

    /// The format as reports name it.
    pub fn label(self) -> &'static str {
        match self {
            Bits::Int16 => "16-bit",
            Bits::Int24 => "24-bit",
            Bits::Float32 => "32-bit float",
        }
    }
}

/// Why a WAV file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}", path = .path.display())]
pub struct WavError {
    path: PathBuf,
    reason: Reason,
}

impl From<WavError> for Failure {
    fn from(error: WavError) -> Self {
        Failure::failed(error)
    }
}

#[derive(Debug, thiserror::Error)]
enum Reason {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Wav(hound::Error),
}

impl WavError {
    /// The reason alone, without the path.
    pub fn reason(&self) -> String {
        self.reason.to_string()
    }

    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), reason: error.into() }
    }

    fn new(file: &AtomicFile, error: hound::Error) -> Self {
        Self { path: file.name().to_owned(), reason: error.into() }
    }
}

impl From<hound::Error> for Reason {
    fn from(error: hound::Error) -> Self {
        match error {
            hound::Error::IoError(error) => Reason::Io(error),
            error => Reason::Wav(error),
        }
    }
}

/// A stereo WAV file being written. Dropped before it is published, it is removed, unless it is to be
/// [kept](Self::keep).
pub struct WavFile {
    // Declared first, so that it is closed before the temporary file is removed.
    writer: WavWriter<BufWriter<File>>,
    file: AtomicFile,
    bits: Bits,
    dither: Dither,
    sample_rate: u32,
    /// Frames since the header was brought up to date.
    since_header: u32,
}

impl WavFile {
    /// Creates a file. Files that will be mixed need different dither seeds.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(
        target: &Path,
        sample_rate: u32,
        bits: Bits,
        seed: u32,
    ) -> Result<Self, WavError> {
        let error = |reason: Reason| WavError { path: target.to_owned(), reason };
        let (file, handle) = AtomicFile::create_visible(target).map_err(|io| error(io.into()))?;
        let spec = WavSpec {
            channels: 2,
            sample_rate,
            bits_per_sample: bits.count(),
            sample_format: match bits {
                Bits::Float32 => SampleFormat::Float,
                _ => SampleFormat::Int,
            },
        };
        let writer = WavWriter::new(BufWriter::with_capacity(1 << 16, handle), spec);
        let mut wav = Self {
            writer: writer.map_err(|wav| error(wav.into()))?,
            file,
            bits,
            dither: Dither::new(seed),
            sample_rate,
            since_header: 0,
        };
        wav.flush()?;
        Ok(wav)
    }

    /// From here on what was written stays, also when the file cannot be completed.
    pub fn keep(&mut self) {
        self.file.keep();
    }

    /// Appends frames.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, [left, right]: [&[f32]; 2]) -> Result<(), WavError> {
        for (&left, &right) in left.iter().zip(right) {
            for sample in [left, right] {
                match self.bits {
                    Bits::Int16 => self.writer.write_sample(self.dither.quantise(sample)),
                    Bits::Int24 => self.writer.write_sample(to_i24(sample)),
                    Bits::Float32 => self.writer.write_sample(sample),
                }
                .map_err(|error| WavError::new(&self.file, error))?;
            }
            self.since_header += 1;
            if self.since_header == self.sample_rate {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes everything so far, and a header that fits it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> Result<(), WavError> {
        self.since_header = 0;
        self.writer.flush().map_err(|error| WavError::new(&self.file, error))
    }

    /// Completes the file, without renaming it yet.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn complete(self) -> Result<CompleteWav, WavError> {
        let finalized = self.writer.finalize();
        finalized.map_err(|error| WavError::new(&self.file, error))?;
        Ok(CompleteWav(self.file))
    }
}

impl WavFile {
    /// Ends a file at the last frame that could be written, and renames it to its final name. Returns
    /// the number of frames.
    ///
    /// # Errors
    /// When there is nothing to keep, or it cannot be renamed.
    pub fn keep_what_fits(self) -> Result<u64, WavError> {
        let Self { writer, file, .. } = self;
        let accepted = u64::from(writer.duration());
        // Writes what it can; the header is made to fit that.
        drop(writer);
        let frames = match file.handle().metadata() {
            Ok(metadata) if metadata.is_file() => repair::repair(file.handle()),
            // A device such as `/dev/null`.
            _ => Ok(accepted),
        };
        let frames = frames.map_err(|error| WavError::new(&file, error.into()))?;
        CompleteWav(file).publish()?;
        Ok(frames)
    }
}

/// A complete WAV file that still has its temporary name.
pub struct CompleteWav(AtomicFile);

impl CompleteWav {
    /// Renames the file to its final name.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn publish(self) -> Result<(), WavError> {
        let path = self.0.name().to_owned();
        self.0.finish().map_err(|error| WavError { path, reason: error.into() })
    }
}

fn to_i24(sample: f32) -> i32 {
    const FULL_SCALE: f32 = (1 << 23) as f32;
    (sample * FULL_SCALE).round().clamp(-FULL_SCALE, FULL_SCALE - 1.0) as i32
}
