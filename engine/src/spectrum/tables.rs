//! Spectral tables: for every partial a ratio, and frames of levels to morph through; and how clouds
//! and renderers read them.

mod families;
mod strikes;

use super::filter::{OCTAVES_BELOW, PER_OCTAVE, Response};
use super::imported::ImportedTables;
use super::placement::{MAP_ENTRIES, MAPS, map_entry};
use super::second::SecondRows;
use super::{Cloud, IMPORTED_ROWS, MAX_GROUPS, MAX_PARTIALS, Second, TRACKS};
use crate::simd::{F32x16, LANES};
use std::ops::Deref;
use std::sync::LazyLock;

/// Frames of every table.
pub const FRAMES: usize = 16;

/// Rows of a table: ratios, their logarithms, the frames, and the last frame again, so that there
/// is always a next frame to morph to.
const ROWS: usize = 2 + FRAMES + 1;

/// After the families come the vowels for filters, and the maps of scales.
const FORMANT_ROW: usize = Table::ALL.len() * ROWS;
pub(super) const FORMANT_FRAMES: usize = 33;
const MAP_ROW: usize = FORMANT_ROW + FORMANT_FRAMES;
const MAP_ROWS: usize = MAP_ENTRIES.div_ceil(MAX_PARTIALS);

/// The first row of the imported tables.
pub(super) const FIRST_IMPORTED: usize = MAP_ROW + MAP_ROWS;

// Clouds store row numbers in two bytes, of which one bit is a flag.
const _: () = assert!(FIRST_IMPORTED + IMPORTED_ROWS <= Second::TRACKS as usize);
// kernels/cuda/filter.cuh and kernels/cuda/placement.cuh use these numbers: a new family changes them.
const _: () = assert!(FORMANT_ROW == 418 && MAP_ROW == 451);

/// The families, in the order of the `source.table` parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// From a sine to a sawtooth.
    Saw,
    /// From a sine over a triangle to a square: odd partials only.
    Square,
    /// A pulse that narrows from a square to a spike.
    Pulse,
    /// Drawbar registrations, from flutes to the full organ.
    Organ,
    /// Vowels: oo, oh, ah, eh, ee.
    Vocal,
    /// A church bell's modes, from a soft clapper to a hard one.
    Bell,
    /// A plucked string, from its middle to its bridge.
    Pluck,
    /// A struck bar, from a soft mallet to a hard one.
    Bar,
    /// A rubbed and struck glass.
    Glass,
    /// A pipe that is blown, from stopped to open and overblown.
    Blown,
    /// Brass, from soft to blaring.
    Brass,
    /// A bowed string in its body, from the fingerboard to the bridge.
    Bowed,
    /// A struck plate of metal, from a soft mallet to a hard one.
    Plate,
    /// A struck skin, from its middle to its rim.
    Membrane,
    /// A gong: close modes that beat, from a soft stroke to a crash.
    Gong,
    /// Frequency modulation of one sine by another, from none to much.
    Digital,
    /// Partials of random levels, from dark to bright.
    Noise,
    /// A string that is struck, from its end to its middle.
    StrikeString,
    /// A free bar that is struck, from its end to its middle.
    StrikeBar,
    /// A plate that is struck, from a corner to its middle.
    StrikePlate,
    /// A bell that is struck, from its lip to its waist.
    StrikeBell,
    /// A skin that is struck, from its rim to its middle.
    StrikeSkin,
}

impl Table {
    /// All families, in order.
    pub const ALL: [Table; 22] = {
        use Table::*;
        [
            Saw,
            Square,
            Pulse,
            Organ,
            Vocal,
            Bell,
            Pluck,
            Bar,
            Glass,
            Blown,
            Brass,
            Bowed,
            Plate,
            Membrane,
            Gong,
            Digital,
            Noise,
            StrikeString,
            StrikeBar,
            StrikePlate,
            StrikeBell,
            StrikeSkin,
        ]
    };

    /// The first row of this table.
    pub fn first_row(self) -> u16 {
        (self as usize * ROWS) as u16
    }

    /// The lower frame's row, and the way from it to the next, at `position` 0 to 1.
    pub fn frame_at(self, position: f32) -> (u16, f32) {
        self.place().frame_at(position)
    }

    /// The position of its rows.
    pub fn place(self) -> Place {
        Place {
            first_row: self.first_row(),
            first_frame: self.first_row() + 2,
            stride: 1,
            frames: FRAMES as u16,
            flags: 0,
            side_rows: 0,
            seconds: 1.0,
        }
    }
}

