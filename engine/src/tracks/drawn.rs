//! Tables that were drawn: a level, a tuning, a decay and a pan for every harmonic of every frame. They are tracks in another
//! encoding, and become the same rows, so renderers know nothing of them.

use super::encode::byte_of;
use super::{FLOOR_DB, HEAD, MAX_CELLS, PARTIAL, TracksError, level_of};
use crate::simd::F32x16;
use crate::spectrum::{MAX_PARTIALS, Place, Row, TRACKS, push_row, tables};
use std::f32::consts::{FRAC_PI_4, SQRT_2};

/// The first bytes of drawn tables, without pan and with it.
pub(super) const MAGIC: [u8; 4] = *b"MYD1";
pub(super) const MAGIC_PANNED: [u8; 4] = *b"MYD2";

/// The most frames of a drawn table.
pub const MAX_DRAWN_FRAMES: usize = 64;

/// The largest tuning in cents, up or down.
pub const MAX_TUNING: f32 = 1_200.0;

/// The largest decay from a frame to the next, in decibels.
pub const MAX_DECAY: f32 = 255.0 * DECAY_DB;

/// Bytes of a cell: level, tuning, decay; and pan.
const CELL: usize = 4;
const CELL_PANNED: usize = 5;
/// The units of tunings, decays and pans.
const TUNING_CENTS: f32 = 0.1;
const DECAY_DB: f32 = 0.25;
const PAN: f32 = 1.0 / 127.0;

/// Rows hold one tuning from a frame to the next, so a tuning that moves gets more frames: about this many for the
/// table, and up to so many for each drawn one.
const MOVING_FRAMES: usize = 128;
const MOST_PARTS: usize = 8;

/// What is drawn for one harmonic of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Harmonic {
    /// Its level, 0 to 1.
    pub level: f32,
    /// Its tuning in cents, up to [`MAX_TUNING`] either way.
    pub tuning: f32,
    /// The decibels that it loses until the next frame, up to [`MAX_DECAY`]. They add up from frame to frame.
    pub decay: f32,
    /// Where it is, from -1 on the left to 1 on the right.
    pub pan: f32,
}

/// A drawn table, to be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnTable {
    /// The pitch in Hertz at which formant hold has no effect.
    pub pitch: f32,
    /// The time from the first frame to the last at speed 1.
    pub seconds: f32,
    /// The ratio and the noise of each partial; ratios rise.
    partials: Vec<(f32, u8)>,
    frames: usize,
    /// Frame by frame.
    cells: Vec<Harmonic>,
}

impl DrawnTable {
    /// A copy of the table at `place`: so many partials, and frames at equal distances. Values out of range are
    /// brought into it.
    pub fn copy(place: Place, pitch: f32, partials: usize, frames: usize) -> Self {
        let (count, frames) = bounded(partials, frames);
        let tables = tables();
        let row = |row: u16| F32x16::flat(tables.row(row));
        let is_tracks = place.flags & TRACKS != 0;
        let ratios = row(place.first_row);
        let noise = |n: usize| match is_tracks {
            true => (255.0 * row(place.first_row + 3)[n]).round() as u8,
            false => 0,
        };
        let mut table = Self {
            pitch: pitch.clamp(6.0, 19_000.0),
            seconds: place.seconds.clamp(0.002, 599.0),
            partials: (0..count).map(|n| (ratios[n], noise(n))).collect(),
            frames,
            cells: Vec::with_capacity(count * frames),
        };
        for frame in 0..frames {
            let (low_row, morph) = place.frame_at(frame as f32 / (frames - 1) as f32);
            let (low, high) = (row(low_row), row(low_row + place.stride));
            let cell = |n: usize| Harmonic {
                level: low[n] + (high[n] - low[n]) * morph,
                tuning: match is_tracks {
                    true => 1_200.0 * (1.0 + row(low_row + 1)[n]).max(0.5).log2(),
                    false => 0.0,
                },
                decay: 0.0,
                pan: 0.0,
            };
            table.cells.extend((0..count).map(cell));
        }
        // A table of the families may end in ratios that do not rise by much.
        table.raise_ratios();
        table
    }

