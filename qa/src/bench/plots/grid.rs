//! Voices by partials: a heat map for each renderer, and the line from which a GPU is quicker.

use super::{TOP, picture};
use crate::bench::grid::{Crossover, Grid};
use crate::bench::report::Report;
use crate::bench::table::{percent, whole};
use crate::plot::{Anchor, Point, RED, Svg};
use myriad_player::analysis::colour::{self, BACKGROUND, FAINT, INK, blend};

const AXIS: f64 = 108.0;
const CELL: Point = [62.0, 48.0];
const GAP: f64 = 44.0;
const FOOT: f64 = 120.0;

/// Shares from the darkest to the lightest colour.
const SHARES: [f64; 2] = [0.001, 4.0];

pub(super) fn draw(report: &Report, grid: &Grid) -> String {
    let ids = grid.renderers();
    let panel = grid.partials.len() as f64 * CELL[0];
    let bottom = TOP + grid.voices.len() as f64 * CELL[1];
    let width = AXIS + ids.len() as f64 * (panel + GAP);
    let title = "How much of its period a block takes";
    let frames = grid.frames;
    let mut subtitle = format!(
        "blocks of {frames} frames, voices × partials of each voice; beyond the red line it cannot be played live"
    );
    if !grid.crossovers.is_empty() {
        subtitle += "; right of a white line CUDA is quicker";
    }
    let mut svg = picture(report, [width.max(900.0), bottom + FOOT], title, &subtitle);
    svg.text_upwards([30.0, (TOP + bottom) / 2.0], 14.0, FAINT, "voices");
    for (row, voices) in grid.voices.iter().rev().enumerate() {
        let place = [AXIS - 12.0, TOP + (row as f64 + 0.5) * CELL[1] + 5.0];
        let label = whole(*voices as f64);
        svg.text(place, (13.0, FAINT, Anchor::End), &label);
    }
    for (index, id) in ids.iter().enumerate() {
        let left = AXIS + index as f64 * (panel + GAP);
        let panel = Panel { grid, left, right: left + panel, bottom };
        panel.cells(&mut svg, id);
        if *id == "cuda" {
            panel.crossovers(&mut svg, report);
        }
        panel.shares(&mut svg, id);
        panel.deadline(&mut svg, id);
        let style = (16.0, super::colour(id), Anchor::Start);
        svg.text([left, TOP - 16.0], style, &report.name(id));
    }
    svg.finish()
}

/// One renderer's part of the picture.
struct Panel<'a> {
    grid: &'a Grid,
    left: f64,
    right: f64,
    bottom: f64,
}

impl Panel<'_> {
    /// Calls `each` with every cell's top left corner, its share, and its lightness from 0 to 1.
    fn each_cell(&self, id: &str, mut each: impl FnMut(Point, f64, f64)) {
        for (row, &voices) in self.grid.voices.iter().rev().enumerate() {
            for (column, &partials) in self.grid.partials.iter().enumerate() {
                if let Some(share) = self.grid.share(voices, partials, id) {
                    let x = self.left + column as f64 * CELL[0];
                    let y = TOP + row as f64 * CELL[1];
                    let [low, high] = SHARES;
                    let light = (share.value / low).ln() / (high / low).ln();
                    each([x, y], share.value, light.clamp(0.06, 1.0));
                }
            }
        }
    }

    fn cells(&self, svg: &mut Svg, id: &str) {
        let colours = colour::map();
        let size = CELL.map(|side| side - 2.0);
        self.each_cell(id, |corner, _, light| {
            let fill = colours[(light * 255.0) as usize];
            svg.bar(corner.map(|at| at + 1.0), size, fill, 1.0);
        });
        for (column, &partials) in self.grid.partials.iter().enumerate() {
            let x = self.left + (column as f64 + 0.5) * CELL[0];
            let label = whole(partials as f64);
            svg.text([x, self.bottom + 22.0], (13.0, FAINT, Anchor::Middle), &label);
        }
        let place = [(self.left + self.right) / 2.0, self.bottom + 46.0];
        let label = "partials of a voice";
        svg.text(place, (14.0, FAINT, Anchor::Middle), label);
    }

    fn shares(&self, svg: &mut Svg, id: &str) {
        self.each_cell(id, |[x, y], share, light| {
            let ink = if light > 0.62 { BACKGROUND } else { INK };
            let place = [x + CELL[0] / 2.0, y + CELL[1] / 2.0 + 5.0];
            svg.text(place, (13.0, ink, Anchor::Middle), &percent(share));
        });
    }

    /// The border between the cells that can be played in time and those that cannot.
    fn deadline(&self, svg: &mut Svg, id: &str) {
        let grid = self.grid;
        let mut points = Vec::new();
        for (row, &voices) in grid.voices.iter().rev().enumerate() {
            let held = |&&partials: &&usize| {
                let share = grid.share(voices, partials, id);
                share.is_some_and(|share| share.value <= 1.0)
            };
            let x = self.left + grid.partials.iter().take_while(held).count() as f64 * CELL[0];
            let y = TOP + row as f64 * CELL[1];
            points.extend([[x, y], [x, y + CELL[1]]]);
        }
        // Rows that can be played completely have no border.
        points.retain(|[x, _]| *x < self.right);
        if let Some(&[_, y]) = points.last() {
            points.push([self.right, y]);
            svg.path(&points, BACKGROUND, 7.0, false);
            svg.path(&points, RED, 3.0, false);
        }
    }

    /// The lines from which CUDA is quicker than each of the others.
    fn crossovers(&self, svg: &mut Svg, report: &Report) {
        let Self { grid, left, right, .. } = *self;
        let [first, second, ..] = grid.partials[..] else {
            return;
        };
        let first = first as f64;
        let step = (second as f64 / first).ln();
        let last = grid.partials.last().map_or(first, |&last| last as f64);
        for (than, dashed) in [("cpu-1", true), ("cpu-all", false)] {
            let rows = grid.crossovers.iter().filter(|row| row.than == than);
            let point = |row: &Crossover| {
                let mut voices = grid.voices.iter();
                let index = voices.position(|voices| *voices == row.voices)?;
                let y = self.bottom - (index as f64 + 0.5) * CELL[1];
                let x = match row.from_partials.map(|all| all / row.voices as f64) {
                    None => right,
                    // Quicker everywhere: the line is the edge.
                    Some(each) if each <= first => left,
                    Some(each) => left + ((each.min(last) / first).ln() / step + 0.5) * CELL[0],
                };
                Some([x, y])
            };
            let points: Vec<Point> = rows.filter_map(point).collect();
            // The first point has the fewest voices and is at the bottom.
            if let Some(&[x, y]) = points.first() {
                svg.path(&points, blend(BACKGROUND, INK, 0.8), 2.5, dashed);
                let place = [x.clamp(left + 100.0, right - 4.0), y + CELL[1] / 2.0 - 5.0];
                let label = format!("than {} ↗", report.name(than));
                svg.text(place, (11.0, INK, Anchor::End), &label);
            }
        }
    }
}
