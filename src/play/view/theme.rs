//! Colours and borders; levels have the colour map of the spectrograms.

use myriad_player::analysis::colour;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use ratatui::widgets::{Block, BorderType, Widget};
use std::sync::LazyLock;

/// The colour of a level from 0 to 1.
pub(super) fn level_colour(level: f32) -> Color {
    static MAP: LazyLock<[colour::Rgb; 256]> = LazyLock::new(colour::map);
    let [r, g, b] = MAP[(level.clamp(0.0, 1.0) * 255.0) as usize];
    Color::Rgb(r, g, b)
}

/// `colour`, blended with the background; `strength` 1 is the colour itself.
pub(super) fn faded(colour: Color, strength: f32) -> Color {
    match (colour, GROUND) {
        (Color::Rgb(r, g, b), Color::Rgb(x, y, z)) => {
            let [r, g, b] = colour::blend([x, y, z], [r, g, b], strength.clamp(0.0, 1.0));
            Color::Rgb(r, g, b)
        }
        _ => colour,
    }
}

/// The background.
pub(super) const GROUND: Color = Color::Rgb(0x0b, 0x0a, 0x16);
/// Frames.
pub(super) const FRAME: Color = Color::Rgb(0x33, 0x2b, 0x55);
/// Labels.
pub(super) const DIM: Color = Color::Rgb(0x8a, 0x82, 0xac);
/// Text.
pub(super) const TEXT: Color = Color::Rgb(0xe6, 0xe1, 0xf2);
/// Selections.
pub(super) const ACCENT: Color = Color::Rgb(0xfd, 0xa6, 0x5c);
/// Values that are fine.
pub(super) const CALM: Color = Color::Rgb(0x7f, 0xd1, 0xae);
/// Values that are not.
pub(super) const ALARM: Color = Color::Rgb(0xff, 0x5c, 0x6c);

pub(super) fn dim(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().fg(DIM))
}

pub(super) fn text(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().fg(TEXT))
}

pub(super) fn bright(text: impl Into<String>, colour: Color) -> Span<'static> {
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    Span::styled(text.into(), style)
}

/// Draws a frame with a title, and returns the area inside.
pub(super) fn framed(buffer: &mut Buffer, area: Rect, title: &str) -> Rect {
    let panel = panel(title);
    let inside = panel.inner(area);
    panel.render(area, buffer);
    inside
}

/// A frame with a title.
pub(super) fn panel(title: &str) -> Block<'static> {
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(Style::new().fg(FRAME))
        .title(dim(format!(" {title} ")))
}
