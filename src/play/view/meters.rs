//! Level meters with peak hold.

use super::view_model::ViewModel;
use super::{bars, theme};
use myriad_player::monitor::{FLOOR_DB, Level};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// Columns of the panel.
pub(super) const WIDTH: u16 = 14;

/// The lowest level of the meters.
const LOWEST_DB: f32 = -60.0;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let inside = theme::framed(buffer, area, "Level");
    if inside.height < 3 || inside.width < 10 {
        return;
    }
    let plot = Rect { height: inside.height - 1, ..inside };
    for (meter, x) in model.meters.iter().zip([plot.x + 1, plot.x + 4]) {
        channel(buffer, plot, x, meter);
    }
    scale(buffer, plot);
    let loudest = model.meters.iter().map(|meter| meter.held).fold(FLOOR_DB, f32::max);
    let (text, colour) = match loudest {
        level if level <= FLOOR_DB => ("silence".to_owned(), theme::DIM),
        level => (format!("{level:>5.1} dB"), colour_at(share(level))),
    };
    let style = Style::new().fg(colour);
    buffer.set_string(inside.x + 1, inside.bottom() - 1, text, style);
}

fn channel(buffer: &mut Buffer, plot: Rect, x: u16, level: &Level) {
    let unlit = theme::faded(theme::FRAME, 0.45);
    for column in [x, x + 1] {
        for y in plot.top()..plot.bottom() {
            buffer[(column, y)].set_bg(unlit);
        }
        bars::column(buffer, plot, column, share(level.now), colour_at);
    }
    let held = share(level.held);
    if held > 0.0 {
        let row = (held * f32::from(plot.height)).min(f32::from(plot.height) - 0.01) as u16;
        for column in [x, x + 1] {
            let cell = &mut buffer[(column, plot.bottom() - 1 - row)];
            cell.set_symbol("▔").set_fg(colour_at(held));
        }
    }
}

fn scale(buffer: &mut Buffer, plot: Rect) {
    let style = Style::new().fg(theme::DIM);
    let step = if plot.height < 12 { 20 } else { 10 };
    for level in (0..60).step_by(step).map(|level| -level) {
        let row = ((1.0 - share(level as f32)) * f32::from(plot.height)) as u16;
        let y = plot.y + row.min(plot.height - 1);
        buffer.set_string(plot.x + 7, y, format!("{level:>4}"), style);
    }
}

fn share(level: f32) -> f32 {
    (1.0 - level / LOWEST_DB).clamp(0.0, 1.0)
}

/// The colour map, and red at the top.
fn colour_at(place: f32) -> Color {
    match place {
        place if place > 0.985 => theme::ALARM,
        place => theme::level_colour(0.35 + 0.5 * place),
    }
}
