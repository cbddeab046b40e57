//! Figures over time, as a drawing.

use crate::soak::finding::{Blame, Finding};
use myriad_player::analysis::colour::{FAINT, INK, Rgb};
use myriad_player::analysis::svg::{Anchor, Style, Svg};

const SIZE: [f64; 2] = [960.0, 210.0];
const LEFT: f64 = 70.0;
const RIGHT: f64 = 940.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 176.0;
const PANEL: Rgb = [0x14, 0x11, 0x1f];
const GRID: Rgb = [0x2a, 0x26, 0x3c];
const ALARM: Rgb = [0xff, 0x5d, 0x5d];
const PURPOSE: Rgb = [0x7f, 0x8c, 0xff];
const MACHINE: Rgb = [0xfd, 0xa6, 0x5c];

/// More points than this cannot be seen.
const MOST_POINTS: usize = 800;

/// What one line shows: seconds and figures.
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) colour: Rgb,
    pub(super) points: Vec<[f64; 2]>,
}

/// Lines over one axis of time.
pub(super) struct Plot {
    pub(super) title: &'static str,
    /// A line that should not be crossed, and its name.
    pub(super) limit: Option<(f64, &'static str)>,
    /// Whether figures go by decades.
    pub(super) log: bool,
    pub(super) series: Vec<Series>,
}

impl Plot {
    pub(super) fn linear(title: &'static str, series: Vec<Series>) -> Self {
        Self {
            title,
            limit: None,
            log: false,
            series,
        }
    }

    /// Whether there is anything to see: two points that are not both nothing.
    pub(super) fn says_something(&self) -> bool {
        let mut series = self.series.iter();
        series.any(|series| series.points.len() > 1 && series.points.iter().any(|p| p[1] != 0.0))
    }

    /// The drawing, with marks where something was found.
    pub(super) fn draw(&self, findings: &[Finding]) -> String {
        let mut svg = Svg::new(SIZE, PANEL);
        let style = |size, colour, anchor| Style {
            size,
            colour,
            anchor,
        };
        svg.text([LEFT, 26.0], style(15.0, INK, Anchor::Start), self.title);
        let seen: Vec<&Series> = self
            .series
            .iter()
            .filter(|series| !series.points.is_empty())
            .collect();
        // Text cannot be measured here; letters of this size are about this wide.
        let width = |series: &Series| 26.0 + 7.4 * series.name.chars().count() as f64;
        let mut x = RIGHT - seen.iter().map(|series| width(series)).sum::<f64>();
        for series in &seen {
            svg.dot([x, 21.5], 4.5, series.colour);
            svg.text(
                [x + 9.0, 26.0],
                style(13.0, INK, Anchor::Start),
                series.name,
            );
            x += width(series);
        }
        let all = || seen.iter().flat_map(|series| &series.points);
        let end = all().fold(1.0, |end: f64, point| end.max(point[0]));
        let across = |seconds: f64| LEFT + (RIGHT - LEFT) * seconds / end;
        let scale = Scale::around(all().map(|point| point[1]), self.limit, self.log);
        for value in scale.marks() {
            let y = scale.at(value);
            svg.line([LEFT, y], [RIGHT, y], GRID, 1.0);
            svg.text(
                [LEFT - 8.0, y + 4.0],
                style(12.0, FAINT, Anchor::End),
                &figure(value),
            );
        }
        let step = time_step(end);
        let mut seconds = 0.0;
        while seconds <= end {
            let place = [across(seconds), BOTTOM + 18.0];
            svg.text(place, style(12.0, FAINT, Anchor::Middle), &time(seconds));
            seconds += step;
        }
        let mut last = None;
        for finding in findings {
            let colour = match finding.blame {
                Blame::Myriad => ALARM,
                Blame::Machine => MACHINE,
                Blame::Injected => PURPOSE,
            };
            let x = across(finding.seconds.min(end)).round();
            // Marks that cover each other are one.
            if last.replace((x, colour)) != Some((x, colour)) {
                svg.line([x, TOP - 6.0], [x, TOP + 4.0], colour, 2.0);
            }
        }
        if let Some((value, name)) = self.limit {
            let y = scale.at(value);
            svg.path(&[[LEFT, y], [RIGHT, y]], ALARM, 1.2, true);
            svg.text([RIGHT, y - 4.0], style(12.0, ALARM, Anchor::End), name);
        }
        for series in seen {
            let points: Vec<[f64; 2]> = thin(&series.points)
                .into_iter()
                .map(|[seconds, value]| [across(seconds), scale.at(value)])
                .collect();
            svg.path(&points, series.colour, 1.4, false);
        }
        svg.finish()
    }
}

/// The largest of each few points, when there are many: peaks must not get lost.
fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let many = points.len().div_ceil(MOST_POINTS).max(1);
    let largest = |few: &[[f64; 2]]| few.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
    points.chunks(many).filter_map(largest).collect()
}