/// The position of the rows of a table, either of a family or an imported one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its first row.
    pub first_row: u16,
    /// The row of its first frame.
    pub first_frame: u16,
    /// The rows from each frame to the next.
    pub stride: u16,
    /// How many frames it has.
    pub frames: u16,
    /// Flags of its clouds.
    pub flags: u8,
    /// The rows from a frame to its levels on the left, and from there to those on the right. Zero where no partial
    /// is panned.
    pub side_rows: u16,
    /// The time from the first frame to the last at the recorded speed.
    pub seconds: f32,
}

impl Place {
    /// The lower frame's row, and the way from it to the next, at `position` 0 to 1.
    pub fn frame_at(self, position: f32) -> (u16, f32) {
        let at = position.clamp(0.0, 1.0) * f32::from(self.frames - 1);
        let frame = (at as u16).min(self.frames - 2);
        let row = self.first_frame + self.stride * frame;
        (row, at - f32::from(frame))
    }
}

/// The key at which the formant hold has no effect: there the partials of the vocal table have the
/// formants of a singer.
pub const FORMANT_KEY: f32 = 45.0;

/// The row of a vowel: its loudest formant is at 6 dB.
fn push_formant(rows: &mut Vec<Row>, frame: usize) {
    let position = frame as f32 / (FORMANT_FRAMES - 1) as f32;
    let gain = |n: usize| {
        let octaves = (n - 1) as f32 / PER_OCTAVE - OCTAVES_BELOW;
        families::vowel(position, 1_000.0 * octaves.exp2())
    };
    let loudest = (1..=MAX_PARTIALS).map(gain).fold(0.0, f32::max);
    push_row(rows, |n| (2.0 * gain(n) / loudest).log2());
}

/// All tables as rows of 1,024 numbers, which the CPU reads sixteen at a time and a GPU copies.
#[derive(Debug)]
pub struct Tables {
    rows: Vec<Row>,
    imported: ImportedTables,
}

/// One row, in groups of sixteen partials.
pub type Row = [F32x16; MAX_GROUPS];

/// The rows that a cloud reads.
#[derive(Clone, Copy, Debug)]
pub struct CloudRows<'a> {
    /// Frequency ratios of the partials.
    pub ratio: &'a Row,
    /// Their logarithms.
    pub log2_ratio: &'a Row,
    /// Levels of the frame below the cloud's position.
    pub low: &'a Row,
    /// Levels of the frame above.
    pub high: &'a Row,
    /// Additional rows of a table of tracks.
    pub tracks: Option<TrackRows<'a>>,
    /// The rows of the second table.
    pub second: Option<SecondRows<'a>>,
    /// The coefficients of the cloud's filters.
    pub filters: [Response<'a>; 2],
    /// The maps of scales; empty for a cloud that does not snap to one.
    pub maps: &'a [f32],
}

/// The additional rows of a table of tracks. All its rows: ratios,
/// logarithms, phases, noise, and then levels and bends of each frame in turn.
#[derive(Clone, Copy, Debug)]
pub struct TrackRows<'a> {
    /// The phases at which partials start, in 65,536ths of a turn.
    pub phase: &'a Row,
    /// How noisy each partial is, 0 to 1.
    pub noise: &'a Row,
    /// The relative deviation of their ratios between this frame and the next.
    pub bend: &'a Row,
}

/// The tables, generated on first use. Accessed only through [`tables`] and [`imports`].
static TABLES: LazyLock<Tables> = LazyLock::new(Tables::generate);

/// The tables, for reading: while the guard is held, no row of them is freed. Neither waits nor
/// allocates, once the tables are generated.
pub fn tables() -> Reading {
    let tables = &*TABLES;
    Reading { tables, side: tables.imported.enter() }
}

/// The imported tables, for adding to them.
pub fn imports() -> &'static ImportedTables {
    &TABLES.imported
}

/// A guard for reading the tables.
#[derive(Debug)]
pub struct Reading {
    tables: &'static Tables,
    /// The counter that it was registered in.
    side: usize,
}

impl Deref for Reading {
    type Target = Tables;

    #[inline(always)]
    fn deref(&self) -> &Tables {
        self.tables
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.tables.imported.leave(self.side);
    }
}

