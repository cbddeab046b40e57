//! What all pictures share: their colours, title and caption, legends and scales.

use crate::bench::candidate;
use crate::bench::report::Report;
use myriad_player::analysis::colour::{BACKGROUND, FAINT, INK, Rgb};
use myriad_player::analysis::svg::{Anchor, Point, Style, Svg};

/// Left edge of everything.
pub(super) const LEFT: f64 = 48.0;

/// The line that must not be crossed.
pub(super) const DEADLINE: Rgb = [0xff, 0x5d, 0x5d];

/// The colour of a renderer.
pub(super) fn colour(renderer: &str) -> Rgb {
    match renderer {
        "cpu-1" => [0x7f, 0x8c, 0xff],
        "cpu-all" => [0xd2, 0x5c, 0xc8],
        "cuda" => [0xfd, 0xa6, 0x5c],
        _ => [0xfd, 0xf0, 0xb8],
    }
}

/// A style of text.
pub(super) fn style(size: f64, colour: Rgb, anchor: Anchor) -> Style {
    Style {
        size,
        colour,
        anchor,
    }
}

/// An empty picture with a title, what it shows, and the machine at the bottom.
pub(super) fn picture(report: &Report, size: Point, title: &str, subtitle: &str) -> Svg {
    let mut svg = Svg::new(size, BACKGROUND);
    svg.text([LEFT, 50.0], style(26.0, INK, Anchor::Start), title);
    svg.text([LEFT, 76.0], style(14.0, FAINT, Anchor::Start), subtitle);
    let caption = format!(
        "{}. Myriad {}, {}",
        report.machine.line(),
        report.version,
        report.date.split('T').next().unwrap_or_default()
    );
    let foot = [LEFT, size[1] - 20.0];
    svg.text(foot, style(12.0, FAINT, Anchor::Start), &caption);
    svg
}

/// Names of renderers beside their colours, in a line that ends at `right`.
pub(super) fn legend(svg: &mut Svg, report: &Report, renderers: &[&str], right: f64, y: f64) {
    const DOT: f64 = 16.0;
    const GAP: f64 = 22.0;
    let names = renderers
        .iter()
        .map(|id| candidate::name(id, report.machine.cores));
    // Text cannot be measured here; letters of this size are about this wide.
    let names = names.map(|name| (8.4 * name.chars().count() as f64, name));
    let names: Vec<(f64, String)> = names.collect();
    let mut x = right + GAP
        - names
            .iter()
            .map(|(width, _)| DOT + width + GAP)
            .sum::<f64>();
    for (id, (width, name)) in renderers.iter().zip(&names) {
        svg.dot([x, y - 5.0], 5.0, colour(id));
        svg.text([x + DOT, y], style(14.0, INK, Anchor::Start), name);
        x += DOT + width + GAP;
    }
}

/// A logarithmic scale from values to pixels.
pub(super) struct LogScale {
    values: [f64; 2],
    pixels: [f64; 2],
}

impl LogScale {
    /// From whole decades around `values`.
    pub(super) fn around(values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let low = if low.is_finite() { low } else { 1.0 };
        let floor = 10.0_f64.powf(low.log10().floor());
        let ceil = 10.0_f64.powf(high.max(low).log10().ceil());
        Self {
            values: [floor, ceil.max(10.0 * floor)],
            pixels,
        }
    }

    pub(super) fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let way = (value.clamp(low, high) / low).ln() / (high / low).ln();
        self.pixels[0] + way * (self.pixels[1] - self.pixels[0])
    }

    /// Powers of ten, from end to end.
    pub(super) fn decades(&self) -> Vec<f64> {
        let [low, high] = self.values.map(|value| value.log10().round() as i32);
        (low..=high).map(|power| 10.0_f64.powi(power)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_begin_and_end_with_decades() {
        let scale = LogScale::around([30.0, 4_000.0].into_iter(), [0.0, 300.0]);
        assert_eq!(scale.decades(), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert!((scale.at(100.0) - 100.0).abs() < 1e-9);
        let nothing = LogScale::around(std::iter::empty(), [0.0, 1.0]);
        assert_eq!(nothing.decades(), [1.0, 10.0]);
    }
}
