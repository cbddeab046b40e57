//! The behaviour of every parameter widget.

use crate::names;
use crate::session::{Entry, Session, new_route};
use crate::theme;
use crate::widgets::{chip, menu};
use egui::{
    Event, EventFilter, Id, Key, MouseWheelUnit, PointerButton, Rect, Response, Sense, Ui, Vec2,
    WidgetInfo, vec2,
};
use myriad_engine::modulation::Source;
use myriad_engine::params::{Kind, Param};

/// Change of the knob position for a point of a drag: to the right, and down.
const KNOB: Vec2 = vec2(1.0 / 220.0, -1.0 / 220.0);
/// Factor of fine adjustment, while Shift is held.
const FINE: f32 = 0.1;
/// Change of the knob position for a notch of the wheel or an arrow key.
const STEP: f32 = 0.02;

/// The id of a parameter's widget: one a parameter, so that tests and focus find it.
pub(crate) fn id(ui: &Ui, param: Param) -> Id {
    ui.scope_id().with(param.info().id)
}

/// Makes `rect` the widget of `param`: drag, wheel, arrow keys, double-click to reset, Enter to
/// type, a menu, a tooltip, and sources dropped on it.
pub(crate) fn interact(ui: &Ui, session: &mut Session, param: Param, rect: Rect) -> Response {
    let response = ui.interact(rect, id(ui, param), Sense::click_and_drag());
    respond(ui, session, param, response, &names::of(param), KNOB)
}

/// The same for a handle in a display that follows the pointer, with a range of `height`.
pub(crate) fn interact_upright(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    rect: Rect,
    height: f32,
) -> Response {
    let response = ui.interact(rect, id(ui, param), Sense::click_and_drag());
    let pull = vec2(0.0, -1.0 / height);
    respond(ui, session, param, response, &names::of(param), pull)
}

/// The same for a second widget of a parameter, which is told apart by `what`.
pub(crate) fn interact_as(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    rect: Rect,
    what: &str,
) -> Response {
    let response = ui.interact(rect, id(ui, param).with(what), Sense::click_and_drag());
    let name = format!("{} {what}", names::of(param));
    respond(ui, session, param, response, &name, KNOB)
}

fn respond(
    ui: &Ui,
    session: &mut Session,
    param: Param,
    response: Response,
    name: &str,
    pull: Vec2,
) -> Response {
    drag(ui, session, param, &response, pull);
    turn(ui, session, param, &response);
    if response.double_clicked() {
        session.change(param, param.info().default);
    }
    if let Some(source) = response.dnd_release_payload::<Source>() {
        session.connect(*source, param);
    }
    if let Some(source) = response.dnd_hover_payload::<Source>()
        && !new_route(*source, param).is_possible()
    {
        let source = names::source(*source, &session.patch);
        chip::refusal(ui, &format!("{source} cannot move {}", names::of(param)));
    }
    response.context_menu(|ui| menu::menu(ui, session, param));
    // For screen readers and tests.
    let value = f64::from(session.value(param));
    response.widget_info(|| WidgetInfo::slider(true, value, name));
    let shown = response.clone();
    if session.held.is_empty() {
        shown.on_hover_ui(|ui| tooltip(ui, session, param));
    }
    response
}

fn drag(ui: &Ui, session: &mut Session, param: Param, response: &Response, pull: Vec2) {
    let kind = param.info().kind;
    // The secondary button opens the menu.
    let main = PointerButton::Primary;
    if response.drag_started_by(main) {
        response.request_focus();
        session.begin(&[param]);
        let scale = session.scale(param);
        ui.data_mut(|data| data.insert_temp(response.id, scale));
    }
    let ours = session.holds(param);
    if response.dragged_by(main) && ours {
        let fine = if ui.input(|input| input.modifiers.shift) { FINE } else { 1.0 };
        let way = response.drag_delta().dot(pull) * fine;
        // Whole numbers and choices change in steps, the pointer does not.
        let scale = ui.data_mut(|data| {
            let scale: &mut f32 = data.get_temp_mut_or_default(response.id);
            *scale = (*scale + way).clamp(0.0, 1.0);
            *scale
        });
        session.set(param, kind.from_scale(scale));
    }
    if response.drag_stopped_by(main) && ours {
        session.end();
    }
}

