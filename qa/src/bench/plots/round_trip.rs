//! Round trips: from the median block to the worst, against the deadline.

use super::theme::{self, DEADLINE, LogScale, colour, style};
use crate::bench::pace::Pace;
use crate::bench::report::Report;
use crate::bench::round_trip::{RoundTrip, RoundTrips};
use crate::bench::table::whole;
use crate::bench::{period, text::distinct};
use myriad_engine::TICK;
use myriad_player::analysis::colour::{BACKGROUND, FAINT, INK, blend};
use myriad_player::analysis::svg::{Anchor, Svg};

const SIZE: [f64; 2] = [1400.0, 780.0];
const TOP: f64 = 150.0;
const BOTTOM: f64 = 640.0;
const AXIS: f64 = 96.0;
const PANEL: f64 = 620.0;
const GAP: f64 = 36.0;

pub(super) fn draw(report: &Report, trips: &RoundTrips) -> String {
    let title = "Round trip of a block, from clouds to mixed audio in memory";
    let subtitle = format!(
        "{} voices × {} partials, everything moving; dot: median, ticks: p95, p99, p99.9, end: the worst block",
        whole(trips.voices as f64),
        trips.partials
    );
    let mut svg = theme::picture(report, SIZE, title, &subtitle);
    let ids = distinct(trips.rows.iter().map(|row| row.renderer.as_str()));
    theme::legend(&mut svg, report, &ids, SIZE[0] - 28.0, 112.0);

    let frames = distinct(trips.rows.iter().map(|row| row.frames));
    let deadline = |frames: usize| period(frames / TICK).as_secs_f64() * 1e6;
    let ends = |row: &RoundTrip| [row.microseconds.p50.value, row.microseconds.max.value];
    let values = trips.rows.iter().flat_map(ends);
    let values = values.chain(frames.iter().map(|frames| deadline(*frames)));
    let scale = LogScale::around(values, [BOTTOM, TOP]);
    for (index, pace) in Pace::ALL.into_iter().enumerate() {
        let left = AXIS + index as f64 * (PANEL + GAP);
        panel(&mut svg, &scale, left, index == 0);
        let name = [left + PANEL / 2.0, BOTTOM + 76.0];
        let caption = match pace {
            Pace::BackToBack => "back to back",
            Pace::Paced => "paced as in live play, one block a period",
        };
        svg.text(name, style(15.0, INK, Anchor::Middle), caption);
        let width = PANEL / frames.len().max(1) as f64;
        for (column, &frames) in frames.iter().enumerate() {
            let x = left + column as f64 * width;
            let y = scale.at(deadline(frames));
            svg.path(&[[x + 8.0, y], [x + width - 8.0, y]], DEADLINE, 2.0, true);
            let middle = x + width / 2.0;
            let label = format!("{frames} frames");
            let place = [middle, BOTTOM + 26.0];
            svg.text(place, style(14.0, FAINT, Anchor::Middle), &label);
            let label = format!("deadline {} µs", whole(deadline(frames)));
            let place = [middle, BOTTOM + 45.0];
            svg.text(place, style(12.0, DEADLINE, Anchor::Middle), &label);
            for (number, id) in ids.iter().enumerate() {
                let mut rows = trips.at(pace);
                let Some(row) = rows.find(|row| row.frames == frames && row.renderer == *id) else {
                    continue;
                };
                let x = x + width * (number as f64 + 1.0) / (ids.len() as f64 + 1.0);
                glyph(&mut svg, &scale, x, row);
            }
        }
    }
    svg.finish()
}

/// The lines behind the figures, and on the left what they mean.
fn panel(svg: &mut Svg, scale: &LogScale, left: f64, labelled: bool) {
    for value in scale.decades() {
        let y = scale.at(value);
        svg.line(
            [left, y],
            [left + PANEL, y],
            blend(BACKGROUND, INK, 0.16),
            1.0,
        );
        if labelled {
            let label = match value {
                v if v >= 1_000.0 => format!("{} ms", whole(v / 1_000.0)),
                v => format!("{} µs", whole(v)),
            };
            let place = [left - 12.0, y + 5.0];
            svg.text(place, style(13.0, FAINT, Anchor::End), &label);
        }
    }
}

/// One renderer at one block size.
fn glyph(svg: &mut Svg, scale: &LogScale, x: f64, row: &RoundTrip) {
    let colour = colour(&row.renderer);
    let [p50, p95, p99, p99_9, max] = row
        .microseconds
        .named()
        .map(|(_, figure)| scale.at(figure.value));
    svg.line([x, p50], [x, p99_9], colour, 3.0);
    svg.line([x, p99_9], [x, max], blend(BACKGROUND, colour, 0.6), 1.5);
    for (y, half) in [(p95, 6.0), (p99, 8.0), (p99_9, 10.0)] {
        svg.line([x - half, y], [x + half, y], colour, 2.0);
    }
    svg.dot([x, max], 2.5, blend(BACKGROUND, colour, 0.6));
    svg.dot([x, p50], 6.0, colour);
}
