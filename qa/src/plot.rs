//! Drawings in SVG for the plots of bench and soak: sharp at every size, and text that can be searched.
//!
//! The crate `plotters` was tried instead. It compiles in two seconds, but it would replace only the
//! scales and the legend, some 60 lines: the heat map with its borders, the percentile glyphs and the
//! bars with their spread are drawings of our own there too. Its SVG has whole pixels
//! (`BackendCoord` is a pair of `i32`), so that curves over time get steps.

use myriad_player::analysis::colour::{INK, Rgb};
use std::fmt::Write;

pub(crate) const VIOLET: Rgb = [0x7f, 0x8c, 0xff];
pub(crate) const ROSE: Rgb = [0xd2, 0x5c, 0xc8];
pub(crate) const AMBER: Rgb = [0xfd, 0xa6, 0x5c];
pub(crate) const LIGHT: Rgb = [0xfd, 0xf0, 0xb8];
/// Deadlines and faults.
pub(crate) const RED: Rgb = [0xff, 0x5d, 0x5d];

/// A point, from the top left.
pub(crate) type Point = [f64; 2];

/// Which point of a text is given.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing.
pub(crate) struct Svg {
    body: String,
}

impl Svg {
    pub(crate) fn new([width, height]: Point, background: Rgb) -> Self {
        Self {
            body: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
                 width=\"{width}\" height=\"{height}\" font-family=\"'Inter', 'Segoe UI', \
                 'DejaVu Sans', sans-serif\">\n\
                 <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
                hex(background)
            ),
        }
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// A box from its top left corner.
    pub(crate) fn bar(&mut self, [x, y]: Point, [w, h]: Point, colour: Rgb, opacity: f64) {
        let fill = hex(colour);
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"2\" \
             fill=\"{fill}\" fill-opacity=\"{opacity}\"/>"
        ));
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, colour: Rgb, width: f64) {
        self.path(&[from, to], colour, width, false);
    }

    /// A line through `points`, dashed or not.
    pub(crate) fn path(&mut self, points: &[Point], colour: Rgb, width: f64, dashed: bool) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let dashes = if dashed { " stroke-dasharray=\"7 5\"" } else { "" };
        self.add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}/>",
            points.join(" "),
            hex(colour)
        ));
    }

    pub(crate) fn dot(&mut self, [x, y]: Point, radius: f64, colour: Rgb) {
        let fill = hex(colour);
        self.add(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\"/>"
        ));
    }

    /// A line of text whose base line is at `y`.
    pub(crate) fn text(
        &mut self,
        [x, y]: Point,
        (size, colour, anchor): (f64, Rgb, Anchor),
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (fill, text) = (hex(colour), escaped(text));
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{fill}\" \
             text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// A text that runs upwards, centred on a point.
    pub(crate) fn text_upwards(&mut self, [x, y]: Point, size: f64, colour: Rgb, text: &str) {
        self.add(format_args!("<g transform=\"translate({x:.1} {y:.1}) rotate(-90)\">"));
        self.text([0.0, 0.0], (size, colour, Anchor::Middle), text);
        self.add(format_args!("</g>"));
    }

    /// Names beside dots of their colours, in a line that ends at `right`.
    pub(crate) fn legend(&mut self, entries: &[(Rgb, &str)], right: f64, y: f64, size: f64) {
        // SVG cannot measure text; a letter is about 0.6 of the size wide.
        let width = |name: &str| 2.6 * size + 0.6 * size * name.chars().count() as f64;
        let mut x = right + 1.5 * size - entries.iter().map(|(_, name)| width(name)).sum::<f64>();
        for (colour, name) in entries {
            self.dot([x, y - 0.36 * size], 0.36 * size, *colour);
            self.text([x + 1.1 * size, y], (size, INK, Anchor::Start), name);
            x += width(name);
        }
    }

    /// The file's content.
    pub(crate) fn finish(self) -> String {
        self.body + "</svg>\n"
    }
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

pub(crate) fn escaped(text: &str) -> String {
    let escape = |letter: char| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        letter if letter.is_control() => " ".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(escape).collect()
}

/// An axis: from values to pixels.
pub(crate) struct Scale {
    values: [f64; 2],
    pixels: [f64; 2],
    log: bool,
}

impl Scale {
    /// An axis that holds `values`: whole decades if it is logarithmic; otherwise with some room,
    /// and from 0 on if that is near.
    pub(crate) fn around(values: impl Iterator<Item = f64>, pixels: [f64; 2], log: bool) -> Self {
        let shown = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let range = shown.fold(None, |range: Option<[f64; 2]>, value| match range {
            None => Some([value; 2]),
            Some([low, high]) => Some([value.min(low), value.max(high)]),
        });
        let values = match (range, log) {
            (None, true) => [1.0, 10.0],
            (None, false) => [0.0, 10.0],
            (Some([low, high]), true) => {
                let low = 10f64.powf(low.log10().floor());
                [low, 10f64.powf(high.log10().ceil()).max(10.0 * low)]
            }
            (Some([low, high]), false) => {
                let from_zero = low == 0.0 || (low > 0.0 && low < 0.7 * high);
                let low = if from_zero { 0.0 } else { low };
                let room = ((high - low) * 0.1).max(0.02 * high.abs()).max(0.5);
                [if from_zero { 0.0 } else { low - room }, high + room]
            }
        };
        Self { values, pixels, log }
    }

    /// The pixel of a value; beyond the axis, its end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let value = value.clamp(low, high);
        let way = match self.log {
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        self.pixels[0] + way * (self.pixels[1] - self.pixels[0])
    }

    /// The values beside the axis: powers of ten, or a few round numbers.
    pub(crate) fn marks(&self) -> Vec<f64> {
        let [low, high] = self.values;
        if self.log {
            let [low, high] = self.values.map(|value| value.log10().round() as i32);
            return (low..=high).map(|power| 10f64.powi(power)).collect();
        }
        let raw = (high - low) / 4.0;
        let decade = 10f64.powf(raw.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
        let step = steps.into_iter().find(|&step| step >= raw).unwrap_or(raw);
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_machines_cannot_break_a_drawing() {
        assert_eq!(escaped("a<b> & \u{1}c"), "a&lt;b&gt; &amp;  c");
    }

    #[test]
    fn logarithmic_axes_begin_and_end_with_decades() {
        let scale = Scale::around([30.0, 4_000.0].into_iter(), [0.0, 300.0], true);
        assert_eq!(scale.marks(), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert!((scale.at(100.0) - 100.0).abs() < 1e-9);
        let scale = Scale::around([0.3, 40.0, 100.0].into_iter(), [0.0, 1.0], true);
        assert_eq!(scale.marks(), [0.1, 1.0, 10.0, 100.0]);
        let empty = Scale::around(std::iter::empty(), [0.0, 1.0], true);
        assert_eq!(empty.marks(), [1.0, 10.0]);
    }

    #[test]
    fn linear_axes_have_a_few_round_marks() {
        let scale = Scale::around([100.0, 104.0].into_iter(), [0.0, 1.0], false);
        let marks = scale.marks();
        assert!((2..=6).contains(&marks.len()), "{marks:?}");
        let empty = Scale::around(std::iter::empty(), [0.0, 1.0], false);
        assert!(empty.at(5.0).is_finite());
    }
}
