//! The contact sheet: a small spectrogram of every patch, to look at.

use super::performance::PICTURE;
use myriad_player::analysis::canvas::{Align, Canvas, Size};
use myriad_player::analysis::{colour, picture};
use myriad_player::failure::Failure;
use std::path::Path;

const COLUMNS: usize = 10;
const GAP: usize = 12;
/// What is darkest and what is brightest.
const RANGE_DB: [f32; 2] = [-100.0, -24.0];

/// One patch on the sheet.
pub(super) struct Cell<'a> {
    pub(super) title: &'a str,
    pub(super) detail: &'a str,
    /// Column after column, the lowest frequency first.
    pub(super) levels: &'a [f32],
    pub(super) fine: bool,
}

/// Draws all cells.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn draw(cells: &[Cell<'_>], path: &Path) -> Result<(), Failure> {
    let [wide, high] = PICTURE;
    let line = Size::Small.height();
    let cell = [wide + GAP, high + 2 * line + GAP];
    let rows = cells.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (GAP + COLUMNS * cell[0], GAP + rows * cell[1]);
    let mut canvas = Canvas::new(width, height, colour::BACKGROUND);
    let map = colour::map();
    for (index, content) in cells.iter().enumerate() {
        let x = GAP + index % COLUMNS * cell[0];
        let y = GAP + index / COLUMNS * cell[1];
        for (at, &level) in content.levels.iter().enumerate() {
            let (column, row) = (at / high, at % high);
            let bright = (level - RANGE_DB[0]) / (RANGE_DB[1] - RANGE_DB[0]);
            let colour = map[(255.0 * bright.clamp(0.0, 1.0)) as usize];
            canvas.dot(x + column, y + high - 1 - row, colour, 1.0);
        }
        let fits = wide / Size::Small.width_of("m");
        let short = |text: &str| text.chars().take(fits).collect::<String>();
        let ink = match content.fine {
            true => colour::INK,
            false => [0xff, 0x60, 0x60],
        };
        let title = short(content.title);
        canvas.text([x, y + high], Align::Left, Size::Small, ink, &title);
        let detail = short(content.detail);
        let below = [x, y + high + line];
        canvas.text(below, Align::Left, Size::Small, colour::FAINT, &detail);
    }
    picture::save(&canvas, path).map_err(Failure::failed)
}
