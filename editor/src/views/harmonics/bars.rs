//! The bars of one frame, which are drawn by dragging across them.

use super::lane::Lane;
use crate::paint;
use crate::theme;
use crate::widgets::brush;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{
    Align2, Color32, CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use myriad_engine::tracks::Harmonic;

/// A canvas with bars.
pub(super) struct Bars<'a> {
    pub(super) plot: Rect,
    pub(super) lane: Lane,
    pub(super) frame: &'a [Harmonic],
    /// How many harmonics are shown.
    pub(super) shown: usize,
    /// How many are heard.
    pub(super) heard: f32,
    pub(super) colour: Color32,
}

impl Bars<'_> {
    fn wide(&self) -> f32 {
        self.plot.width() / self.shown.max(1) as f32
    }

    fn y(&self, height: f32) -> f32 {
        self.plot.bottom() - height * self.plot.height()
    }

    /// Draws the bars. Returns the stroke that the pointer draws over them.
    pub(super) fn show(&self, ui: &Ui, last: &mut Option<Pos2>) -> Option<brush::Stroke> {
        let id = ui.scope_id().with("bars");
        let response = ui
            .interact(self.plot.expand2(vec2(0.0, 6.0)), id, Sense::click_and_drag())
            .on_hover_cursor(CursorIcon::ResizeVertical);
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Harmonic bars"));
        self.scale(ui);
        self.paint(ui, response.hover_pos());
        brush::stroke(ui, &response, self.plot, self.shown, last)
    }

    /// Lines at round values.
    fn scale(&self, ui: &Ui) {
        let marks: &[f32] = match self.lane {
            Lane::Level => &[1.0, 0.1, 0.01],
            Lane::Tuning => &[50.0, 0.0, -50.0],
            Lane::Pan => &[0.5, 0.0, -0.5],
            Lane::Decay => &[3.0, 6.0, 9.0],
        };
        let painter = ui.painter();
        for &mark in marks {
            let y = self.y(self.lane.height(mark));
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.5));
            painter.hline(self.plot.x_range(), y, stroke);
            let text = match self.lane {
                Lane::Level => format!("{:.0} dB", 20.0 * mark.log10()),
                Lane::Tuning if mark == 0.0 => "in tune".to_owned(),
                Lane::Tuning => format!("{mark:+.0} ct"),
                Lane::Pan => self.lane.format(mark),
                Lane::Decay => format!("-{mark:.0} dB"),
            };
            let at = pos2(self.plot.right() - 2.0, y + 1.0);
            painter.text(at, Align2::RIGHT_TOP, text, theme::regular(9.0), theme::FAINT);
        }
    }

    fn paint(&self, ui: &Ui, hover: Option<Pos2>) {
        let mut mesh = Mesh::default();
        let wide = self.wide();
        let gap = if wide > 5.0 { 1.0 } else { 0.25 };
        let zero = self.y(self.lane.height(0.0));
        let hovered = hover.map(|at| brush::column(self.plot, self.shown, at));
        for (index, harmonic) in self.frame.iter().take(self.shown).enumerate() {
            let height = self.lane.height(self.lane.get(harmonic));
            let (left, top) = (self.plot.left() + index as f32 * wide, self.y(height));
            let heard = (index as f32) < self.heard;
            let strength = match (heard, hovered == Some(index)) {
                (_, true) => 1.0,
                (true, false) => 0.75,
                (false, false) => 0.25,
            };
            let (bright, dark) =
                (self.colour.gamma_multiply(strength), self.colour.gamma_multiply(0.35 * strength));
            let (left, right) = (left + gap, left + wide - gap);
            let corners = [
                (left, top, bright),
                (right, top, bright),
                (right, zero, dark),
                (left, zero, dark),
            ];
            paint::quad(&mut mesh, corners.map(|(x, y, colour)| (pos2(x, y), colour)));
            // A thin line where the bar has no height.
            if (top - zero).abs() < 1.0 {
                let corners =
                    [(left, zero - 1.0), (right, zero - 1.0), (right, zero), (left, zero)];
                paint::quad(&mut mesh, corners.map(|(x, y)| (pos2(x, y), dark)));
            }
        }
        ui.painter().add(Shape::mesh(mesh));
        if let Some(index) = hovered
            && let Some(harmonic) = self.frame.get(index)
        {
            let text = format!("{}: {}", index + 1, self.lane.format(self.lane.get(harmonic)));
            let at = self.plot.left_top() + vec2(6.0, 2.0);
            ui.painter().text(at, Align2::LEFT_TOP, text, theme::regular(11.0), theme::TEXT);
        }
    }
}
