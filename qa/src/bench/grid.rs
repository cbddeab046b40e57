//! Voices by partials: how much of its period a block takes, and from where on a GPU is quicker.

use super::candidate::Candidate;
use super::figure::{Figure, median};
use super::load::{Load, Loaded};
use super::rounds::{Pace, Plan, ROUNDS, in_rounds, period};
use super::table::distinct;
use myriad_engine::render::TICK;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};

/// Ticks of a block: 128 frames.
const TICKS: usize = 4;

const MOST_VOICES: usize = 4_096;
const MOST_PARTIALS: usize = 1_024;
const FEWEST: usize = 16;

/// All measured loads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grid {
    /// Of a block.
    pub frames: usize,
    pub voices: Vec<usize>,
    /// Of a voice.
    pub partials: Vec<usize>,
    pub cells: Vec<Cell>,
    pub crossovers: Vec<Crossover>,
}

/// The times of one load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub voices: usize,
    pub partials: usize,
    pub times: Vec<CellTime>,
}

/// The time of one renderer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CellTime {
    pub renderer: String,
    /// The median block, as a share of the time it takes to play it.
    pub share: Figure,
}

/// From where on CUDA is quicker than a CPU renderer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crossover {
    /// The CPU renderer.
    pub than: String,
    pub voices: usize,
    /// From how many partials in all, interpolated; none when not even at the most. At the
    /// fewest of the grid it may be quicker from fewer still.
    pub from_partials: Option<f64>,
}

/// Measures all loads.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<Grid, Failure> {
    let step = if plan.is_quick() { 4 } else { 2 };
    let (voices, partials) = (axis(MOST_VOICES, step), axis(MOST_PARTIALS, step));
    let prepare = |candidate: &Candidate| {
        let loaded = Loaded::new(candidate.renderer(), Load::USUAL, MOST_VOICES);
        loaded.map_err(Failure::failed)
    };
    let mut renderers: Vec<_> = candidates.iter().map(prepare).collect::<Result<_, _>>()?;
    let pieces = voices.len() * partials.len() * candidates.len() * ROUNDS;
    let length = plan.piece(0.1, pieces);
    let bar = plan.bar("grid", pieces);
    let mut cells = Vec::new();
    let cases = voices.iter().flat_map(|&voices| {
        let partials = partials.iter();
        partials.map(move |&partials| (voices, partials))
    });
    for (voices, partials) in cases {
        if interrupt::requested() {
            break;
        }
        let load = Load { clouds: voices, partials, ..Load::USUAL };
        for renderer in &mut renderers {
            renderer.start(load, TICKS)?;
        }
        let shares = in_rounds(&mut renderers, &bar, |renderer| {
            let render = || Ok(renderer.render()?.0 / period(TICKS).as_secs_f64());
            Ok(median(&Pace::BackToBack.run(period(TICKS), length, render)?))
        })?;
        let time = |(candidate, shares): (&Candidate, &Vec<f64>)| {
            let share = Figure::of_rounds(shares)?;
            let renderer = candidate.id().to_owned();
            Some(CellTime { renderer, share })
        };
        cells.push(Cell {
            voices,
            partials,
            times: candidates.iter().zip(&shares).filter_map(time).collect(),
        });
    }
    bar.finish_and_clear();
    cells.retain(|cell| cell.times.len() == candidates.len());
    let mut grid = Grid { frames: TICKS * TICK, voices, partials, cells, crossovers: Vec::new() };
    if candidates.iter().any(Candidate::is_cuda) {
        for than in candidates.iter().filter(|candidate| !candidate.is_cuda()) {
            let found = grid.crossovers_with(than.id());
            grid.crossovers.extend(found);
        }
    }
    Ok(grid)
}

fn axis(most: usize, step: usize) -> Vec<usize> {
    let next = |last: &usize| Some(last * step).filter(|next| *next <= most);
    std::iter::successors(Some(FEWEST), next).collect()
}

impl Grid {
    /// The renderers that were measured.
    pub(super) fn renderers(&self) -> Vec<&str> {
        let times = self.cells.iter().flat_map(|cell| &cell.times);
        distinct(times.map(|time| time.renderer.as_str()))
    }

    /// The share of `renderer` in a cell.
    pub(super) fn share(&self, voices: usize, partials: usize, renderer: &str) -> Option<Figure> {
        let here = |cell: &&Cell| (cell.voices, cell.partials) == (voices, partials);
        let times = &self.cells.iter().find(here)?.times;
        let time = times.iter().find(|time| time.renderer == renderer)?;
        Some(time.share)
    }

    /// The crossovers of all numbers of voices whose cells were all measured.
    fn crossovers_with(&self, than: &str) -> Vec<Crossover> {
        let row = |&voices: &usize| {
            let ratio = |&partials: &usize| {
                let share = |who| Some(self.share(voices, partials, who)?.value);
                Some((partials as f64, share("cuda")? / share(than)?))
            };
            let ratios: Option<Vec<(f64, f64)>> = self.partials.iter().map(ratio).collect();
            Some(Crossover {
                than: than.to_owned(),
                voices,
                from_partials: below_one(&ratios?).map(|partials| partials * voices as f64),
            })
        };
        self.voices.iter().filter_map(row).collect()
    }

    /// The partials in all from which CUDA is quicker: median and range over the numbers of voices.
    pub(super) fn crossover(&self, than: &str) -> Option<Figure> {
        let rows = self.crossovers.iter().filter(|row| row.than == than);
        let found: Vec<f64> = rows.filter_map(|row| row.from_partials).collect();
        Figure::of_rounds(&found)
    }
}

/// Where a curve last falls to 1, interpolated by logarithms. The first point when all are below,
/// none when the last is above.
pub(super) fn below_one(points: &[(f64, f64)]) -> Option<f64> {
    let above = points.iter().rposition(|(_, ratio)| *ratio > 1.0);
    let Some(above) = above else {
        return points.first().map(|(x, _)| *x);
    };
    let ((x0, y0), (x1, y1)) = (points[above], *points.get(above + 1)?);
    let way = y0.ln() / (y0.ln() - y1.ln());
    Some(x0 * (x1 / x0).powf(way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossovers_are_interpolated() {
        let found = below_one(&[(16.0, 4.0), (64.0, 0.25)]).unwrap();
        assert!((found - 32.0).abs() < 1e-9);
        assert_eq!(below_one(&[(16.0, 0.5), (64.0, 0.25)]), Some(16.0));
        assert_eq!(below_one(&[(16.0, 4.0), (64.0, 1.5)]), None);
        assert_eq!(below_one(&[(16.0, 0.9), (64.0, 1.5), (256.0, 1.2)]), None);
    }

    #[test]
    fn axes_end_where_they_should() {
        assert_eq!(axis(1_024, 4), [16, 64, 256, 1_024]);
        assert_eq!(axis(4_096, 2).len(), 9);
    }
}
