//! The patch's macros.

use super::view_model::ViewModel;
use super::{bars, theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let inside = theme::framed(buffer, area, "Macros");
    let width = inside.width / model.macros.len() as u16;
    for (index, knob) in model.macros.iter().enumerate() {
        let cell =
            Rect { x: inside.x + index as u16 * width, width: width.saturating_sub(1), ..inside };
        let selected = index == model.selected;
        let used = !knob.name.is_empty();
        let name = match (selected && model.learning, used) {
            (true, _) => "move it…".to_owned(),
            (_, true) => knob.name.clone(),
            (_, false) => format!("{}", index + 1),
        };
        let style = match (selected, used) {
            (true, _) => Style::new().fg(theme::ACCENT).add_modifier(Modifier::BOLD),
            (_, true) => Style::new().fg(theme::TEXT),
            (_, false) => Style::new().fg(theme::faded(theme::DIM, 0.6)),
        };
        let name = format!("{}{name}", if selected { "▸" } else { " " });
        buffer.set_stringn(cell.x, cell.y, name, usize::from(cell.width), style);
        // Wide screens have room for the number of its controller.
        if let Some(cc) = knob.controller
            && cell.width >= 16
        {
            let text = format!("cc{cc}");
            let x = cell.right() - text.len() as u16;
            buffer.set_string(x, cell.y, text, Style::new().fg(theme::CALM));
        }
        if inside.height < 2 {
            continue;
        }
        let bar =
            Rect { x: cell.x + 1, y: cell.y + 1, width: cell.width.saturating_sub(1), height: 1 };
        let full = match (selected, used) {
            (true, _) => theme::ACCENT,
            (_, true) => theme::level_colour(0.45 + 0.25 * knob.value),
            (_, false) => theme::FRAME,
        };
        let empty = theme::faded(theme::FRAME, if used { 0.8 } else { 0.4 });
        bars::line(buffer, bar, knob.value, full, empty);
    }
}
