//! The curve of filters of the kind "drawn": seven points, an octave apart, each of which can be
//! dragged.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{control, entry, knob, strip};
use egui::epaint::Mesh;
use egui::{Align2, Color32, CursorIcon, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::params::Param;
use myriad_engine::spectrum::{Cloud, Filter, FilterKind, TURN};
use myriad_engine::view;

/// The cutoff for drawing the curve; any would do.
const CENTRE: f32 = 1_000.0;
const RATE: f32 = 48_000.0;

/// The radius of a point's handle.
const HANDLE: f32 = 7.0;

/// Draws the curve and lets its points be dragged.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, rect: Rect) {
    theme::well(ui.painter(), rect);
    let plot = Plot { rect: rect.shrink2(vec2(24.0, 18.0)), points: strip::of_group("curve") };
    plot.scale(ui, rect);
    plot.set(ui, session);
    plot.heard(ui, session);
    for index in 0..plot.points.len() {
        plot.point(ui, session, index);
    }
}

struct Plot {
    rect: Rect,
    points: Vec<Param>,
}

impl Plot {
    /// Octaves from the first point to the last.
    fn octaves(&self) -> f32 {
        (self.points.len().max(2) - 1) as f32
    }

    fn at(&self, octave: f32, decibels: f32) -> Pos2 {
        let (low, high) = Param::Curve1.info().kind.range();
        let up = (decibels.clamp(low, high) - low) / (high - low);
        pos2(
            self.rect.left() + octave / self.octaves() * self.rect.width(),
            self.rect.bottom() - up * self.rect.height(),
        )
    }

    /// The gain of the only filter of `cloud`, whose cutoff is `centre`.
    fn line(&self, cloud: &Cloud, centre: f32, sample_rate: f32) -> Vec<Pos2> {
        const STEPS: usize = 12;
        let gain = |step: usize| {
            let octave = step as f32 / STEPS as f32;
            let hertz = centre * (octave - 0.5 * self.octaves()).exp2();
            let gain = view::filter_gain(cloud, hertz, sample_rate);
            self.at(octave, 20.0 * gain.log10())
        };
        let steps = STEPS * self.octaves() as usize;
        (0..=steps).map(gain).collect()
    }

    /// A line at 0 dB, and each point's distance from the cutoff in octaves.
    fn scale(&self, ui: &Ui, well: Rect) {
        let painter = ui.painter_at(well);
        let faint = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6));
        painter.hline(self.rect.x_range(), self.at(0.0, 0.0).y, faint);
        let last = self.points.len().max(2) - 1;
        for index in 0..=last {
            let text = match index as i32 - last as i32 / 2 {
                0 => "cutoff".to_owned(),
                octaves if index == last => format!("{octaves:+} oct"),
                octaves => format!("{octaves:+}"),
            };
            let at = pos2(self.at(index as f32, 0.0).x, well.bottom() - 3.0);
            let font = theme::regular(9.5);
            painter.text(at, Align2::CENTER_BOTTOM, text, font, theme::MUTED);
        }
    }

    /// Whether any filter uses the curve.
    fn is_used(session: &Session) -> bool {
        let drawn = FilterKind::Drawn as usize;
        [Param::FilterType, Param::Filter2Type].into_iter().any(|kind| session.index(kind) == drawn)
    }

    /// The curve as it is set.
    fn set(&self, ui: &Ui, session: &Session) {
        let mut heights = self.points.iter().map(|&param| session.value(param));
        let heights = std::array::from_fn(|_| heights.next().unwrap_or(0.0));
        let filter = Filter::drawn(RATE / (CENTRE * TURN), heights);
        let line = self.line(&alone(filter), CENTRE, RATE);
        if !Self::is_used(session) {
            let faint = Stroke::new(1.2, theme::FAINT);
            ui.painter().line(line, faint);
            let below = self.rect.with_min_y(self.rect.center().y);
            theme::emptiness(
                ui.painter(),
                below,
                "Used by filters of the type \u{201c}drawn\u{201d}",
            );
            return;
        }
        let mut mesh = Mesh::default();
        let top = theme::light(theme::AMBER, 0.09);
        let floor = self.rect.bottom();
        paint::fill_below(&mut mesh, &line, floor, top, Color32::TRANSPARENT);
        ui.painter().add(Shape::mesh(mesh));
        paint::luminous_line(ui.painter(), line, 1.6, theme::AMBER.gamma_multiply(0.8));
    }

    /// The modulated curve of the newest note, when a route moves it.
    fn heard(&self, ui: &Ui, session: &Session) {
        let moved = |&param: &Param| !session.routes_to(param).is_empty();
        let Some(cloud) = session.snapshot.clouds.first() else {
            return;
        };
        let drawn = |filter: &&Filter| filter.kind() == FilterKind::Drawn;
        if let Some(&filter) = cloud.filters.iter().find(drawn)
            && self.points.iter().any(moved)
        {
            let rate = session.snapshot.sample_rate;
            let centre = rate / (filter.inverse_cutoff * TURN);
            let stroke = Stroke::new(1.2, theme::light(theme::AMBER, 0.55));
            ui.painter().line(self.line(&alone(filter), centre, rate), stroke);
        }
    }

    /// One point: the widget of its parameter.
    fn point(&self, ui: &mut Ui, session: &mut Session, index: usize) {
        let param = self.points[index];
        let at = self.at(index as f32, session.value(param));
        let grip = Rect::from_center_size(at, vec2(self.rect.width() / self.octaves(), 26.0));
        let height = self.rect.height();
        let response = control::interact_upright(ui, session, param, grip, height)
            .on_hover_and_drag_cursor(CursorIcon::ResizeVertical);
        let awake = response.hovered() || response.dragged() || response.has_focus();
        paint::handle(ui.painter(), at, theme::AMBER, awake);
        knob::sources(ui, session, param, at, HANDLE, &response);

        // On the side that has more room.
        let side = if at.y > self.rect.center().y { -1.0 } else { 1.0 };
        let place = Rect::from_center_size(at + vec2(0.0, side * 20.0), vec2(60.0, 14.0));
        if session.entry.as_ref().is_some_and(|e| e.param == param) {
            entry::value(ui, session, param, place, 11.0);
        } else if awake {
            let (text, font) = (param.info().format(session.value(param)), theme::regular(11.5));
            let painter = ui.painter();
            painter.text(place.center(), Align2::CENTER_CENTER, text, font, theme::TEXT);
        }
    }
}

/// A cloud with this filter and nothing else.
fn alone(filter: Filter) -> Cloud {
    Cloud { filters: [filter, Filter::default()], ..Cloud::default() }
}
