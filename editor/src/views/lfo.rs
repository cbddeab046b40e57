//! The LFO display: two cycles, dragged sideways for the phase and upwards for the rate.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::choice;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::params::Param;
use myriad_engine::view;

/// Cycles that are drawn; random waveforms need more.
const CYCLES: f64 = 2.0;
const RANDOM_CYCLES: f64 = 8.0;

/// The parameters of one LFO.
pub(crate) struct Lfo {
    shape: Param,
    rate: Param,
    phase: Param,
    /// All other parameters.
    rest: Vec<Param>,
}

impl Lfo {
    /// The LFO of a group, if it is one.
    pub(crate) fn of_group(group: &str) -> Option<Self> {
        let get = |key: &str| Param::by_id(&format!("{group}.{key}"));
        let (shape, rate, phase) = (get("shape")?, get("rate")?, get("phase")?);
        let mut rest = crate::widgets::strip::of_group(group);
        rest.retain(|param| *param != shape);
        Some(Self { shape, rate, phase, rest })
    }

    /// Parameters with a widget under the display.
    pub(crate) fn knobs(&self) -> &[Param] {
        &self.rest
    }

    /// Draws it in `rect`, with a line at `level`, its current value.
    pub(crate) fn show(&self, ui: &mut Ui, session: &mut Session, rect: Rect, level: Option<f32>) {
        theme::well(ui.painter(), rect);
        let id = ui.scope_id().with(("wave", self.shape.info().id));
        let response = ui.interact(rect, id, Sense::drag()).on_hover_cursor(CursorIcon::Move);
        let name = format!("{} wave", crate::names::group(self.shape.info().group()));
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
        if response.drag_started() {
            session.begin(&[self.phase, self.rate]);
        }
        if response.dragged() {
            let delta = response.drag_delta();
            let cycles = delta.x / rect.width() * CYCLES as f32;
            let phase = (session.value(self.phase) - cycles).rem_euclid(1.0);
            session.set(self.phase, phase);
            let scale = session.scale(self.rate) - delta.y / 400.0;
            session.set(self.rate, self.rate.info().kind.from_scale(scale));
        }
        if response.drag_stopped() {
            session.end();
        }

        let plot = rect.shrink2(vec2(1.0, 12.0));
        let painter = ui.painter_at(rect);
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6));
        painter.hline(plot.x_range(), plot.center().y, stroke);
        let line = self.line(session, plot);
        let mut mesh = Mesh::default();
        let awake = response.hovered() || response.dragged();
        let light = theme::light(theme::AQUA, if awake { 0.2 } else { 0.13 });
        paint::fill_below(
            &mut mesh,
            &line,
            plot.bottom() + 12.0,
            light,
            theme::light(theme::AQUA, 0.0),
        );
        painter.add(Shape::mesh(mesh));
        paint::luminous_line(&painter, line, 1.7, theme::AQUA);
        if let Some(level) = level {
            let y = plot.center().y - level * plot.height() / 2.0;
            let stroke = Stroke::new(1.0, theme::light(theme::LIGHT, 0.55));
            painter.hline(plot.x_range(), y, stroke);
            let mut mesh = Mesh::default();
            paint::glow(
                &mut mesh,
                pos2(plot.left() + 8.0, y),
                12.0,
                theme::light(theme::LIGHT, 0.8),
            );
            painter.add(Shape::mesh(mesh));
            painter.circle_filled(pos2(plot.left() + 8.0, y), 2.6, theme::LIGHT);
        }
        // Beside the tabs, where it covers nothing of the wave.
        let corner = rect.right_top() - vec2(120.0, 30.0);
        let corner = Rect::from_min_size(corner, vec2(120.0, 24.0));
        choice::bar(ui, session, self.shape, corner);
    }

    fn line(&self, session: &Session, plot: Rect) -> Vec<Pos2> {
        let shape = session.index(self.shape);
        let phase = f64::from(session.value(self.phase));
        // Random waveforms.
        let random = matches!(
            self.shape.info().format(shape as f32).as_str(),
            "sample and hold" | "smooth random"
        );
        let cycles = if random { RANDOM_CYCLES } else { CYCLES };
        let number = self.shape.info().group().trim_start_matches("lfo");
        let index = number.parse::<usize>().map_or(0, |number| number - 1);
        let drawing = session.patch.drawings.get(index).copied();
        let drawing = drawing.unwrap_or_default();
        let steps = plot.width() as usize;
        (0..=steps)
            .map(|step| {
                let x = step as f32 / steps as f32;
                let height = view::wave(shape, phase + cycles * f64::from(x), &drawing);
                pos2(plot.left() + x * plot.width(), plot.center().y - 0.5 * height * plot.height())
            })
            .collect()
    }
}
