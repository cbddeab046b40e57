//! The pictures of `--plots`.

mod grid;

use super::held::Held;
use super::report::Report;
use super::round_trip::{RoundTrip, RoundTrips};
use super::rounds::{Pace, period};
use super::table::{distinct, partials, whole};
use crate::plot::{AMBER, Anchor, LIGHT, Point, RED, ROSE, Scale, Svg, VIOLET};
use myriad_engine::TICK;
use myriad_player::analysis::colour::{BACKGROUND, FAINT, INK, Rgb, blend};
use myriad_player::failure::Failure;
use std::path::{Path, PathBuf};

/// Left edge of titles and captions, and top edge of what is plotted.
const LEFT: f64 = 48.0;
const TOP: f64 = 150.0;

/// Draws what was measured into `folder`. Returns the files.
pub(super) fn draw(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let held = report.held.as_deref().filter(|rows| !rows.is_empty());
    let grid = report.grid.as_ref().filter(|grid| !grid.cells.is_empty());
    let trips = report.round_trip.as_ref();
    let trips = trips.filter(|trips| !trips.rows.is_empty());
    let pictures = [
        ("held.svg", held.map(|rows| draw_held(report, rows))),
        ("grid.svg", grid.map(|grid| grid::draw(report, grid))),
        ("round-trip.svg", trips.map(|trips| draw_round_trip(report, trips))),
    ];
    let mut files = Vec::new();
    for (name, picture) in pictures {
        let Some(picture) = picture else { continue };
        let path = folder.join(name);
        myriad_player::atomic_file::write(&path, picture.as_bytes())
            .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
        files.push(path);
    }
    Ok(files)
}

/// The colour of a renderer.
fn colour(renderer: &str) -> Rgb {
    match renderer {
        "cpu-1" => VIOLET,
        "cpu-all" => ROSE,
        "cuda" => AMBER,
        _ => LIGHT,
    }
}

/// An empty picture with a title, what it shows, and the machine at the bottom.
fn picture(report: &Report, size: Point, title: &str, subtitle: &str) -> Svg {
    let mut svg = Svg::new(size, BACKGROUND);
    svg.text([LEFT, 50.0], (26.0, INK, Anchor::Start), title);
    svg.text([LEFT, 76.0], (14.0, FAINT, Anchor::Start), subtitle);
    let (machine, version, day) = (report.machine.line(), &report.version, report.day());
    let caption = format!("{machine}. Myriad {version}, {day}");
    let foot = [LEFT, size[1] - 20.0];
    svg.text(foot, (12.0, FAINT, Anchor::Start), &caption);
    svg
}

/// The names of renderers beside their colours.
fn legend(svg: &mut Svg, report: &Report, ids: &[&str], right: f64) {
    let names: Vec<String> = ids.iter().map(|id| report.name(id)).collect();
    let entries = ids.iter().zip(&names);
    let entries: Vec<_> = entries.map(|(id, name)| (colour(id), &**name)).collect();
    svg.legend(&entries, right, 112.0, 14.0);
}

/// Partials held in real time, as bars on a logarithmic scale.
fn draw_held(report: &Report, rows: &[Held]) -> String {
    const WIDTH: f64 = 1200.0;
    const AXIS: f64 = 290.0;
    const RIGHT: f64 = 1060.0;
    const BAR: f64 = 26.0;
    const GAP: f64 = 30.0;
    let works = distinct(rows.iter().map(|row| row.work));
    let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
    let group = ids.len() as f64 * BAR + GAP;
    let bottom = TOP + works.len() as f64 * group - GAP;
    let title = "Partials held in real time";
    let subtitle = "48 kHz, blocks of 128 frames, by the median block; logarithmic scale";
    let mut svg = picture(report, [WIDTH, bottom + GAP + 92.0], title, subtitle);
    legend(&mut svg, report, &ids, WIDTH - 28.0);
    let values = rows.iter().map(|row| row.partials.value);
    let scale = Scale::around(values, [AXIS, RIGHT], true);
    for value in scale.marks() {
        let x = scale.at(value);
        let faint = blend(BACKGROUND, INK, 0.16);
        svg.line([x, TOP - 10.0], [x, bottom + 10.0], faint, 1.0);
        let label = match value {
            v if v >= 1e9 => format!("{:.0} billion", v / 1e9),
            v if v >= 1e6 => format!("{:.0} million", v / 1e6),
            v => partials(v),
        };
        svg.text([x, bottom + 30.0], (13.0, FAINT, Anchor::Middle), &label);
    }
    for row in rows {
        let work = works.iter().position(|work| *work == row.work);
        let renderer = ids.iter().position(|id| *id == row.renderer);
        let (Some(work), Some(renderer)) = (work, renderer) else {
            continue;
        };
        let top = TOP + work as f64 * group;
        if renderer == 0 {
            let place = [LEFT, top + (group - GAP) / 2.0 + 5.0];
            svg.text(place, (15.0, INK, Anchor::Start), row.work.name());
        }
        let y = top + renderer as f64 * BAR;
        let length = scale.at(row.partials.value) - AXIS;
        let colour = colour(&row.renderer);
        svg.bar([AXIS, y + 3.0], [length, BAR - 6.0], colour, 0.9);
        // The spread of the rounds.
        let [low, high] = [row.partials.low, row.partials.high].map(|value| scale.at(value));
        let middle = y + BAR / 2.0;
        svg.line([low, middle], [high, middle], BACKGROUND, 2.0);
        let place = [(AXIS + length).max(high) + 10.0, middle + 5.0];
        svg.text(place, (14.0, INK, Anchor::Start), &row.label());
    }
    svg.finish()
}

