//! Spectral tables: for every partial a ratio, and frames of levels to morph through. Each
//! family is made by a few lines that say what it is.

mod strikes;

use super::filter::{OCTAVES_BELOW, PER_OCTAVE, Response};
use super::imported::ImportedTables;
use super::placement::{MAP_ENTRIES, MAPS, map_entry};
use super::second::SecondRows;
use super::{Cloud, IMPORTED_ROWS, MAX_GROUPS, MAX_PARTIALS, Second, TRACKS};
use crate::dsp::hash;
use crate::simd::{F32x16, LANES};
use std::f32::consts::PI;
use std::ops::Deref;
use std::sync::LazyLock;

/// Frames of every table.
pub const FRAMES: usize = 16;

/// Rows of a table: ratios, their logarithms, the frames, and the last frame once more, so that
/// there is always a next one to morph to.
const ROWS: usize = 2 + FRAMES + 1;

/// After the families come rows of vowels, for filters, and as many rows as the maps of scales fill.
const FORMANT_ROW: usize = Table::ALL.len() * ROWS;
pub(super) const FORMANT_FRAMES: usize = 33;
const MAP_ROW: usize = FORMANT_ROW + FORMANT_FRAMES;
const MAP_ROWS: usize = MAP_ENTRIES.div_ceil(MAX_PARTIALS);

/// Then come the tables that patches bring along.
pub(super) const FIRST_IMPORTED: usize = MAP_ROW + MAP_ROWS;

