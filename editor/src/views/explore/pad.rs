//! The morph pad: four snapshots at its corners, and a dot between them that is dragged.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control};
use egui::epaint::Mesh;
use egui::{
    Align2, Color32, CursorIcon, Rect, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use myriad_engine::Patch;
use myriad_library::explore::{CORNERS, morph};

/// Where the corners are: x to the right, y down.
const PLACES: [[f32; 2]; CORNERS] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
/// Their colours.
const COLOURS: [Color32; CORNERS] = [theme::VIOLET, theme::ROSE, theme::AQUA, theme::AMBER];
/// How far the dot moves by an arrow key.
const STEP: f32 = 0.05;

/// State of the pad.
#[derive(Debug)]
pub(super) struct Pad {
    corners: [Option<Box<Patch>>; CORNERS],
    /// Where the dot is, from 0 to 1: x to the right, y down.
    dot: [f32; 2],
}

impl Default for Pad {
    fn default() -> Self {
        Self { corners: [const { None }; CORNERS], dot: [0.5; 2] }
    }
}

impl Pad {
    fn is_empty(&self) -> bool {
        self.corners.iter().all(Option::is_none)
    }

    pub(super) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let tile = (0.27 * rect.width()).clamp(0.0, 150.0);
        let half = 0.5 * (rect.height() - 6.0);
        for (index, [x, y]) in PLACES.into_iter().enumerate() {
            let min = pos2(
                rect.left() + x * (rect.width() - tile),
                rect.top() + y * (rect.height() - half),
            );
            self.tile(ui, session, index, Rect::from_min_size(min, vec2(tile, half)));
        }
        let pad = rect.shrink2(vec2(tile + 8.0, 0.0));
        self.surface(ui, session, pad);
    }

    /// A corner: its number, what it keeps, and buttons that store and clear it.
    fn tile(&mut self, ui: &Ui, session: &mut Session, index: usize, rect: Rect) {
        let number = index + 1;
        theme::well(ui.painter(), rect);
        let colour = COLOURS[index];
        let stored = self.corners[index].as_ref().map(|patch| patch.name.clone());
        let top = rect.with_max_y(rect.top() + 0.5 * rect.height());
        let tip = match &stored {
            Some(name) => format!("Go to snapshot {number}: {name}"),
            None => format!("Snapshot {number} is empty"),
        };
        let label = format!("Go to snapshot {number}");
        let response = button::area(ui, top, &label, &tip, false);
        if stored.is_some() {
            button::backdrop(ui.painter(), top.shrink(2.0), &response);
        }
        if response.clicked() && stored.is_some() {
            session.begin_whole(&format!("Snapshot {number}"));
            self.move_dot(session, PLACES[index]);
            session.end();
        }
        let at = pos2(rect.left() + 14.0, top.center().y);
        let ink = if stored.is_some() { colour } else { theme::FAINT };
        let painter = ui.painter_at(rect);
        if stored.is_some() {
            let mut mesh = Mesh::default();
            paint::glow(&mut mesh, at, 16.0, theme::light(colour, 0.5));
            painter.add(Shape::mesh(mesh));
        }
        painter.text(at, Align2::CENTER_CENTER, number, theme::bold(13.0), ink);
        let name = top.with_min_x(rect.left() + 24.0);
        let (text, ink) = match &stored {
            Some(name) => (name.as_str(), theme::TEXT),
            None => ("empty", theme::FAINT),
        };
        theme::fitted(&painter, name, text, 11.5, ink);
        let below = rect.with_min_y(top.bottom()).shrink(4.0);
        let clear = below.with_min_x(below.right() - 24.0);
        let store = if stored.is_some() { below.with_max_x(clear.left() - 2.0) } else { below };
        let tip = "Keep the sound that plays at this corner";
        if word(ui, store, &format!("Store snapshot {number}"), "Store", tip) {
            self.corners[index] = Some(Box::new(session.snapshot()));
        }
        if stored.is_some()
            && word(ui, clear, &format!("Clear snapshot {number}"), "×", "Forget this snapshot")
        {
            self.corners[index] = None;
        }
    }

    /// The pad itself, with the dot.
    fn surface(&mut self, ui: &Ui, session: &mut Session, rect: Rect) {
        let id = ui.scope_id().with("morph pad");
        let response = ui.interact(rect, id, Sense::click_and_drag());
        let [x, y] = self.dot;
        let place = f64::from(x);
        response.widget_info(|| WidgetInfo::slider(true, place, "Morph pad"));
        let area = rect.shrink(9.0);
        if !self.is_empty() && area.is_positive() {
            let pressed = response.drag_started() || response.clicked();
            if pressed {
                response.request_focus();
                session.begin_whole("Morph");
            }
            if let Some(pointer) =
                response.interact_pointer_pos().filter(|_| pressed || response.dragged())
            {
                let at = (pointer - area.min) / area.size();
                self.move_dot(session, [at.x, at.y].map(|place| place.clamp(0.0, 1.0)));
            }
            if response.drag_stopped() || response.clicked() {
                session.end();
            }
            if response.has_focus() {
                self.arrows(ui, session, id);
            }
        }
        let awake = response.hovered() || response.dragged() || response.has_focus();
        self.paint(ui, rect, area, awake);
        let at = format!("{:.0}% across, {:.0}% down", 100.0 * x, 100.0 * y);
        let tip = match self.is_empty() {
            true => "Store a snapshot at a corner first".to_owned(),
            false => format!("Drag to morph between the snapshots\n{at}"),
        };
        response.on_hover_cursor(CursorIcon::Crosshair).on_hover_text(tip);
    }

    /// Arrow keys move the dot.
    fn arrows(&mut self, ui: &Ui, session: &mut Session, id: egui::Id) {
        let arrows = control::take_arrows(ui, id);
        if arrows != Vec2::ZERO {
            let [x, y] = self.dot;
            session.begin_whole("Morph");
            let to = [x + STEP * arrows.x, y - STEP * arrows.y];
            self.move_dot(session, to.map(|place| place.clamp(0.0, 1.0)));
            session.end();
        }
    }

    /// Moves the dot, and the sound with it.
    fn move_dot(&mut self, session: &mut Session, to: [f32; 2]) {
        self.dot = to;
        let corners = self.corners.each_ref().map(Option::as_deref);
        if let Some(patch) = morph(&corners, to) {
            session.move_to(&patch);
        }
    }

    fn paint(&self, ui: &Ui, rect: Rect, area: Rect, awake: bool) {
        theme::well(ui.painter(), rect);
        let painter = ui.painter_at(rect);
        let at = |[x, y]: [f32; 2]| area.lerp_inside(vec2(x, y));
        let line = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.45));
        // The text of an empty pad has no lines behind it.
        let parts: &[f32] = if self.is_empty() { &[] } else { &[0.25, 0.5, 0.75] };
        for &part in parts {
            painter.hline(area.x_range(), at([0.0, part]).y, line);
            painter.vline(at([part, 0.0]).x, area.y_range(), line);
        }
        let dot = at(self.dot);
        let [x, y] = self.dot;
        let weights = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        let mut mesh = Mesh::default();
        let wide = 0.75 * area.size().min_elem();
        let mut blend = [0.0_f32; 3];
        for (index, place) in PLACES.into_iter().enumerate() {
            if self.corners[index].is_none() {
                continue;
            }
            let strength = 0.1 + 0.4 * weights[index];
            paint::glow(&mut mesh, at(place), wide, theme::light(COLOURS[index], strength));
            let [r, g, b, _] = COLOURS[index].to_array();
            let parts = [r, g, b].map(|part| weights[index] * f32::from(part));
            blend.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        painter.add(Shape::mesh(mesh));
        for (index, place) in PLACES.into_iter().enumerate() {
            let stored = self.corners[index].is_some();
            let ink = if stored { COLOURS[index] } else { theme::FAINT.gamma_multiply(0.6) };
            if stored {
                let thread = Stroke::new(
                    1.0 + 1.5 * weights[index],
                    ink.gamma_multiply(0.15 + 0.6 * weights[index]),
                );
                painter.line_segment([at(place), dot], thread);
            }
            painter.circle_filled(at(place), 3.0, ink);
        }
        if self.is_empty() {
            let text = "Store snapshots";
            theme::fitted(&painter, rect, text, 11.5, theme::FAINT);
            return;
        }
        let lightest = blend.iter().copied().fold(1.0, f32::max);
        let [r, g, b] = blend.map(|part| (255.0 * part / lightest) as u8);
        paint::handle(&painter, dot, Color32::from_rgb(r, g, b), awake);
    }
}

/// A small button. Returns whether it was pressed.
fn word(ui: &Ui, rect: Rect, name: &str, text: &str, tip: &str) -> bool {
    let response = button::area(ui, rect, name, tip, false);
    let painter = ui.painter();
    painter.rect_filled(rect, theme::SMALL_ROUND, theme::RAISED.gamma_multiply(0.6));
    button::backdrop(painter, rect, &response);
    theme::fitted(painter, rect, text, 11.5, button::ink(&response, theme::MUTED));
    response.clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dot is between the corners as they are drawn and as they sound.
    #[test]
    fn corners_are_where_the_morph_has_them() {
        let patches = ["One", "Two", "Three", "Four"].map(|name| {
            let mut patch = Patch::new();
            patch.name = name.into();
            patch
        });
        let corners = patches.each_ref().map(Some);
        for (index, place) in PLACES.into_iter().enumerate() {
            assert_eq!(morph(&corners, place).unwrap().name, patches[index].name);
        }
    }
}
