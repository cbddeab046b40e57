//! Knobs: the value as an arc, modulation as rings around it.

use crate::names;
use crate::paint;
use crate::session::{Session, new_route};
use crate::theme;
use crate::widgets::{control, entry};
use egui::epaint::Mesh;
use egui::{Color32, DragAndDrop, Pos2, Rect, Response, Sense, Shape, Stroke, Ui};
use egui::{WidgetInfo, pos2, vec2};
use myriad_engine::modulation::{Route, Source, moved, whole_way};
use myriad_engine::params::{Kind, Param};

/// The size of a knob with its name and value.
pub(crate) const CELL: egui::Vec2 = vec2(76.0, 88.0);

/// The radius of a knob's arc.
const RADIUS: f32 = 19.5;
/// The radius of a large knob's.
pub(crate) const LARGE: f32 = 31.0;

/// The knob of a parameter with its name and value, filling `cell` from its top.
pub(crate) fn knob(ui: &mut Ui, session: &mut Session, param: Param, cell: Rect) {
    let centre = pos2(cell.center().x, cell.top() + 28.0);
    let grip = Rect::from_center_size(centre, vec2(56.0, 54.0));
    let response = control::interact(ui, session, param, grip);
    face(ui, session, param, centre, &response);
    let awake = response.hovered() || response.has_focus() || response.dragged();
    let colour = if awake { theme::TEXT } else { theme::MUTED };
    let name = pos2(centre.x, cell.top() + 60.0);
    let name = Rect::from_center_size(name, vec2(cell.width(), 14.0));
    theme::label(ui.painter(), name, &names::in_group(param), colour);
    let value = Rect::from_center_size(pos2(centre.x, cell.top() + 75.0), vec2(CELL.x - 8.0, 14.0));
    entry::value(ui, session, param, value, 11.0);
}

/// The knob alone: disc, value, rings and beads.
pub(crate) fn face(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    centre: Pos2,
    response: &Response,
) {
    sized_face(ui, session, param, centre, RADIUS, response);
}

/// The main knob of a page: larger than others, and without a name.
pub(crate) fn large(ui: &mut Ui, session: &mut Session, param: Param, centre: Pos2) {
    let grip = Rect::from_center_size(centre, egui::Vec2::splat(2.4 * LARGE));
    let response = control::interact(ui, session, param, grip);
    sized_face(ui, session, param, centre, LARGE, &response);
    let value = Rect::from_center_size(centre + vec2(0.0, LARGE + 16.0), vec2(CELL.x, 16.0));
    entry::value(ui, session, param, value, 13.0);
}

fn sized_face(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    centre: Pos2,
    radius: f32,
    response: &Response,
) {
    let routes = session.routes_to(param);
    body(ui, session, param, centre, radius, response);
    rings(ui, session, param, centre, radius, &routes);
    sources(ui, session, param, centre, radius, response);
}

/// The geometry of a knob or handle, for the rings of its sources.
pub(crate) fn sources(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    centre: Pos2,
    radius: f32,
    response: &Response,
) {
    drop_ring(ui, param, centre, radius, response);
    depths(ui, session, param, centre, radius);
}

/// Where the arc of a value begins: at zero for bipolar parameters.
pub(crate) fn origin(kind: Kind) -> f32 {
    let (min, max) = kind.range();
    match kind {
        Kind::Choice(_) => 0.0,
        _ if min < 0.0 && max > 0.0 => kind.to_scale(0.0),
        _ => 0.0,
    }
}

fn body(ui: &Ui, session: &Session, param: Param, centre: Pos2, radius: f32, response: &Response) {
    let painter = ui.painter();
    let scale = session.scale(param);
    let awake = response.hovered() || response.dragged();
    let colour = theme::dawn(0.25 + 0.6 * scale);
    // A disc, lit from above.
    let mut mesh = Mesh::default();
    paint::glow(&mut mesh, centre + vec2(0.0, 3.0), radius + 4.0, Color32::from_black_alpha(120));
    painter.add(Shape::mesh(mesh));
    painter.circle_filled(centre, radius - 4.0, theme::DISC);
    let mut mesh = Mesh::default();
    let sheen = theme::light(theme::VIOLET, if awake { 0.3 } else { 0.16 });
    paint::glow(&mut mesh, centre - vec2(0.0, 5.0), radius - 3.0, sheen);
    painter.add(Shape::mesh(mesh));
    painter.circle_stroke(centre, radius - 4.0, Stroke::new(1.0, theme::EDGE.gamma_multiply(0.9)));

    // The arc, the value on it, and the pointer.
    let way = paint::arc(centre, radius, 0.0, 1.0);
    painter.line(way, Stroke::new(2.0, theme::EDGE.gamma_multiply(0.8)));
    let from = origin(param.info().kind);
    if (scale - from).abs() > 0.002 {
        let arc = paint::arc(centre, radius, from, scale);
        painter.line(arc.clone(), Stroke::new(8.0, theme::light(colour, 0.13)));
        painter.line(arc, Stroke::new(2.8, colour));
    }
    let tip = paint::on_knob(centre, radius - 6.5, scale);
    let foot = paint::on_knob(centre, 0.41 * radius, scale);
    painter.line_segment([foot, tip], Stroke::new(2.2, theme::TEXT));
    if response.has_focus() {
        painter.circle_stroke(
            centre,
            radius + 8.5,
            Stroke::new(1.0, theme::VIOLET.gamma_multiply(0.8)),
        );
    }
    if session.host.learning() == Some(param) {
        let pulse = 0.5 + 0.5 * (6.0 * session.time as f32).sin();
        painter.circle_stroke(
            centre,
            radius + 5.0,
            Stroke::new(2.0, theme::ROSE.gamma_multiply(pulse)),
        );
        ui.ctx().request_repaint();
    }
}

