//! A drawn envelope: points in time that are added, moved, bent and removed, one of which is held until the key is
//! released.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{
    Align2, CursorIcon, Id, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use myriad_engine::modulation::{DrawnEnvelope, EnvelopePoint};
use myriad_engine::view;

/// The size of the area in which a point can be taken.
const GRIP: f32 = 16.0;
/// Segments narrower than this have no handle for their curve.
const NARROW: f32 = 26.0;
/// Points of a drag for the whole range of a curve.
const CURVE_DRAG: f32 = 120.0;
/// The height of the row in which the held point is chosen.
const HOLD_ROW: f32 = 12.0;

/// The drawn envelope of one index, on a canvas.
pub(super) struct Canvas<'a> {
    plot: Rect,
    index: usize,
    name: &'a str,
    envelope: DrawnEnvelope,
    /// Seconds from the left to the right edge.
    seconds: f32,
}

/// What is done to the envelope.
enum Action {
    Add { seconds: f32, level: f32 },
    Move { point: usize, seconds: f32, level: f32 },
    Bend { point: usize, curve: f32 },
    Straighten { point: usize },
    Remove { point: usize },
    Hold { point: usize },
}

impl Action {
    /// Whether it is a whole gesture by itself.
    fn is_instant(&self) -> bool {
        !matches!(self, Action::Move { .. } | Action::Bend { .. })
    }

    fn apply(self, envelope: &DrawnEnvelope) -> DrawnEnvelope {
        let (mut points, mut held) = (envelope.points().to_vec(), envelope.held());
        match self {
            Action::Add { mut seconds, level } => {
                // The segment that it is on is divided.
                for index in 0..points.len() {
                    let length = points[index].seconds;
                    if seconds < length {
                        points[index].seconds = length - seconds;
                        points.insert(index, EnvelopePoint { seconds, level, curve: 0.0 });
                        held += usize::from(index <= held);
                        break;
                    }
                    seconds -= length;
                }
            }
            Action::Move { point, seconds, level } => {
                (points[point].seconds, points[point].level) = (seconds, level);
            }
            Action::Bend { point, curve } => points[point].curve = curve,
            Action::Straighten { point } => points[point].curve = 0.0,
            Action::Remove { point } => {
                if points.len() > DrawnEnvelope::FEWEST && point + 1 < points.len() {
                    let removed = points.remove(point);
                    points[point].seconds += removed.seconds;
                    held -= usize::from(point <= held && held > 0);
                }
            }
            Action::Hold { point } => held = point,
        }
        DrawnEnvelope::new(&points, held)
    }
}

impl<'a> Canvas<'a> {
    /// `scale` keeps the seconds of the canvas while a point is dragged.
    pub(super) fn new(
        rect: Rect,
        index: usize,
        name: &'a str,
        envelope: DrawnEnvelope,
        scale: &mut Option<f32>,
        is_held: bool,
    ) -> Self {
        let whole: f32 = envelope.points().iter().map(|point| point.seconds).sum();
        let seconds = (1.06 * whole).max(0.02);
        if !is_held {
            *scale = None;
        }
        let seconds = *scale.get_or_insert(seconds);
        let plot =
            Rect::from_min_max(rect.min + vec2(12.0, 12.0), rect.max - vec2(12.0, HOLD_ROW + 4.0));
        Self { plot, index, name, envelope, seconds }
    }

    fn place(&self, seconds: f32, level: f32) -> Pos2 {
        pos2(
            self.plot.left() + seconds / self.seconds * self.plot.width(),
            self.plot.bottom() - level * self.plot.height(),
        )
    }

    /// The time and level at a place.
    fn under(&self, at: Pos2) -> (f32, f32) {
        let seconds = (at.x - self.plot.left()) / self.plot.width() * self.seconds;
        let level = (self.plot.bottom() - at.y) / self.plot.height();
        let rounded = |x: f32| (1_000.0 * x).round() / 1_000.0;
        (rounded(seconds.max(0.0)), rounded(level.clamp(0.0, 1.0)))
    }

    /// The time at which each point is reached.
    fn times(&self) -> Vec<f32> {
        let mut passed = 0.0;
        let points = self.envelope.points().iter();
        points
            .map(|point| {
                passed += point.seconds;
                passed
            })
            .collect()
    }

