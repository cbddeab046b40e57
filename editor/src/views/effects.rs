//! The effects page: the rack in its order, and the selected effect.

mod display;

use super::pages::Page;
use super::presets::BUTTON;
use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control, strip};
use egui::{Align2, CursorIcon, Key, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::params::Param;

const SLOT: f32 = 28.0;

/// Rows of slots.
const ROWS: usize = 2;

/// One effect: its group, its switch and its order parameter.
#[derive(Clone, Copy)]
struct Unit {
    group: &'static str,
    on: Param,
    place: Param,
}

impl Unit {
    fn of_group(group: &'static str) -> Option<Self> {
        let (on, place) = switch_and_place(group)?;
        Some(Self { group, on, place })
    }
}

fn switch_and_place(group: &str) -> Option<(Param, Param)> {
    let get = |key: &str| Param::by_id(&format!("{group}.{key}"));
    Some((get("on")?, get("place")?))
}

/// Whether a group of the table is an effect.
pub(crate) fn is_effect(group: &str) -> bool {
    switch_and_place(group).is_some()
}

/// State of the page: which effect is selected.
#[derive(Debug, Default)]
pub(crate) struct Rack {
    chosen: Option<&'static str>,
}

impl Rack {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        theme::panel(ui.painter(), rect);
        let inside = rect.shrink2(vec2(12.0, 10.0));
        let units = units(session);
        // At first an effect that is on.
        let first = units.iter().find(|unit| session.index(unit.on) == 1);
        let first = first.or(units.first()).map(|unit| unit.group);
        let Some(chosen) = self.chosen.or(first) else {
            return;
        };
        // The button of the presets is at the right.
        let slots = inside.with_max_y(inside.top() + ROWS as f32 * SLOT);
        let slots = slots.with_max_x(slots.right() - BUTTON);
        if let Some(group) = slots_of(ui, session, &units, chosen, slots) {
            self.chosen = Some(group);
        }
        let below = inside.with_min_y(slots.bottom() + 10.0);
        let drawing = below.with_max_x(below.left() + 0.27 * below.width());
        display::show(ui, session, chosen, drawing);
        let mut params = strip::of_group(chosen);
        params.retain(|param| !matches!(param.info().key(), "on" | "place"));
        let knobs = below.with_min_x(drawing.right() + 14.0);
        let spare = (knobs.height() - crate::widgets::knob::CELL.y).max(0.0);
        let knobs = knobs.with_min_y(knobs.top() + 0.5 * spare);
        strip::strip(ui, session, &params, knobs);
    }
}

/// The effects in the order of processing.
fn units(session: &Session) -> Vec<Unit> {
    let groups = Page::Effects.groups().into_iter();
    let mut units: Vec<Unit> = groups.filter_map(Unit::of_group).collect();
    units.sort_by_key(|unit| session.value(unit.place) as i32);
    units
}

/// The slots, row by row. Returns the group of one that was clicked.
fn slots_of(
    ui: &Ui,
    session: &mut Session,
    units: &[Unit],
    chosen: &str,
    rect: Rect,
) -> Option<&'static str> {
    let grid = Grid { rect, columns: units.len().div_ceil(ROWS) };
    let line = Stroke::new(1.5, theme::EDGE);
    for row in 0..ROWS {
        let y = grid.slot(row * grid.columns).center().y;
        ui.painter().hline(rect.x_range(), y, line);
    }
    let mut clicked = None;
    for (index, unit) in units.iter().enumerate() {
        let slot = grid.slot(index);
        let on = session.index(unit.on) == 1;
        let selected = unit.group == chosen;
        let edge = match (selected, on) {
            (true, _) => theme::AMBER,
            (false, true) => theme::FAINT,
            (false, false) => theme::EDGE,
        };
        let painter = ui.painter();
        let fill = if selected { theme::RAISED } else { theme::WELL };
        let stroke = Stroke::new(1.0, edge);
        painter.rect(slot, theme::SMALL_ROUND, fill, stroke, egui::StrokeKind::Inside);
        // The lamp is the switch; the rest of the slot selects and moves the effect.
        let lamp = slot.with_max_x(slot.left() + 26.0);
        let tip = unit.on.info().help;
        let pressed = button::area(ui, lamp, &names::of(unit.on), tip, on);
        paint::lamp(painter, lamp.center(), on, theme::AMBER);
        if pressed.clicked() {
            switch(session, unit.on, !on);
            clicked = Some(unit.group);
        }
        let body = slot.with_min_x(lamp.right());
        if place(ui, session, units, index, body, &grid) {
            clicked = Some(unit.group);
        }
        let colour = match (selected, on) {
            (true, _) => theme::AMBER,
            (false, true) => theme::TEXT,
            (false, false) => theme::MUTED,
        };
        let name = names::group(unit.group);
        let font = theme::regular(11.5);
        let painter = ui.painter_at(slot);
        painter.text(body.left_center(), Align2::LEFT_CENTER, name, font, colour);
    }
    clicked
}

