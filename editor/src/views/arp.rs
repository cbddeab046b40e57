//! The arp page: what the arpeggiator plays, its settings, and its step pattern.

use super::pages::GAP;
use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control, entry, strip};
use egui::epaint::Mesh;
use egui::{Align2, CursorIcon, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::params::{Param, TABLE};
use myriad_engine::view;

/// The width of the names of the lanes.
const NAMES: f32 = 52.0;

/// Two panels: the arpeggiator, and its pattern.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, rect: Rect) {
    let params = strip::of_group("arp");
    let knobs = strip::width_in_two_rows(&params);
    let wide = (knobs + 32.0).max(0.46 * rect.width());
    let left = rect.with_max_x(rect.left() + wide);
    let inside = theme::titled_panel(ui.painter(), left, &names::group("arp"));
    let mut place = inside;
    if inside.width() > knobs + 72.0 {
        let drawing = inside.with_max_x(inside.right() - knobs - 8.0);
        notes(ui, session, drawing);
        place = inside.with_min_x(drawing.right() + 8.0);
    }
    strip::strip(ui, session, &params, place);
    let right = rect.with_min_x(left.right() + GAP);
    let inside = theme::titled_panel(ui.painter(), right, "Pattern");
    pattern(ui, session, inside);
}

/// A bar of the arpeggiator with three keys held: which notes sound when, and how long.
fn notes(ui: &Ui, session: &Session, rect: Rect) {
    theme::well(ui.painter(), rect);
    let painter = ui.painter_at(rect);
    let plot = rect.shrink2(vec2(10.0, 12.0));
    for beat in 0..=4 {
        let x = plot.left() + plot.width() * beat as f32 / 4.0;
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6));
        painter.vline(x, rect.y_range().shrink(1.0), stroke);
    }
    let mode = Param::ArpMode.info().format(session.value(Param::ArpMode));
    if mode == "off" {
        return theme::emptiness(&painter, rect, "off: keys are notes");
    }
    let steps = 4.0 / view::arp_step_beats(session.value(Param::ArpRate));
    let notes = 3 * session.value(Param::ArpOctaves) as usize;
    let gate = session.value(Param::ArpGate).min(0.98);
    let swing = session.value(Param::ArpSwing);
    let wide = plot.width() / steps;
    let mut mesh = Mesh::default();
    for step in 0..steps.ceil() as usize {
        let late = if step % 2 == 1 { swing } else { 0.0 };
        let left = plot.left() + (step as f32 + late) * wide;
        let right = (left + (gate * wide).max(1.5)).min(plot.right());
        for note in sounding(&mode, step, notes) {
            let at = note as f32 / (notes.max(2) - 1) as f32;
            let y = plot.bottom() - at * plot.height();
            let bar = Rect::from_min_max(pos2(left, y - 2.0), pos2(right, y + 2.0));
            let colour = theme::dawn(0.35 + 0.5 * at);
            painter.rect_filled(bar, 2.0, colour);
            paint::glow(&mut mesh, pos2(left, y), 8.0, theme::light(colour, 0.5));
        }
    }
    painter.add(Shape::mesh(mesh));
}

/// The notes (0 is the lowest) that sound in a step.
fn sounding(mode: &str, step: usize, notes: usize) -> Vec<usize> {
    let up = step % notes;
    vec![match mode {
        "down" => notes - 1 - up,
        "up-down" => {
            let turn = step % (2 * notes - 2).max(1);
            turn.min(2 * notes - 2 - turn)
        }
        // An example of keys played out of order, and of random notes.
        "as played" => up / 3 * 3 + [1, 0, 2][up % 3],
        "random" => (step * 7 + step * step * 3 / 2) % notes,
        "chord" => return (0..notes).collect(),
        _ => up,
    }]
}

/// The groups of the pattern's steps, in order.
fn step_groups() -> Vec<&'static str> {
    let mut groups: Vec<&str> = TABLE.iter().map(|row| row.group()).collect();
    groups.dedup();
    groups.retain(|group| group.starts_with("step"));
    groups
}

