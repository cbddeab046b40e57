//! The menu of a parameter: its value, its controller, and what modulates it.

use super::control::{amount, type_value};
use crate::names;
use crate::session::{Session, new_route};
use crate::theme;
use egui::{Button, RichText, ScrollArea, Slider, Ui};
use myriad_engine::modulation::{MAX_ROUTES, Route, Source, whole_way};
use myriad_engine::params::Param;

/// The menu that a right click opens.
pub(crate) fn menu(ui: &mut Ui, session: &mut Session, param: Param) {
    ui.label(RichText::new(names::of(param)).color(theme::MUTED));
    value(ui, session, param);
    modulation(ui, session, param);
    if session.host.can_learn() {
        learn(ui, session, param);
    }
}

fn value(ui: &mut Ui, session: &mut Session, param: Param) {
    let info = param.info();
    if ui.button("Type a value").clicked() {
        type_value(session, param);
        ui.close();
    }
    let default = info.format(info.default);
    if ui.button(format!("Reset to {default}")).clicked() {
        session.change(param, info.default);
        ui.close();
    }
}

/// Every source that can move the parameter, and the routes that do.
fn modulation(ui: &mut Ui, session: &mut Session, param: Param) {
    let possible: Vec<Source> = Source::NAMES
        .iter()
        .map(|&(_, source)| source)
        .filter(|&source| new_route(source, param).is_possible())
        .collect();
    let routes = session.routes_to(param);
    if !possible.is_empty() {
        ui.menu_button("Modulate by…", |ui| {
            ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                for source in possible {
                    let there =
                        |(_, route): &(usize, Route)| (route.source, route.via) == (source, None);
                    let free = !routes.iter().any(there) && session.patch.routes.len() < MAX_ROUTES;
                    let name = names::source(source, &session.patch);
                    let text = RichText::new(name).color(theme::source(source));
                    if ui.add_enabled(free, Button::new(text)).clicked() {
                        session.connect(source, param);
                        ui.close();
                    }
                }
            });
        });
    }
    if !routes.is_empty() {
        ui.separator();
    }
    for (index, route) in routes {
        depth(ui, session, index, route);
    }
}

/// A route with its amount, which a slider changes, and a button that removes it.
fn depth(ui: &mut Ui, session: &mut Session, index: usize, route: Route) {
    let param = route.target;
    let source = names::source(route.source, &session.patch);
    ui.horizontal(|ui| {
        ui.label(RichText::new(&source).color(theme::source(route.source)));
        let whole = whole_way(param.info().kind);
        let mut new = route.amount;
        let slider = Slider::new(&mut new, -whole..=whole)
            .custom_formatter(|value, _| amount(value as f32, param));
        let response = ui.add(slider);
        let key = response.id.with(index);
        if response.drag_started() {
            let before = session.patch.routes.clone();
            ui.data_mut(|data| data.insert_temp(key, before));
        }
        if response.changed() {
            let dragged = ui.data_mut(|data| data.get_temp::<Vec<Route>>(key)).is_some();
            let before = session.patch.routes.clone();
            session.drag_route(index, Route { amount: new, ..route });
            if !dragged {
                session.routes_dragged(before);
            }
        }
        if response.drag_stopped() {
            let before = ui.data_mut(|data| data.remove_temp::<Vec<Route>>(key));
            if let Some(before) = before {
                session.routes_dragged(before);
            }
        }
        if ui.button(format!("Remove {source}")).clicked() {
            session.remove_route(index);
            ui.close();
        }
    });
}

fn learn(ui: &mut Ui, session: &mut Session, param: Param) {
    ui.separator();
    let waits = session.host.learning() == Some(param);
    let text = if waits { "Cancel MIDI learn" } else { "MIDI learn" };
    if ui.button(text).clicked() {
        session.host.learn((!waits).then_some(param));
        ui.close();
    }
    if let Some(controller) = session.host.controller(param)
        && ui.button(format!("Remove MIDI controller {controller}")).clicked()
    {
        session.host.forget(param);
        ui.close();
    }
}
