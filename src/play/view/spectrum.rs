//! The spectrum of the output.

use super::view_model::ViewModel;
use super::{bars, theme};
use myriad_player::monitor::{BANDS, FLOOR_DB, HIGHEST, LOWEST};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The highest level shown; single partials of music are rarely louder.
const LOUDEST_DB: f32 = -15.0;

/// Labels of the frequency axis.
const LABELS: &[(f32, &str)] = &[
    (50.0, "50"),
    (100.0, "100"),
    (200.0, "200"),
    (500.0, "500"),
    (1_000.0, "1k"),
    (2_000.0, "2k"),
    (5_000.0, "5k"),
    (10_000.0, "10k"),
];

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let inside = theme::framed(buffer, area, "Spectrum");
    if inside.height < 2 {
        return;
    }
    let plot = Rect { height: inside.height - 1, ..inside };
    for column in 0..plot.width {
        let bands = bands_of(column, plot.width);
        let level = model.bands[bands].iter().fold(FLOOR_DB, |a, &b| a.max(b));
        let share = (level - FLOOR_DB) / (LOUDEST_DB - FLOOR_DB);
        // Loud columns are lighter, and every column is lightest at its top.
        let colour = |place: f32| theme::level_colour(0.22 + 0.3 * share + 0.48 * place);
        bars::column(buffer, plot, plot.x + column, share, colour);
    }
    labels(buffer, inside);
}

/// The bands of a column.
fn bands_of(column: u16, width: u16) -> std::ops::Range<usize> {
    let place = |column: u16| usize::from(column) * BANDS / usize::from(width);
    let first = place(column).min(BANDS - 1);
    first..place(column + 1).clamp(first + 1, BANDS)
}

fn labels(buffer: &mut Buffer, inside: Rect) {
    let style = Style::new().fg(theme::DIM);
    let mut free = inside.x;
    for &(frequency, label) in LABELS {
        let place = (frequency / LOWEST).ln() / (HIGHEST / LOWEST).ln();
        let x = inside.x + (place * f32::from(inside.width)) as u16;
        let length = label.len() as u16;
        let start = x.saturating_sub(length / 2);
        if start >= free && start + length <= inside.right() {
            buffer.set_string(start, inside.bottom() - 1, label, style);
            free = start + length + 1;
        }
    }
}