/// How often arrow keys were pressed, to the right and up, for the widget that has the focus. They do not move the focus
/// meanwhile.
pub(crate) fn take_arrows(ui: &Ui, id: Id) -> Vec2 {
    let arrows =
        EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, arrows));
    ui.input(|input| {
        let pressed = |key: Key| input.num_presses(key) as f32;
        vec2(
            pressed(Key::ArrowRight) - pressed(Key::ArrowLeft),
            pressed(Key::ArrowUp) - pressed(Key::ArrowDown),
        )
    })
}

/// Wheel and arrow keys.
fn turn(ui: &Ui, session: &mut Session, param: Param, response: &Response) {
    let fine = |shift: bool| if shift { FINE } else { 1.0 };
    if response.hovered() {
        let notches = take_wheel(ui);
        if notches != 0.0 {
            let shift = ui.input(|input| input.modifiers.shift);
            session.step(param, notches * STEP * fine(shift));
        }
    }
    if !response.has_focus() {
        return;
    }
    let arrows = take_arrows(ui, response.id);
    let (pages, shift) = ui.input(|input| {
        let pressed = |key: Key| input.num_presses(key) as f32;
        (pressed(Key::PageUp) - pressed(Key::PageDown), input.modifiers.shift)
    });
    let steps = arrows.x + arrows.y + 5.0 * pages;
    if steps != 0.0 {
        session.step(param, steps * STEP * fine(shift));
    }
    if ui.input(|input| input.key_pressed(Key::Enter)) && session.entry.is_none() {
        type_value(session, param);
    }
    if ui.input(|input| input.key_pressed(Key::Delete)) {
        session.change(param, param.info().default);
    }
}

/// Notches of the wheel in this frame; consumes them.
pub(crate) fn take_wheel(ui: &Ui) -> f32 {
    ui.input_mut(|input| {
        let mut notches = 0.0;
        input.events.retain(|event| match event {
            Event::MouseWheel { unit, delta, .. } => {
                notches += match unit {
                    MouseWheelUnit::Point => delta.y / 40.0,
                    MouseWheelUnit::Line => delta.y,
                    MouseWheelUnit::Page => 5.0 * delta.y,
                };
                false
            }
            _ => true,
        });
        notches
    })
}

/// Opens the text field for a value.
pub(crate) fn type_value(session: &mut Session, param: Param) {
    *session.entry = Some(Entry {
        param,
        text: param.info().format(session.value(param)),
        open: false,
        drawn: session.time,
    });
}

fn tooltip(ui: &mut Ui, session: &Session, param: Param) {
    let info = param.info();
    ui.set_max_width(260.0);
    ui.horizontal(|ui| {
        ui.label(egui::RichText::new(names::of(param)).font(theme::bold(12.5)));
        let value = info.format(session.value(param));
        ui.label(egui::RichText::new(value).color(theme::AMBER));
    });
    ui.label(egui::RichText::new(info.help).color(theme::MUTED));
    for (_, route) in session.routes_to(param) {
        let text = format!(
            "{} moves it by {}",
            names::source(route.source, &session.patch),
            amount(route.amount, param)
        );
        ui.label(egui::RichText::new(text).color(theme::source(route.source)));
    }
    if let Some(controller) = session.host.controller(param) {
        ui.label(format!("MIDI controller {controller}"));
    }
}

/// A route's amount as people read it; see `Route::amount`.
pub(crate) fn amount(amount: f32, param: Param) -> String {
    use myriad_engine::params::{Curve, Unit};
    let unit = match param.info().kind {
        Kind::Number { curve: Curve::Exponential, .. } => " octaves".to_owned(),
        Kind::Number { curve: Curve::Power(_), .. }
        | Kind::Number { unit: Unit::Percent | Unit::Pan, .. } => {
            return format!("{:+.0}%", 100.0 * amount);
        }
        Kind::Number { unit, .. } => format!(" {}", unit.symbol()),
        _ => String::new(),
    };
    format!("{amount:+.2}{}", unit.trim_end())
}
