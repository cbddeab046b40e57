//! Impulse responses: what the convolver plays sound through. Computed ones, and one that a patch contains.
//!
//! An imported response is kept as the bytes of the patch: 16 bits a sample, with a level for each block, so
//! that the quiet end of a reverb is as exact as its start.

mod computed;
mod kernel;
mod resample;

pub use computed::COMPUTED;
pub(crate) use kernel::{BLOCKS, Kernel, Responses, plan};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// The most samples of an imported response, all channels together.
pub const MAX_SAMPLES: usize = 1 << 19;

/// The first bytes of a response.
const MAGIC: [u8; 4] = *b"MYI1";

/// Bytes before the samples: magic, channels, sample rate, frames.
const HEAD: usize = 16;

/// Samples that share a level.
const BLOCK: usize = 256;

/// Why an impulse response cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImpulseError {
    /// The bytes are not in the format of impulse responses.
    #[error("this is no impulse response ({0})")]
    Invalid(&'static str),
    /// More than two channels, or none.
    #[error("an impulse response has one or two channels, not {0}")]
    Channels(usize),
    /// Nothing to be heard.
    #[error("nothing but silence")]
    Silence,
}

/// An imported impulse response, mono or stereo.
#[derive(Debug)]
pub struct ImpulseResponse {
    bytes: Arc<[u8]>,
    sample_rate: f32,
    channels: Vec<Vec<f32>>,
}

impl PartialEq for ImpulseResponse {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl ImpulseResponse {
    /// Encodes recorded channels of one length. What is longer than a patch can hold is faded out.
    ///
    /// # Errors
    /// With a number of channels other than one or two, a sample rate that no recording has, samples that are not numbers, or silence.
    pub fn encode(channels: &[Vec<f32>], sample_rate: f32) -> Result<Arc<Self>, ImpulseError> {
        if !(1..=2).contains(&channels.len()) {
            return Err(ImpulseError::Channels(channels.len()));
        }
        let length = channels.iter().map(Vec::len).max().unwrap_or(0);
        let frames = length.min(MAX_SAMPLES / channels.len());
        if frames == 0 || channels.iter().flatten().all(|&sample| sample == 0.0) {
            return Err(ImpulseError::Silence);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend((channels.len() as u32).to_le_bytes());
        bytes.extend(sample_rate.to_le_bytes());
        bytes.extend((frames as u32).to_le_bytes());
        // The last tenth of a response that is cut off is faded out.
        let fade = if length > frames { frames / 10 } else { 0 };
        for channel in channels {
            let sample = |frame: usize| {
                let left = ((frames - frame) as f32 / fade.max(1) as f32).min(1.0);
                channel.get(frame).map_or(0.0, |sample| sample * if fade > 0 { left } else { 1.0 })
            };
            for first in (0..frames).step_by(BLOCK) {
                let block: Vec<f32> = (first..frames.min(first + BLOCK)).map(sample).collect();
                let peak = block.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
                bytes.extend(peak.to_le_bytes());
                let unit = if peak > 0.0 { f32::from(i16::MAX) / peak } else { 0.0 };
                let encoded = block.iter().map(|sample| (sample * unit).round() as i16);
                bytes.extend(encoded.flat_map(i16::to_le_bytes));
            }
        }
        Self::from_bytes(bytes)
    }

    /// Reads a response from its bytes.
    ///
    /// # Errors
    /// When the bytes are invalid.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Arc<Self>, ImpulseError> {
        let invalid = ImpulseError::Invalid;
        let (head, mut rest) = bytes.split_first_chunk::<HEAD>().ok_or(invalid("too short"))?;
        let number = |at: usize| [head[at], head[at + 1], head[at + 2], head[at + 3]];
        let count = u32::from_le_bytes(number(4)) as usize;
        let sample_rate = f32::from_le_bytes(number(8));
        let frames = u32::from_le_bytes(number(12)) as usize;
        if head[..4] != MAGIC {
            return Err(invalid("of another kind"));
        }
        if !(1..=2).contains(&count) || !(1_000.0..=768_000.0).contains(&sample_rate) {
            return Err(invalid("channels or sample rate out of range"));
        }
        let blocks = frames.div_ceil(BLOCK);
        if !(1..=MAX_SAMPLES / count).contains(&frames)
            || rest.len() != count * (4 * blocks + 2 * frames)
        {
            return Err(invalid("of the wrong size"));
        }
        let mut channels = Vec::with_capacity(count);
        for _ in 0..count {
            let mut channel = Vec::with_capacity(frames);
            while channel.len() < frames {
                let Some((peak, after)) = rest.split_first_chunk::<4>() else {
                    return Err(invalid("of the wrong size"));
                };
                let peak = f32::from_le_bytes(*peak);
                if !(0.0..=1e6).contains(&peak) {
                    return Err(invalid("a level out of range"));
                }
                let (block, after) = after.split_at(2 * BLOCK.min(frames - channel.len()));
                let unit = peak / f32::from(i16::MAX);
                let samples = block.as_chunks().0.iter();
                channel.extend(samples.map(|&bytes| unit * f32::from(i16::from_le_bytes(bytes))));
                rest = after;
            }
            channels.push(channel);
        }
        if channels.iter().flatten().all(|&sample| sample == 0.0) {
            return Err(ImpulseError::Silence);
        }
        Ok(Arc::new(Self { bytes: bytes.into(), sample_rate, channels }))
    }

    /// Reads a response from the text in a patch.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_text(text: &str) -> Result<Arc<Self>, ImpulseError> {
        let decoded = STANDARD.decode(text.trim());
        Self::from_bytes(decoded.map_err(|_| ImpulseError::Invalid("not base64"))?)
    }

    /// The text for a patch.
    pub fn to_text(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// Its channels, one or two.
    pub fn channels(&self) -> &[Vec<f32>] {
        &self.channels
    }

    /// Its frames per second.
    pub fn sample_rate(&self) -> f32 {
        self.sample_rate
    }

    /// Its length.
    pub fn seconds(&self) -> f32 {
        self.channels[0].len() as f32 / self.sample_rate
    }
}

/// Levels of a response for a display: the power of each of `count` equal spans, in decibels below the loudest, and its length in
/// seconds. `None` for an imported response that the patch does not contain.
pub fn envelope(
    response: usize,
    imported: Option<&ImpulseResponse>,
    count: usize,
) -> Option<(Vec<f32>, f32)> {
    let (channels, sample_rate) = match COMPUTED.get(response) {
        Some(_) => (&**computed::response(response), computed::SAMPLE_RATE),
        None => imported.map(|imported| (&*imported.channels, imported.sample_rate))?,
    };
    let frames = channels[0].len();
    let power = |span: usize| {
        let range =
            span * frames / count..((span + 1) * frames / count).max(span * frames / count + 1);
        let samples = channels.iter().flat_map(|channel| channel.get(range.clone()).unwrap_or(&[]));
        samples.map(|sample| sample * sample).sum::<f32>() / range.len() as f32
    };
    let powers: Vec<f32> = (0..count).map(power).collect();
    let loudest = powers.iter().fold(f32::MIN_POSITIVE, |a, &b| a.max(b));
    let decibels = powers.iter().map(|power| 10.0 * (power / loudest).max(1e-12).log10());
    Some((decibels.collect(), frames as f32 / sample_rate))
}

#[cfg(test)]
mod tests;
