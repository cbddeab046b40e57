//! The eight macro knobs. The name of a macro is also a chip, which can be dragged onto another
//! knob.

use crate::names;
use crate::session::Session;
use crate::theme;
use crate::widgets::{control, entry, knob};
use egui::accesskit::Role;
use egui::{Key, Rect, Sense, TextEdit, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::Patch;
use myriad_engine::modulation::Source;
use myriad_engine::params::Param;

/// The macros: parameter and modulation source.
fn all() -> impl Iterator<Item = (Param, Source)> {
    let params = Param::ALL.iter().filter(|p| p.info().group() == "macro");
    let is_macro = |name: &str| name.starts_with("macro");
    let sources = Source::NAMES.iter().filter(move |(name, _)| is_macro(name));
    params.copied().zip(sources.map(|&(_, source)| source))
}

/// Shows them in a panel.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, rect: Rect) {
    theme::panel(ui.painter(), rect);
    let inside = rect.shrink2(vec2(6.0, 4.0));
    let count = all().count().max(1);
    let width = inside.width() / count as f32;
    for (index, (param, source)) in all().enumerate() {
        let left = inside.left() + width * index as f32;
        let cell = Rect::from_min_size(pos2(left, inside.top()), vec2(width, inside.height()));
        one(ui, session, param, source, cell);
    }
}

fn one(ui: &mut Ui, session: &mut Session, param: Param, source: Source, cell: Rect) {
    let named = session.patch.routes.iter().any(|r| r.source == source || r.via == Some(source));
    let centre = pos2(cell.center().x, cell.top() + 28.0);
    let grip = Rect::from_center_size(centre, vec2(cell.width().min(56.0), 54.0));
    let response = control::interact(ui, session, param, grip);
    knob::face(ui, session, param, centre, &response);

    let name = names::source(source, &session.patch);
    let label =
        Rect::from_center_size(pos2(cell.center().x, cell.top() + 60.0), vec2(cell.width(), 15.0));
    let id = ui.scope_id().with(("macro chip", source.name()));
    let drag = ui.interact(label, id, Sense::click_and_drag());
    drag.dnd_set_drag_payload(source);
    let ink = match (drag.hovered() || drag.dragged(), named) {
        (true, _) => theme::ROSE,
        (false, true) => theme::TEXT,
        (false, false) => theme::FAINT,
    };
    theme::label(&ui.painter_at(cell), label, &name, ink);
    if drag.dragged() {
        crate::widgets::chip::thread(ui, label.center(), source);
    }
    drag.context_menu(|ui| rename(ui, session, source));
    drag.on_hover_cursor(egui::CursorIcon::Grab).on_hover_text(
        "Drag this name onto a knob to modulate it; right-click to rename the macro",
    );
    let value = Rect::from_center_size(pos2(cell.center().x, cell.top() + 75.0), vec2(48.0, 14.0));
    entry::value(ui, session, param, value, 10.5);
}

/// A text field for the name of a macro.
fn rename(ui: &mut Ui, session: &mut Session, source: Source) {
    let Some(index) = all().position(|(_, other)| other == source) else {
        return;
    };
    let mut patch = Patch::clone(&session.patch);
    let Some(name) = patch.macro_names.get_mut(index) else {
        return;
    };
    let field = TextEdit::singleline(name).hint_text("Name of the macro");
    let response = ui.add(field.desired_width(140.0).char_limit(24));
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the macro"));
    if response.changed() {
        session.describe(&patch);
    }
    if ui.input(|input| input.key_pressed(Key::Enter)) {
        ui.close();
    }
}
