//! Chips: modulation sources that are dragged onto knobs.

use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{Align2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::modulation::Source;

/// The chip of a source: drag it onto a knob. A dot in it shows the source's current value.
pub(crate) fn chip(ui: &Ui, session: &Session, source: Source, rect: Rect) {
    let colour = theme::source(source);
    let name = names::source(source, &session.patch);
    let id = ui.scope_id().with(("chip", source.name()));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let label = format!("{name} source");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    response.dnd_set_drag_payload(source);
    let used = session.patch.routes.iter();
    let used = used.filter(|r| r.source == source || r.via == Some(source));
    let used = used.count();
    let awake = response.hovered() || response.dragged();

    let painter = ui.painter();
    let fill = colour.gamma_multiply(if awake { 0.3 } else { 0.1 });
    let edge = Stroke::new(1.0, colour.gamma_multiply(if awake { 0.9 } else { 0.38 }));
    painter.rect(rect, rect.height() / 2.0, fill, edge, egui::StrokeKind::Inside);
    let bead = pos2(rect.left() + 11.0, rect.center().y);
    let height = session.snapshot.sources[source as usize].abs().clamp(0.0, 1.0);
    if session.snapshot.sounding && used > 0 {
        let mut mesh = Mesh::default();
        paint::glow(&mut mesh, bead, 4.0 + 7.0 * height, theme::light(colour, 0.3 + 0.7 * height));
        painter.add(Shape::mesh(mesh));
    }
    let dot = if used > 0 { colour } else { colour.gamma_multiply(0.35) };
    painter.circle_filled(bead, 2.6, dot);
    let text = pos2(rect.left() + 19.0, rect.center().y);
    let ink = if used > 0 || awake { theme::TEXT } else { theme::MUTED };
    let font = theme::regular(11.0);
    let painter = painter.with_clip_rect(rect.shrink2(vec2(6.0, 0.0)));
    painter.text(text, Align2::LEFT_CENTER, name.clone(), font, ink);

    if response.dragged() {
        thread(ui, bead, source);
    }
    let uses = match used {
        0 => "No routes yet".to_owned(),
        1 => "Modulates one parameter".to_owned(),
        n => format!("Modulates {n} parameters"),
    };
    let tip = format!("{}\n{uses}. Drag onto a knob.", source.help());
    response.on_hover_cursor(egui::CursorIcon::Grab).on_hover_text(tip);
}

/// The line from a chip to the pointer that drags it.
pub(crate) fn thread(ui: &Ui, from: egui::Pos2, source: Source) {
    let Some(to) = ui.input(|input| input.pointer.hover_pos()) else {
        return;
    };
    let colour = theme::source(source);
    let layer = theme::front(theme::Front::Thread);
    let painter = ui.ctx().layer_painter(layer);
    let sag = 0.25 * (to - from).length();
    let curve = egui::epaint::CubicBezierShape::from_points_stroke(
        [from, from + vec2(0.0, sag), to + vec2(0.0, sag), to],
        false,
        egui::Color32::TRANSPARENT,
        Stroke::new(1.8, colour),
    );
    painter.add(curve);
    paint::handle(&painter, to, colour, true);
}

/// A text beside the pointer that says why the source cannot be dropped here.
pub(crate) fn refusal(ui: &Ui, text: &str) {
    let Some(pointer) = ui.input(|input| input.pointer.hover_pos()) else {
        return;
    };
    let layer = theme::front(theme::Front::Refusal);
    let painter = ui.ctx().layer_painter(layer);
    let galley = painter.layout_no_wrap(text.to_owned(), theme::regular(11.5), theme::TEXT);
    let size = galley.size() + vec2(16.0, 10.0);
    let screen = ui.ctx().content_rect();
    let left = (pointer.x + 14.0).min(screen.right() - size.x - 4.0);
    let label = Rect::from_min_size(pos2(left, pointer.y - 14.0 - size.y), size);
    let edge = Stroke::new(1.0, theme::ALARM.gamma_multiply(0.6));
    let inside = egui::StrokeKind::Inside;
    painter.rect(label, theme::SMALL_ROUND, theme::PANEL, edge, inside);
    painter.galley(label.min + vec2(8.0, 5.0), galley, theme::TEXT);
}
