//! A drawn envelope: points in time that are added, moved, bent and removed, one of which is held until the key is
//! released.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use crate::widgets::points::{Edit, PointHandles, rounded};
use egui::epaint::Mesh;
use egui::{Align2, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::modulation::{DrawnEnvelope, EnvelopePoint};
use myriad_engine::{Patch, view};

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
        let handles = PointHandles { id, name: self.name, colour: theme::AMBER };
        let (_, mut edit) = handles.canvas(ui, self.plot);
        self.paint(ui, level);
        let (times, points) = (self.times(), self.envelope.points());
        let mut from = self.place(0.0, 0.0);
        for (index, point) in points.iter().enumerate() {
            let to = self.place(times[index], point.level);
            edit = handles.curve(ui, session, index, [from, to], point.curve).or(edit);
            from = to;
        }
        let mut held = None;
        for (index, point) in points.iter().enumerate() {
            held = self.hold_mark(ui, &times, index).or(held);
            let at = self.place(times[index], point.level);
            let (awake, done) = handles.point(ui, session, index, at, point.level);
            if awake {
                self.tell(ui, point);
            }
            edit = done.or(edit);
        }
        let drawn =
            |envelope| move |patch: &mut Patch| patch.envelopes[self.index] = Some(envelope);
        if let Some(held) = held {
            handles.draw_at_once(session, drawn(DrawnEnvelope::new(points, held)));
        } else if let Some(edit) = edit {
            handles.draw(session, edit, drawn(self.edited(edit, &times)));
        }
    }

    /// The envelope after an edit.
    fn edited(&self, edit: Edit, times: &[f32]) -> DrawnEnvelope {
        let (mut points, held) = (self.envelope.points().to_vec(), self.envelope.held());
        match edit {
            Edit::Add(at) => {
                let (seconds, level) = self.under(at);
                return with_point(&self.envelope, seconds, level);
            }
            Edit::Remove(index) => return without_point(&self.envelope, index),
            Edit::Move(index, at) => {
                let (time, level) = self.under(at);
                let before = index.checked_sub(1).map_or(0.0, |before| times[before]);
                (points[index].seconds, points[index].level) = ((time - before).max(0.0), level);
            }
            Edit::Bend(index, curve) => points[index].curve = curve,
            Edit::Straighten(index) => points[index].curve = 0.0,
        }
        DrawnEnvelope::new(&points, held)
    }

    /// The length of the segment to a point, and its level, in the corner.
    fn tell(&self, ui: &Ui, &EnvelopePoint { seconds, level, .. }: &EnvelopePoint) {
        let text = match seconds < 1.0 {
            true => format!("{:.0} ms  {:.0}%", 1_000.0 * seconds, 100.0 * level),
            false => format!("{seconds:.2} s  {:.0}%", 100.0 * level),
        };
        let place = pos2(self.plot.right() - 44.0, self.plot.top() - 1.0);
        let font = theme::regular(10.5);
        ui.painter().text(place, Align2::RIGHT_CENTER, text, font, theme::TEXT);
    }

    /// The mark below a point that makes it the held one.
    fn hold_mark(&self, ui: &Ui, times: &[f32], point: usize) -> Option<usize> {
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
        (response.clicked() && !is_held).then_some(point)
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

/// The envelope with another point; the segment that it is on is divided.
fn with_point(envelope: &DrawnEnvelope, mut seconds: f32, level: f32) -> DrawnEnvelope {
    let (mut points, mut held) = (envelope.points().to_vec(), envelope.held());
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
    DrawnEnvelope::new(&points, held)
}

/// The envelope without a point; the last stays, and so do as many as it needs.
fn without_point(envelope: &DrawnEnvelope, index: usize) -> DrawnEnvelope {
    let (mut points, mut held) = (envelope.points().to_vec(), envelope.held());
    if points.len() > DrawnEnvelope::FEWEST && index + 1 < points.len() {
        let removed = points.remove(index);
        points[index].seconds += removed.seconds;
        held -= usize::from(index <= held && held > 0);
    }
    DrawnEnvelope::new(&points, held)
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
        let added = with_point(&envelope(), 0.2, 0.9);
        assert_eq!(added.points().len(), 4);
        assert!((seconds(&added)[1] - 0.1).abs() < 1e-6 && (seconds(&added)[2] - 0.3).abs() < 1e-6);
        assert_eq!(added.held(), 2, "the same point is held");
        let removed = without_point(&added, 1);
        assert_eq!(removed.held(), 1);
        assert!((seconds(&removed)[1] - 0.4).abs() < 1e-6);
        // Past the end, and the last point, which ends it.
        assert_eq!(with_point(&envelope(), 9.0, 0.9), envelope());
        assert_eq!(without_point(&envelope(), 2), envelope());
    }

    /// A drag takes the whole canvas as a second; the last point stays at zero.
    #[test]
    fn points_follow_the_pointer() {
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(1_024.0, 128.0));
        let canvas = Canvas::new(rect, 0, "Env 1", envelope(), &mut Some(1.0), true);
        let moved = canvas.edited(Edit::Move(1, canvas.place(0.3, 0.25)), &canvas.times());
        assert!((moved.points()[1].seconds - 0.2).abs() < 2e-3, "{:?}", moved.points()[1]);
        assert!((moved.points()[1].level - 0.25).abs() < 2e-3, "{:?}", moved.points()[1]);
        let last = canvas.edited(Edit::Move(2, canvas.place(0.9, 0.7)), &canvas.times());
        assert!((last.points()[2].seconds - 0.4).abs() < 2e-3 && last.points()[2].level == 0.0);
        let bent = canvas.edited(Edit::Bend(1, 0.5), &canvas.times());
        assert_eq!(bent.points()[1].curve, 0.5);
    }
}
