//! Tracks: a sound as partials through time, which a patch contains. An imported recording, a
//! wavetable or a picture; or a table that was drawn, which has an encoding of its own.
//!
//! They are kept as the bytes of the patch: a level and a step of phase for every partial and frame, a
//! byte each, and values per frame and per partial. The rows of a spectral table are made from them.

mod drawn;
mod encode;

pub use drawn::{DrawnTable, Harmonic, MAX_DECAY, MAX_DRAWN_FRAMES, MAX_TUNING};
pub use encode::{PartialTrack, encode, encode_relative};

use crate::spectrum::{ImportedTable, MAX_PARTIALS, Place, Row, TRACKS, imports, push_row};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// The most frames.
pub const MAX_FRAMES: usize = 512;

/// The most frames times partials, which keeps patches small.
pub const MAX_CELLS: usize = 160_000;

/// The first bytes of tracks.
const MAGIC: [u8; 4] = *b"MYT1";

/// Bytes before those of partials, of a partial, and of a frame without its cells.
const HEAD: usize = 16;
const PARTIAL: usize = 8;
const FRAME: usize = 2;

/// The unit of the pitch bend of frames.
const BEND: f32 = 1.0 / 262_144.0;

/// A step of phase, in turns.
const STEP: f64 = 1.0 / 256.0;

/// The quietest level, and the decibels from each to the next; the loudest is 0 dB.
const FLOOR_DB: f32 = -100.0;
const LEVEL_DB: f32 = -FLOOR_DB / 254.0;

/// Why tracks cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TracksError {
    /// The bytes are not in the format of tracks.
    #[error("this is no table of partials ({0})")]
    Invalid(&'static str),
    /// Tables in use fill all rows.
    #[error("no room for another imported table while so many are played")]
    NoRoom,
}

/// Partials through time.
#[derive(Debug)]
pub struct Tracks {
    bytes: Arc<[u8]>,
    /// The pitch at which they were recorded, in Hertz.
    pitch: f32,
    is_panned: bool,
}

impl PartialEq for Tracks {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

/// Tracks that can be played: the table keeps its rows as long as a handle exists. May be cloned and
/// dropped on an audio thread: neither allocates nor frees.
#[derive(Clone, Debug)]
pub struct TableHandle {
    /// The imported tables hold a reference too, so that a drop here never frees it.
    _table: Arc<ImportedTable>,
    place: Place,
    key: f32,
}

impl TableHandle {
    /// The position of the rows of the table.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The key, with a fraction, at whose pitch it was recorded.
    pub fn key(&self) -> f32 {
        self.key
    }
}

impl Tracks {
    /// Reads tracks from their bytes.
    ///
    /// # Errors
    /// When the bytes are invalid.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Arc<Tracks>, TracksError> {
        let (pitch, is_panned) = match is_drawn(&bytes) {
            true => DrawnTable::read(&bytes).map(|drawn| (drawn.pitch, drawn.is_panned()))?,
            false => (Reader::new(&bytes)?.pitch, false),
        };
        let bytes = bytes.into();
        Ok(Arc::new(Tracks { bytes, pitch, is_panned }))
    }

    /// Imports them as a table for all renderers, unless that is done already. Allocates and locks.
    ///
    /// # Errors
    /// When tables in use leave no room.
    pub fn table_handle(&self) -> Result<TableHandle, TracksError> {
        let (frames, seconds, table) = match self.drawn() {
            Some(drawn) => {
                let table = imports().place(&self.bytes, || drawn.rows());
                (drawn.row_frames(), drawn.seconds, table)
            }
            None => {
                let read = Reader::new(&self.bytes)?;
                let table = imports().place(&self.bytes, || read.rows());
                (read.frames, read.seconds, table)
            }
        };
        let table = table.ok_or(TracksError::NoRoom)?;
        let first_row = table.first_row();
        Ok(TableHandle {
            place: Place {
                first_row,
                first_frame: first_row + 4,
                stride: 2,
                frames: frames as u16,
                flags: TRACKS,
                side_rows: if self.is_panned { drawn::side_rows(frames) } else { 0 },
                seconds,
            },
            key: self.key(),
            _table: table,
        })
    }

    /// The table as it was drawn; none for other tracks.
    pub fn drawn(&self) -> Option<DrawnTable> {
        match is_drawn(&self.bytes) {
            true => DrawnTable::read(&self.bytes).ok(),
            false => None,
        }
    }

    /// Whether a partial is not in the centre. Such partials are rendered twice, for the left and the right.
    pub fn is_panned(&self) -> bool {
        self.is_panned
    }

    /// Reads tracks from the text in a patch.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_text(text: &str) -> Result<Arc<Tracks>, TracksError> {
        let decoded = STANDARD.decode(text.trim());
        Self::from_bytes(decoded.map_err(|_| TracksError::Invalid("not base64"))?)
    }

    /// The text for a patch.
    pub fn to_text(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// The key, with a fraction, at whose pitch they were recorded.
    pub fn key(&self) -> f32 {
        69.0 + 12.0 * (self.pitch / 440.0).log2()
    }
}

