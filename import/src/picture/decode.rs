//! Reads PNG and JPEG files, pixel by pixel, within bounded memory.

use super::super::{ImportError, Progress};
use super::axes::GivenAxes;
use super::canvas::Canvas;
use crate::contained::contained;
use myriad_files::wav::WavReadError;
use png::{BitDepth, ColorType, DecodingError, Transformations};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::ops::Range;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The most pixels of a picture.
const MOST_PIXELS: u64 = 64_000_000;

/// The most bytes of a JPEG file, which is read as a whole.
const MOST_JPEG_BYTES: u64 = 128 << 20;

/// The most pixels for each byte of a JPEG file: even one of a single colour has fewer. Damaged files may
/// claim any size.
const MOST_PIXELS_A_BYTE: u64 = 2_000;

/// How much of the work reading is.
const READ: Range<f32> = 0.0..0.8;

/// The kind of a picture, by the first bytes of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
}

impl Format {
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            _ => None,
        }
    }
}

/// The pixels of a file, and what it says of its axes.
pub(super) fn decode(
    file: File,
    format: Format,
    ink: bool,
    progress: &Progress,
) -> Result<(Canvas, GivenAxes), ImportError> {
    match format {
        Format::Png => decode_png(BufReader::new(file), ink, progress),
        Format::Jpeg => {
            let unreadable = |error| ImportError::Unreadable(WavReadError::Io(error));
            let mut bytes = Vec::new();
            file.take(MOST_JPEG_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
            if bytes.len() as u64 > MOST_JPEG_BYTES {
                let most = MOST_JPEG_BYTES >> 20;
                return Err(ImportError::Undecodable(format!("larger than {most} MB")));
            }
            let canvas = decode_jpeg(&bytes, ink, progress)?;
            Ok((canvas, GivenAxes::default()))
        }
    }
}

/// Refuses pictures that would take too much memory, and empty ones.
fn checked(width: u64, height: u64) -> Result<(), ImportError> {
    if width.saturating_mul(height) > MOST_PIXELS {
        let most = MOST_PIXELS / 1_000_000;
        return Err(ImportError::Undecodable(format!(
            "{width} × {height} pixels; at most {most} million are read, so make it smaller"
        )));
    }
    match width == 0 || height == 0 {
        true => Err(ImportError::Undecodable("a picture without pixels".into())),
        false => Ok(()),
    }
}

/// The passes of an interlaced PNG file: first column and row, and their distances.
const PASSES: [[usize; 4]; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];
const ONE_PASS: [[usize; 4]; 1] = [[0, 0, 1, 1]];

fn decode_png(
    file: impl std::io::BufRead + Seek,
    ink: bool,
    progress: &Progress,
) -> Result<(Canvas, GivenAxes), ImportError> {
    let failed = |error: DecodingError| ImportError::Undecodable(reason(&error));
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(failed)?;
    let (width, height) = (header.width, header.height);
    let passes = match header.interlaced {
        true => &PASSES[..],
        false => &ONE_PASS[..],
    };
    checked(width.into(), height.into())?;
    let mut reader = decoder.read_info().map_err(failed)?;
    let (colours, depth) = reader.output_color_type();
    let (width, height) = (width as usize, height as usize);
    let mut canvas = Canvas::new(width, height, ink);
    let mut done = 0;
    for &[x, y, dx, dy] in passes.iter().filter(|pass| pass[0] < width && pass[1] < height) {
        for y in (y..height).step_by(dy) {
            progress.step(READ, done, height * passes.len().min(2))?;
            done += 1;
            let Some(row) = reader.next_row().map_err(failed)? else {
                return Err(ImportError::Undecodable("a PNG picture that is cut short".into()));
            };
            add_row(&mut canvas, row.data(), (colours, depth), |index| (x + dx * index, y));
        }
    }
    // Texts may come after the pixels.
    reader.finish().map_err(failed)?;
    let texts = reader.info().uncompressed_latin1_text.iter();
    let mut own = texts.filter(|text| text.keyword == GivenAxes::KEYWORD);
    let axes = own.next().map_or_else(GivenAxes::default, |own| GivenAxes::from_text(&own.text));
    Ok((canvas, axes))
}

/// Adds a row of a PNG file; `place` says where a pixel belongs.
fn add_row(
    canvas: &mut Canvas,
    row: &[u8],
    (colours, depth): (ColorType, BitDepth),
    place: impl Fn(usize) -> (usize, usize),
) {
    let channels = colours.samples();
    let bytes = if depth == BitDepth::Sixteen { 2 } else { 1 };
    for (index, pixel) in row.chunks_exact(channels * bytes).enumerate() {
        let channel = |n: usize| match depth {
            BitDepth::Sixteen => u16::from_be_bytes([pixel[2 * n], pixel[2 * n + 1]]),
            _ => u16::from(pixel[n]) * 257,
        };
        let pixel = match colours {
            ColorType::Rgb => [channel(0), channel(1), channel(2), u16::MAX],
            ColorType::Rgba => [channel(0), channel(1), channel(2), channel(3)],
            ColorType::GrayscaleAlpha => [channel(0), channel(0), channel(0), channel(1)],
            // Palettes were expanded.
            ColorType::Grayscale | ColorType::Indexed => {
                [channel(0), channel(0), channel(0), u16::MAX]
            }
        };
        let (x, y) = place(index);
        canvas.put(x, y, pixel);
    }
}

fn reason(error: &DecodingError) -> String {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "a PNG picture that is cut short".into()
        }
        DecodingError::IoError(error) => error.to_string(),
        DecodingError::LimitsExceeded => "a PNG picture that needs too much memory".into(),
        _ => "a damaged PNG picture".into(),
    }
}

