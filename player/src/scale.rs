//! `--scale` and `--keyboard`: how the keys are tuned, for every command that plays.

use crate::failure::Failure;
use myriad_engine::Tuning;
use myriad_engine::tuning::TuningError;
use std::path::{Path, PathBuf};

/// How the keys are tuned.
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
    /// The tuning that the files ask for; the usual one without any.
    ///
    /// # Errors
    /// When a file cannot be read, or is not what it should be.
    pub fn tuning(&self) -> Result<Tuning, Failure> {
        let Some(scale) = &self.scale else {
            return Ok(Tuning::default());
        };
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))
        };
        let place = |path: &Path, error: TuningError| {
            let TuningError { line, problem } = error;
            Failure::failed(format!("{}:{line}: {problem}", path.display()))
        };
        let text = read(scale)?;
        // The scale by itself first, so that an error names the right file.
        Tuning::read(&text, None).map_err(|error| place(scale, error))?;
        let map = self.keyboard.as_ref().map(read).transpose()?;
        let second = self.keyboard.as_ref().unwrap_or(scale);
        Tuning::read(&text, map.as_deref()).map_err(|error| place(second, error))
    }
}
