//! Strips: the parameters of a group side by side, each with the widget of its kind.

use crate::session::Session;
use crate::widgets::{choice, knob};
use egui::{Rect, Ui, pos2, vec2};
use myriad_engine::params::{Kind, Param};

/// The parameters of a group, in the order of the table.
pub(crate) fn of_group(group: &str) -> Vec<Param> {
    let of = |param: &&Param| param.info().group() == group;
    Param::ALL.iter().filter(of).copied().collect()
}

fn width(param: Param) -> f32 {
    match param.info().kind {
        Kind::Choice(_) => choice::width(param),
        _ => knob::CELL.x,
    }
}

/// The width of a strip without a break.
pub(crate) fn strip_width(params: &[Param]) -> f32 {
    params.iter().map(|&param| width(param)).sum()
}

/// How far cells are pushed together before a row breaks.
pub(crate) const SQUEEZE: f32 = 0.78;

/// The rows that parameters need in `room`; they are pushed together only where that saves a row,
/// and no further than needed.
pub(crate) fn rows(params: &[Param], room: f32) -> Vec<Vec<Param>> {
    const STEP: f32 = 4.0;
    let tight = rows_of(params, room / SQUEEZE);
    let mut wide = room;
    while wide < room / SQUEEZE {
        let rows = rows_of(params, wide);
        if rows.len() == tight.len() {
            return rows;
        }
        wide += STEP;
    }
    tight
}

/// Parameters in rows of a width.
fn rows_of(params: &[Param], room: f32) -> Vec<Vec<Param>> {
    let mut rows: Vec<Vec<Param>> = vec![Vec::new()];
    let mut used = 0.0;
    for &param in params {
        if used + width(param) > room + 1.0 && used > 0.0 {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width(param);
        if let Some(row) = rows.last_mut() {
            row.push(param);
        }
    }
    rows
}

/// The least width in which they need at most two rows.
pub(crate) fn width_in_two_rows(params: &[Param]) -> f32 {
    let whole = strip_width(params);
    let halves = (1..=params.len()).map(|first| {
        let (above, below) = params.split_at(first);
        strip_width(above).max(strip_width(below))
    });
    halves.fold(whole, f32::min)
}

/// Shows parameters from left to right, in as many rows as they need, centred in `rect`. Returns
/// the height used.
pub(crate) fn strip(ui: &mut Ui, session: &mut Session, params: &[Param], rect: Rect) -> f32 {
    let rows = rows(params, rect.width());
    let mut top = rect.top();
    for row in &rows {
        let push = (rect.width() / strip_width(row).max(1.0)).min(1.0);
        let air = ((rect.width() - strip_width(row)) / row.len().max(1) as f32).clamp(0.0, 26.0);
        let whole = push * strip_width(row) + air * row.len() as f32;
        let mut left = rect.left() + (rect.width() - whole).max(0.0) / 2.0;
        for &param in row {
            let cell = vec2(push * width(param) + air, knob::CELL.y);
            show(ui, session, param, Rect::from_min_size(pos2(left, top), cell));
            left += cell.x;
        }
        top += knob::CELL.y;
    }
    top - rect.top()
}

/// The widget of one parameter in a cell.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, param: Param, cell: Rect) {
    match param.info().kind {
        Kind::Choice(_) => {
            let wide = width(param).min(cell.width());
            let inner = Rect::from_center_size(cell.center(), vec2(wide, cell.height()));
            choice::cell(ui, session, param, inner);
        }
        _ => knob::knob(ui, session, param, cell),
    }
}
