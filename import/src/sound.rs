//! Reads the sound file to import.

use super::{ImportError, Progress, decode};
use myriad_files::input;
use myriad_files::wav::{WavReadError, WavReader};
use std::f64::consts::{FRAC_PI_2, PI};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The rest of a file is ignored; the samples bound the memory whatever rate a file claims.
const MOST_SECONDS: usize = 60;
const MOST_SAMPLES: usize = 60 * 192_000;

/// Files of lower sample rates are damaged.
const LOWEST_RATE: u32 = 1_000;

/// One channel of sound.
#[derive(Debug)]
pub struct Sound {
    pub(super) rate: f64,
    pub(super) samples: Vec<f32>,
    /// Samples of a cycle, when the file is a wavetable that declares it.
    pub(super) cycle: Option<usize>,
    /// The power of a channel of the file, relative to that of the samples: channels that differ lose
    /// some of it when they are mixed.
    pub(super) channel_power: f64,
}

/// Reads a sound file; its channels are mixed.
///
/// # Errors
/// When it cannot be read, is of no known format, or holds no sound.
pub fn read(path: &Path, progress: &Progress) -> Result<Sound, ImportError> {
    let unreadable = |error| ImportError::Unreadable(WavReadError::Io(error));
    let mut file = input::open(path).map_err(unreadable)?;
    let mut head = [0; 4];
    let length = file.read(&mut head).map_err(unreadable)?;
    let is_wav = matches!(&head, b"RIFF" | b"RF64" | b"RIFX") && length == 4;
    let (mut mixer, cycle) = if is_wav {
        drop(file);
        (read_wav(path, progress)?, cycle_chunk(path))
    } else if decode::is_known(&head[..length]) {
        file.rewind().map_err(unreadable)?;
        let mut mixer = Mixer::default();
        decode::decode(file, progress, |block, rate, channels| mixer.add(block, rate, channels))?;
        (mixer, None)
    } else {
        return Err(ImportError::UnknownFormat);
    };
    mixer.finish(cycle)
}

fn read_wav(path: &Path, progress: &Progress) -> Result<Mixer, ImportError> {
    let mut wav = WavReader::open(path)?;
    let (mut mixer, mut block) = (Mixer::default(), Vec::new());
    let (rate, channels) = (wav.sample_rate, usize::from(wav.channels));
    while wav.read(&mut block)? && mixer.add(&block, rate, channels) {
        progress.step(0.0..0.0, 0, 1)?;
    }
    Ok(mixer)
}

/// Mixes the channels of blocks.
#[derive(Debug, Default)]
struct Mixer {
    rate: u32,
    channels: usize,
    /// The mix, and the first channel.
    mixed: Vec<f32>,
    first: Vec<f32>,
    /// The sum of the squares of all channels.
    power: f64,
}

impl Mixer {
    /// Adds a block; false once there is enough.
    fn add(&mut self, block: &[f32], rate: u32, channels: usize) -> bool {
        if self.mixed.is_empty() {
            (self.rate, self.channels) = (rate, channels);
        }
        // A stream that changes its format goes on as another sound, which is left out.
        if (self.rate, self.channels) != (rate, channels) || channels == 0 {
            return false;
        }
        let most = (MOST_SECONDS * rate as usize).min(MOST_SAMPLES);
        let room = most.saturating_sub(self.mixed.len());
        for frame in block.chunks_exact(channels).take(room) {
            self.mixed.push(frame.iter().sum::<f32>() / channels as f32);
            self.first.push(frame[0]);
            self.power += frame.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        }
        self.mixed.len() < most
    }

    fn finish(&mut self, cycle: Option<usize>) -> Result<Sound, ImportError> {
        if self.mixed.is_empty() {
            return Err(ImportError::Unreadable(WavReadError::Empty));
        }
        if self.rate < LOWEST_RATE {
            return Err(ImportError::Undecodable("of a sample rate that no sound has".into()));
        }
        let of_a_channel = self.power / self.channels.max(1) as f64;
        let power = |samples: &[f32]| samples.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let mut samples = std::mem::take(&mut self.mixed);
        // Channels in opposite phase cancel each other: then one of them is used.
        if power(&samples) < 0.05 * of_a_channel {
            samples = std::mem::take(&mut self.first);
        }
        if samples.iter().any(|x| !x.is_finite()) {
            return Err(ImportError::NotFinite);
        }
        let channel_power = of_a_channel / power(&samples).max(1e-30);
        let channel_power = if channel_power.is_finite() { channel_power } else { 1.0 };
        Ok(Sound { rate: f64::from(self.rate), samples, cycle, channel_power })
    }
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
    /// One channel of samples at this rate.
    ///
    /// # Errors
    /// When there are none, they are not numbers, or no sound has the rate.
    pub fn new(rate: f64, samples: Vec<f32>) -> Result<Self, ImportError> {
        if samples.is_empty() {
            return Err(ImportError::Unreadable(WavReadError::Empty));
        }
        if !(f64::from(LOWEST_RATE)..=1e6).contains(&rate) {
            return Err(ImportError::Undecodable("of a sample rate that no sound has".into()));
        }
        match samples.iter().all(|x| x.is_finite()) {
            true => Ok(Self { rate, samples, cycle: None, channel_power: 1.0 }),
            false => Err(ImportError::NotFinite),
        }
    }

    /// The frames without silence: from the first within 50 dB of the peak to the last within 60 dB.
    pub(super) fn audible(&self) -> Result<[usize; 2], ImportError> {
        let peak = self.samples.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
        if peak < 1e-5 {
            return Err(ImportError::Silence);
        }
        let loud = |share: f32| move |x: &f32| x.abs() > share * peak;
        let first = self.samples.iter().position(loud(0.003)).unwrap_or(0);
        let last = self.samples.iter().rposition(loud(0.001)).unwrap_or(0);
        Ok([first, last.max(first) + 1])
    }

    /// The frames of a part in seconds; all without silence if none is given.
    pub(super) fn used(&self, region: Option<[f64; 2]>) -> Result<[usize; 2], ImportError> {
        match region {
            Some(region) => {
                Ok(region
                    .map(|time| ((time.max(0.0) * self.rate) as usize).min(self.samples.len())))
            }
            None => self.audible(),
        }
    }

    /// The part of the sound between two frames.
    pub(super) fn part(&self, [first, end]: [usize; 2]) -> Sound {
        let samples = self.samples[first.min(end)..end].to_vec();
        Sound { samples, ..*self }
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

    /// Its length.
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 / self.rate
    }

    /// The mean square of a channel of the file in the first `seconds`.
    pub(super) fn mean_square(&self, seconds: f64) -> f64 {
        let frames = ((seconds * self.rate) as usize).clamp(1, self.samples.len().max(1));
        let sum: f64 = self.samples.iter().take(frames).map(|&x| f64::from(x).powi(2)).sum();
        self.channel_power * sum / frames as f64
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
            Sound { rate, samples, cycle: None, channel_power: 1.0 }.at_moderate_rate()
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
