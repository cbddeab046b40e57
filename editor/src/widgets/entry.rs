//! Text entry of values: a small field in place of the number.

use crate::session::Session;
use crate::theme;
use crate::widgets::control;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Align2, Key, Painter, Rect, Response, Sense, TextEdit, Ui, WidgetInfo};
use myriad_engine::params::Param;

/// Shows the value of `param`; a click opens the field.
pub(crate) fn value(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect, size: f32) {
    let ours = session.entry.as_ref().is_some_and(|e| e.param == param);
    if ours {
        return field(ui, session, param, rect.expand2(egui::vec2(4.0, 2.0)), size);
    }
    let text = short(param, session.value(param));
    let id = control::id(ui, param).with("value");
    let response = ui.interact(rect, id, Sense::click());
    let name = crate::names::of(param);
    let info = || WidgetInfo::labeled(egui::accesskit::Role::Button, true, format!("{name} value"));
    response.widget_info(info);
    if response.clicked() {
        control::type_value(session, param);
    }
    let colour = if response.hovered() { theme::AMBER } else { theme::TEXT };
    paint(ui.painter(), rect, &text, size, colour);
}

fn paint(painter: &Painter, rect: Rect, text: &str, size: f32, colour: egui::Color32) {
    painter.text(rect.center(), Align2::CENTER_CENTER, text, theme::regular(size), colour);
}

/// The value without the long names of units, which the tooltip shows.
pub(crate) fn short(param: Param, value: f32) -> String {
    let text = param.info().format(value);
    for (long, short) in [
        (" semitones", " st"),
        (" cents", " ct"),
        (" dB/octave", " dB/oct"),
        ("% left", "% L"),
        ("% right", "% R"),
    ] {
        if let Some(number) = text.strip_suffix(long) {
            return format!("{number}{short}");
        }
    }
    text
}

fn field(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect, size: f32) {
    let Some(entry) = session.entry.as_mut() else {
        return;
    };
    entry.drawn = session.time;
    let edit = TextEdit::singleline(&mut entry.text)
        .id(egui::Id::unique("value being typed"))
        .font(theme::regular(size))
        .align(Align2::CENTER_CENTER)
        .margin(egui::Margin::symmetric(2, 0));
    let response = ui.put(rect, edit);
    if !entry.open {
        entry.open = true;
        begin(&response, &entry.text);
    } else if response.lost_focus() {
        let text = std::mem::take(&mut entry.text);
        *session.entry = None;
        let given_up = ui.input(|input| input.key_pressed(Key::Escape));
        if let (false, Some(value)) = (given_up, param.info().parse(&text)) {
            session.change(param, value);
        }
    }
}

/// A field has just appeared: focuses it and selects its text.
pub(crate) fn begin(field: &Response, text: &str) {
    field.request_focus();
    let end = CCursor::new(text.chars().count());
    let mut state = TextEditState::default();
    let all = CCursorRange::two(CCursor::default(), end);
    state.cursor.set_char_range(Some(all));
    state.store(&field.ctx, field.id);
}