    pub(super) fn show(&self, ui: &Ui, session: &mut Session, level: Option<f32>) {
        let id = ui.scope_id().with(("envelope points", self.index));
        let back = ui.interact(self.plot.expand(6.0), id, Sense::click());
        let name = format!("{} canvas", self.name);
        back.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &name));
        self.paint(ui, level);
        let mut action = None;
        if back.double_clicked()
            && let Some(at) = back.interact_pointer_pos()
        {
            let (seconds, level) = self.under(at);
            action = Some(Action::Add { seconds, level });
        }
        let times = self.times();
        for point in 0..times.len() {
            action = self.curve_handle(ui, session, id, &times, point).or(action);
        }
        for point in 0..times.len() {
            action = self.hold_mark(ui, &times, point).or(action);
            action = self.point_handle(ui, session, id, &times, point).or(action);
        }
        let Some(action) = action else {
            return;
        };
        let instant = action.is_instant();
        let envelope = action.apply(&self.envelope);
        if instant {
            self.begin(session);
        }
        session.draw(|patch| patch.envelopes[self.index] = Some(envelope));
        if instant {
            session.end();
        }
    }

    fn begin(&self, session: &mut Session) {
        session.begin_drawing(&format!("{} drawn", self.name));
    }

    fn follow(&self, session: &mut Session, response: &Response) {
        if response.drag_started() {
            self.begin(session);
        }
        if response.drag_stopped() {
            session.end();
        }
    }

    fn point_handle(
        &self,
        ui: &Ui,
        session: &mut Session,
        id: Id,
        times: &[f32],
        point: usize,
    ) -> Option<Action> {
        let EnvelopePoint { seconds, level, .. } = self.envelope.points()[point];
        let at = self.place(times[point], level);
        let grip = Rect::from_center_size(at, vec2(GRIP, GRIP));
        let response = ui
            .interact(grip, id.with(("point", point)), Sense::click_and_drag())
            .on_hover_and_drag_cursor(CursorIcon::Move);
        let name = format!("{} point {}", self.name, point + 1);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(level), &name));
        self.follow(session, &response);
        let awake = response.hovered() || response.dragged();
        paint::handle(ui.painter(), at, theme::AMBER, awake);
        if awake {
            let text = match seconds < 1.0 {
                true => format!("{:.0} ms  {:.0}%", 1_000.0 * seconds, 100.0 * level),
                false => format!("{seconds:.2} s  {:.0}%", 100.0 * level),
            };
            let place = pos2(self.plot.right() - 44.0, self.plot.top() - 1.0);
            let font = theme::regular(10.5);
            ui.painter().text(place, Align2::RIGHT_CENTER, text, font, theme::TEXT);
        }
        if response.secondary_clicked() || response.double_clicked() {
            return Some(Action::Remove { point });
        }
        let pointer = response.interact_pointer_pos().filter(|_| response.dragged())?;
        let (time, level) = self.under(pointer);
        let before = point.checked_sub(1).map_or(0.0, |before| times[before]);
        Some(Action::Move { point, seconds: (time - before).max(0.0), level })
    }

    fn curve_handle(
        &self,
        ui: &Ui,
        session: &mut Session,
        id: Id,
        times: &[f32],
        point: usize,
    ) -> Option<Action> {
        let to = self.envelope.points()[point];
        let (start, from) = match point.checked_sub(1) {
            Some(before) => (times[before], self.envelope.points()[before].level),
            None => (0.0, 0.0),
        };
        let wide = self.place(times[point], 0.0).x - self.place(start, 0.0).x;
        // A flat segment has no curve.
        if wide < NARROW || from == to.level {
            return None;
        }
        let middle = from + (to.level - from) * view::bend(to.curve, 0.5);
        let at = self.place(0.5 * (start + times[point]), middle);
        let grip = Rect::from_center_size(at, vec2(GRIP, GRIP));
        let response = ui
            .interact(grip, id.with(("curve", point)), Sense::click_and_drag())
            .on_hover_and_drag_cursor(CursorIcon::ResizeVertical);
        let name = format!("{} curve {}", self.name, point + 1);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(to.curve), &name));
        self.follow(session, &response);
        let awake = response.hovered() || response.dragged();
        let radius = if awake { 4.5 } else { 3.0 };
        let stroke = Stroke::new(1.4, theme::AMBER.gamma_multiply(0.8));
        ui.painter().circle(at, radius, theme::WELL, stroke);
        if response.double_clicked() {
            return Some(Action::Straighten { point });
        }
        if !response.dragged() {
            return None;
        }
        // The middle of the line follows the pointer, up or down.
        let way = if to.level > from { -1.0 } else { 1.0 };
        let curve = to.curve + way * response.drag_delta().y / CURVE_DRAG;
        let curve = (1_000.0 * curve).round() / 1_000.0;
        Some(Action::Bend { point, curve: curve.clamp(-1.0, 1.0) })
    }

    /// The mark below a point that makes it the held one.
    fn hold_mark(&self, ui: &Ui, times: &[f32], point: usize) -> Option<Action> {
        if point + 1 == times.len() {
            return None;
        }
        let at = pos2(self.place(times[point], 0.0).x, self.plot.bottom() + 9.0);
        let is_held = point == self.envelope.held();
        let name = format!("{} hold {}", self.name, point + 1);
        let tip = "Holds this level until the key is released";
        let place = Rect::from_center_size(at, vec2(12.0, HOLD_ROW));
        let response = button::area(ui, place, &name, tip, is_held);
        let colour = if is_held { theme::AMBER } else { button::ink(&response, theme::FAINT) };
        let mark = Rect::from_center_size(at, vec2(6.0, 6.0));
        if is_held {
            ui.painter().rect_filled(mark, 1.0, colour);
            let line = Stroke::new(1.0, theme::AMBER.gamma_multiply(0.35));
            ui.painter().vline(at.x, self.plot.y_range(), line);
        } else {
            let inside = egui::StrokeKind::Inside;
            ui.painter().rect_stroke(mark, 1.0, Stroke::new(1.0, colour), inside);
        }
        (response.clicked() && !is_held).then_some(Action::Hold { point })
    }

    fn paint(&self, ui: &Ui, level: Option<f32>) {
        const STEPS: usize = 24;
        let painter = ui.painter();
        let mut line = vec![self.place(0.0, 0.0)];
        let (mut start, mut from) = (0.0, 0.0);
        for point in self.envelope.points() {
            for step in 1..=STEPS {
                let x = step as f32 / STEPS as f32;
                let height = from + (point.level - from) * view::bend(point.curve, x);
                line.push(self.place(start + point.seconds * x, height));
            }
            (start, from) = (start + point.seconds, point.level);
        }
        for part in 0..3 {
            let y = self.plot.top() + self.plot.height() * part as f32 / 2.0;
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.3));
            painter.hline(self.plot.x_range(), y, stroke);
        }
        let mut mesh = Mesh::default();
        let top = theme::light(theme::AMBER, 0.22);
        let bottom = theme::light(theme::ROSE, 0.03);
        paint::fill_below(&mut mesh, &line, self.plot.bottom(), top, bottom);
        painter.add(Shape::mesh(mesh));
        if let Some(level) = level {
            let y = self.place(0.0, level).y;
            painter.hline(
                self.plot.x_range(),
                y,
                Stroke::new(1.0, theme::light(theme::LIGHT, 0.5)),
            );
        }
        paint::luminous_line(painter, line, 1.7, theme::AMBER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope() -> DrawnEnvelope {
        let point = |seconds: f32, level: f32| EnvelopePoint { seconds, level, curve: 0.0 };
        DrawnEnvelope::new(&[point(0.1, 1.0), point(0.4, 0.5), point(0.3, 0.0)], 1)
    }

    fn seconds(envelope: &DrawnEnvelope) -> Vec<f32> {
        envelope.points().iter().map(|point| point.seconds).collect()
    }

    #[test]
    fn a_point_divides_its_segment_and_leaves_it_whole() {
        let added = Action::Add { seconds: 0.2, level: 0.9 }.apply(&envelope());
        assert_eq!(added.points().len(), 4);
        assert!((seconds(&added)[1] - 0.1).abs() < 1e-6 && (seconds(&added)[2] - 0.3).abs() < 1e-6);
        assert_eq!(added.held(), 2, "the same point is held");
        let removed = Action::Remove { point: 1 }.apply(&added);
        assert_eq!(removed.held(), 1);
        assert!((seconds(&removed)[1] - 0.4).abs() < 1e-6);
        // Past the end, and the last point, which ends it.
        let past = Action::Add { seconds: 9.0, level: 0.9 }.apply(&envelope());
        assert_eq!(past, envelope());
        assert_eq!(Action::Remove { point: 2 }.apply(&envelope()), envelope());
        let moved = Action::Move { point: 2, seconds: 1.0, level: 0.7 }.apply(&envelope());
        assert_eq!((moved.points()[2].seconds, moved.points()[2].level), (1.0, 0.0));
    }
}