/// The range over which a route moves a knob from `value`, as knob positions.
fn reach(route: &Route, value: f32) -> (f32, f32) {
    let kind = route.target.info().kind;
    let at = |height: f32| kind.to_scale(moved(kind, value, route.amount * height));
    let bipolar = route.source.is_bipolar() || route.via.is_some_and(Source::is_bipolar);
    (at(if bipolar { -1.0 } else { 0.0 }), at(1.0))
}

/// A ring for every route, and a dot at the newest note's value.
fn rings(
    ui: &Ui,
    session: &Session,
    param: Param,
    centre: Pos2,
    radius: f32,
    routes: &[(usize, Route)],
) {
    let painter = ui.painter();
    let value = session.value(param);
    for (ring, (_, route)) in routes.iter().take(3).enumerate() {
        let (from, to) = reach(route, value);
        let colour = theme::source(route.source);
        let arc = paint::arc(centre, radius + 4.0 + 2.6 * ring as f32, from, to);
        painter.line(arc, Stroke::new(1.7, colour.gamma_multiply(0.9)));
    }
    if session.snapshot.sounding && !routes.is_empty() {
        let heard = param.info().kind.to_scale(session.snapshot.heard[param]);
        let at = paint::on_knob(centre, radius, heard);
        let mut mesh = Mesh::default();
        paint::glow(&mut mesh, at, 9.0, theme::light(theme::LIGHT, 0.8));
        painter.add(Shape::mesh(mesh));
        painter.circle_filled(at, 2.2, theme::LIGHT);
    }
}

/// While a source is dragged: shows where it can be dropped, and the resulting range.
fn drop_ring(ui: &Ui, param: Param, centre: Pos2, radius: f32, response: &Response) {
    let Some(source) = DragAndDrop::payload::<Source>(ui.ctx()) else {
        return;
    };
    if !new_route(*source, param).is_possible() {
        return;
    }
    let colour = theme::source(*source);
    let here = response.contains_pointer();
    let strength = if here { 1.0 } else { 0.3 };
    if here {
        let mut mesh = Mesh::default();
        paint::glow(&mut mesh, centre, radius * 2.2, theme::light(colour, 0.35));
        ui.painter().add(Shape::mesh(mesh));
    }
    let stroke = Stroke::new(if here { 2.0 } else { 1.2 }, colour.gamma_multiply(strength));
    ui.painter().circle_stroke(centre, radius + 6.0, stroke);
}

/// A small dot for every route: dragging it up and down changes the amount, a click with the
/// secondary button removes the route.
fn depths(ui: &Ui, session: &mut Session, param: Param, centre: Pos2, radius: f32) {
    let routes = session.routes_to(param);
    for (place, &(index, route)) in routes.iter().take(5).enumerate() {
        let at = centre + vec2(radius + 11.0, -radius + 3.0 + 9.0 * place as f32);
        let bead = Rect::from_center_size(at, vec2(10.0, 9.0));
        let id = control::id(ui, param).with(("depth", place));
        let response = ui.interact(bead, id, Sense::click_and_drag());
        let awake = response.hovered() || response.dragged();
        let source = names::source(route.source, &session.patch);
        let name = format!("{source} to {}", names::of(param));
        let depth = f64::from(route.amount);
        response.widget_info(|| WidgetInfo::slider(true, depth, &name));
        let size = if awake { 3.8 } else { 2.6 };
        ui.painter().circle_filled(at, size, theme::source(route.source));
        drag_depth(ui, session, index, route, &response);
        if response.secondary_clicked() {
            session.remove_route(index);
        }
        let text = format!(
            "{name}: {}\nDrag to change, right-click to remove",
            control::amount(route.amount, param)
        );
        response.on_hover_text(text);
    }
}

/// Lets a drag change a route's amount; the whole drag is one edit.
pub(crate) fn drag_depth(
    ui: &Ui,
    session: &mut Session,
    index: usize,
    route: Route,
    response: &Response,
) {
    if response.drag_started() {
        let before = session.patch.routes.clone();
        ui.data_mut(|data| data.insert_temp(response.id, before));
    }
    if response.dragged() {
        let fine = if ui.input(|input| input.modifiers.shift) { 0.1 } else { 1.0 };
        let whole = whole_way(route.target.info().kind);
        let way = (response.drag_delta().x - response.drag_delta().y) / 180.0 * fine;
        let amount = (route.amount + way * whole).clamp(-whole, whole);
        session.drag_route(index, Route { amount, ..route });
    }
    if response.drag_stopped() {
        let before = ui.data_mut(|data| data.remove_temp::<Vec<Route>>(response.id));
        if let Some(before) = before {
            session.routes_dragged(before);
        }
    }
}
