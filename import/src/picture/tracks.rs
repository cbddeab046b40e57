//! From the grid of a picture to the partials of its patch.

use super::super::{ImportError, Progress};
use super::Picture;
use super::axes::Axes;
use super::canvas::Grid;
use myriad_engine::Tracks;
use myriad_engine::tracks::{MAX_CELLS, MAX_FRAMES, PartialTrack, encode_relative};
use std::ops::Range;
use std::sync::Arc;

/// The most partials of a voice.
const MOST_PARTIALS: usize = 1_024;

/// Where there are too many rows, those that never come this near to the loudest are left out, as a power:
/// JPEG files have such noise where their originals are black.
const NOTICED: f32 = 1e-5;

/// How much of the work it is.
const WORK: Range<f32> = 0.8..1.0;

/// Levels of the partials of a picture.
pub(super) struct PictureTracks {
    /// How many partials there are.
    pub(super) partials: usize,
    /// How many moments there are; the silent one at the end is not counted.
    pub(super) columns: usize,
    /// The level of a sine with the power of the loudest moment, where a white pixel has 1.
    pub(super) reference: f64,
    /// Lowest first.
    tracks: Vec<[PartialTrack; 2]>,
    is_stereo: bool,
    root: f64,
    /// With the silent moment.
    seconds: f64,
}

impl PictureTracks {
    pub(super) fn new(
        picture: &Picture,
        axes: &Axes,
        partials: Option<usize>,
        progress: &Progress,
    ) -> Result<Self, ImportError> {
        let most = partials.unwrap_or(MOST_PARTIALS);
        if !(1..=MOST_PARTIALS).contains(&most) {
            let text = format!("a voice has 1 to {MOST_PARTIALS} partials, not {most}");
            return Err(ImportError::Misuse(text));
        }
        let grid = &picture.grid;
        let rows = chosen(grid, most)?;
        let columns = grid.columns.min(MAX_FRAMES - 1).min(MAX_CELLS / rows.len() - 1).max(2);
        let height = picture.size[1] as f64;
        let mut tracks = Vec::with_capacity(rows.len());
        let mut powers = vec![0.0; columns];
        let (mut loudest, mut aside) = (0.0_f64, 0.0_f64);
        for (index, row) in rows.iter().rev().enumerate() {
            progress.step(WORK, index, rows.len())?;
            let cells = grid.resampled(row.clone(), columns);
            for (power, [left, right]) in powers.iter_mut().zip(&cells) {
                *power += left + right;
                loudest = loudest.max(left + right);
                aside = aside.max((left - right).abs());
            }
            let ends = [row.start, row.end].map(|row| (row * grid.merged) as f64);
            let hertz = axes.hertz(0.5 * (ends[0] + ends[1].min(height)) / height);
            let start = scattered(index);
            let track = |side: usize| PartialTrack {
                ratio: hertz / axes.root(),
                noise: 1.0,
                levels: cells.iter().map(|cell| cell[side].sqrt() as f32).chain([0.0]).collect(),
                phases: vec![start],
            };
            tracks.push([track(0), track(1)]);
        }
        Ok(Self {
            partials: tracks.len(),
            columns,
            reference: powers.iter().copied().fold(1e-20, f64::max).sqrt(),
            tracks,
            is_stereo: aside > 1e-3 * loudest,
            root: axes.root(),
            seconds: axes.seconds * columns as f64 / (columns - 1) as f64,
        })
    }

    /// Seconds from a column to the next.
    pub(super) fn hop(&self, seconds: f64) -> f64 {
        seconds / (self.columns - 1) as f64
    }

    /// The position of the last column in the table.
    pub(super) fn last_column(&self) -> f32 {
        (self.columns - 1) as f32 / self.columns as f32
    }

    /// The tables: left and right, or one where all is in the centre.
    pub(super) fn tables(&self) -> Result<(Arc<Tracks>, Option<Arc<Tracks>>), ImportError> {
        let encoded = |tracks: &[PartialTrack]| {
            let bends = vec![0.0; self.columns + 1];
            let reference = self.reference as f32;
            encode_relative(self.root, self.seconds, &bends, tracks, reference)
        };
        if !self.is_stereo {
            let both = |[left, right]: &[PartialTrack; 2]| PartialTrack {
                levels: left.levels.iter().zip(&right.levels).map(|(l, r)| l.hypot(*r)).collect(),
                ..left.clone()
            };
            let tracks: Vec<PartialTrack> = self.tracks.iter().map(both).collect();
            return Ok((Tracks::from_bytes(encoded(&tracks))?, None));
        }
        let side = |side: usize| {
            let tracks: Vec<PartialTrack> =
                self.tracks.iter().map(|pair| pair[side].clone()).collect();
            Tracks::from_bytes(encoded(&tracks))
        };
        Ok((side(0)?, Some(side(1)?)))
    }
}

/// The rows of the grid that become partials, each alone where there are few enough, else together with
/// their neighbours.
fn chosen(grid: &Grid, most: usize) -> Result<Vec<Range<usize>>, ImportError> {
    let peak = |row: usize| {
        grid.row(row).iter().fold(0.0_f32, |peak, [left, right]| peak.max(left + right))
    };
    let peaks: Vec<f32> = (0..grid.rows).map(peak).collect();
    let loudest = peaks.iter().copied().fold(0.0, f32::max);
    if loudest == 0.0 {
        return Err(ImportError::Black);
    }
    for least in [0.0, NOTICED * loudest] {
        let heard = |row: &usize| peaks[*row] > least;
        if (0..grid.rows).filter(heard).count() <= most {
            return Ok((0..grid.rows).filter(heard).map(|row| row..row + 1).collect());
        }
    }
    // Of one size, because partials of a wider range would be louder.
    let together = grid.rows.div_ceil(most);
    let range = |first: usize| first..(first + together).min(grid.rows);
    let heard = |rows: &Range<usize>| peaks[rows.clone()].iter().any(|&peak| peak > 0.0);
    Ok((0..grid.rows).step_by(together).map(range).filter(heard).collect())
}

/// The start phase of partial `index` in turns: scattered, because partials that start together are a click.
fn scattered(index: usize) -> f64 {
    // Quadratic in the golden ratio: neighbours differ, and so do their differences.
    let n = index as f64;
    (0.618_033_988_75 * n * (n + 1.0) / 2.0).fract()
}
