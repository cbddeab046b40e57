//! Reads the WAV file to import.

use super::ImportError;
use crate::wav::WavReader;
use std::f64::consts::{FRAC_PI_2, PI};
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

    /// At half the sample rate, again and again while that is above 50 kHz: nothing that is heard is lost,
    /// and the analysis takes time and memory by samples.
    pub(super) fn at_moderate_rate(mut self) -> Sound {
        while self.rate > 50_000.0 {
            self.samples = halved(&self.samples);
            self.rate /= 2.0;
        }
        self
    }

    pub(super) fn seconds(&self) -> f64 {
        self.samples.len() as f64 / self.rate
    }
}

/// Every second sample, after a low-pass filter: a sinc with a Blackman window, which passes up to 0.46
/// and stops from 0.54 of the new sample rate on.
fn halved(samples: &[f32]) -> Vec<f32> {
    const HALF: usize = 68;
    let weight = |offset: usize| {
        let x = offset as f64;
        let sinc = if offset == 0 { 1.0 } else { (FRAC_PI_2 * x).sin() / (FRAC_PI_2 * x) };
        let turn = PI * x / (HALF + 1) as f64;
        0.5 * sinc * (0.42 + 0.5 * turn.cos() + 0.08 * (2.0 * turn).cos())
    };
    let weights: Vec<f32> =
        (0..=2 * HALF).map(|index| weight(index.abs_diff(HALF)) as f32).collect();
    let filtered = |middle: usize| {
        let first = middle.saturating_sub(HALF);
        let end = (middle + HALF + 1).min(samples.len());
        let weights = &weights[first + HALF - middle..];
        samples[first..end].iter().zip(weights).map(|(x, weight)| x * weight).sum()
    };
    (0..samples.len()).step_by(2).map(filtered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tones that are heard keep their level and time, others do not come back as aliases.
    #[test]
    fn a_high_sample_rate_is_lowered() {
        let tone = |hertz: f64| {
            let sine = move |n: usize| (2.0 * PI * hertz * n as f64 / 192_000.0).sin() as f32;
            let rate = 192_000.0;
            let samples = (0..19_200).map(sine).collect();
            Sound { rate, samples, cycle: None }.at_moderate_rate()
        };
        for hertz in [100.0, 5_000.0, 20_000.0] {
            let sound = tone(hertz);
            assert_eq!((sound.rate, sound.samples.len()), (48_000.0, 4_800));
            for (n, &sample) in sound.samples.iter().enumerate().take(4_600).skip(200) {
                let expected = (2.0 * PI * hertz * n as f64 / 48_000.0).sin();
                assert!((f64::from(sample) - expected).abs() < 1e-3, "{hertz} Hz, sample {n}");
            }
        }
        for hertz in [28_000.0, 50_000.0, 90_000.0] {
            let sound = tone(hertz);
            assert!(sound.samples[200..4_600].iter().all(|x| x.abs() < 1e-3), "{hertz} Hz");
        }
    }
}