fn decode_jpeg(bytes: &[u8], ink: bool, progress: &Progress) -> Result<Canvas, ImportError> {
    let damaged = || ImportError::Undecodable("a damaged JPEG picture".into());
    // The decoder fills what is missing with grey.
    const END: [u8; 2] = [0xFF, 0xD9];
    if !bytes.windows(2).any(|pair| pair == END) {
        return Err(ImportError::Undecodable("a JPEG picture that is cut short".into()));
    }
    progress.step(READ, 1, 3)?;
    // zune-jpeg 0.5.15 panics for some damaged files.
    let decoded = contained(|| decode_whole_jpeg(bytes)).unwrap_or_else(|| Err(damaged()))?;
    let WholeJpeg { width, height, channels, pixels } = decoded;
    let mut canvas = Canvas::new(width, height, ink);
    for (y, row) in pixels.chunks_exact(width * channels).enumerate() {
        progress.step(READ.start + 0.5..READ.end, y, height)?;
        for (x, pixel) in row.chunks_exact(channels).enumerate() {
            let channel = |n: usize| u16::from(pixel[n % channels]) * 257;
            canvas.put(x, y, [channel(0), channel(1), channel(2), u16::MAX]);
        }
    }
    Ok(canvas)
}

/// All pixels of a JPEG file.
struct WholeJpeg {
    width: usize,
    height: usize,
    /// One or three.
    channels: usize,
    pixels: Vec<u8>,
}

fn decode_whole_jpeg(bytes: &[u8]) -> Result<WholeJpeg, ImportError> {
    let damaged = || ImportError::Undecodable("a damaged JPEG picture".into());
    let side = MOST_PIXELS as usize;
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(side)
        .set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| damaged())?;
    let (width, height) = decoder.dimensions().ok_or_else(damaged)?;
    checked(width as u64, height as u64)?;
    if (width * height) as u64 > MOST_PIXELS_A_BYTE * bytes.len() as u64 {
        return Err(damaged());
    }
    let pixels = decoder.decode().map_err(|_| damaged())?;
    match pixels.len() / (width * height) {
        channels @ (1 | 3) => Ok(WholeJpeg { width, height, channels, pixels }),
        _ => Err(damaged()),
    }
}
