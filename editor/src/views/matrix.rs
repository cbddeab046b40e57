//! The matrix: every route as a row, from what moves to what is moved.

use crate::names;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control, knob};
use egui::accesskit::Role;
use egui::{Align2, ComboBox, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use myriad_engine::modulation::{MAX_ROUTES, Route, RouteCurve, Source, whole_way};
use myriad_engine::params::Param;

const ROW: f32 = 30.0;

/// What the matrix remembers: the route that is being put together.
#[derive(Debug)]
pub(crate) struct Matrix {
    source: Source,
    target: Param,
}

impl Default for Matrix {
    fn default() -> Self {
        Self {
            source: Source::Lfo1,
            target: Param::FilterCutoff,
        }
    }
}

impl Matrix {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        theme::panel(ui.painter(), rect);
        let inside = rect.shrink2(vec2(12.0, 10.0));
        let head = inside.with_max_y(inside.top() + 28.0);
        let list = inside.with_min_y(head.bottom() + 6.0);
        self.add(ui, session, head);
        let mut child = ui.new_child(UiBuilder::new().max_rect(list).id_salt("matrix"));
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            let columns = if list.width() > 900.0 { 2 } else { 1 };
            let routes = session.patch.routes.clone();
            let rows = routes.len().div_ceil(columns);
            let (area, _) = ui.allocate_exact_size(vec2(list.width() - 14.0, ROW * rows as f32), Sense::hover());
            let wide = area.width() / columns as f32;
            for (index, route) in routes.into_iter().enumerate() {
                let place = area.min + vec2(wide * (index / rows) as f32, ROW * (index % rows) as f32);
                let place = Rect::from_min_size(place, vec2(wide - 12.0, ROW - 4.0));
                row(ui, session, index, route, place);
            }
        });
    }

    /// The line with which a new route is made.
    fn add(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let painter = ui.painter();
        let count = format!("{} of {MAX_ROUTES} routes", session.patch.routes.len());
        let font = theme::regular(11.0);
        painter.text(rect.right_center(), Align2::RIGHT_CENTER, count, font, theme::FAINT);
        let mut child = ui.new_child(
            UiBuilder::new()
                .max_rect(rect)
                .id_salt("new route")
                .layout(egui::Layout::left_to_right(egui::Align::Center)),
        );
        let ui = &mut child;
        ui.label(egui::RichText::new("Let").color(theme::MUTED));
        let name = names::source(self.source, &session.patch);
        ComboBox::from_id_salt("source").selected_text(name).width(110.0).show_ui(ui, |ui| {
            for &(_, source) in Source::NAMES {
                let name = names::source(source, &session.patch);
                ui.selectable_value(&mut self.source, source, name);
            }
        });
        ui.label(egui::RichText::new("move").color(theme::MUTED));
        ComboBox::from_id_salt("target")
            .selected_text(names::of(self.target))
            .width(150.0)
            .show_ui(ui, |ui| {
                for &param in Param::ALL.iter().filter(|param| param.info().modulated) {
                    ui.selectable_value(&mut self.target, param, names::of(param));
                }
            });
        if ui.button("Add route").clicked() {
            session.connect(self.source, self.target);
        }
    }
}

/// One route: source, what scales it, target, amount, curve, and a way to be rid of it.
fn row(ui: &mut Ui, session: &mut Session, index: usize, route: Route, rect: Rect) {
    theme::well(ui.painter(), rect);
    let colour = theme::source(route.source);
    let source = names::source(route.source, &session.patch);
    let target = names::of(route.target);
    let painter = ui.painter();
    let middle = rect.center().y;
    painter.circle_filled(pos2(rect.left() + 13.0, middle), 3.0, colour);
    let text = |x: f32, text: &str, ink| {
        let at = pos2(rect.left() + x, middle);
        painter.text(at, Align2::LEFT_CENTER, text, theme::regular(11.5), ink);
    };
    text(24.0, &source, theme::TEXT);
    text(rect.width() * 0.42, &target, theme::TEXT);
    crate::paint::arrow(painter, pos2(rect.left() + rect.width() * 0.42 - 12.0, middle), 3.0, true, theme::FAINT);

    let bar = Rect::from_min_max(
        pos2(rect.left() + rect.width() * 0.64, middle - 8.0),
        pos2(rect.right() - 92.0, middle + 8.0),
    );
    amount(ui, session, index, route, bar);
    let mut routes = session.patch.routes.clone();
    let via = Rect::from_min_size(pos2(rect.left() + rect.width() * 0.22, rect.top() + 2.0), vec2(rect.width() * 0.17, rect.height() - 4.0));
    scaled_by(ui, session, &mut routes[index], via, index);
    let bent = Rect::from_min_size(pos2(rect.right() - 86.0, rect.top() + 2.0), vec2(58.0, rect.height() - 4.0));
    curve(ui, &mut routes[index], bent, index);
    let out = Rect::from_center_size(pos2(rect.right() - 13.0, middle), vec2(20.0, 20.0));
    let name = format!("Remove {source} to {target}");
    let removed = button::icon(ui, out, &name, &name, |painter, colour| {
        let c = out.center();
        for (x, y) in [(3.5, 3.5), (3.5, -3.5)] {
            painter.line_segment([c - vec2(x, y), c + vec2(x, y)], Stroke::new(1.4, colour));
        }
    });
    if removed.clicked() {
        session.remove_route(index);
    } else {
        session.set_routes(routes);
    }
}