    /// How many partials each frame has.
    pub fn partials(&self) -> usize {
        self.partials.len()
    }

    /// How many frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The harmonics of a frame; the last frame if there are not so many.
    pub fn frame(&self, frame: usize) -> &[Harmonic] {
        let first = frame.min(self.frames - 1) * self.partials();
        &self.cells[first..first + self.partials()]
    }

    /// The same, to be changed.
    pub fn frame_mut(&mut self, frame: usize) -> &mut [Harmonic] {
        let count = self.partials();
        let first = frame.min(self.frames - 1) * count;
        &mut self.cells[first..first + count]
    }

    /// The same table with another number of partials: the last ones go, or silent ones come.
    #[must_use]
    pub fn with_partials(&self, partials: usize) -> Self {
        let (count, _) = bounded(partials, self.frames);
        let last = self.partials.last().map_or(0.0, |(ratio, _)| *ratio);
        let partial = |n: usize| match self.partials.get(n) {
            Some(partial) => *partial,
            None => (last + (n + 1 - self.partials()) as f32, 0),
        };
        let cells = (0..self.frames).flat_map(|frame| {
            let kept = self.frame(frame).iter().copied();
            kept.chain(std::iter::repeat(Harmonic::default())).take(count)
        });
        Self { partials: (0..count).map(partial).collect(), cells: cells.collect(), ..*self }
    }

    /// The same table with another number of frames: the last ones go, or the last one is repeated. With many frames
    /// there is room for fewer partials.
    #[must_use]
    pub fn with_frames(&self, frames: usize) -> Self {
        let (count, frames) = bounded(self.partials(), frames);
        let cells = (0..frames).flat_map(|frame| self.frame(frame)[..count].iter().copied());
        let partials = self.partials[..count].to_vec();
        Self { frames, cells: cells.collect(), partials, ..*self }
    }

    /// Its bytes, for [`Tracks::from_bytes`](super::Tracks::from_bytes).
    pub fn encode(&self) -> Vec<u8> {
        let is_panned = self.is_panned();
        let mut bytes = if is_panned { MAGIC_PANNED } else { MAGIC }.to_vec();
        bytes.extend((self.partials() as u16).to_le_bytes());
        bytes.extend((self.frames as u16).to_le_bytes());
        bytes.extend(self.pitch.to_le_bytes());
        bytes.extend(self.seconds.to_le_bytes());
        for (ratio, noise) in &self.partials {
            bytes.extend(ratio.to_le_bytes());
            bytes.extend([0, 0, *noise, 0]);
        }
        for cell in &self.cells {
            bytes.push(if cell.level > 0.0 { byte_of(cell.level.min(1.0)) } else { 0 });
            let tuning = cell.tuning.clamp(-MAX_TUNING, MAX_TUNING) / TUNING_CENTS;
            bytes.extend((tuning.round() as i16).to_le_bytes());
            bytes.push((cell.decay / DECAY_DB).round().clamp(0.0, 255.0) as u8);
            if is_panned {
                bytes.push((cell.pan.clamp(-1.0, 1.0) / PAN).round() as i8 as u8);
            }
        }
        bytes
    }

