//! Bars from Unicode block characters, in steps of an eighth.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

const UPWARDS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ACROSS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// A vertical bar, filled to `share` of its height; `colour` gives the colour at each height, 0 to 1.
pub(super) fn column(
    buffer: &mut Buffer,
    area: Rect,
    x: u16,
    share: f32,
    colour: impl Fn(f32) -> Color,
) {
    let eighths = (share.clamp(0.0, 1.0) * f32::from(area.height) * 8.0).round() as usize;
    for row in 0..area.height {
        let filled = eighths.saturating_sub(usize::from(row) * 8).min(8);
        if filled == 0 {
            break;
        }
        let height = (f32::from(row) + 0.5) / f32::from(area.height);
        let cell = &mut buffer[(x, area.bottom() - 1 - row)];
        cell.set_symbol(UPWARDS[filled]).set_fg(colour(height));
    }
}

/// A horizontal bar, filled to `share` of its width.
pub(super) fn line(buffer: &mut Buffer, area: Rect, share: f32, full: Color, empty: Color) {
    let eighths = (share.clamp(0.0, 1.0) * f32::from(area.width) * 8.0).round() as usize;
    for column in 0..area.width {
        let filled = eighths.saturating_sub(usize::from(column) * 8).min(8);
        let cell = &mut buffer[(area.x + column, area.y)];
        cell.set_symbol(ACROSS[filled]).set_fg(full).set_bg(empty);
    }
}
