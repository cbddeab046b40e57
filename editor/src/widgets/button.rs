//! Buttons.

use crate::theme;
use egui::accesskit::Role;
use egui::{
    Align2, Color32, Id, Painter, Popup, Rect, Response, ScrollArea, Sense, Ui, WidgetInfo,
};

/// An area that can be clicked, with a name for screen readers and a tooltip.
pub(crate) fn area(ui: &Ui, rect: Rect, name: &str, tip: &str, selected: bool) -> Response {
    let id: Id = ui.scope_id().with(("button", name));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, name));
    match tip {
        "" => response,
        tip => response.on_hover_text(tip),
    }
}

/// The highlight behind a button.
pub(crate) fn backdrop(painter: &Painter, rect: Rect, response: &Response) {
    if response.is_pointer_button_down_on() {
        painter.rect_filled(rect, theme::SMALL_ROUND, theme::EDGE);
    } else if response.hovered() || response.has_focus() {
        painter.rect_filled(rect, theme::SMALL_ROUND, theme::RAISED);
    }
}

/// The colour of a button's text or icon.
pub(crate) fn ink(response: &Response, idle: Color32) -> Color32 {
    match response.hovered() || response.has_focus() {
        true => theme::TEXT,
        false => idle,
    }
}

/// A button with a drawing on it.
pub(crate) fn icon(
    ui: &Ui,
    rect: Rect,
    name: &str,
    tip: &str,
    draw: impl FnOnce(&Painter, Color32),
) -> Response {
    let response = area(ui, rect, name, tip, false);
    backdrop(ui.painter(), rect, &response);
    draw(ui.painter(), ink(&response, theme::MUTED));
    response
}

/// A button with a word; a selected one is highlighted.
pub(crate) fn word(ui: &Ui, rect: Rect, text: &str, tip: &str, selected: bool) -> Response {
    let response = area(ui, rect, text, tip, selected);
    let painter = ui.painter();
    if selected {
        painter.rect_filled(rect, theme::SMALL_ROUND, theme::RAISED);
    } else {
        backdrop(painter, rect, &response);
    }
    let colour = if selected { theme::AMBER } else { ink(&response, theme::MUTED) };
    painter.text(rect.center(), Align2::CENTER_CENTER, text, theme::regular(11.5), colour);
    response
}

/// A word that opens a list.
pub(crate) fn list(
    ui: &Ui,
    rect: Rect,
    name: &str,
    text: (&str, Color32),
    contents: impl FnOnce(&mut Ui),
) {
    let response = area(ui, rect, name, "", false);
    backdrop(ui.painter(), rect, &response);
    let at = rect.left_center() + egui::vec2(8.0, 0.0);
    let font = theme::regular(11.5);
    let painter = ui.painter_at(rect);
    painter.text(at, Align2::LEFT_CENTER, text.0, font, text.1);
    Popup::menu(&response).show(|ui| {
        ScrollArea::vertical().max_height(280.0).show(ui, contents);
    });
}
