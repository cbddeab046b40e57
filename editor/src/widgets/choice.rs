//! Choices: a name between two arrows that opens a list, or a row of buttons when there are few.

use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control};
use egui::{Align2, Popup, Rect, Ui, pos2, vec2};
use myriad_engine::params::{Kind, Param};

/// Up to this many names are shown side by side.
const FEW: usize = 3;

/// How wide an arrow's button is.
const ARROW: f32 = 18.0;

fn names_of(param: Param) -> &'static [&'static str] {
    match param.info().kind {
        Kind::Choice(names) => names,
        _ => &[],
    }
}

/// The order in which the names are shown: note values by their length, others as they are numbered.
fn shown(names: &[&str]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    let lengths: Option<Vec<f32>> = names.iter().map(|name| bars(name)).collect();
    if let Some(lengths) = lengths {
        order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    }
    order
}

/// The length of a note value in bars, from its name. "off" comes first.
fn bars(name: &str) -> Option<f32> {
    let (length, kind) = name.split_once(' ').unwrap_or((name, ""));
    let length = match length.split_once('/') {
        Some(("1", part)) => part.parse::<f32>().ok()?.recip(),
        Some(_) => return None,
        None if length == "off" => f32::INFINITY,
        None => length.parse().ok()?,
    };
    match kind {
        "" | "bar" | "bars" => Some(length),
        "triplet" => Some(length * 2.0 / 3.0),
        "dotted" => Some(length * 1.5),
        _ => None,
    }
}

/// How wide a choice's cell is, its name below it included.
pub(crate) fn width(param: Param) -> f32 {
    match names_of(param).len() <= FEW {
        true => 12.0 + names_of(param).iter().map(|name| share(name)).sum::<f32>(),
        false => 132.0,
    }
}

/// The width of a name that is shown beside others.
fn share(name: &str) -> f32 {
    (6.0 * name.len() as f32 + 18.0).max(54.0)
}

/// A choice with its name below, as high as a knob's cell.
pub(crate) fn cell(ui: &mut Ui, session: &mut Session, param: Param, cell: Rect) {
    let rect = Rect::from_center_size(
        pos2(cell.center().x, cell.top() + 28.0),
        vec2(cell.width() - 10.0, 26.0),
    );
    bar(ui, session, param, rect);
    let name = pos2(cell.center().x, cell.top() + 60.0);
    let name = Rect::from_center_size(name, vec2(cell.width(), 14.0));
    theme::label(ui.painter(), name, &names::in_group(param), theme::MUTED);
}

/// A choice without its name.
pub(crate) fn bar(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect) {
    theme::well(ui.painter(), rect);
    match names_of(param).len() <= FEW {
        true => row(ui, session, param, rect),
        false => list(ui, session, param, rect),
    }
}

/// A choice without its name, all options side by side.
pub(crate) fn buttons(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect) {
    theme::well(ui.painter(), rect);
    row(ui, session, param, rect);
}

fn row(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect) {
    let names = names_of(param);
    let chosen = session.index(param);
    let all: f32 = names.iter().map(|name| share(name)).sum();
    let mut left = rect.left();
    for (index, name) in names.iter().enumerate() {
        let size = vec2(share(name) / all * rect.width(), rect.height());
        let place = Rect::from_min_size(pos2(left, rect.top()), size);
        left += size.x;
        let label = format!("{} {name}", names::of(param));
        let tip = param.info().help;
        let response = button::area(ui, place, &label, tip, index == chosen);
        let painter = ui.painter();
        let inside = place.shrink(2.0);
        if index == chosen {
            painter.rect_filled(inside, theme::SMALL_ROUND, theme::RAISED);
        } else {
            button::backdrop(painter, inside, &response);
        }
        let colour = match index == chosen {
            true => theme::AMBER,
            false => button::ink(&response, theme::MUTED),
        };
        let font = theme::regular(11.5);
        painter.text(place.center(), Align2::CENTER_CENTER, *name, font, colour);
        if response.clicked() {
            session.change(param, index as f32);
        }
    }
}

fn list(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect) {
    let names = names_of(param);
    let middle = rect.shrink2(vec2(ARROW, 0.0));
    let response = control::interact(ui, session, param, middle);
    let painter = ui.painter();
    if response.hovered() || response.has_focus() {
        painter.rect_filled(middle.shrink(2.0), theme::SMALL_ROUND, theme::RAISED);
    }
    let name = names[session.index(param).min(names.len() - 1)];
    // Up to the arrows, which are smaller than their buttons.
    let between = middle.expand2(vec2(5.0, 0.0));
    theme::fitted(painter, between, name, 12.0, theme::AMBER);
    for right in [false, true] {
        let x = if right { rect.right() - ARROW } else { rect.left() };
        let place = Rect::from_min_size(pos2(x, rect.top()), vec2(ARROW, rect.height()));
        let which = if right { "next" } else { "previous" };
        let label = format!("{} {which}", names::of(param));
        let pressed = button::icon(ui, place.shrink(2.0), &label, "", |painter, colour| {
            paint::arrow(painter, place.center(), 3.6, right, colour);
        });
        if pressed.clicked() {
            let order = shown(names);
            let at = order.iter().position(|&index| index == session.index(param));
            let step = if right { 1 } else { names.len() - 1 };
            session.change(param, order[(at.unwrap_or(0) + step) % names.len()] as f32);
        }
    }
    Popup::menu(&response).width(rect.width()).show(|ui| {
        for index in shown(names) {
            let chosen = index == session.index(param);
            if ui.selectable_label(chosen, names[index]).clicked() {
                session.change(param, index as f32);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts store their numbers, so later note values are at the end of the table, but not of the list.
    #[test]
    fn note_values_are_shown_by_length_and_others_as_numbered() {
        for param in [Param::Lfo1Sync, Param::DelaySync, Param::ArpRate] {
            let names = names_of(param);
            let lengths: Vec<f32> =
                shown(names).into_iter().map(|index| bars(names[index]).unwrap()).collect();
            assert!(lengths.is_sorted_by(|a, b| a > b), "{param:?}: {lengths:?}");
        }
        let stages = shown(names_of(Param::LayerMode));
        assert_eq!(stages, [0, 1, 2, 3]);
    }
}