/// Whether these are the bytes of a drawn table.
fn is_drawn(bytes: &[u8]) -> bool {
    bytes.starts_with(&drawn::MAGIC) || bytes.starts_with(&drawn::MAGIC_PANNED)
}

/// Reads values from the bytes of tracks.
struct Reader<'a> {
    pitch: f32,
    seconds: f32,
    count: usize,
    frames: usize,
    partials: &'a [[u8; PARTIAL]],
    bends: &'a [[u8; FRAME]],
    levels: &'a [u8],
    steps: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, TracksError> {
        let invalid = |what| Err(TracksError::Invalid(what));
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return invalid("too short");
        };
        if head[..4] != MAGIC {
            return invalid("of another kind");
        }
        let number =
            |at: usize| f32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let whole = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let (count, frames, pitch, seconds) = (whole(4), whole(6), number(8), number(12));
        if !(1..=MAX_PARTIALS).contains(&count) || !(2..=MAX_FRAMES).contains(&frames) {
            return invalid("more partials or frames than there can be");
        }
        let cells = count * frames;
        if cells > MAX_CELLS || rest.len() != count * PARTIAL + frames * FRAME + 2 * cells {
            return invalid("of the wrong size");
        }
        if !(5.0..20_000.0).contains(&pitch) || !(0.001..600.0).contains(&seconds) {
            return invalid("pitch or length out of range");
        }
        let (partials, rest) = rest.split_at(count * PARTIAL);
        let (bends, cells_of) = rest.split_at(frames * FRAME);
        let (levels, steps) = cells_of.split_at(cells);
        let read = Self {
            pitch,
            seconds,
            count,
            frames,
            partials: partials.as_chunks().0,
            bends: bends.as_chunks().0,
            levels,
            steps,
        };
        let ratios = (0..count).map(|n| read.ratio(n));
        let rising = ratios.is_sorted_by(|a, b| a < b);
        match rising && read.ratio(0) > 0.01 && read.ratio(count - 1) < 8_192.0 {
            true => Ok(read),
            false => invalid("ratios that do not rise"),
        }
    }

    /// The ratio of partial `n`, counted from 0.
    fn ratio(&self, n: usize) -> f32 {
        let [a, b, c, d, ..] = self.partials[n];
        f32::from_le_bytes([a, b, c, d])
    }

    fn phase(&self, n: usize) -> u16 {
        let [.., low, high, _, _] = self.partials[n];
        u16::from_le_bytes([low, high])
    }

    fn noise(&self, n: usize) -> f32 {
        f32::from(self.partials[n][6]) / 255.0
    }

    fn level(&self, frame: usize, n: usize) -> f32 {
        level_of(self.levels[frame * self.count + n])
    }

    /// The relative deviation of the ratio of partial `n` between this frame and the next.
    fn bend(&self, frame: usize, n: usize) -> f32 {
        let whole = f32::from(i16::from_le_bytes(self.bends[frame])) * BEND;
        let step = self.steps[frame * self.count + n] as i8;
        let time = f64::from(self.seconds) / (self.frames - 1) as f64;
        let turns = f64::from(self.ratio(n)) * f64::from(self.pitch) * time;
        whole + (f64::from(step) * STEP / turns) as f32
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(4 + 2 * (self.frames + 1));
        let last = self.count - 1;
        // Past the last partial levels are zero; ratios must still rise.
        let ratio = |n: usize| match n <= last {
            true => self.ratio(n),
            false => self.ratio(last) + (n - last) as f32,
        };
        let or_nothing = |value: &dyn Fn(usize) -> f32, n: usize| match n <= last {
            true => value(n),
            false => 0.0,
        };
        push_row(&mut rows, |n| ratio(n - 1));
        push_row(&mut rows, |n| ratio(n - 1).log2());
        push_row(&mut rows, |n| or_nothing(&|n| f32::from(self.phase(n)), n - 1));
        push_row(&mut rows, |n| or_nothing(&|n| self.noise(n), n - 1));
        // The last frame again, so that there is always a next one.
        for frame in (0..self.frames).chain([self.frames - 1]) {
            push_row(&mut rows, |n| or_nothing(&|n| self.level(frame, n), n - 1));
            push_row(&mut rows, |n| or_nothing(&|n| self.bend(frame, n), n - 1));
        }
        rows
    }
}

/// The level of a byte; zero is silence.
fn level_of(byte: u8) -> f32 {
    match byte {
        0 => 0.0,
        _ => 10.0_f32.powf((FLOOR_DB + f32::from(byte) * LEVEL_DB) / 20.0),
    }
}

#[cfg(test)]
mod tests;