/// Round trips from the median block to the worst, against the deadline.
fn draw_round_trip(report: &Report, trips: &RoundTrips) -> String {
    const SIZE: Point = [1400.0, 780.0];
    const BOTTOM: f64 = 640.0;
    const AXIS: f64 = 96.0;
    const PANEL: f64 = 620.0;
    const GAP: f64 = 36.0;
    let title = "Round trip of a block, from clouds to mixed audio in memory";
    let (voices, partials) = (whole(trips.voices as f64), trips.partials);
    let subtitle = format!(
        "{voices} voices × {partials} partials, everything moving; dot: median, ticks: p95, p99, p99.9, end: the worst block"
    );
    let mut svg = picture(report, SIZE, title, &subtitle);
    let ids = distinct(trips.rows.iter().map(|row| row.renderer.as_str()));
    legend(&mut svg, report, &ids, SIZE[0] - 28.0);
    let sizes = distinct(trips.rows.iter().map(|row| row.frames));
    let deadline = |frames: usize| period(frames / TICK).as_secs_f64() * 1e6;
    let ends = |row: &RoundTrip| [row.microseconds.p50.value, row.microseconds.max.value];
    let values = trips.rows.iter().flat_map(ends);
    let values = values.chain(sizes.iter().map(|frames| deadline(*frames)));
    let scale = Scale::around(values, [BOTTOM, TOP], true);
    for (index, pace) in Pace::ALL.into_iter().enumerate() {
        let left = AXIS + index as f64 * (PANEL + GAP);
        for value in scale.marks() {
            let y = scale.at(value);
            let faint = blend(BACKGROUND, INK, 0.16);
            svg.line([left, y], [left + PANEL, y], faint, 1.0);
            if index == 0 {
                let label = match value {
                    v if v >= 1_000.0 => format!("{} ms", whole(v / 1_000.0)),
                    v => format!("{} µs", whole(v)),
                };
                svg.text([left - 12.0, y + 5.0], (13.0, FAINT, Anchor::End), &label);
            }
        }
        let caption = match pace {
            Pace::BackToBack => "back to back",
            Pace::Paced => "paced as in live play, one block a period",
        };
        let place = [left + PANEL / 2.0, BOTTOM + 76.0];
        svg.text(place, (15.0, INK, Anchor::Middle), caption);
        let width = PANEL / sizes.len().max(1) as f64;
        for (column, &frames) in sizes.iter().enumerate() {
            let x = left + column as f64 * width;
            let y = scale.at(deadline(frames));
            svg.path(&[[x + 8.0, y], [x + width - 8.0, y]], RED, 2.0, true);
            let middle = x + width / 2.0;
            let label = format!("{frames} frames");
            svg.text([middle, BOTTOM + 26.0], (14.0, FAINT, Anchor::Middle), &label);
            let label = format!("deadline {} µs", whole(deadline(frames)));
            svg.text([middle, BOTTOM + 45.0], (12.0, RED, Anchor::Middle), &label);
            for row in trips.at(pace).filter(|row| row.frames == frames) {
                let number = ids.iter().position(|id| *id == row.renderer);
                let number = number.unwrap_or(0) as f64 + 1.0;
                let x = x + width * number / (ids.len() as f64 + 1.0);
                percentiles(&mut svg, &scale, x, row);
            }
        }
    }
    svg.finish()
}

/// The percentiles of one renderer at one block size.
fn percentiles(svg: &mut Svg, scale: &Scale, x: f64, row: &RoundTrip) {
    let colour = colour(&row.renderer);
    let named = row.microseconds.named();
    let [p50, p95, p99, p99_9, max] = named.map(|(_, figure)| scale.at(figure.value));
    let faint = blend(BACKGROUND, colour, 0.6);
    svg.line([x, p50], [x, p99_9], colour, 3.0);
    svg.line([x, p99_9], [x, max], faint, 1.5);
    for (y, half) in [(p95, 6.0), (p99, 8.0), (p99_9, 10.0)] {
        svg.line([x - half, y], [x + half, y], colour, 2.0);
    }
    svg.dot([x, max], 2.5, faint);
    svg.dot([x, p50], 6.0, colour);
}
