//! Voices by partials: a panel for each renderer, light where it struggles, and the line from
//! which a GPU is quicker.

use super::theme::{self, DEADLINE, style};
use crate::bench::candidate;
use crate::bench::grid::Grid;
use crate::bench::report::Report;
use crate::bench::table::{percent, whole};
use myriad_player::analysis::colour::{self, BACKGROUND, FAINT, INK, Rgb, blend};
use myriad_player::analysis::svg::{Anchor, Point, Svg};

const TOP: f64 = 150.0;
const AXIS: f64 = 108.0;
const CELL: Point = [62.0, 48.0];
const GAP: f64 = 44.0;
const FOOT: f64 = 120.0;

/// Shares from the darkest to the lightest colour.
const SHARES: [f64; 2] = [0.001, 4.0];

pub(super) fn draw(report: &Report, grid: &Grid) -> String {
    let times = grid.cells.first().map_or(&[][..], |cell| &cell.times);
    let ids: Vec<&str> = times.iter().map(|time| time.renderer.as_str()).collect();
    let panel = grid.partials.len() as f64 * CELL[0];
    let bottom = TOP + grid.voices.len() as f64 * CELL[1];
    let width = AXIS + ids.len() as f64 * (panel + GAP);
    let size = [width.max(900.0), bottom + FOOT];
    let title = "How much of its period a block takes";
    let mut subtitle = format!(
        "blocks of {} frames, voices × partials of each voice; beyond the red line it cannot be played live",
        grid.frames
    );
    if !grid.crossovers.is_empty() {
        subtitle += "; right of a white line CUDA is quicker";
    }
    let mut svg = theme::picture(report, size, title, &subtitle);
    let middle = [30.0, (TOP + bottom) / 2.0];
    svg.text_upwards(middle, style(14.0, FAINT, Anchor::Middle), "voices");
    for (row, voices) in grid.voices.iter().rev().enumerate() {
        let place = [AXIS - 12.0, TOP + (row as f64 + 0.5) * CELL[1] + 5.0];
        svg.text(
            place,
            style(13.0, FAINT, Anchor::End),
            &whole(*voices as f64),
        );
    }
    for (index, id) in ids.iter().enumerate() {
        let panel = Panel {
            grid,
            left: AXIS + index as f64 * (panel + GAP),
        };
        panel.cells(&mut svg, id);
        if *id == "cuda" {
            panel.crossovers(&mut svg, report);
        }
        panel.shares(&mut svg, id);
        panel.deadline(&mut svg, id);
        let name = candidate::name(id, report.machine.cores);
        let place = [panel.left, TOP - 16.0];
        svg.text(place, style(16.0, theme::colour(id), Anchor::Start), &name);
    }
    svg.finish()
}

/// One renderer's part of the picture.
struct Panel<'a> {
    grid: &'a Grid,
    left: f64,
}

impl Panel<'_> {
    /// Calls `each` with every cell's top left corner, its share, and its light from 0 to 1.
    fn each_cell(&self, id: &str, mut each: impl FnMut(Point, f64, f64)) {
        let Self { grid, left } = self;
        for (row, &voices) in grid.voices.iter().rev().enumerate() {
            for (column, &partials) in grid.partials.iter().enumerate() {
                if let Some(share) = grid.share(voices, partials, id) {
                    let x = left + column as f64 * CELL[0];
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
        let Self { grid, left } = self;
        let bottom = TOP + grid.voices.len() as f64 * CELL[1];
        for (column, &partials) in grid.partials.iter().enumerate() {
            let place = [left + (column as f64 + 0.5) * CELL[0], bottom + 22.0];
            let label = whole(partials as f64);
            svg.text(place, style(13.0, FAINT, Anchor::Middle), &label);
        }
        let middle = left + grid.partials.len() as f64 * CELL[0] / 2.0;
        let label = "partials of a voice";
        let place = [middle, bottom + 46.0];
        svg.text(place, style(14.0, FAINT, Anchor::Middle), label);
    }

    fn shares(&self, svg: &mut Svg, id: &str) {
        self.each_cell(id, |[x, y], share, light| {
            let ink: Rgb = if light > 0.62 { BACKGROUND } else { INK };
            let place = [x + CELL[0] / 2.0, y + CELL[1] / 2.0 + 5.0];
            svg.text(place, style(13.0, ink, Anchor::Middle), &percent(share));
        });
    }

    /// Between the cells that can be played in time and those that cannot.
    fn deadline(&self, svg: &mut Svg, id: &str) {
        let Self { grid, left } = self;
        let mut points = Vec::new();
        for (row, &voices) in grid.voices.iter().rev().enumerate() {
            let held = |&&partials: &&usize| {
                let share = grid.share(voices, partials, id);
                share.is_some_and(|share| share.value <= 1.0)
            };
            let x = left + grid.partials.iter().take_while(held).count() as f64 * CELL[0];
            let y = TOP + row as f64 * CELL[1];
            points.extend([[x, y], [x, y + CELL[1]]]);
        }
        // Where all can be played there is nothing to draw.
        let right = left + grid.partials.len() as f64 * CELL[0];
        points.retain(|[x, _]| *x < right);
        if let Some(&[_, y]) = points.last() {
            points.push([right, y]);
            svg.path(&points, BACKGROUND, 7.0, false);
            svg.path(&points, DEADLINE, 3.0, false);
        }
    }

    /// From where on CUDA is quicker than each of the others.
    fn crossovers(&self, svg: &mut Svg, report: &Report) {
        let Self { grid, left } = self;
        let (Some(&first), Some(&last)) = (grid.partials.first(), grid.partials.last()) else {
            return;
        };
        let step = match grid.partials.get(1) {
            Some(&second) => (second as f64 / first as f64).ln(),
            None => return,
        };
        let right = left + grid.partials.len() as f64 * CELL[0];
        for (than, dashed) in [("cpu-1", true), ("cpu-all", false)] {
            let rows = grid.crossovers.iter().filter(|row| row.than == than);
            let points: Vec<Point> = rows
                .filter_map(|row| {
                    let index = grid
                        .voices
                        .iter()
                        .position(|voices| *voices == row.voices)?;
                    let y = TOP + (grid.voices.len() as f64 - index as f64 - 0.5) * CELL[1];
                    let x = match row.from_partials {
                        None => right,
                        // Quicker everywhere: the line is the edge.
                        Some(all) if all <= (first * row.voices) as f64 => *left,
                        Some(all) => {
                            let each = (all / row.voices as f64).min(last as f64);
                            left + ((each / first as f64).ln() / step + 0.5) * CELL[0]
                        }
                    };
                    Some([x, y])
                })
                .collect();
            // A panel starts with the fewest voices, at the bottom.
            if let Some(&[x, y]) = points.first() {
                let line = blend(BACKGROUND, INK, 0.8);
                svg.path(&points, line, 2.5, dashed);
                let who = candidate::name(than, report.machine.cores);
                let place = [x.clamp(left + 100.0, right - 4.0), y + CELL[1] / 2.0 - 5.0];
                let label = format!("than {who} ↗");
                svg.text(place, style(11.0, INK, Anchor::End), &label);
            }
        }
    }
}
