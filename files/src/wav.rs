//! Reads WAV files: integers of 8 to 32 bits, floating point of 32 and 64 bits, any number of channels.

use crate::input;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

/// Bytes that are read at a time, at most; a frame is never larger.
const BLOCK_BYTES: usize = 1 << 16;

/// Why a WAV file cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WavReadError {
    #[error("cut short")]
    CutShort,
    #[error("{0}")]
    Io(io::Error),
    #[error("not a WAV file")]
    NotWav,
    #[error("a WAV file of the kind {0}, which is not read; convert it to RIFF")]
    Container(&'static str),
    #[error("holds {0}; only integers of 8 to 32 bits and floating point of 32 or 64 are read")]
    Encoding(String),
    #[error("the format of its samples is damaged")]
    Damaged,
    #[error("holds no sound")]
    Empty,
}

impl From<io::Error> for WavReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => WavReadError::CutShort,
            _ => WavReadError::Io(error),
        }
    }
}

/// How a sample is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Signed, of that many bytes; of one byte they are unsigned.
    Int(usize),
    Float32,
    Float64,
}

impl Encoding {
    fn bytes(self) -> usize {
        match self {
            Encoding::Int(bytes) => bytes,
            Encoding::Float32 => 4,
            Encoding::Float64 => 8,
        }
    }

    /// Full scale is 1.
    fn decode(self, sample: &[u8]) -> f32 {
        let mut bytes = [0; 8];
        bytes[8 - sample.len()..].copy_from_slice(sample);
        let [.., a, b, c, d] = bytes;
        match self {
            Encoding::Int(1) => (f32::from(d) - 128.0) / 128.0,
            Encoding::Int(_) => i32::from_le_bytes([a, b, c, d]) as f32 / (1_u32 << 31) as f32,
            Encoding::Float32 => f32::from_le_bytes([a, b, c, d]),
            Encoding::Float64 => f64::from_le_bytes(bytes) as f32,
        }
    }
}

/// A WAV file being read.
pub struct WavReader<R> {
    input: R,
    encoding: Encoding,
    /// Channels of a frame.
    pub channels: u16,
    /// Frames a second.
    pub sample_rate: u32,
    /// Frames of the whole file.
    pub frames: u64,
    /// Frames that were not read yet.
    left: u64,
}

impl WavReader<BufReader<File>> {
    /// # Errors
    /// When the file cannot be read, or is no WAV file of a kind that is read.
    pub fn open(path: &Path) -> Result<Self, WavReadError> {
        Self::new(BufReader::new(input::open(path)?))
    }
}

impl<R: Read> WavReader<R> {
    /// Reads up to the first sample.
    ///
    /// # Errors
    /// As [`open`](WavReader::open).
    pub fn new(mut input: R) -> Result<Self, WavReadError> {
        let mut head = [0; 12];
        let length = read_most(&mut input, &mut head)?;
        match (&head[..4], &head[8..]) {
            (b"RIFF", b"WAVE") if length == 12 => {}
            (b"RF64", b"WAVE") => return Err(WavReadError::Container("RF64")),
            (b"RIFX", b"WAVE") => return Err(WavReadError::Container("RIFX")),
            _ => return Err(WavReadError::NotWav),
        }
        let mut format: Option<(Encoding, u16, u32)> = None;
        loop {
            let mut head = [0; 8];
            input.read_exact(&mut head)?;
            let [a, b, c, d, length @ ..] = head;
            let length = u64::from(u32::from_le_bytes(length));
            match &[a, b, c, d] {
                b"data" => {
                    let (encoding, channels, sample_rate) = format.ok_or(WavReadError::Damaged)?;
                    let frames = length / (encoding.bytes() * usize::from(channels)) as u64;
                    if frames == 0 {
                        return Err(WavReadError::Empty);
                    }
                    return Ok(Self {
                        input,
                        encoding,
                        channels,
                        sample_rate,
                        frames,
                        left: frames,
                    });
                }
                b"fmt " => {
                    let mut chunk = [0; 40];
                    let known = length.min(40);
                    input.read_exact(&mut chunk[..known as usize])?;
                    format = Some(read_format(&chunk, known)?);
                    skip(&mut input, length - known + length % 2)?;
                }
                // Chunks have even lengths.
                _ => skip(&mut input, length + length % 2)?,
            }
        }
    }

    /// The format as reports name it.
    pub fn format(&self) -> String {
        let bits = 8 * self.encoding.bytes();
        match self.encoding {
            Encoding::Int(_) => format!("{bits}-bit"),
            _ => format!("{bits}-bit float"),
        }
    }

    /// Reads the next frames into `block`, all channels of one after the other. False at the end.
    ///
    /// # Errors
    /// When the file cannot be read, or ends before its last frame.
    pub fn read(&mut self, block: &mut Vec<f32>) -> Result<bool, WavReadError> {
        block.clear();
        let frame = self.encoding.bytes() * usize::from(self.channels);
        let frames = self.left.min((BLOCK_BYTES / frame).max(1) as u64);
        let mut bytes = vec![0; frames as usize * frame];
        self.input.read_exact(&mut bytes)?;
        let samples = bytes.chunks_exact(self.encoding.bytes());
        block.extend(samples.map(|sample| self.encoding.decode(sample)));
        self.left -= frames;
        Ok(frames > 0)
    }
}

