//! SVG drawings, for plots.

use super::colour::Rgb;
use std::fmt::Write;

/// A point, relative to the top left.
pub type Point = [f64; 2];

/// Which point of a text is given.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy)]
pub struct Style {
    pub size: f64,
    pub colour: Rgb,
    pub anchor: Anchor,
}

pub struct Svg {
    body: String,
}

impl Svg {
    pub fn new([width, height]: Point, background: Rgb) -> Self {
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
    pub fn bar(&mut self, [x, y]: Point, [w, h]: Point, colour: Rgb, opacity: f64) {
        let fill = hex(colour);
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"2\" \
             fill=\"{fill}\" fill-opacity=\"{opacity}\"/>"
        ));
    }

    pub fn line(&mut self, from: Point, to: Point, colour: Rgb, width: f64) {
        self.path(&[from, to], colour, width, false);
    }

    /// A line through `points`, dashed or not.
    pub fn path(&mut self, points: &[Point], colour: Rgb, width: f64, dashed: bool) {
        let points = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}"));
        let points: Vec<String> = points.collect();
        let dashes = match dashed {
            true => " stroke-dasharray=\"7 5\"",
            false => "",
        };
        self.add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"{dashes}/>",
            points.join(" "),
            hex(colour)
        ));
    }

    pub fn dot(&mut self, [x, y]: Point, radius: f64, colour: Rgb) {
        let fill = hex(colour);
        self.add(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\"/>"
        ));
    }

    /// A line of text on the base line at `y`.
    pub fn text(&mut self, [x, y]: Point, style: Style, text: &str) {
        let Style {
            size,
            colour,
            anchor,
        } = style;
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

    /// A text that runs upwards.
    pub fn text_upwards(&mut self, [x, y]: Point, style: Style, text: &str) {
        self.add(format_args!(
            "<g transform=\"translate({x:.1} {y:.1}) rotate(-90)\">"
        ));
        self.text([0.0, 0.0], style, text);
        self.add(format_args!("</g>"));
    }

    pub fn finish(self) -> String {
        self.body + "</svg>\n"
    }
}

pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

pub fn escaped(text: &str) -> String {
    let escape = |letter: char| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        letter if letter.is_control() => " ".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \u{1}c"), "a&lt;b&gt; &amp;  c");
    }
}