/// Switches an effect. The convolver's memory comes with a patch, so a patch without it is loaded again.
fn switch(session: &mut Session, switch: Param, on: bool) {
    if switch == Param::ConvolverOn && on && session.patch.values[switch] == 0.0 {
        let mut patch = session.snapshot();
        patch.values.set(switch, 1.0);
        session.replace(patch, names::of(switch));
    } else {
        session.change(switch, if on { 1.0 } else { 0.0 });
    }
}

/// Where the slots are: in rows, from left to right.
struct Grid {
    rect: Rect,
    columns: usize,
}

impl Grid {
    fn wide(&self) -> f32 {
        self.rect.width() / self.columns as f32
    }

    fn slot(&self, index: usize) -> Rect {
        let x = self.rect.left() + self.wide() * (index % self.columns) as f32;
        let y = self.rect.top() + SLOT * (index / self.columns) as f32;
        Rect::from_min_size(pos2(x, y), vec2(self.wide() - 6.0, SLOT - 4.0))
    }

    /// The slot at a point, or the nearest.
    fn index(&self, at: Pos2) -> usize {
        let column = ((at.x - self.rect.left()) / self.wide()).max(0.0) as usize;
        let row = ((at.y - self.rect.top()) / SLOT).max(0.0) as usize;
        row.min(ROWS - 1) * self.columns + column.min(self.columns - 1)
    }
}

/// Lets a slot be dragged, or moved with the arrow keys, to another position. Returns whether it
/// was clicked.
fn place(
    ui: &Ui,
    session: &mut Session,
    units: &[Unit],
    index: usize,
    body: Rect,
    grid: &Grid,
) -> bool {
    let unit = units[index];
    let id = control::id(ui, unit.place);
    let response =
        ui.interact(body, id, Sense::click_and_drag()).on_hover_and_drag_cursor(CursorIcon::Grab);
    let name = names::of(unit.place);
    let value = f64::from(session.value(unit.place));
    response.widget_info(|| WidgetInfo::slider(true, value, &name));
    let last = units.len() - 1;
    let mut target = index;
    if response.dragged()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        target = grid.index(pointer).min(last);
    }
    if response.has_focus() {
        let pressed = |key: Key| ui.input(|input| input.num_presses(key));
        target = (target + pressed(Key::ArrowRight)).min(last);
        target = target.saturating_sub(pressed(Key::ArrowLeft));
    }
    if target != index {
        let mut order = units.to_vec();
        let moved = order.remove(index);
        order.insert(target, moved);
        let places: Vec<Param> = order.iter().map(|unit| unit.place).collect();
        session.begin(&places);
        for (place, param) in places.into_iter().enumerate() {
            session.set(param, (place + 1) as f32);
        }
        session.end();
    }
    let clicked = response.clicked() || response.drag_started();
    response.on_hover_text("Click to select, drag to change the order");
    clicked
}