/// Encoding, channels and sample rate of a format chunk, of which `known` bytes are given.
fn read_format(chunk: &[u8; 40], known: u64) -> Result<(Encoding, u16, u32), WavReadError> {
    const PCM: u16 = 1;
    const FLOAT: u16 = 3;
    const EXTENSIBLE: u16 = 0xFFFE;
    let word = |at: usize| u16::from_le_bytes([chunk[at], chunk[at + 1]]);
    let (channels, frame, bits) = (word(2), word(12), word(14));
    let sample_rate = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
    if known < 16 || channels == 0 || sample_rate == 0 {
        return Err(WavReadError::Damaged);
    }
    // What EXTENSIBLE extends is at the beginning of a GUID.
    let tag = if word(0) == EXTENSIBLE && known == 40 { word(24) } else { word(0) };
    let encoding = match (tag, frame / channels) {
        (PCM, bytes @ 1..=4) => Encoding::Int(usize::from(bytes)),
        (FLOAT, 4) => Encoding::Float32,
        (FLOAT, 8) => Encoding::Float64,
        (PCM, _) => return Err(WavReadError::Encoding(format!("integers of {bits} bits"))),
        (FLOAT, _) => return Err(WavReadError::Encoding(format!("floats of {bits} bits"))),
        (tag, _) => return Err(WavReadError::Encoding(encoding_name(tag))),
    };
    match usize::from(frame) == encoding.bytes() * usize::from(channels) {
        true => Ok((encoding, channels, sample_rate)),
        false => Err(WavReadError::Damaged),
    }
}

/// The name of an encoding that is not read, by its number in RFC 2361.
fn encoding_name(tag: u16) -> String {
    match tag {
        0x02 | 0x11 => "ADPCM samples".to_owned(),
        0x06 => "A-law samples".to_owned(),
        0x07 => "mu-law samples".to_owned(),
        0x50 | 0x55 => "MPEG audio".to_owned(),
        tag => format!("samples of the encoding {tag:#06x}"),
    }
}

/// Reads until `bytes` are full or the file ends, and returns how many were read.
fn read_most(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut whole = Vec::new();
    input.take(bytes.len() as u64).read_to_end(&mut whole)?;
    bytes[..whole.len()].copy_from_slice(&whole);
    Ok(whole.len())
}

fn skip(input: &mut impl Read, count: u64) -> io::Result<()> {
    match io::copy(&mut input.take(count), &mut io::sink())? {
        skipped if skipped == count => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WAV file of the given encoding, with a chunk of odd length before its format.
    fn file(tag: u16, channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
        let frame = channels * bits.div_ceil(8);
        let mut bytes = b"RIFF\0\0\0\0WAVEnote\x01\0\0\0x\0fmt \x10\0\0\0".to_vec();
        for word in [tag, channels] {
            bytes.extend(word.to_le_bytes());
        }
        for number in [48_000, 48_000 * u32::from(frame)] {
            bytes.extend(number.to_le_bytes());
        }
        for word in [frame, bits] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(b"data");
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes
    }

    fn samples(bytes: &[u8]) -> Result<Vec<f32>, WavReadError> {
        let mut wav = WavReader::new(bytes)?;
        let (mut all, mut block) = (Vec::new(), Vec::new());
        while wav.read(&mut block)? {
            all.extend(&block);
        }
        Ok(all)
    }

    #[test]
    fn all_encodings_have_the_same_scale() {
        let cases: [(u16, u16, &[u8]); 6] = [
            (1, 8, &[192, 64, 0]),
            (1, 16, &[0, 0x40, 0, 0xC0, 0, 0x80]),
            (1, 24, &[0, 0, 0x40, 0, 0, 0xC0, 0, 0, 0x80]),
            (1, 32, &[0, 0, 0, 0x40, 0, 0, 0, 0xC0, 0, 0, 0, 0x80]),
            (3, 32, &[0.5_f32, -0.5, -1.0].map(f32::to_le_bytes).concat()),
            (3, 64, &[0.5_f64, -0.5, -1.0].map(f64::to_le_bytes).concat()),
        ];
        for (tag, bits, data) in cases {
            let wave = file(tag, 1, bits, data);
            assert_eq!(samples(&wave).unwrap(), [0.5, -0.5, -1.0], "{tag}, {bits} bits");
            let error = samples(&wave[..wave.len() - 1]).unwrap_err();
            assert_eq!(error.to_string(), "cut short");
        }
    }

    #[test]
    fn what_is_not_read_has_a_reason() {
        let said = |bytes: &[u8]| samples(bytes).unwrap_err().to_string();
        assert!(said(&file(6, 1, 8, &[0; 8])).starts_with("holds A-law samples; only "));
        assert!(said(&file(1, 1, 64, &[0; 8])).starts_with("holds integers of 64 bits; "));
        assert_eq!(said(&file(1, 1, 16, &[])), "holds no sound");
        assert_eq!(said(&file(1, 0, 16, &[])), "the format of its samples is damaged");
        assert_eq!(said(b"RIFF"), "not a WAV file");
        assert_eq!(said(b"RIFF\0\0\0\0WAVE"), "cut short");
    }
}
