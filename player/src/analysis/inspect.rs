//! Measures and draws a WAV file in one pass, in memory of fixed size.

use super::picture::{self, COLUMNS, Caption, PictureError, ROWS};
use super::spectrogram::Spectrogram;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::terminal::{clock, level};
use hound::{SampleFormat, WavReader};
use myriad_measure::Meter;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

const BLOCK: usize = 4096;

/// Why a file cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    #[error("{path}: {reason}", path = .path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{path}: {error}", path = .path.display())]
    Picture { path: PathBuf, error: PictureError },
    #[error("interrupted")]
    Interrupted,
}

impl From<InspectError> for Failure {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::Interrupted => Failure::new(Exit::Interrupted, error),
            _ => Failure::failed(error),
        }
    }
}

/// Measurements of a WAV file; the fields are the keys of `--json`.
#[derive(Debug, Serialize)]
pub struct Findings {
    pub file: PathBuf,
    pub sample_rate: u32,
    pub channels: u16,
    pub format: String,
    pub frames: u64,
    pub seconds: f64,
    /// None in silence.
    pub peak_dbfs: Option<f64>,
    /// Integrated, after EBU R 128; none in silence or below 0.4 seconds.
    pub loudness_lufs: Option<f64>,
    pub picture: Option<PathBuf>,
}

impl Findings {
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.file.display());
        let mut row = |name: &str, value: String| text += &format!("  {name:<10} {value}\n");
        let rate = f64::from(self.sample_rate) / 1000.0;
        let channels = match self.channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            many => format!("{many} channels"),
        };
        row("length", format!("{}, {rate} kHz, {}, {channels}", clock(self.seconds), self.format));
        row("peak", level(self.peak_dbfs, "dBFS"));
        row("loudness", level(self.loudness_lufs, "LUFS"));
        if let Some(picture) = &self.picture {
            row("picture", picture.display().to_string());
        }
        text
    }
}

/// Measures the WAV file at `path`, and draws it to `picture` when one is given.
///
/// # Errors
/// When the file cannot be read or the picture cannot be written.
pub fn inspect(path: &Path, picture: Option<&Path>) -> Result<Findings, InspectError> {
    let unreadable = |reason: String| InspectError::Unreadable { path: path.to_owned(), reason };
    let mut wav = WavReader::open(path).map_err(|error| unreadable(reason(error)))?;
    let spec = wav.spec();
    let frames = u64::from(wav.duration());
    if spec.sample_rate == 0 || spec.channels == 0 || frames == 0 {
        return Err(unreadable("holds no sound".to_owned()));
    }
    let mut meter = Meter::new(spec.sample_rate);
    let mut spectrogram =
        picture.map(|_| Spectrogram::new(spec.sample_rate, frames, COLUMNS, ROWS));
    read_blocks(&mut wav, |block| {
        meter.add(block);
        if let Some(spectrogram) = &mut spectrogram {
            spectrogram.add(block);
        }
        !interrupt::requested()
    })
    .map_err(|error| unreadable(reason(error)))?;
    if interrupt::requested() {
        return Err(InspectError::Interrupted);
    }
    let findings = Findings {
        file: path.to_owned(),
        sample_rate: spec.sample_rate,
        channels: spec.channels,
        format: match spec.sample_format {
            SampleFormat::Int => format!("{}-bit", spec.bits_per_sample),
            SampleFormat::Float => format!("{}-bit float", spec.bits_per_sample),
        },
        frames,
        seconds: frames as f64 / f64::from(spec.sample_rate),
        peak_dbfs: meter.peak_dbfs(),
        loudness_lufs: meter.loudness_lufs(),
        picture: picture.map(Path::to_owned),
    };
    if let (Some(mut spectrogram), Some(path)) = (spectrogram, picture) {
        spectrogram.finish();
        picture::draw(&spectrogram, &caption(&findings), path)
            .map_err(|error| InspectError::Picture { path: path.to_owned(), error })?;
    }
    Ok(findings)
}

fn caption(findings: &Findings) -> Caption {
    let name = findings.file.file_stem().unwrap_or_default();
    let peak = level(findings.peak_dbfs, "dBFS");
    let loudness = level(findings.loudness_lufs, "LUFS");
    Caption {
        title: name.to_string_lossy().into_owned(),
        details: format!("{}   peak {peak}   {loudness}", clock(findings.seconds)),
    }
}

/// Passes the file to `process` block by block, until that returns false. Mono becomes stereo; of more
/// channels, the first two are used.
fn read_blocks<R: Read>(
    wav: &mut WavReader<R>,
    mut process: impl FnMut([&[f32]; 2]) -> bool,
) -> Result<(), hound::Error> {
    let spec = wav.spec();
    let full_scale = (1u64 << (spec.bits_per_sample - 1).min(31)) as f32;
    let channels = usize::from(spec.channels);
    let mut block: [Vec<f32>; 2] = Default::default();
    let mut take = |index: usize, sample: f32| {
        let channel = index % channels;
        if channel < 2 {
            // A NaN or an infinity would spoil all measurements after it.
            block[channel].push(if sample.is_finite() { sample } else { 0.0 });
        }
        if channel + 1 < channels || block[0].len() < BLOCK {
            return true;
        }
        let go_on = process([&block[0], &block[channels.min(2) - 1]]);
        block.iter_mut().for_each(Vec::clear);
        go_on
    };
    match spec.sample_format {
        SampleFormat::Int => {
            for (index, sample) in wav.samples::<i32>().enumerate() {
                if !take(index, sample? as f32 / full_scale) {
                    return Ok(());
                }
            }
        }
        SampleFormat::Float => {
            for (index, sample) in wav.samples::<f32>().enumerate() {
                if !take(index, sample?) {
                    return Ok(());
                }
            }
        }
    }
    process([&block[0], &block[channels.min(2) - 1]]);
    Ok(())
}

/// A message for users; hound's own are for programmers.
fn reason(error: hound::Error) -> String {
    match error {
        hound::Error::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "cut short".to_owned()
        }
        hound::Error::IoError(error) => error.to_string(),
        hound::Error::FormatError(what) => format!("not a WAV file that can be read ({what})"),
        hound::Error::Unsupported => "a kind of WAV file that is not supported".to_owned(),
        error => error.to_string(),
    }
}
