//! From the peaks of each moment to the cells of a table: a level and a phase for every partial and frame.

use super::grid;
use super::peaks::Peak;
use myriad_engine::tracks::PartialTrack;

/// How far from its own frequency a silent partial follows a peak, in cycles a frame.
const FOLLOWS: f64 = 0.45;

/// The share of a peak's level that each of the two partials beside its own plays, if they have none of their
/// own. They have its frequency and phase, so the sum is the same. With formants moved, levels are read between
/// partials, and a peak on a single one would come and go.
const SHARED: f64 = 0.15;

/// The peaks that partials play.
pub(super) struct Cells {
    pub(super) frequencies: Vec<f64>,
    /// Seconds from each frame to the next.
    pub(super) hop: f64,
    /// For each frame, the peak of every partial. Its level is zero where the partial only follows it.
    frames: Vec<Vec<Option<Peak>>>,
}

impl Cells {
    pub(super) fn new(frequencies: Vec<f64>, hop: f64, moments: &[Vec<Peak>]) -> Self {
        let frames = moments.iter().map(|peaks| frame(&frequencies, hop, peaks)).collect();
        Self { frequencies, hop, frames }
    }

    /// What partial `n` plays at a frame.
    fn sounding(&self, frame: usize, n: usize) -> Option<Peak> {
        self.frames.get(frame)?[n].filter(|peak| peak.level > 0.0)
    }

    /// The partials, with a silent frame at the end. Ratios relate to `root` in Hertz.
    pub(super) fn tracks(&self, root: f64) -> Vec<PartialTrack> {
        let noise: Vec<f64> = (0..self.frequencies.len()).map(|n| self.noise(n)).collect();
        let track = |n: usize| {
            let around = &noise[n.saturating_sub(2)..(n + 3).min(noise.len())];
            let frames = 0..self.frames.len();
            let levels =
                frames.map(|frame| self.sounding(frame, n).map_or(0.0, |peak| peak.level as f32));
            PartialTrack {
                ratio: self.frequencies[n] / root,
                noise: (around.iter().sum::<f64>() / around.len() as f64) as f32,
                levels: levels.chain([0.0]).collect(),
                phases: self.phases(n),
            }
        };
        (0..self.frequencies.len()).map(track).collect()
    }

    /// The unwrapped phase of partial `n` at each frame, in turns of a sine.
    fn phases(&self, n: usize) -> Vec<f64> {
        let mut phases: Vec<f64> = Vec::with_capacity(self.frames.len() + 1);
        for frame in 0..=self.frames.len() {
            let own = phases.last().map_or(0.0, |last| last + self.frequencies[n] * self.hop);
            // From cosine to sine phase.
            let wanted = self.phase(frame, n).map_or(own, |phase| phase + 0.25);
            phases.push(wanted + (own - wanted).round());
        }
        phases
    }

    /// The phase that partial `n` has at a frame; none where it does not matter. A partial that fades in from
    /// silence or out to it does so at the frequency of its peak.
    fn phase(&self, frame: usize, n: usize) -> Option<f64> {
        let before = frame.checked_sub(1).and_then(|before| self.sounding(before, n));
        match (self.sounding(frame, n), self.sounding(frame + 1, n), before) {
            (Some(peak), ..) => Some(peak.phase),
            (None, Some(next), _) => Some(next.phase - next.hertz * self.hop),
            (None, None, Some(last)) => Some(last.phase + last.hertz * self.hop),
            (None, None, None) => Some(self.frames.get(frame)?[n]?.phase),
        }
    }

    /// How noisy partial `n` is, 0 to 1: how far phases are from where the frequencies before and after lead,
    /// weighted by power. They lead anywhere in noise.
    fn noise(&self, n: usize) -> f64 {
        let (mut sum, mut weights) = (0.0, 1e-30);
        for frame in 1..self.frames.len() {
            let Some(now) = self.sounding(frame, n) else {
                continue;
            };
            let off = match self.sounding(frame - 1, n) {
                Some(last) => {
                    let turns = 0.5 * (last.hertz + now.hertz) * self.hop;
                    let off = now.phase - last.phase - turns;
                    (off - off.round()).abs()
                }
                // The mean in noise.
                None => 0.25,
            };
            sum += now.level.powi(2) * off;
            weights += now.level.powi(2);
        }
        (4.0 * sum / weights).min(1.0)
    }
}

/// The cells of one frame: each peak is played by the nearest partial and a little by those beside it, and all
/// others follow the nearest peak silently, so that they have its pitch when formants are moved.
fn frame(frequencies: &[f64], hop: f64, peaks: &[Peak]) -> Vec<Option<Peak>> {
    let mut cells: Vec<Option<Peak>> = vec![None; frequencies.len()];
    for &peak in peaks {
        let cell = &mut cells[grid::nearest(frequencies, peak.hertz)];
        *cell = Some(match *cell {
            None => peak,
            Some(other) => {
                let louder = if peak.level > other.level { peak } else { other };
                Peak { level: peak.level.hypot(other.level), ..louder }
            }
        });
    }
    let own: Vec<(usize, Peak)> =
        cells.iter().enumerate().filter_map(|(n, cell)| Some((n, (*cell)?))).collect();
    for (n, cell) in cells.iter_mut().enumerate() {
        let after = own.partition_point(|&(other, _)| other < n);
        let near = &own[after.saturating_sub(1)..(after + 1).min(own.len())];
        let off = |peak: &Peak| (peak.hertz - frequencies[n]).abs();
        let nearest = near.iter().map(|&(_, peak)| peak).min_by(|a, b| off(a).total_cmp(&off(b)));
        if cell.is_none() {
            let followed = nearest.filter(|peak| off(peak) * hop < FOLLOWS);
            *cell = followed.map(|peak| Peak { level: 0.0, ..peak });
        }
    }
    for &(n, peak) in &own {
        for side in [n.checked_sub(1), Some(n + 1)].into_iter().flatten() {
            let follows = |other: &&mut Peak| other.level == 0.0 && other.hertz == peak.hertz;
            let follower = cells.get_mut(side).and_then(Option::as_mut).filter(follows);
            if let Some(follower) = follower {
                follower.level = SHARED * peak.level;
                if let Some(own) = &mut cells[n] {
                    own.level -= SHARED * peak.level;
                }
            }
        }
    }
    cells
}