/// From figures to heights.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn around(values: impl Iterator<Item = f64>, limit: Option<(f64, &str)>, log: bool) -> Self {
        let limit = limit.map(|(value, _)| value);
        let values = values.chain(limit).filter(|value| value.is_finite());
        let (low, high) = values
            .filter(|value| !log || *value > 0.0)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if !low.is_finite() {
            return Self {
                low: if log { 1.0 } else { 0.0 },
                high: 10.0,
                log,
            };
        }
        if log {
            let low = 10f64.powf(low.log10().floor());
            let high = 10f64.powf(high.log10().ceil()).max(10.0 * low);
            return Self { low, high, log };
        }
        // Around what there is; from nothing on if that is not far away.
        let low = if low > 0.0 && low < 0.7 * high {
            0.0
        } else {
            low
        };
        let room = ((high - low) * 0.1).max(0.02 * high.abs()).max(0.5);
        Self {
            low: if low == 0.0 { 0.0 } else { low - room },
            high: high + room,
            log,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let way = match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        BOTTOM - way * (BOTTOM - TOP)
    }

    /// The figures beside the axis.
    fn marks(&self) -> Vec<f64> {
        if self.log {
            let [low, high] = [self.low, self.high].map(|value| value.log10().round() as i32);
            return (low..=high).map(|power| 10f64.powi(power)).collect();
        }
        let raw = (self.high - self.low) / 4.0;
        let decade = 10f64.powf(raw.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
        let step = steps.into_iter().find(|&step| step >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

/// A figure beside the axis.
fn figure(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{}M", value / 1e6),
        v if v >= 1e4 => format!("{}k", value / 1e3),
        v if v >= 1.0 || v == 0.0 => format!("{}", (value * 10.0).round() / 10.0),
        _ => format!("{value:.2}").trim_end_matches('0').to_owned(),
    }
}

/// Seconds between marks of the axis of time: about eight in all.
fn time_step(end: f64) -> f64 {
    const STEPS: [f64; 14] = [
        1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0,
        43_200.0,
    ];
    let fits = |step: &f64| end / step <= 10.0;
    STEPS.into_iter().find(fits).unwrap_or(86_400.0)
}

/// A mark of the axis of time.
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
    fn axes_have_a_few_round_marks() {
        let scale = Scale::around([100.0, 104.0].into_iter(), None, false);
        assert!(
            (2..=6).contains(&scale.marks().len()),
            "{:?}",
            scale.marks()
        );
        let scale = Scale::around([0.3, 40.0].into_iter(), Some((100.0, "")), true);
        assert_eq!(scale.marks(), [0.1, 1.0, 10.0, 100.0]);
        let nothing = Scale::around(std::iter::empty(), None, false);
        assert!(nothing.at(5.0).is_finite());
        assert_eq!((time_step(20.0), time_step(28_800.0)), (2.0, 3_600.0));
        assert_eq!(
            (time(90.0), time(3_600.0)),
            ("90 s".to_owned(), "1 h".to_owned())
        );
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
