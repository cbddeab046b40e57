//! What a page draws of a sound: its outline, its spectrogram and its partials.

use super::partials::{Partial, PitchTrack};
use super::sound::Sound;
use myriad_measure::Spectrogram;
use std::ops::Range;

/// The size of the spectrogram.
const COLUMNS: usize = 400;
const ROWS: usize = 96;

/// The most partials and points of each that are drawn.
const MOST_PARTIALS: usize = 40;
const MOST_POINTS: usize = 200;

/// A sound as a picture.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Its length.
    pub seconds: f64,
    /// The largest sample of each column.
    pub peaks: Vec<f32>,
    /// Columns and rows of the spectrogram.
    pub size: [usize; 2],
    /// The lowest and highest frequency in Hertz; rows are on a logarithmic axis.
    pub frequencies: Range<f32>,
    /// Levels in decibels of a full-scale sine: column after column, the lowest frequency first.
    pub levels: Vec<f32>,
}

/// A partial through time.
#[derive(Clone, Debug)]
pub struct PartialLine {
    /// Seconds in the sound, Hertz, and level from 0 to 1 (the loudest moment of the loudest partial).
    pub points: Vec<[f32; 3]>,
}

impl Overview {
    /// Draws a sound.
    pub fn new(sound: &Sound) -> Self {
        let frames = sound.samples.len();
        let mut picture = Spectrogram::new(sound.rate as u32, frames as u64, COLUMNS, ROWS);
        for block in sound.samples.chunks(1 << 14) {
            picture.add([block, block]);
        }
        picture.finish();
        Self {
            seconds: sound.seconds(),
            peaks: picture.peaks,
            size: [COLUMNS, ROWS],
            frequencies: picture.frequencies,
            levels: picture.levels,
        }
    }
}

/// The loudest partials of a recording that begins `from` seconds into its sound.
pub(super) fn lines(track: &PitchTrack, partials: &[Partial], from: f64) -> Vec<PartialLine> {
    let mut loudest: Vec<&Partial> = partials.iter().collect();
    loudest.sort_by(|a, b| b.power().total_cmp(&a.power()));
    loudest.truncate(MOST_PARTIALS);
    let levels = loudest.iter().flat_map(|partial| &partial.levels);
    let top = levels.fold(1e-9, |top: f64, &level| top.max(level));
    let step = track.frames().div_ceil(MOST_POINTS);
    let line = |partial: &&Partial| {
        let point = |frame: usize| {
            let seconds = from + frame as f64 * track.hop;
            let hertz = partial.ratio * track.pitches[frame];
            [seconds as f32, hertz as f32, (partial.levels[frame] / top) as f32]
        };
        PartialLine { points: (0..track.frames()).step_by(step).map(point).collect() }
    };
    loudest.iter().map(line).collect()
}
