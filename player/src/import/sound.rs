//! Reads the WAV file to import.

use super::ImportError;
use crate::wav::WavReader;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The rest of a file is ignored.
const MOST_SECONDS: usize = 60;

/// One channel of sound.
#[derive(Debug, Default)]
pub(super) struct Sound {
    pub(super) rate: f64,
    pub(super) samples: Vec<f32>,
    /// Samples of a cycle, when the file is a wavetable that declares it.
    pub(super) cycle: Option<usize>,
}

/// Reads a WAV file; its channels are mixed.
pub(super) fn read(path: &Path) -> Result<Sound, ImportError> {
    let mut wav = WavReader::open(path)?;
    let most = MOST_SECONDS * wav.sample_rate as usize;
    let mixed = |frame: &[f32]| frame.iter().sum::<f32>() / frame.len() as f32;
    let (mut samples, mut block) = (Vec::new(), Vec::new());
    while samples.len() < most && wav.read(&mut block)? {
        samples.extend(block.chunks_exact(usize::from(wav.channels)).map(mixed));
    }
    samples.truncate(most);
    if samples.iter().any(|x| !x.is_finite()) {
        return Err(ImportError::NotFinite);
    }
    Ok(Sound { rate: f64::from(wav.sample_rate), samples, cycle: cycle_chunk(path) })
}

/// The cycle length in the chunk `clm ` of wavetable editors: `<!>2048 ...`.
fn cycle_chunk(path: &Path) -> Option<usize> {
    let mut file = BufReader::new(File::open(path).ok()?);
    file.seek(SeekFrom::Start(12)).ok()?;
    loop {
        let mut head = [0; 8];
        file.read_exact(&mut head).ok()?;
        let [a, b, c, d, length @ ..] = head;
        let length = u32::from_le_bytes(length);
        if [a, b, c, d] == *b"clm " {
            let mut text = vec![0; length.min(64) as usize];
            file.read_exact(&mut text).ok()?;
            let digits = text.strip_prefix(b"<!>")?;
            let digits = digits.split(|byte| !byte.is_ascii_digit()).next()?;
            return std::str::from_utf8(digits).ok()?.parse().ok();
        }
        // Chunks have even lengths.
        file.seek_relative(i64::from(length) + i64::from(length % 2)).ok()?;
    }
}

impl Sound {
    /// Without silence: from the first sample within 50 dB of the peak to the last within 60 dB.
    pub(super) fn trimmed(&self) -> Result<Sound, ImportError> {
        let peak = self.samples.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
        if peak < 1e-5 {
            return Err(ImportError::Silence);
        }
        let loud = |share: f32| move |x: &f32| x.abs() > share * peak;
        let first = self.samples.iter().position(loud(0.003)).unwrap_or(0);
        let last = self.samples.iter().rposition(loud(0.001)).unwrap_or(0);
        Ok(Sound {
            rate: self.rate,
            samples: self.samples[first..=last.max(first)].to_vec(),
            cycle: self.cycle,
        })
    }

    pub(super) fn seconds(&self) -> f64 {
        self.samples.len() as f64 / self.rate
    }
}
