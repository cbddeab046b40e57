//! The canvas on which a cycle of an LFO is drawn: by points with curves between them, or by steps.

use super::Grid;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::brush;
use crate::widgets::points::{Edit, PointHandles, rounded};
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{
    Align2, Color32, CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use myriad_engine::modulation::{Drawing, Point};

/// A canvas for the drawing of one LFO.
pub(super) struct Canvas<'a> {
    pub(super) plot: Rect,
    /// The index of the LFO, and its name.
    pub(super) lfo: usize,
    pub(super) name: &'a str,
    pub(super) grid: Grid,
}

impl Canvas<'_> {
    /// Where a point of the cycle is.
    fn place(&self, x: f32, y: f32) -> Pos2 {
        let Rect { min, .. } = self.plot;
        let down = 0.5 - 0.5 * y;
        pos2(min.x + x * self.plot.width(), min.y + down * self.plot.height())
    }

    /// The place in the cycle and the height that are at a place of the window; on the grid, unless Alt or Shift
    /// is held.
    fn under(&self, ui: &Ui, at: Pos2) -> Point {
        let x = (at.x - self.plot.left()) / self.plot.width();
        let y = 1.0 - 2.0 * (at.y - self.plot.top()) / self.plot.height();
        let columns = if is_free(ui) { 0 } else { self.grid.columns };
        Point::new(near(x, columns), self.height(ui, y))
    }

    /// The nearest height on the grid.
    fn height(&self, ui: &Ui, y: f32) -> f32 {
        let rows = if is_free(ui) { 0 } else { self.grid.rows };
        rounded(2.0 * near(0.5 * (y + 1.0), rows) - 1.0)
    }

    /// The lines of the grid.
    fn lines(&self, ui: &Ui) {
        let painter = ui.painter();
        let stroke = |strong: bool| {
            Stroke::new(1.0, theme::EDGE.gamma_multiply(if strong { 0.75 } else { 0.35 }))
        };
        for column in 0..=self.grid.columns {
            let x = self.place(column as f32 / self.grid.columns.max(1) as f32, 0.0).x;
            painter.vline(x, self.plot.y_range(), stroke(column % 4 == 0));
        }
        for row in 0..=self.grid.rows {
            let y = self.place(0.0, 2.0 * row as f32 / self.grid.rows.max(1) as f32 - 1.0).y;
            painter.hline(self.plot.x_range(), y, stroke(false));
        }
        painter.hline(self.plot.x_range(), self.plot.center().y, stroke(true));
    }

    /// Draws the line through the points, and lets them be moved.
    pub(super) fn points(&self, ui: &Ui, session: &mut Session) {
        let drawing = session.patch.drawings[self.lfo];
        let points = drawing.points();
        let handles = self.handles(ui);
        let (back, mut edit) = handles.canvas(ui, self.plot);
        self.lines(ui);
        self.line(ui, &drawing, false);
        let place = |point: &Point| self.place(point.x, point.y);
        for (index, pair) in points.windows(2).enumerate() {
            let ends = [place(&pair[0]), place(&pair[1])];
            edit = handles.curve(ui, session, index, ends, pair[0].curve).or(edit);
        }
        for (index, point) in points.iter().enumerate() {
            let (awake, done) = handles.point(ui, session, index, place(point), point.y);
            if awake {
                self.tell(ui, place(point), &format!("{:.0}%  {:+.2}", 100.0 * point.x, point.y));
            }
            edit = done.or(edit);
        }
        if let Some(edit) = edit {
            let edited = Drawing::from_points(&self.edited(ui, points, edit));
            handles.draw(session, edit, |patch| patch.drawings[self.lfo] = edited);
        }
        let tip = "Double-click adds a point; drag it, or the small handle between two for a curve. A right click \
                   or a double-click removes it. Alt or Shift ignores the grid.";
        if points.len() < 6 {
            back.on_hover_text(tip);
        }
    }

    fn handles(&self, ui: &Ui) -> PointHandles<'_> {
        let id = ui.scope_id().with(("points", self.lfo));
        PointHandles { id, name: self.name, colour: theme::AQUA }
    }

    /// The points after an edit.
    fn edited(&self, ui: &Ui, points: &[Point], edit: Edit) -> Vec<Point> {
        let mut edited = points.to_vec();
        match edit {
            Edit::Add(at) if points.len() < Drawing::MOST_POINTS => edited.push(self.under(ui, at)),
            Edit::Move(index, at) => {
                let wanted = self.under(ui, at);
                // Points keep their order.
                let least = index.checked_sub(1).map_or(0.0, |before| points[before].x);
                let most = points.get(index + 1).map_or(1.0, |after| after.x);
                (edited[index].x, edited[index].y) = (wanted.x.clamp(least, most), wanted.y);
            }
            Edit::Remove(index) if points.len() > 1 => {
                edited.remove(index);
            }
            Edit::Bend(index, curve) => edited[index].curve = curve,
            Edit::Straighten(index) => edited[index].curve = 0.0,
            Edit::Add(_) | Edit::Remove(_) => {}
        }
        edited
    }

    /// A small text above or below a place.
    fn tell(&self, ui: &Ui, at: Pos2, text: &str) {
        let galley =
            ui.painter().layout_no_wrap(text.to_owned(), theme::regular(10.5), theme::TEXT);
        let size = galley.size() + vec2(8.0, 2.0);
        let side = if at.y > self.plot.center().y { -18.0 } else { 18.0 };
        let x = at.x.max(self.plot.left() + 0.5 * size.x).min(self.plot.right() - 0.5 * size.x);
        let back = Rect::from_center_size(pos2(x, at.y + side), size);
        ui.painter().rect_filled(back, 4.0, Color32::from_black_alpha(170));
        ui.painter().galley(back.min + vec2(4.0, 1.0), galley, theme::TEXT);
    }

    fn line(&self, ui: &Ui, drawing: &Drawing, steps: bool) {
        let painter = ui.painter_at(self.plot.expand(3.0));
        let count = self.plot.width().max(1.0) as usize;
        let line: Vec<Pos2> = (0..=count)
            .map(|step| {
                // The last height of this cycle, not the first of the next.
                let x = (step as f32 / count as f32).min(0.999_99);
                self.place(x, drawing.at(x, steps))
            })
            .collect();
        let mut mesh = Mesh::default();
        let light = theme::light(theme::AQUA, 0.16);
        paint::fill_below(&mut mesh, &line, self.plot.bottom(), light, Color32::TRANSPARENT);
        painter.add(Shape::mesh(mesh));
        paint::luminous_line(&painter, line, 1.7, theme::AQUA);
    }

    /// Draws the steps as bars. A drag across them sets each that it crosses; a right click sets one to zero.
    pub(super) fn steps(&self, ui: &Ui, session: &mut Session, last: &mut Option<Pos2>) {
        let drawing = session.patch.drawings[self.lfo];
        let mut heights = heights_of(&drawing, self.grid.columns);
        let id = ui.scope_id().with(("steps", self.lfo));
        let response = ui
            .interact(self.plot.expand2(vec2(0.0, 6.0)), id, Sense::click_and_drag())
            .on_hover_cursor(CursorIcon::ResizeVertical);
        let name = format!("{} steps", self.name);
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, &name));
        let grid = Grid { columns: heights.len(), ..self.grid };
        Canvas { grid, ..*self }.lines(ui);
        self.bars(ui, &heights, response.hover_pos());

        let Some(stroke) = brush::stroke(ui, &response, self.plot, heights.len(), last) else {
            return;
        };
        if stroke.begins {
            self.handles(ui).begin(session);
        }
        for (index, height) in stroke.crossed {
            heights[index] = match stroke.resets {
                true => 0.0,
                false => self.height(ui, 2.0 * height - 1.0),
            };
        }
        session.draw(|patch| patch.drawings[self.lfo] = Drawing::new(&heights));
    }

    fn bars(&self, ui: &Ui, heights: &[f32], hover: Option<Pos2>) {
        let wide = self.plot.width() / heights.len().max(1) as f32;
        for (index, &height) in heights.iter().enumerate() {
            let x = index as f32 / heights.len() as f32;
            let (zero, top) = (self.place(x, 0.0), self.place(x, height));
            let column =
                Rect::from_min_size(pos2(zero.x, self.plot.top()), vec2(wide, self.plot.height()));
            let awake = hover.is_some_and(|at| {
                column.expand(6.0).contains(at) && column.x_range().contains(at.x)
            });
            let bar = Rect::from_two_pos(zero, pos2(top.x + wide, top.y)).expand2(vec2(-1.0, 0.75));
            let fill = theme::AQUA.gamma_multiply(if awake { 0.55 } else { 0.32 });
            ui.painter().rect_filled(bar, 1.5, fill);
            let stroke = Stroke::new(2.0, theme::AQUA);
            ui.painter().hline(bar.x_range(), top.y, stroke);
            if awake {
                let font = theme::regular(9.5);
                let side = if height > 0.5 { 8.0 } else { -8.0 };
                let at = pos2(bar.center().x, top.y + side);
                // Without the sign of a zero.
                let text = format!("{:+.2}", height + 0.0);
                ui.painter().text(at, Align2::CENTER_CENTER, text, font, theme::TEXT);
            }
        }
    }
}

/// Whether the grid is ignored.
fn is_free(ui: &Ui) -> bool {
    ui.input(|input| input.modifiers.alt || input.modifiers.shift)
}

/// The nearest of so many steps from 0 to 1; any place when there are none.
fn near(x: f32, steps: usize) -> f32 {
    let x = x.clamp(0.0, 1.0);
    match steps {
        0 => rounded(x),
        _ => (x * steps as f32).round() / steps as f32,
    }
}

/// The heights of a drawing in steps; points are read at so many columns.
pub(super) fn heights_of(drawing: &Drawing, columns: usize) -> Vec<f32> {
    match drawing.is_even() {
        true => drawing.points().iter().map(|point| point.y).collect(),
        false => in_columns(drawing, columns),
    }
}

/// The heights of a drawing at equal distances.
pub(super) fn in_columns(drawing: &Drawing, columns: usize) -> Vec<f32> {
    let columns = columns.clamp(1, Drawing::MOST);
    let steps = drawing.is_even();
    let height = |column: usize| rounded(drawing.at(column as f32 / columns as f32, steps));
    (0..columns).map(height).collect()
}