impl Tables {
    fn generate() -> Self {
        let mut rows = Vec::with_capacity(FIRST_IMPORTED);
        for table in Table::ALL {
            let modes = table.modes();
            let count = modes.as_ref().map_or(MAX_PARTIALS, Vec::len);
            let ratio = |n: usize| match &modes {
                // Past the last mode levels are zero; ratios must still rise.
                Some(modes) => match modes.get(n - 1) {
                    Some(&mode) => mode,
                    None => modes[count - 1] + (n - count) as f32,
                },
                None => n as f32,
            };
            push_row(&mut rows, ratio);
            push_row(&mut rows, |n| ratio(n).log2());
            for frame in (0..FRAMES).chain([FRAMES - 1]) {
                let position = frame as f32 / (FRAMES - 1) as f32;
                let level = |n: usize| match n <= count {
                    true => table.level(position, n, ratio(n)),
                    false => 0.0,
                };
                // Every frame has the power of a sine, so that morphing keeps the loudness.
                let levels: Vec<f32> = (1..=MAX_PARTIALS).map(level).collect();
                let power: f32 = levels.iter().map(|level| level.powi(2)).sum();
                let gain = power.sqrt().recip();
                push_row(&mut rows, |n| gain * levels[n - 1]);
            }
        }
        (0..FORMANT_FRAMES).for_each(|frame| push_formant(&mut rows, frame));
        for row in 0..MAP_ROWS {
            push_row(&mut rows, |n| map_entry(row * MAX_PARTIALS + n - 1));
        }
        Self { rows, imported: ImportedTables::new() }
    }

    /// Whether all rows of a cloud and the map of its scale exist.
    pub fn has_rows_of(&self, cloud: &Cloud) -> bool {
        let has = |row: u16, tracks: bool| {
            let last = usize::from(row) + if tracks { 3 } else { 1 };
            last < self.rows.len() || self.imported.row(last - self.rows.len()).is_some()
        };
        let all = |table: u16, frame: u16, tracks: bool| has(table, tracks) && has(frame, tracks);
        let Second { table, frame, .. } = cloud.second;
        let tracks = table & Second::TRACKS != 0;
        all(cloud.table, cloud.frame, cloud.flags & TRACKS != 0)
            && (cloud.second.share == 0 || all(table & !Second::TRACKS, frame, tracks))
            && usize::from(cloud.scale) < MAPS
    }

    /// The number of the newest imported table that a cloud reads; zero if it reads none.
    pub fn number_of(&self, cloud: &Cloud) -> u64 {
        let number = |row: u16| {
            let index = usize::from(row).checked_sub(self.rows.len());
            let table = index.and_then(|index| self.imported.owner(index));
            table.map_or(0, |table| table.number)
        };
        match cloud.second.share {
            0 => number(cloud.table),
            _ => number(cloud.table).max(number(cloud.second.table & !Second::TRACKS)),
        }
    }

    /// Row `index`.
    #[inline(always)]
    pub fn row(&self, index: u16) -> &Row {
        let index = usize::from(index);
        match self.rows.get(index) {
            Some(row) => row,
            // A row that does not exist is replaced by the first one.
            None => match self.imported.row(index - self.rows.len()) {
                Some(row) => row,
                None => &self.rows[0],
            },
        }
    }

    /// The rows that a cloud reads.
    #[inline(always)]
    pub fn rows_of(&self, cloud: &Cloud) -> CloudRows<'_> {
        let tracks = cloud.flags & TRACKS != 0;
        CloudRows {
            ratio: self.row(cloud.table),
            log2_ratio: self.row(cloud.table + 1),
            low: self.row(cloud.frame),
            high: self.row(cloud.frame + if tracks { 2 } else { 1 }),
            tracks: tracks.then(|| TrackRows {
                phase: self.row(cloud.table + 2),
                noise: self.row(cloud.table + 3),
                bend: self.row(cloud.frame + 1),
            }),
            second: SecondRows::of(&cloud.second, self),
            filters: [Response::of(&cloud.filters[0], self), Response::of(&cloud.filters[1], self)],
            maps: match cloud.snap {
                0 => &[],
                _ => F32x16::flat(self.rows[MAP_ROW..].as_flattened()),
            },
        }
    }

    /// A vowel's curve for filters: the gain in powers of two, over octaves.
    #[inline(always)]
    pub(super) fn formant(&self, frame: u16) -> &Row {
        &self.rows[FORMANT_ROW + usize::from(frame).min(FORMANT_FRAMES - 1)]
    }

    /// Every row of the families, for copying to a device.
    pub fn rows(&self) -> &[f32] {
        F32x16::flat(self.rows.as_flattened())
    }
}

/// Appends a row: `value` for each partial number, from 1.
pub fn push_row(rows: &mut Vec<Row>, value: impl Fn(usize) -> f32) {
    let group = |group: usize| F32x16(std::array::from_fn(|i| value(group * LANES + i + 1)));
    rows.push(std::array::from_fn(group));
}
