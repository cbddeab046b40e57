//! The filters over the cloud: their curves and handles.

use super::axis::Axes;
use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{choice, strip};
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{Color32, Rect, Sense, Shape, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use myriad_engine::Snapshot;
use myriad_engine::params::Param;
use myriad_engine::spectrum::{Cloud, Filter};
use myriad_engine::view;

/// Filters of a patch.
pub(crate) const FILTERS: usize = 2;

/// One of them, drawn over axes.
pub(crate) struct FilterCurve<'a> {
    /// Which of them, from 0.
    pub(crate) index: usize,
    pub(crate) axes: Axes,
    /// The preview of the patch.
    pub(crate) rest: &'a Snapshot,
}

impl FilterCurve<'_> {
    /// Draws the curve and lets it be dragged; the kind of filter is chosen in its corner.
    pub(crate) fn show(&self, ui: &mut Ui, session: &mut Session) {
        let plot = self.axes.0;
        let salt = ("over the cloud", self.index);
        let mut scope = ui.new_child(UiBuilder::new().max_rect(plot).id_salt(salt));
        self.show_curve(&scope, session);
        let place = vec2(2.0 + 130.0 * self.index as f32, 2.0);
        let corner = Rect::from_min_size(plot.left_top() + place, vec2(126.0, 24.0));
        choice::bar(&mut scope, session, self.param(Param::FilterType), corner);
    }

    /// The parameter of this filter that corresponds to `first` of the first filter.
    fn param(&self, first: Param) -> Param {
        let id = first.info().id.replacen("filter.", "filter2.", self.index);
        Param::by_id(&id).unwrap_or(first)
    }

    fn colour(&self) -> Color32 {
        [theme::AMBER, theme::AQUA][self.index.min(1)]
    }

    /// The cloud with only this filter.
    fn alone(&self, cloud: &Cloud) -> Cloud {
        Cloud { filters: [cloud.filters[self.index], Filter::default()], ..*cloud }
    }

    /// Draws the curve and lets it be dragged.
    pub(crate) fn show_curve(&self, ui: &Ui, session: &mut Session) {
        if session.index(self.param(Param::FilterType)) != 0 {
            self.heard(ui, session);
            self.set(ui, session);
        }
    }

    /// The modulated filter of the newest note.
    fn heard(&self, ui: &Ui, session: &Session) {
        let mut params = strip::of_group(self.param(Param::FilterType).info().group());
        params.extend(strip::of_group("curve"));
        let moved = params.iter().any(|&param| !session.routes_to(param).is_empty());
        let Some(cloud) = session.snapshot.clouds.first().filter(|_| moved) else {
            return;
        };
        let (rate, cloud) = (session.snapshot.sample_rate, self.alone(cloud));
        let gain = |hertz: f32| view::filter_gain(&cloud, hertz, rate);
        let stroke = Stroke::new(1.2, theme::light(self.colour(), 0.55));
        ui.painter_at(self.axes.0).line(self.axes.curve(gain), stroke);
    }

    /// The filter as the knobs set it, for middle C.
    fn set(&self, ui: &Ui, session: &mut Session) {
        let Some(cloud) = self.rest.clouds.first() else {
            return;
        };
        let (rate, cloud) = (self.rest.sample_rate, self.alone(cloud));
        // Key follow moves the filter of the preview note; the curve shows the knob.
        let follow = session.value(self.param(Param::FilterKey)) * (48.0 - 60.0) / 12.0;
        let gain = |hertz: f32| view::filter_gain(&cloud, hertz * follow.exp2(), rate);
        // Below the floor it is clipped.
        let plot = self.axes.0;
        let painter = ui.painter_at(plot.expand(8.0).with_max_y(plot.bottom()));
        let line = self.axes.curve(gain);

        let [cutoff_param, resonance_param] =
            [Param::FilterCutoff, Param::FilterResonance].map(|first| self.param(first));
        let cutoff = session.value(cutoff_param);
        let peak = peak_of(session.value(resonance_param));
        let at = pos2(
            self.axes.x(cutoff).clamp(self.axes.0.left(), self.axes.0.right()),
            self.axes.gain_y(peak),
        );
        let id = ui.scope_id().with(("filter handle", self.index));
        let grip = Rect::from_center_size(at, vec2(34.0, 34.0));
        let response = ui
            .interact(grip, id, Sense::click_and_drag())
            .on_hover_and_drag_cursor(egui::CursorIcon::Move);
        response.widget_info(|| {
            let group = names::group(self.param(Param::FilterType).info().group());
            WidgetInfo::labeled(Role::Slider, true, format!("{group} handle"))
        });
        let awake = response.hovered() || response.dragged();

        let strength = if awake { 0.17 } else { 0.09 };
        let mut mesh = Mesh::default();
        let top = theme::light(self.colour(), strength);
        let floor = self.axes.0.bottom();
        paint::fill_below(&mut mesh, &line, floor, top, Color32::TRANSPARENT);
        painter.add(Shape::mesh(mesh));
        let colour = self.colour().gamma_multiply(if awake { 1.0 } else { 0.8 });
        paint::luminous_line(&painter, line, 1.6, colour);
        paint::handle(&painter, at, self.colour(), awake);

        if response.drag_started() {
            session.begin(&[cutoff_param, resonance_param]);
        }
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            session.set(cutoff_param, self.axes.hertz(pointer.x));
            let resonance = resonance_of(self.axes.gain(pointer.y));
            session.set(resonance_param, resonance);
        }
        if response.drag_stopped() {
            session.end();
        }
        if response.double_clicked() {
            session.change(resonance_param, resonance_param.info().default);
        }
        if awake {
            let format = |param: Param| param.info().format(session.value(param));
            let text = format!("{}   {}", format(cutoff_param), format(resonance_param));
            let side = if at.x > self.axes.0.right() - 150.0 { -1.0 } else { 1.0 };
            let anchor =
                if side > 0.0 { egui::Align2::LEFT_CENTER } else { egui::Align2::RIGHT_CENTER };
            let place = at + vec2(16.0 * side, -14.0);
            painter.text(place, anchor, text, theme::regular(11.5), theme::TEXT);
        }
    }
}

/// The gain at the cutoff for a resonance from 0 to 1: from -6 to +24 dB.
fn peak_of(resonance: f32) -> f32 {
    0.5 * (5.0 * resonance).exp2()
}

/// The resonance whose peak has this gain.
fn resonance_of(gain: f32) -> f32 {
    (2.0 * gain).log2() / 5.0
}
