//! Options that several commands share: how a device is paced, and how the keys are tuned.

use crate::failure::Failure;
use crate::input::read_limited;
use myriad_engine::Tuning;
use myriad_engine::tuning::TuningError;
use std::io;
use std::path::{Path, PathBuf};

/// `--rate`, `--buffer`, `--depth` and `--awake`.
#[derive(clap::Args)]
pub struct PacingArgs {
    /// Frames a second, from 8000 to 192000 [default: the device's]
    #[arg(short, long, value_name = "HZ")]
    #[arg(value_parser = clap::value_parser!(u32).range(8_000..=192_000))]
    pub rate: Option<u32>,

    /// Frames that the device asks for at a time, where the device allows a choice
    #[arg(short, long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8_192))]
    pub buffer: Option<u32>,

    /// Frames kept ready for the device: latency against underruns [default: by its buffer]
    #[arg(long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: Option<u32>,

    /// Let the threads that render spin instead of sleep. Takes two processors; for machines that
    /// wake up slowly, such as virtual ones
    #[arg(long)]
    pub awake: bool,
}

/// `--scale` and `--keyboard`.
#[derive(clap::Args)]
pub struct ScaleArgs {
    /// Tune the keys by a Scala scale
    #[arg(long, value_name = "FILE.scl")]
    scale: Option<PathBuf>,

    /// Where the scale lies on the keyboard
    #[arg(long, value_name = "FILE.kbm", requires = "scale")]
    keyboard: Option<PathBuf>,
}

impl ScaleArgs {
    /// The tuning of the files; equal temperament without any.
    ///
    /// # Errors
    /// When a file cannot be read or parsed.
    pub fn tuning(&self) -> Result<Tuning, Failure> {
        let Some(scale) = &self.scale else {
            return Ok(Tuning::default());
        };
        let read = |path: &PathBuf| {
            read_text(path).map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
        };
        let failed = |path: &Path, error: TuningError| {
            let TuningError { line, problem } = error;
            Failure::failed(format!("{}:{line}: {problem}", path.display()))
        };
        let text = read(scale)?;
        // The scale is parsed by itself first, so that an error names the right file.
        Tuning::read(&text, None).map_err(|error| failed(scale, error))?;
        let map = self.keyboard.as_ref().map(read).transpose()?;
        let second = self.keyboard.as_ref().unwrap_or(scale);
        Tuning::read(&text, map.as_deref()).map_err(|error| failed(second, error))
    }
}

/// Reads a text in UTF-8, or else in Latin-1, which is the encoding of Scala files.
fn read_text(path: &Path) -> io::Result<String> {
    /// No scale is larger.
    const MOST_BYTES: u64 = 4 << 20;
    let bytes = read_limited(path, MOST_BYTES)?;
    let bytes = bytes.ok_or_else(|| io::Error::other("larger than 4 MiB; this is no scale"))?;
    let latin_1 = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect();
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| latin_1(error.as_bytes())))
}