    /// Reads a drawn table from its bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, TracksError> {
        let invalid = |what| Err(TracksError::Invalid(what));
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return invalid("too short");
        };
        let [_, _, _, _, a, b, c, d, pitch @ .., s0, s1, s2, s3] = *head;
        let (count, frames) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        let (count, frames) = (usize::from(count), usize::from(frames));
        let (pitch, seconds) = (f32::from_le_bytes(pitch), f32::from_le_bytes([s0, s1, s2, s3]));
        if bounded(count, frames) != (count, frames) {
            return invalid("more partials or frames than there can be");
        }
        let is_panned = head.starts_with(&MAGIC_PANNED);
        let cell_bytes = if is_panned { CELL_PANNED } else { CELL };
        if rest.len() != count * PARTIAL + count * frames * cell_bytes {
            return invalid("of the wrong size");
        }
        if !(5.0..20_000.0).contains(&pitch) || !(0.001..600.0).contains(&seconds) {
            return invalid("pitch or length out of range");
        }
        let (partials, cells) = rest.split_at(count * PARTIAL);
        let partial = |&[a, b, c, d, _, _, noise, _]: &[u8; PARTIAL]| {
            (f32::from_le_bytes([a, b, c, d]), noise)
        };
        let cell = |[level, low, high, decay]: [u8; CELL], pan: u8| Harmonic {
            level: level_of(level).min(1.0),
            tuning: (f32::from(i16::from_le_bytes([low, high])) * TUNING_CENTS)
                .clamp(-MAX_TUNING, MAX_TUNING),
            decay: f32::from(decay) * DECAY_DB,
            pan: (f32::from(pan as i8) * PAN).max(-1.0),
        };
        let panned = |&[a, b, c, d, pan]: &[u8; CELL_PANNED]| cell([a, b, c, d], pan);
        let cells = match is_panned {
            true => cells.as_chunks().0.iter().map(panned).collect(),
            false => cells.as_chunks().0.iter().map(|bytes| cell(*bytes, 0)).collect(),
        };
        let table = Self {
            pitch,
            seconds,
            partials: partials.as_chunks().0.iter().map(partial).collect(),
            frames,
            cells,
        };
        let rising = table.partials.is_sorted_by(|a, b| a.0 < b.0);
        match rising && table.partials[0].0 > 0.01 && table.partials[count - 1].0 < 8_192.0 {
            true => Ok(table),
            false => invalid("ratios that do not rise"),
        }
    }

    fn raise_ratios(&mut self) {
        let mut least = 0.02_f32;
        for (ratio, _) in &mut self.partials {
            *ratio = ratio.max(least);
            least = *ratio * 1.000_001;
        }
    }

    /// Whether a harmonic is not in the centre.
    pub(super) fn is_panned(&self) -> bool {
        self.cells.iter().any(|cell| (cell.pan / PAN).round() != 0.0)
    }

    /// How many rows each frame takes: more than one where a tuning moves.
    fn parts(&self) -> usize {
        let (all, count) = (&self.cells, self.partials());
        let moves = all.iter().zip(&all[count..]).any(|(a, b)| a.tuning != b.tuning);
        match moves {
            true => (MOVING_FRAMES / (self.frames - 1)).clamp(2, MOST_PARTS),
            false => 1,
        }
    }

    /// Frames in its rows.
    pub(super) fn row_frames(&self) -> usize {
        (self.frames - 1) * self.parts() + 1
    }

    /// The rows of the table, as tracks have them. The loudest frame has the power of a sine. Where a harmonic is
    /// panned, all frames follow again with their levels on the left, and again on the right.
    pub(super) fn rows(&self) -> Vec<Row> {
        let (frames, last) = (self.row_frames(), self.partials() - 1);
        let levels: Vec<Vec<f32>> = (0..frames).map(|frame| self.levels_at(frame)).collect();
        let power = |levels: &Vec<f32>| levels.iter().map(|level| level * level).sum::<f32>();
        let loudest = levels.iter().map(power).fold(1e-9, f32::max).sqrt();
        let ratio = |n: usize| match self.partials.get(n) {
            Some((ratio, _)) => *ratio,
            None => self.partials[last].0 + (n - last) as f32,
        };
        let sides: &[Side] = match self.is_panned() {
            true => &[Side::Both, Side::Left, Side::Right],
            false => &[Side::Both],
        };
        let mut rows = Vec::with_capacity(4 + sides.len() * usize::from(side_rows(frames)));
        push_row(&mut rows, |n| ratio(n - 1));
        push_row(&mut rows, |n| ratio(n - 1).log2());
        push_row(&mut rows, |_| 0.0);
        push_row(&mut rows, |n| {
            self.partials.get(n - 1).map_or(0.0, |(_, noise)| f32::from(*noise) / 255.0)
        });
        // The last frame again, so that there is always a next one.
        for (&side, frame) in sides.iter().flat_map(|side| {
            let frames = (0..frames).chain([frames - 1]);
            frames.map(move |frame| (side, frame))
        }) {
            let bends = self.bends_at(frame);
            let gains = self.gains_at(frame, side);
            let level =
                |n: usize| levels[frame].get(n).map_or(0.0, |level| gains[n] * level / loudest);
            push_row(&mut rows, |n| level(n - 1));
            // Silent partials are bent as the last one is, so that frequencies rise.
            push_row(&mut rows, |n| bends[(n - 1).min(last)]);
        }
        rows
    }

    /// The levels in a frame of the rows, after all decay up to there.
    fn levels_at(&self, row_frame: usize) -> Vec<f32> {
        let (frame, part) = self.split(row_frame);
        let (low, high) = (self.frame(frame), self.frame(frame + 1));
        let level = |n: usize| {
            let lost: f32 = (0..frame).map(|before| self.frame(before)[n].decay).sum();
            let lost = lost + part * low[n].decay;
            let level = low[n].level + (high[n].level - low[n].level) * part;
            match lost < -FLOOR_DB {
                true => level * 10.0_f32.powf(-lost / 20.0),
                false => 0.0,
            }
        };
        (0..self.partials()).map(level).collect()
    }

    /// The gains of a side in a frame of the rows: of equal power, and 1 in the centre.
    fn gains_at(&self, row_frame: usize, side: Side) -> Vec<f32> {
        let (frame, part) = self.split(row_frame);
        let (low, high) = (self.frame(frame), self.frame(frame + 1));
        let gain = |n: usize| {
            let pan = low[n].pan + (high[n].pan - low[n].pan) * part;
            let (left, right) = match pan == 0.0 {
                true => (1.0, 1.0),
                false => {
                    let (sine, cosine) = (FRAC_PI_4 * (1.0 + pan)).sin_cos();
                    (SQRT_2 * cosine, SQRT_2 * sine)
                }
            };
            match side {
                Side::Both => 1.0,
                Side::Left => left.max(0.0),
                Side::Right => right.max(0.0),
            }
        };
        (0..self.partials()).map(gain).collect()
    }

    /// The relative deviations of the ratios from a frame of the rows to the next. Partials keep their order.
    fn bends_at(&self, row_frame: usize) -> Vec<f32> {
        // The last interval has the tuning of its end, which is heard at the end of the table.
        let (frame, part) = match row_frame + 2 >= self.row_frames() && self.parts() > 1 {
            true => (self.frames - 2, 1.0),
            false => self.split(row_frame),
        };
        let (low, high) = (self.frame(frame), self.frame(frame + 1));
        let mut before = 0.0_f32;
        let bend = |n: usize| {
            let cents = low[n].tuning + (high[n].tuning - low[n].tuning) * part;
            let ratio = self.partials[n].0;
            let tuned = match cents == 0.0 {
                true => ratio,
                false => ratio * (cents / 1_200.0).exp2(),
            };
            let tuned = tuned.max(before * 1.000_001);
            before = tuned;
            (tuned - ratio) / ratio
        };
        (0..self.partials()).map(bend).collect()
    }

    /// The drawn frame that a frame of the rows belongs to, and how far it is to the next one.
    fn split(&self, row_frame: usize) -> (usize, f32) {
        let parts = self.parts();
        (row_frame / parts, (row_frame % parts) as f32 / parts as f32)
    }
}

/// What a frame of the rows is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Left,
    Right,
}

/// The rows of so many frames, and of the last one again, with their bends.
pub(super) fn side_rows(frames: usize) -> u16 {
    2 * (frames as u16 + 1)
}

/// The nearest possible numbers of partials and frames.
fn bounded(partials: usize, frames: usize) -> (usize, usize) {
    let frames = frames.clamp(2, MAX_DRAWN_FRAMES);
    (partials.clamp(1, MAX_PARTIALS.min(MAX_CELLS / CELL / frames)), frames)
}

#[cfg(test)]
mod tests;
