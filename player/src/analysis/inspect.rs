//! Measures and draws a WAV file in one pass, in memory of fixed size.

use super::picture::{self, COLUMNS, Caption, PictureError, ROWS};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::terminal::{clock, level};
use crate::wav::{WavReadError, WavReader};
use myriad_measure::{Meter, Spectrogram};
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Why a file cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    #[error("{path}: {error}", path = .path.display())]
    Unreadable { path: PathBuf, error: WavReadError },
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
    /// Samples that are NaN or infinite; the measurements are without them.
    pub not_numbers: Option<NotNumbers>,
    /// None in silence.
    pub peak_dbfs: Option<f64>,
    /// Integrated, after EBU R 128; none in silence or below 0.4 seconds.
    pub loudness_lufs: Option<f64>,
    pub picture: Option<PathBuf>,
}

/// Samples that are NaN or infinite, in all channels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NotNumbers {
    pub samples: u64,
    pub first_frame: u64,
    pub last_frame: u64,
}

impl Findings {
    /// # Errors
    /// When the file has samples that are not numbers.
    pub fn check(&self) -> Result<(), Failure> {
        let Some(NotNumbers { samples, first_frame, last_frame }) = self.not_numbers else {
            return Ok(());
        };
        let at = |frame: u64| clock(frame as f64 / f64::from(self.sample_rate));
        Err(Failure::failed(format!(
            "{}: {samples} samples are not numbers (NaN or infinite), from {} (frame {first_frame}) to {} (frame {last_frame})",
            self.file.display(),
            at(first_frame),
            at(last_frame)
        )))
    }

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
        if let Some(found) = self.not_numbers {
            row("damaged", format!("{} samples, left out of what follows", found.samples));
        }
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
    let unreadable = |error| InspectError::Unreadable { path: path.to_owned(), error };
    let mut wav = WavReader::open(path).map_err(unreadable)?;
    let (sample_rate, frames) = (wav.sample_rate, wav.frames);
    let mut meter = Meter::new(sample_rate);
    let mut spectrogram = picture.map(|_| Spectrogram::new(sample_rate, frames, COLUMNS, ROWS));
    let not_numbers = read_blocks(&mut wav, |block| {
        meter.add(block);
        if let Some(spectrogram) = &mut spectrogram {
            spectrogram.add(block);
        }
        !interrupt::requested()
    })
    .map_err(unreadable)?;
    if interrupt::requested() {
        return Err(InspectError::Interrupted);
    }
    let findings = Findings {
        file: path.to_owned(),
        sample_rate,
        channels: wav.channels,
        format: wav.format(),
        frames,
        seconds: frames as f64 / f64::from(sample_rate),
        not_numbers,
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
/// channels, the first two are used. Returns the samples that are not numbers.
fn read_blocks<R: Read>(
    wav: &mut WavReader<R>,
    mut process: impl FnMut([&[f32]; 2]) -> bool,
) -> Result<Option<NotNumbers>, WavReadError> {
    let channels = usize::from(wav.channels);
    let mut frames = 0;
    let mut found: Option<NotNumbers> = None;
    let mut samples = Vec::new();
    let mut block: [Vec<f32>; 2] = Default::default();
    while wav.read(&mut samples)? {
        for (index, sample) in samples.iter_mut().enumerate().filter(|(_, x)| !x.is_finite()) {
            // It would spoil all measurements after it.
            *sample = 0.0;
            let frame = frames + (index / channels) as u64;
            let first = NotNumbers { samples: 0, first_frame: frame, last_frame: frame };
            let found = found.get_or_insert(first);
            found.samples += 1;
            found.last_frame = frame;
        }
        for (side, block) in block.iter_mut().enumerate() {
            block.clear();
            block.extend(samples.iter().skip(side.min(channels - 1)).step_by(channels));
        }
        frames += block[0].len() as u64;
        if !process([&block[0], &block[1]]) {
            break;
        }
    }
    Ok(found)
}