/// The amount as a bar from the middle: dragged, or reset by a double click.
fn amount(ui: &Ui, session: &mut Session, index: usize, route: Route, bar: Rect) {
    let id = ui.scope_id().with(("amount", index));
    let response = ui.interact(bar, id, Sense::click_and_drag());
    let name = format!(
        "{} to {} amount",
        names::source(route.source, &session.patch),
        names::of(route.target)
    );
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Slider, true, &name);
        info.value = Some(f64::from(route.amount));
        info
    });
    knob::drag_depth(ui, session, index, route, &response);
    let part = (route.amount / whole_way(route.target.info().kind)).clamp(-1.0, 1.0);
    // Small amounts matter most: the bar shows the root.
    let end = bar.center().x + part.abs().sqrt().copysign(part) * bar.width() / 2.0;
    let colour = theme::source(route.source);
    let painter = ui.painter();
    painter.rect_filled(bar.shrink2(vec2(0.0, 5.0)), 3.0, theme::RAISED);
    let (left, right) = (end.min(bar.center().x), end.max(bar.center().x));
    let fill = Rect::from_min_max(pos2(left, bar.top() + 5.0), pos2(right, bar.bottom() - 5.0));
    painter.rect_filled(fill, 3.0, colour);
    let awake = response.hovered() || response.dragged();
    painter.circle_filled(pos2(end, bar.center().y), if awake { 5.0 } else { 3.6 }, colour);
    response.on_hover_text(format!("{name}: {}", control::amount(route.amount, route.target)));
}

fn scaled_by(ui: &mut Ui, session: &Session, route: &mut Route, rect: Rect, index: usize) {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(("via", index)));
    let ui = &mut child;
    ui.visuals_mut().widgets.inactive.weak_bg_fill = theme::WELL;
    ui.style_mut().override_font_id = Some(theme::regular(11.0));
    let name = |via: Option<Source>| match via {
        Some(via) => format!("× {}", names::source(via, &session.patch)),
        None => "×".into(),
    };
    let text = egui::RichText::new(name(route.via)).color(theme::MUTED);
    ComboBox::from_id_salt("via").selected_text(text).width(rect.width() - 6.0).show_ui(ui, |ui| {
        ui.selectable_value(&mut route.via, None, "not scaled");
        for &(_, source) in Source::NAMES {
            ui.selectable_value(&mut route.via, Some(source), name(Some(source)));
        }
    });
}

fn curve(ui: &mut Ui, route: &mut Route, rect: Rect, index: usize) {
    let id = ui.scope_id().with(("curve", index));
    let response = ui.interact(rect, id, Sense::click());
    let names = RouteCurve::NAMES;
    let at = names.iter().position(|(_, curve)| *curve == route.curve).unwrap_or(0);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, names[at].0));
    if response.clicked() {
        route.curve = names[(at + 1) % names.len()].1;
    }
    button::backdrop(ui.painter(), rect, &response);
    // The curve itself, small.
    let plot = rect.shrink2(vec2(16.0, 5.0));
    let points = (0..=16).map(|i| {
        let x = i as f32 / 8.0 - 1.0;
        let y = route.curve.shape(x);
        pos2(plot.center().x + x * plot.width() / 2.0, plot.center().y - y * plot.height() / 2.0)
    });
    let ink = button::ink(&response, theme::MUTED);
    ui.painter().line(points.collect(), Stroke::new(1.4, ink));
    response.on_hover_text(format!("Curve: {}. Click for the next.", names[at].0));
}
