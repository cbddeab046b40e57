//! What a page in a browser draws, as one row of numbers: levels, counts, keys, and the points of the cloud.
//! `web/page/meters.js` reads it.

use super::{PartialView, partials};
use crate::{Counters, Snapshot};

/// Numbers before the points: the peaks of both sides, voices, partials, the sample rate, keys that are
/// down as eight numbers of sixteen bits each, and the number of points.
const HEAD: usize = 14;
/// Numbers of a point: its pitch in hertz, its level, its level without filters, and its pan.
const POINT: usize = 4;
/// Columns of the picture, from the lowest pitch in equal ratios; of each the loudest partial is a point.
const COLUMNS: usize = 480;
const LOWEST: f32 = 16.0;
const OCTAVES: f32 = 10.4;
/// Clouds that are drawn, newest first: evaluating them costs as much as a tick of rendering.
const CLOUDS: usize = 64;
/// Partials of one cloud.
const PARTIALS: usize = 1_024;

/// Makes the row, again and again in the same memory.
#[derive(Debug)]
pub struct Points {
    partials: Vec<PartialView>,
    loudest: Box<[Option<PartialView>; COLUMNS]>,
    numbers: Vec<f32>,
}

impl Points {
    /// Takes the memory for every row.
    pub fn new() -> Self {
        Self {
            partials: Vec::with_capacity(PARTIALS),
            loudest: Box::new([None; COLUMNS]),
            numbers: Vec::with_capacity(HEAD + POINT * COLUMNS),
        }
    }

    /// The row of what sounds now; `peaks` are the loudest samples of both sides. Never allocates.
    pub fn fill(&mut self, now: &Snapshot, counters: Counters, peaks: [f32; 2]) -> &[f32] {
        self.loudest.fill(None);
        for cloud in now.clouds.iter().take(CLOUDS) {
            self.partials.clear();
            partials(cloud, now.sample_rate, &mut self.partials);
            for partial in &self.partials {
                let column = (partial.hertz / LOWEST).log2() / OCTAVES * COLUMNS as f32;
                let place = &mut self.loudest[(column as usize).min(COLUMNS - 1)];
                if place.is_none_or(|other| other.unfiltered < partial.unfiltered) {
                    *place = Some(*partial);
                }
            }
        }
        let Counters { voices, partials, .. } = counters;
        let keys = |word: usize| (now.keys >> (16 * word)) as u16;
        let points = self.loudest.iter().flatten();
        self.numbers.clear();
        self.numbers.extend(peaks);
        self.numbers.extend([voices as f32, partials as f32, now.sample_rate]);
        self.numbers.extend((0..8).map(|word| f32::from(keys(word))));
        self.numbers.push(points.clone().count() as f32);
        for PartialView { hertz, level, unfiltered, pan } in points {
            self.numbers.extend([hertz, level, unfiltered, pan]);
        }
        &self.numbers
    }
}

impl Default for Points {
    fn default() -> Self {
        Self::new()
    }
}
