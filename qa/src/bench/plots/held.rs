//! Partials held in real time, as bars.

use super::theme::{self, LEFT, LogScale, colour, style};
use crate::bench::held::Held;
use crate::bench::report::Report;
use crate::bench::table::partials;
use crate::bench::text::distinct;
use myriad_player::analysis::colour::{BACKGROUND, FAINT, INK, blend};
use myriad_player::analysis::svg::Anchor;

const WIDTH: f64 = 1200.0;
const TOP: f64 = 150.0;
const AXIS: f64 = 290.0;
const RIGHT: f64 = 1060.0;
const BAR: f64 = 26.0;
const GAP: f64 = 30.0;

pub(super) fn draw(report: &Report, rows: &[Held]) -> String {
    let works = distinct(rows.iter().map(|row| row.work));
    let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
    let group = ids.len() as f64 * BAR + GAP;
    let bottom = TOP + works.len() as f64 * group;
    let title = "Partials held in real time";
    let subtitle = "48 kHz, blocks of 128 frames, by the median block; logarithmic scale";
    let mut svg = theme::picture(report, [WIDTH, bottom + 92.0], title, subtitle);
    theme::legend(&mut svg, report, &ids, WIDTH - 28.0, 112.0);
    let values = rows.iter().map(|row| row.partials.value);
    let scale = LogScale::around(values, [AXIS, RIGHT]);
    for value in scale.decades() {
        let x = scale.at(value);
        let faint = blend(BACKGROUND, INK, 0.16);
        svg.line([x, TOP - 10.0], [x, bottom - GAP + 10.0], faint, 1.0);
        let label = match value {
            v if v >= 1e9 => format!("{:.0} billion", v / 1e9),
            v if v >= 1e6 => format!("{:.0} million", v / 1e6),
            v => partials(v),
        };
        let place = [x, bottom - GAP + 30.0];
        svg.text(place, style(13.0, FAINT, Anchor::Middle), &label);
    }
    for (index, work) in works.iter().enumerate() {
        let top = TOP + index as f64 * group;
        let middle = top + (group - GAP) / 2.0 + 5.0;
        svg.text([LEFT, middle], style(15.0, INK, Anchor::Start), work.name());
        for (number, id) in ids.iter().enumerate() {
            let row = rows
                .iter()
                .find(|row| row.work == *work && row.renderer == *id);
            let Some(row) = row else { continue };
            let y = top + number as f64 * BAR;
            let length = scale.at(row.partials.value) - AXIS;
            svg.bar([AXIS, y + 3.0], [length, BAR - 6.0], colour(id), 0.9);
            // How far the rounds lie apart.
            let [low, high] = [row.partials.low, row.partials.high].map(|value| scale.at(value));
            let y_middle = y + BAR / 2.0;
            svg.line([low, y_middle], [high, y_middle], BACKGROUND, 2.0);
            let place = [AXIS + length.max(high - AXIS) + 10.0, y_middle + 5.0];
            let why = if row.memory_limited { " (memory)" } else { "" };
            let label = partials(row.partials.value) + why;
            svg.text(place, style(14.0, INK, Anchor::Start), &label);
        }
    }
    svg.finish()
}
