//! The modulation matrix: every route as a row, from source to target.

use super::presets::BUTTON;
use crate::names;
use crate::session::{Session, new_route};
use crate::theme;
use crate::widgets::{button, control, knob};
use egui::accesskit::Role;
use egui::{Align2, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use myriad_engine::modulation::{MAX_ROUTES, Route, RouteCurve, Source, whole_way};
use myriad_engine::params::Param;

const ROW: f32 = 30.0;

/// State of the matrix: the new route that is being edited.
#[derive(Debug)]
pub(crate) struct Matrix {
    source: Source,
    target: Param,
}

impl Default for Matrix {
    fn default() -> Self {
        Self { source: Source::Lfo1, target: Param::FilterCutoff }
    }
}

impl Matrix {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        theme::panel(ui.painter(), rect);
        let inside = rect.shrink2(vec2(12.0, 10.0));
        let head = inside.with_max_y(inside.top() + 28.0);
        let list = inside.with_min_y(head.bottom() + 10.0);
        self.add(ui, session, head);
        if session.patch.routes.is_empty() {
            let text = "No routes yet: drag an envelope, LFO or macro onto a knob";
            return theme::emptiness(ui.painter(), list, text);
        }
        let mut child = ui.new_child(UiBuilder::new().max_rect(list).id_salt("matrix"));
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            let columns = if list.width() > 900.0 { 2 } else { 1 };
            let routes = session.patch.routes.clone();
            let rows = routes.len().div_ceil(columns);
            let (area, _) = ui
                .allocate_exact_size(vec2(list.width() - 14.0, ROW * rows as f32), Sense::hover());
            let wide = area.width() / columns as f32;
            for (index, route) in routes.into_iter().enumerate() {
                let place =
                    area.min + vec2(wide * (index / rows) as f32, ROW * (index % rows) as f32);
                let place = Rect::from_min_size(place, vec2(wide - 12.0, ROW - 4.0));
                row(ui, session, index, route, place);
            }
        });
    }

    /// The line for adding a new route.
    fn add(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let painter = ui.painter();
        let count = format!("{} of {MAX_ROUTES} routes", session.patch.routes.len());
        let font = theme::regular(11.0);
        // The button of the presets is beside it.
        let at = rect.right_center() - vec2(BUTTON + 6.0, 0.0);
        painter.text(at, Align2::RIGHT_CENTER, count, font, theme::FAINT);
        let place = |from: f32, to: f32| {
            Rect::from_min_max(rect.min + vec2(from, 0.0), pos2(rect.left() + to, rect.bottom()))
        };
        let word = |from: f32, text: &str| {
            let at = pos2(rect.left() + from, rect.center().y);
            let font = theme::regular(11.5);
            ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme::MUTED);
        };
        word(8.0, "From");
        word(172.0, "to");
        let sources = place(42.0, 162.0);
        let targets = place(198.0, 368.0);
        theme::well(ui.painter(), sources);
        theme::well(ui.painter(), targets);
        let name = names::source(self.source, &session.patch);
        let text = (name.as_str(), theme::source(self.source));
        button::list(ui, sources, "Source of the new route", text, |ui| {
            for &(_, source) in Source::NAMES {
                let name = names::source(source, &session.patch);
                ui.selectable_value(&mut self.source, source, name);
            }
        });
        let reached = new_route(self.source, self.target).targets();
        if !reached.contains(&self.target) {
            self.target = reached[0];
        }
        let name = names::of(self.target);
        let text = (name.as_str(), theme::TEXT);
        button::list(ui, targets, "Target of the new route", text, |ui| {
            for &param in reached {
                ui.selectable_value(&mut self.target, param, names::of(param));
            }
        });
        if button::word(ui, place(376.0, 460.0), "Add route", "", true).clicked() {
            session.connect(self.source, self.target);
        }
    }
}

/// One route: source, via, target, amount, curve, and a button to remove it.
fn row(ui: &mut Ui, session: &mut Session, index: usize, route: Route, rect: Rect) {
    theme::well(ui.painter(), rect);
    let colour = theme::source(route.source);
    let source = names::source(route.source, &session.patch);
    let target = names::of(route.target);
    let middle = rect.center().y;
    // Columns as fractions of the width.
    let column = |from: f32, to: f32| {
        let x = |share: f32| rect.left() + share * rect.width();
        Rect::from_min_max(pos2(x(from), rect.top() + 2.0), pos2(x(to), rect.bottom() - 2.0))
    };
    let text = |rect: Rect, text: &str, ink| {
        let painter = ui.painter_at(rect);
        let at = rect.left_center();
        painter.text(at, Align2::LEFT_CENTER, text, theme::regular(11.5), ink);
    };
    ui.painter().circle_filled(pos2(rect.left() + 13.0, middle), 3.0, colour);
    text(column(0.045, 0.2), &source, theme::TEXT);
    let arrow = pos2(rect.left() + 0.355 * rect.width(), middle);
    crate::paint::arrow(ui.painter(), arrow, 3.0, true, theme::FAINT);
    text(column(0.38, 0.585), &target, theme::TEXT);
    amount(ui, session, index, route, column(0.59, 0.725).shrink2(vec2(0.0, 3.0)));
    let depth = control::amount(route.amount, route.target);
    let short = depth.replace(" octaves", " oct").replace(" semitones", " st");
    let short = short.replace(" dB/octave", " dB/oct").replace(" cents", " ct");
    text(column(0.74, 0.872), &short, theme::MUTED);
    let mut routes = session.patch.routes.clone();
    scaled_by(ui, session, &mut routes[index], column(0.205, 0.34), index);
    curve(ui, &mut routes[index], column(0.875, 0.94), index);
    let out = Rect::from_center_size(pos2(rect.right() - 14.0, middle), vec2(20.0, 20.0));
    let name = format!("Remove route {}, {source} to {target}", index + 1);
    let removed = button::icon(ui, out, &name, "Remove", |painter, colour| {
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
    // Small amounts matter most: the bar shows the square root.
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

/// The via source of the route, with a list to choose from.
fn scaled_by(ui: &Ui, session: &Session, route: &mut Route, rect: Rect, index: usize) {
    let name = |via: Source| format!("via {}", names::source(via, &session.patch));
    let label = format!("Via of route {}", index + 1);
    let (text, ink) = match route.via {
        Some(via) => (name(via), theme::source(via)),
        None => ("–".to_owned(), theme::FAINT),
    };
    button::list(ui, rect, &label, (&text, ink), |ui| {
        ui.selectable_value(&mut route.via, None, "none");
        for &(_, source) in Source::NAMES {
            let scaled = Route { via: Some(source), ..*route };
            if scaled.is_possible() {
                ui.selectable_value(&mut route.via, scaled.via, name(source));
            }
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
    // A small picture of the curve.
    let plot = rect.shrink2(vec2(8.0, 5.0));
    let points = (0..=16).map(|i| {
        let x = i as f32 / 8.0 - 1.0;
        let y = route.curve.shape(x);
        pos2(plot.center().x + x * plot.width() / 2.0, plot.center().y - y * plot.height() / 2.0)
    });
    let ink = button::ink(&response, theme::MUTED);
    ui.painter().line(points.collect(), Stroke::new(1.4, ink));
    response.on_hover_text(format!("Curve: {}. Click for the next.", names[at].0));
}