/// A column for each step: bars to drag, and a button for the tie.
fn pattern(ui: &mut Ui, session: &mut Session, rect: Rect) {
    let groups = step_groups();
    let used = session.index(Param::ArpPattern);
    let grid = rect.with_min_x(rect.left() + NAMES);
    let wide = grid.width() / groups.len().max(1) as f32;
    // Heights of the lanes: velocity is the tallest.
    let lanes = [("velocity", 0.42), ("gate", 0.22), ("chance", 0.22), ("tie", 0.14)];
    let mut top = grid.top();
    for (lane, share) in lanes {
        let height = share * grid.height();
        let name = rect.with_min_y(top).with_max_y(top + height);
        let font = theme::regular(10.5);
        let at = name.left_center();
        ui.painter().text(at, Align2::LEFT_CENTER, lane, font, theme::MUTED);
        for (index, group) in groups.iter().enumerate() {
            let Some(param) = Param::by_id(&format!("{group}.{lane}")) else {
                continue;
            };
            let corner = pos2(grid.left() + wide * index as f32, top);
            let cell = Rect::from_min_size(corner, vec2(wide, height)).shrink(1.5);
            match lane {
                "tie" => tie(ui, session, param, cell, index < used),
                _ => bar(ui, session, param, cell, index < used),
            }
        }
        top += height;
    }
}

/// A bar that is dragged up and down.
fn bar(ui: &mut Ui, session: &mut Session, param: Param, cell: Rect, used: bool) {
    let response = control::interact_upright(ui, session, param, cell, cell.height())
        .on_hover_and_drag_cursor(CursorIcon::ResizeVertical);
    let awake = response.hovered() || response.dragged() || response.has_focus();
    let painter = ui.painter();
    let fill = if awake { theme::RAISED } else { theme::WELL };
    painter.rect_filled(cell, theme::SMALL_ROUND, fill);
    let height = session.scale(param) * cell.height();
    let colour = match used {
        true => theme::dawn(0.35 + 0.5 * session.scale(param)),
        false => theme::FAINT.gamma_multiply(0.4),
    };
    let value = cell.with_min_y(cell.bottom() - height.max(1.5));
    painter.rect_filled(value, theme::SMALL_ROUND, colour.gamma_multiply(0.85));
    if session.entry.as_ref().is_some_and(|entry| entry.param == param) {
        entry::value(ui, session, param, cell, 9.5);
    }
}

/// A button that ties a step to the one before.
fn tie(ui: &mut Ui, session: &mut Session, param: Param, cell: Rect, used: bool) {
    let on = session.index(param) == 1;
    let response = button::area(ui, cell, &names::of(param), param.info().help, on);
    let painter = ui.painter();
    painter.rect_filled(cell, theme::SMALL_ROUND, theme::WELL);
    button::backdrop(painter, cell, &response);
    if on {
        let colour = if used { theme::AQUA } else { theme::FAINT };
        // From the middle of the step before to the middle of this one.
        let y = cell.center().y;
        let from = cell.center().x - cell.width();
        painter.hline(from..=cell.center().x, y, Stroke::new(2.5, colour));
        painter.circle_filled(cell.center(), 3.0, colour);
    }
    if response.clicked() {
        session.change(param, if on { 0.0 } else { 1.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_can_be_drawn() {
        let names = |param: Param| match param.info().kind {
            myriad_engine::params::Kind::Choice(names) => names,
            _ => &[],
        };
        let bar = |mode: &str| (0..48).map(|step| sounding(mode, step, 6)).collect::<Vec<_>>();
        for mode in names(Param::ArpMode) {
            assert!(matches!(*mode, "off" | "up") || bar(mode) != bar("up"), "{mode}");
            for notes in [3, 6, 12] {
                for step in 0..48 {
                    let heard = sounding(mode, step, notes);
                    assert!(!heard.is_empty() && heard.iter().all(|&note| note < notes), "{mode}");
                }
            }
        }
    }

    #[test]
    fn the_pattern_has_as_many_columns_as_steps() {
        assert_eq!(step_groups().len() as f32, Param::ArpPattern.info().kind.range().1);
    }
}
