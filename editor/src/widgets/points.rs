//! A line that is drawn by points: points are added, moved and removed, and the segments between them bent.

use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::accesskit::Role;
use egui::{
    Color32, CursorIcon, Id, Pos2, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use myriad_engine::{Patch, view};

/// The size of the area in which a point can be taken.
const GRIP: f32 = 16.0;
/// Segments narrower than this have no handle for their curve.
const NARROW: f32 = 26.0;
/// Points of a drag for the whole range of a curve.
const CURVE_DRAG: f32 = 120.0;

/// What is done to the line; places are those of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Edit {
    Add(Pos2),
    Move(usize, Pos2),
    Remove(usize),
    Bend(usize, f32),
    Straighten(usize),
}

impl Edit {
    /// Whether it is a whole gesture by itself.
    fn is_instant(&self) -> bool {
        !matches!(self, Self::Move(..) | Self::Bend(..))
    }
}

/// The handles of a line.
pub(crate) struct PointHandles<'a> {
    pub(crate) id: Id,
    /// What is drawn, as users call it.
    pub(crate) name: &'a str,
    pub(crate) colour: Color32,
}

impl PointHandles<'_> {
    /// The area behind the line, where a double-click adds a point.
    pub(crate) fn canvas(&self, ui: &Ui, plot: Rect) -> (Response, Option<Edit>) {
        let response = ui.interact(plot.expand(6.0), self.id, Sense::click());
        let name = format!("{} canvas", self.name);
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &name));
        let at = response.interact_pointer_pos().filter(|_| response.double_clicked());
        (response, at.map(Edit::Add))
    }

    /// The handle of a point, and whether the pointer is on it.
    pub(crate) fn point(
        &self,
        ui: &Ui,
        session: &mut Session,
        index: usize,
        at: Pos2,
        value: f32,
    ) -> (bool, Option<Edit>) {
        let response = self.grip(ui, session, ("point", index), at, value, CursorIcon::Move);
        let awake = response.hovered() || response.dragged();
        paint::handle(ui.painter(), at, self.colour, awake);
        if response.secondary_clicked() || response.double_clicked() {
            return (awake, Some(Edit::Remove(index)));
        }
        let pointer = response.interact_pointer_pos().filter(|_| response.dragged());
        (awake, pointer.map(|pointer| Edit::Move(index, pointer)))
    }

    /// The handle in the middle of the segment between two places, whose curve belongs to point `index`.
    pub(crate) fn curve(
        &self,
        ui: &Ui,
        session: &mut Session,
        index: usize,
        [from, to]: [Pos2; 2],
        curve: f32,
    ) -> Option<Edit> {
        // A flat segment has no curve.
        if to.x - from.x < NARROW || from.y == to.y {
            return None;
        }
        let middle = from.y + (to.y - from.y) * view::bend(curve, 0.5);
        let at = pos2(0.5 * (from.x + to.x), middle);
        let cursor = CursorIcon::ResizeVertical;
        let response = self.grip(ui, session, ("curve", index), at, curve, cursor);
        let awake = response.hovered() || response.dragged();
        let radius = if awake { 4.5 } else { 3.0 };
        let stroke = Stroke::new(1.4, self.colour.gamma_multiply(0.8));
        ui.painter().circle(at, radius, theme::WELL, stroke);
        if response.double_clicked() {
            return Some(Edit::Straighten(index));
        }
        if !response.dragged() {
            return None;
        }
        // The middle of the line follows the pointer, up or down.
        let way = if to.y < from.y { -1.0 } else { 1.0 };
        let curve = curve + way * response.drag_delta().y / CURVE_DRAG;
        Some(Edit::Bend(index, rounded(curve).clamp(-1.0, 1.0)))
    }

    /// A place that can be dragged. The gesture begins and ends with the drag.
    fn grip(
        &self,
        ui: &Ui,
        session: &mut Session,
        (kind, index): (&str, usize),
        at: Pos2,
        value: f32,
        cursor: CursorIcon,
    ) -> Response {
        let rect = Rect::from_center_size(at, vec2(GRIP, GRIP));
        let response = ui
            .interact(rect, self.id.with((kind, index)), Sense::click_and_drag())
            .on_hover_and_drag_cursor(cursor);
        let name = format!("{} {kind} {}", self.name, index + 1);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(value), &name));
        if response.drag_started() {
            self.begin(session);
        }
        if response.drag_stopped() {
            session.end();
        }
        response
    }

    /// Begins a gesture that draws.
    pub(crate) fn begin(&self, session: &mut Session) {
        session.begin_drawing(&format!("{} drawn", self.name));
    }

    /// Draws what an edit has changed; a drag is one gesture, everything else one by itself.
    pub(crate) fn draw(&self, session: &mut Session, edit: Edit, change: impl FnOnce(&mut Patch)) {
        match edit.is_instant() {
            true => self.draw_at_once(session, change),
            false => session.draw(change),
        }
    }

    /// A change that is a gesture by itself.
    pub(crate) fn draw_at_once(&self, session: &mut Session, change: impl FnOnce(&mut Patch)) {
        self.begin(session);
        session.draw(change);
        session.end();
    }
}

/// To a thousandth, so that patches are easy to read.
pub(crate) fn rounded(x: f32) -> f32 {
    (1_000.0 * x).round() / 1_000.0
}