// Clouds name rows by two bytes, with a bit to spare.
const _: () = assert!(FIRST_IMPORTED + IMPORTED_ROWS <= Second::TRACKS as usize);
// Where kernels/filter.cuh and kernels/placement.cuh look for them: tell these of a new family.
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
    pub const ALL: [Table; 22] = [
        Table::Saw,
        Table::Square,
        Table::Pulse,
        Table::Organ,
        Table::Vocal,
        Table::Bell,
        Table::Pluck,
        Table::Bar,
        Table::Glass,
        Table::Blown,
        Table::Brass,
        Table::Bowed,
        Table::Plate,
        Table::Membrane,
        Table::Gong,
        Table::Digital,
        Table::Noise,
        Table::StrikeString,
        Table::StrikeBar,
        Table::StrikePlate,
        Table::StrikeBell,
        Table::StrikeSkin,
    ];

    /// Frequency ratios of the modes, for families that are not harmonic.
    fn modes(self) -> Option<Vec<f32>> {
        match self {
            // Hum, prime, tierce, quint, nominal and what follows (Rossing, "Science of
            // Percussion Instruments"); higher ones as the n² of a rim.
            Table::Bell | Table::StrikeBell => {
                let mut modes = vec![
                    0.5, 1.0, 1.183, 1.506, 2.0, 2.514, 2.662, 3.011, 4.166, 5.433, 6.796, 8.215,
                ];
                modes.extend((0..36).map(|k| 0.052 * (13.5 + k as f32).powf(2.0)));
                Some(modes)
            }
            // A free bar: (2k + 1)², relative to the first (Euler and Bernoulli); a copy of
            // each mode, slightly off, gives the wood its shimmer.
            Table::Bar => Some(
                (1..=24)
                    .map(|k| ((2 * k + 1) as f32 / 3.011).powi(2))
                    .flat_map(|mode| [mode, mode * 1.0015])
                    .collect(),
            ),
            // A wine glass: modes go with n², n from 2 (French 1983), each split in two.
            Table::Glass => Some(
                (2..=26)
                    .map(|n| (n * n) as f32 / 4.0)
                    .flat_map(|mode| [mode, mode * 1.002])
                    .collect(),
            ),
            // A free rectangular plate: m² + n² times its proportions, in order.
            Table::Plate => {
                let wave = |m: u32, n: u32| (m * m) as f32 + 1.71 * (n * n) as f32;
                let all = (1..=9).flat_map(|m| (1..=7).map(move |n| wave(m, n) / wave(1, 1)));
                let mut modes: Vec<f32> = all.collect();
                modes.sort_by(f32::total_cmp);
                modes.dedup();
                Some(modes)
            }
            // A round membrane: zeros of Bessel functions, relative to the first (Rossing); what
            // follows lies as densely.
            Table::Membrane => {
                let mut modes = vec![
                    1.0, 1.594, 2.136, 2.296, 2.653, 2.918, 3.156, 3.501, 3.6, 3.652, 4.06, 4.154,
                    4.601, 4.61, 4.832, 4.904, 5.132, 5.412, 5.54, 5.651,
                ];
                modes.extend((0..28).map(|k| 5.9 + 0.24 * k as f32 + 0.11 * jitter(k)));
                Some(modes)
            }
            // No formula: modes that crowd, each with a neighbour that it beats with.
            Table::Gong => Some(
                (0..40)
                    .map(|k| (1.0 + k as f32).powf(0.86) + 0.22 * jitter(k + 77))
                    .flat_map(|mode| [mode, mode * 1.006])
                    .collect(),
            ),
            Table::StrikeBar => Some(strikes::bar_modes()),
            Table::StrikePlate => Some(strikes::plate_modes()),
            Table::StrikeSkin => Some(strikes::skin_modes()),
            _ => None,
        }
    }

    /// The level of partial `n` (from 1) with frequency `ratio`, at `position` 0 to 1.
    fn level(self, position: f32, n: usize, ratio: f32) -> f32 {
        let x = n as f32;
        match self {
            Table::Saw => x.powf(-mix(7.0, 1.0, position.powf(0.25))),
            Table::Square if n.is_multiple_of(2) => 0.0,
            Table::Square => x.powf(-mix(6.0, 1.0, position.powf(0.25))),
            Table::Pulse => (PI * x * mix(0.5, 0.02, position.sqrt())).sin().abs() / x,
            Table::Organ => organ(position, n),
            Table::Vocal => vowel(position, x * FORMANT_PITCH) / x.sqrt(),
            Table::Bell => {
                // The hum is quieter than the strike; a hard clapper excites more modes.
                let softness = if n == 1 { 0.6 } else { 1.0 };
                softness * (-ratio / mix(1.5, 9.0, position)).exp()
            }
            Table::Pluck => {
                let at = mix(0.5, 0.06, position);
                (PI * x * at).sin().abs() * x.powf(-mix(1.6, 1.0, position))
            }
            Table::Bar => {
                let split = if n.is_multiple_of(2) { 0.35 } else { 1.0 };
                split * (-(ratio - 1.0) / mix(2.0, 18.0, position)).exp()
            }
            Table::Glass => {
                let split = if n.is_multiple_of(2) { 0.7 } else { 1.0 };
                split * (-(ratio - 1.0) / mix(0.7, 12.0, position)).exp()
            }
            Table::Blown => {
                let even = mix(0.03, 0.9, position);
                let share = if n.is_multiple_of(2) { even } else { 1.0 };
                share * x.powf(-mix(2.6, 1.5, position)) * (-x / 40.0).exp()
            }
            Table::Brass => {
                let reach = mix(0.9, 16.0, position * position);
                (-((x - 1.0) / reach)).exp() * x.powf(-0.25)
            }
            Table::Bowed => {
                let bow = (PI * x * mix(0.17, 0.045, position)).sin().abs().max(0.03);
                bow / x * body(x * BODY_PITCH)
            }
            Table::Plate | Table::Gong => {
                let hardness = mix(1.2, 14.0, position * position);
                (0.4 + 0.6 * jitter(n + 5).abs()) * (-(ratio - 1.0) / hardness).exp()
            }
            Table::Membrane => {
                // The middle moves only the modes that are round; the rim all of them.
                let round = matches!(n, 1 | 4 | 9 | 16);
                let share = if round {
                    mix(1.0, 0.5, position)
                } else {
                    mix(0.08, 1.0, position)
                };
                share * (-(ratio - 1.0) / mix(0.8, 4.0, position)).exp()
            }
            Table::Digital => bessel(n as i32 - 1, mix(0.0, 14.0, position))
                .abs()
                .max(1e-5),
            Table::Noise => {
                let level = 0.15 + jitter(n + 300).abs();
                level * x.powf(-mix(1.4, 0.1, position))
            }
            Table::StrikeString => strikes::string(position, n),
            Table::StrikeBar => strikes::bar(position, n),
            Table::StrikePlate => strikes::plate(position, n),
            Table::StrikeBell => strikes::bell(position, n),
            Table::StrikeSkin => strikes::skin(position, n),
        }
    }

    /// The first row of this table.
    pub fn first_row(self) -> u16 {
        (self as usize * ROWS) as u16
    }

    /// The lower frame's row, and the way from it to the next, at `position` 0 to 1.
    pub fn frame_at(self, position: f32) -> (u16, f32) {
        self.place().frame_at(position)
    }

    /// Where its rows are.
    pub fn place(self) -> Place {
        Place {
            first_row: self.first_row(),
            first_frame: self.first_row() + 2,
            stride: 1,
            frames: FRAMES as u16,
            flags: 0,
            seconds: 1.0,
        }
    }
}

/// Where the rows of a table are, be it one of the families or one that a patch brings along.
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
    /// What its clouds are marked with.
    pub flags: u8,
    /// The time from the first frame to the last at its own speed.
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

fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// A number of partial `n`'s own, -1 to 1.
fn jitter(n: usize) -> f32 {
    hash(n as u32 + 1) as f32 / (1u64 << 31) as f32 - 1.0
}

/// The Bessel function of order `n`, by its integral: what frequency modulation makes of a sine.
fn bessel(n: i32, x: f32) -> f32 {
    const STEPS: usize = 512;
    // Sidebands so far out are nothing.
    if n as f32 > x + 40.0 {
        return 0.0;
    }
    let at = |step: usize| {
        let t = (step as f64 + 0.5) * std::f64::consts::PI / STEPS as f64;
        (f64::from(n) * t - f64::from(x) * t.sin()).cos()
    };
    ((0..STEPS).map(at).sum::<f64>() / STEPS as f64) as f32
}

/// The pitch at which a bowed string meets its body as a violin's G string does.
const BODY_PITCH: f32 = 196.0;

/// What the body of a violin does: its air, its wood, and the hill of its bridge.
fn body(frequency: f32) -> f32 {
    let peak = |hertz: f32, width: f32, height: f32| {
        height / (1.0 + ((frequency - hertz) / width).powi(2))
    };
    0.35 + peak(280.0, 40.0, 1.2)
        + peak(460.0, 70.0, 1.4)
        + peak(1_100.0, 250.0, 0.8)
        + peak(2_600.0, 700.0, 1.3)
}

/// Nine drawbars (16', 5 1/3', 8', 4', 2 2/3', 2', 1 3/5', 1 1/3', 1') sound partials 1, 3, 2, 4,
/// 6, 8, 10, 12, 16 of a sub-octave; the note is partial 2 there, so tables hold the even ones.
fn organ(position: f32, n: usize) -> f32 {
    const PARTIALS: [usize; 7] = [1, 2, 3, 4, 5, 6, 8];
    const REGISTRATIONS: [[f32; 7]; 5] = [
        [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [8.0, 4.0, 0.0, 2.0, 0.0, 0.0, 0.0],
        [8.0, 6.0, 5.0, 0.0, 0.0, 0.0, 3.0],
        [8.0, 8.0, 6.0, 6.0, 3.0, 4.0, 5.0],
        [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0],
    ];
    // Pipes are not pure: every drawbar brings a little of its own octave and twelfth.
    let leak = |of: usize| -> f32 {
        PARTIALS
            .iter()
            .position(|&p| p * of == n)
            .map_or(0.0, |bar| stops(&REGISTRATIONS, position, bar))
    };
    leak(1) + 0.06 * leak(2) + 0.03 * leak(3)
}

fn stops<const N: usize>(frames: &[[f32; N]], position: f32, column: usize) -> f32 {
    let at = position * (frames.len() - 1) as f32;
    let frame = (at as usize).min(frames.len() - 2);
    mix(
        frames[frame][column],
        frames[frame + 1][column],
        at - frame as f32,
    )
}

/// The key at which tables are read as they are, whatever the formant hold: there the vocal
/// table's partials meet the formants where singers have them.
pub const FORMANT_KEY: f32 = 45.0;

/// Its pitch in Hertz.
const FORMANT_PITCH: f32 = 110.0;

/// The magnitude of five formants, after the tenor's values in the Csound manual's appendix D.
fn vowel(position: f32, frequency: f32) -> f32 {
    const FREQUENCIES: [[f32; 5]; 5] = [
        [350.0, 600.0, 2700.0, 2900.0, 3300.0],
        [400.0, 800.0, 2600.0, 2800.0, 3000.0],
        [650.0, 1080.0, 2650.0, 2900.0, 3250.0],
        [400.0, 1700.0, 2600.0, 3200.0, 3580.0],
        [290.0, 1870.0, 2800.0, 3250.0, 3540.0],
    ];
    const LEVELS_DB: [[f32; 5]; 5] = [
        [0.0, -20.0, -17.0, -14.0, -26.0],
        [0.0, -10.0, -12.0, -12.0, -26.0],
        [0.0, -6.0, -7.0, -8.0, -22.0],
        [0.0, -14.0, -12.0, -14.0, -20.0],
        [0.0, -15.0, -18.0, -20.0, -30.0],
    ];
    const WIDTHS: [f32; 5] = [70.0, 90.0, 130.0, 150.0, 180.0];
    let formants: f32 = (0..5)
        .map(|i| {
            let centre = stops(&FREQUENCIES, position, i);
            let level = 10.0_f32.powf(stops(&LEVELS_DB, position, i) / 20.0);
            let off = (frequency - centre) / WIDTHS[i];
            level / (1.0 + off * off).sqrt()
        })
        .sum();
    // Breath fills the gaps; above the formants the voice rolls off.
    (formants + 0.004) / (1.0 + (frequency / 5000.0).powi(2))
}

/// The row of a vowel: its loudest formant is at 6 dB.
fn push_formant(rows: &mut Vec<Row>, frame: usize) {
    let position = frame as f32 / (FORMANT_FRAMES - 1) as f32;
    let gain = |n: usize| {
        let octaves = (n - 1) as f32 / PER_OCTAVE - OCTAVES_BELOW;
        vowel(position, 1_000.0 * octaves.exp2())
    };
    let loudest = (1..=MAX_PARTIALS).map(gain).fold(0.0, f32::max);
    push_row(rows, |n| (2.0 * gain(n) / loudest).log2());
}

/// All tables as rows of 1,024 numbers, ready to be read sixteen at a time or copied to a GPU.
#[derive(Debug)]
pub struct Tables {
    rows: Vec<Row>,
    imported: ImportedTables,
}

/// One row, in groups of sixteen partials.
pub type Row = [F32x16; MAX_GROUPS];

/// What a cloud reads of the tables.
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
    /// What else a table of tracks says.
    pub tracks: Option<TrackRows<'a>>,
    /// What the table of a second layer says.
    pub second: Option<SecondRows<'a>>,
    /// The cloud's filters, ready for use.
    pub filters: [Response<'a>; 2],
    /// The maps of scales; nothing for a cloud that is drawn to none.
    pub maps: &'a [f32],
}

/// What a table of tracks says besides ratios, their logarithms and levels. Its rows: ratios,
/// logarithms, phases, noise, and then levels and bends of each frame in turn.
#[derive(Clone, Copy, Debug)]
pub struct TrackRows<'a> {
    /// Where partials start, in 65,536ths of a turn.
    pub phase: &'a Row,
    /// How much of a band each of them is, 0 to 1.
    pub noise: &'a Row,
    /// By how much of their ratios they are off from this frame to the next.
    pub bend: &'a Row,
}

