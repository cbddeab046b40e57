//! In the header: the list of steps, and the slots A and B.

use crate::paint;
use crate::session::Session;
use crate::slots::Slots;
use crate::theme;
use crate::widgets::button;
use egui::{
    Align2, Color32, Painter, Popup, Pos2, Rect, RichText, ScrollArea, Stroke, Ui, pos2, vec2,
};

/// The width of the slots with the arrow between them.
pub(super) const SLOTS: f32 = 76.0;

/// A button that opens the list of steps; a click on one goes there.
pub(super) fn history(ui: &Ui, session: &mut Session, at: Pos2) {
    let rect = Rect::from_center_size(at, vec2(20.0, 28.0));
    let tip = "All steps that can be undone and redone";
    let response = button::icon(ui, rect, "History", tip, |painter, colour| {
        list_sign(painter, at, colour);
    });
    Popup::menu(&response).width(230.0).show(|ui| {
        ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            if let Some(position) = steps(ui, session) {
                session.go_to(position);
                ui.close();
            }
        });
    });
}

/// The steps, the newest first, and the sound before all of them. Returns the position that was clicked.
fn steps(ui: &mut Ui, session: &Session) -> Option<usize> {
    let here = session.history.position();
    let mut names: Vec<String> = session.history.steps().map(|edit| edit.describe()).collect();
    names.insert(0, "Start".into());
    let mut clicked = None;
    for (position, name) in names.into_iter().enumerate().rev() {
        let colour = match position {
            position if position > here => theme::FAINT,
            position if position == here => theme::AMBER,
            _ => theme::TEXT,
        };
        let text = RichText::new(format!("{position}  {name}")).color(colour);
        let response = ui.selectable_label(position == here, text);
        if response.clicked() {
            clicked = Some(position);
        }
    }
    clicked
}

/// The slots A and B, and between them the arrow that copies one to the other.
pub(super) fn slots(ui: &Ui, session: &mut Session, slots: &mut Slots, rect: Rect) {
    theme::well(ui.painter(), rect);
    let active = slots.active();
    let half = vec2(28.0, rect.height());
    let places = [rect.min, pos2(rect.right() - half.x, rect.top())];
    for (index, (name, min)) in Slots::NAMES.into_iter().zip(places).enumerate() {
        let place = Rect::from_min_size(min, half);
        let chosen = index == active;
        let tip = match chosen {
            true => format!("You hear slot {name}"),
            false => format!("Switch to slot {name}: the whole sound, with its own undo"),
        };
        let response = button::area(ui, place, &format!("Slot {name}"), &tip, chosen);
        let inside = place.shrink(2.0);
        let painter = ui.painter();
        if chosen {
            painter.rect_filled(inside, theme::SMALL_ROUND, theme::RAISED);
        } else {
            button::backdrop(painter, inside, &response);
        }
        let colour = if chosen { theme::AMBER } else { button::ink(&response, theme::MUTED) };
        let font = theme::bold(12.5);
        painter.text(place.center(), Align2::CENTER_CENTER, name, font, colour);
        if response.clicked() && !chosen {
            slots.switch(session);
        }
    }
    let [from, to] = [Slots::NAMES[active], Slots::NAMES[1 - active]];
    let name = format!("Copy {from} to {to}");
    let place = Rect::from_center_size(rect.center(), vec2(18.0, rect.height() - 4.0));
    let pressed = button::icon(ui, place, &name, &name, |painter, colour| {
        paint::arrow(painter, place.center(), 3.6, active == 0, colour);
    });
    if pressed.clicked() {
        slots.copy(session);
    }
}

/// Lines of a list, and a mark below them that points down.
fn list_sign(painter: &Painter, centre: Pos2, colour: Color32) {
    let stroke = Stroke::new(1.4, colour);
    for (row, half) in [(-4.5, 5.0), (-1.0, 5.0)] {
        let at = centre + vec2(0.0, row);
        painter.hline(at.x - half..=at.x + half, at.y, stroke);
    }
    let tip = centre + vec2(0.0, 6.0);
    painter.line(vec![tip - vec2(3.2, 3.2), tip, tip + vec2(3.2, -3.2)], stroke);
}
