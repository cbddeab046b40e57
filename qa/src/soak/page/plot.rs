//! Figures over time, as a drawing.

use crate::plot::{Anchor, RED, Scale, Svg};
use crate::soak::finding::Finding;
use crate::soak::journal::Sample;
use myriad_player::analysis::colour::{FAINT, INK, Rgb};

const SIZE: [f64; 2] = [960.0, 210.0];
const LEFT: f64 = 70.0;
const RIGHT: f64 = 940.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 176.0;
const PANEL: Rgb = [0x14, 0x11, 0x1f];
const GRID: Rgb = [0x2a, 0x26, 0x3c];

/// The most points of a line; more cannot be seen.
const MOST_POINTS: usize = 800;

/// One line: its name, its colour and its value in a sample.
type Line = (&'static str, Rgb, fn(&Sample) -> Option<f64>);

/// Lines over one time axis.
pub(super) struct Plot {
    pub(super) title: &'static str,
    /// A value that should not be crossed, and its name.
    pub(super) limit: Option<(f64, &'static str)>,
    /// Whether the scale is logarithmic.
    pub(super) log: bool,
    pub(super) lines: &'static [Line],
}

impl Plot {
    pub(super) const fn linear(title: &'static str, lines: &'static [Line]) -> Self {
        Self { title, limit: None, log: false, lines }
    }

    /// The drawing, with marks where something was found; empty unless a line has two points of which
    /// one is not 0.
    pub(super) fn draw(&self, samples: &[Sample], findings: &[Finding]) -> String {
        let lines = self.lines.iter().map(|(name, colour, value)| {
            let points = samples.iter();
            let points = points.filter_map(|sample| Some([sample.seconds, value(sample)?]));
            (*name, *colour, points.collect::<Vec<[f64; 2]>>())
        });
        let lines: Vec<_> = lines.filter(|(_, _, points)| !points.is_empty()).collect();
        let shows = |points: &[[f64; 2]]| points.len() > 1 && points.iter().any(|p| p[1] != 0.0);
        if !lines.iter().any(|(_, _, points)| shows(points)) {
            return String::new();
        }
        let mut svg = Svg::new(SIZE, PANEL);
        svg.text([LEFT, 26.0], (15.0, INK, Anchor::Start), self.title);
        let names: Vec<_> = lines.iter().map(|(name, colour, _)| (*colour, *name)).collect();
        svg.legend(&names, RIGHT, 26.0, 13.0);
        let all = || lines.iter().flat_map(|(_, _, points)| points);
        let end = all().fold(1.0, |end: f64, point| end.max(point[0]));
        let across = |seconds: f64| LEFT + (RIGHT - LEFT) * seconds / end;
        let limit = self.limit.map(|(value, _)| value);
        let values = all().map(|point| point[1]).chain(limit);
        let scale = Scale::around(values, [BOTTOM, TOP], self.log);
        for value in scale.marks() {
            let y = scale.at(value);
            svg.line([LEFT, y], [RIGHT, y], GRID, 1.0);
            let place = [LEFT - 8.0, y + 4.0];
            svg.text(place, (12.0, FAINT, Anchor::End), &figure(value));
        }
        let step = time_step(end);
        for mark in 0..=(end / step) as usize {
            let seconds = mark as f64 * step;
            let place = [across(seconds), BOTTOM + 18.0];
            svg.text(place, (12.0, FAINT, Anchor::Middle), &time(seconds));
        }
        let mut last = None;
        for finding in findings {
            let mark = (across(finding.seconds.min(end)).round(), finding.blame.colour());
            // Marks at the same place are drawn once.
            if last.replace(mark) != Some(mark) {
                let (x, colour) = mark;
                svg.line([x, TOP - 6.0], [x, TOP + 4.0], colour, 2.0);
            }
        }
        if let Some((value, name)) = self.limit {
            let y = scale.at(value);
            svg.path(&[[LEFT, y], [RIGHT, y]], RED, 1.2, true);
            svg.text([RIGHT, y - 4.0], (12.0, RED, Anchor::End), name);
        }
        for (_, colour, points) in &lines {
            let points = thin(points).into_iter();
            let points: Vec<[f64; 2]> =
                points.map(|[seconds, value]| [across(seconds), scale.at(value)]).collect();
            svg.path(&points, *colour, 1.4, false);
        }
        svg.finish()
    }
}

/// When there are many points, the largest of each few: no peak is lost.
fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let many = points.len().div_ceil(MOST_POINTS).max(1);
    let largest = |few: &[[f64; 2]]| few.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
    points.chunks(many).filter_map(largest).collect()
}

/// The text of a value beside the axis.
fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{}M", value / 1e6),
        v if v >= 1e4 => format!("{}k", value / 1e3),
        v if v >= 1.0 || v == 0.0 => format!("{}", (value * 10.0).round() / 10.0),
        _ => format!("{value:.2}").trim_end_matches('0').to_owned(),
    }
}

/// Seconds between marks of the time axis: at most ten in all.
fn time_step(end: f64) -> f64 {
    const STEPS: [f64; 14] = [
        1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0,
        43_200.0,
    ];
    let fits = |step: &f64| end / step <= 10.0;
    STEPS.into_iter().find(fits).unwrap_or(86_400.0)
}

/// The text of a mark of the time axis.
fn time(seconds: f64) -> String {
    match seconds as u64 {
        0 => "0".to_owned(),
        s if s % 3_600 == 0 => format!("{} h", s / 3_600),
        s if s % 60 == 0 && s < 7_200 => format!("{} min", s / 60),
        s if s % 60 == 0 => format!("{}:{:02} h", s / 3_600, s / 60 % 60),
        s => format!("{s} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_axis_has_round_marks() {
        assert_eq!((time_step(20.0), time_step(28_800.0)), (2.0, 3_600.0));
        assert_eq!([90.0, 3_600.0].map(time), ["90 s".to_owned(), "1 h".to_owned()]);
    }

    #[test]
    fn peaks_survive_thinning() {
        let mut points: Vec<[f64; 2]> = (0..5_000).map(|i| [f64::from(i), 1.0]).collect();
        points[3_333][1] = 9.0;
        let thinned = thin(&points);
        assert!(thinned.len() <= MOST_POINTS);
        assert!(thinned.contains(&[3_333.0, 9.0]));
    }
}