/// The tables, made on first use. Only through this are they reached.
static TABLES: LazyLock<Tables> = LazyLock::new(Tables::generate);

/// The tables, for whoever reads them: as long as this is held no row that was found there goes away.
/// Neither waits nor allocates, once they are made.
pub fn tables() -> Reading {
    let tables = &*TABLES;
    Reading {
        tables,
        side: tables.imported.enter(),
    }
}

/// The tables that patches bring along, for whoever brings them.
pub fn imports() -> &'static ImportedTables {
    &TABLES.imported
}

/// The tables, while they are read.
#[derive(Debug)]
pub struct Reading {
    tables: &'static Tables,
    /// Where it came in.
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
                // Past the last mode nothing sounds; ratios go on rising all the same.
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
                let power: f32 = (1..=MAX_PARTIALS).map(|n| level(n).powi(2)).sum();
                let gain = power.sqrt().recip();
                push_row(&mut rows, |n| gain * level(n));
            }
        }
        (0..FORMANT_FRAMES).for_each(|frame| push_formant(&mut rows, frame));
        for row in 0..MAP_ROWS {
            push_row(&mut rows, |n| map_entry(row * MAX_PARTIALS + n - 1));
        }
        Self {
            rows,
            imported: ImportedTables::new(),
        }
    }

    /// Whether a cloud's rows are all there, and the map of its scale.
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

    /// The number of the newest table that a cloud reads, if a patch has brought it along; else zero.
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
            // Who names a row that is not there gets one that is.
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
            filters: [
                Response::of(&cloud.filters[0], self),
                Response::of(&cloud.filters[1], self),
            ],
            maps: match cloud.snap {
                0 => &[],
                _ => F32x16::flat(self.rows[MAP_ROW..].as_flattened()),
            },
        }
    }

    /// A vowel's curve for filters: powers of two of gain, over octaves.
    #[inline(always)]
    pub(super) fn formant(&self, frame: u16) -> &Row {
        &self.rows[FORMANT_ROW + usize::from(frame).min(FORMANT_FRAMES - 1)]
    }

    /// Every row of the families, for copying to a device.
    pub fn rows(&self) -> &[f32] {
        F32x16::flat(self.rows.as_flattened())
    }
}

/// Appends a row of `value` by partial number, as wide as rows are.
pub fn push_row(rows: &mut Vec<Row>, value: impl Fn(usize) -> f32) {
    let group = |group: usize| F32x16(std::array::from_fn(|i| value(group * LANES + i + 1)));
    rows.push(std::array::from_fn(group));
}
