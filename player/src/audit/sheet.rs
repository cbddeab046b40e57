//! The contact sheet: a small spectrogram of every patch.

use super::Finding;
use super::measure::PICTURE;
use crate::analysis::canvas::{Align, Canvas, Size};
use crate::analysis::colour;
use crate::analysis::picture::{self, PictureError};
use std::path::Path;

const COLUMNS: usize = 10;
const GAP: usize = 12;
/// The levels of the darkest and the lightest colour.
const RANGE_DB: [f32; 2] = [-100.0, -24.0];

/// Draws all patches into a PNG file; names of those with problems are red.
///
/// # Errors
/// When the file cannot be written.
pub fn draw_sheet(findings: &[Finding], path: &Path) -> Result<(), PictureError> {
    let [wide, high] = PICTURE;
    let line = Size::Small.height();
    let cell = [wide + GAP, high + 2 * line + GAP];
    let rows = findings.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (GAP + COLUMNS * cell[0], GAP + rows * cell[1]);
    let mut canvas = Canvas::new(width, height, colour::BACKGROUND);
    let map = colour::map();
    for (index, finding) in findings.iter().enumerate() {
        let x = GAP + index % COLUMNS * cell[0];
        let y = GAP + index / COLUMNS * cell[1];
        for (at, &level) in finding.picture.iter().enumerate() {
            let (column, row) = (at / high, at % high);
            let bright = (level - RANGE_DB[0]) / (RANGE_DB[1] - RANGE_DB[0]);
            let colour = map[(255.0 * bright.clamp(0.0, 1.0)) as usize];
            canvas.dot(x + column, y + high - 1 - row, colour, 1.0);
        }
        let ink = match finding.problems.is_empty() {
            true => colour::INK,
            false => [0xff, 0x60, 0x60],
        };
        let fits = wide / Size::Small.width_of("m");
        let mut text = |y, ink, text: &str| {
            let text: String = text.chars().take(fits).collect();
            canvas.text([x, y], Align::Left, Size::Small, ink, &text);
        };
        text(y + high, ink, &finding.name);
        text(y + high + line, colour::FAINT, &finding.category);
    }
    picture::save(&canvas, path)
}
