//! Fields: a parameter as its name and value on one line, for less common parameters.

use crate::session::Session;
use crate::theme;
use crate::widgets::{control, entry};
use egui::{Align2, Rect, Ui, pos2};
use myriad_engine::params::{Kind, Param};

/// Below this width there is no room for both name and value.
const NARROW: f32 = 76.0;

/// The field of a number: behaves like a knob. Where there is little room it shows its name while
/// it has its default, and its value otherwise.
pub(crate) fn field(ui: &mut Ui, session: &mut Session, param: Param, rect: Rect) {
    theme::well(ui.painter(), rect);
    let narrow = rect.width() < NARROW;
    let idle = session.value(param) == param.info().default;
    let middle = match (narrow, idle) {
        (false, _) => rect.left() + 0.46 * rect.width(),
        (true, true) => rect.right(),
        (true, false) => rect.left() + 10.0,
    };
    let response = control::interact(ui, session, param, rect.with_max_x(middle));
    let awake = response.hovered() || response.dragged() || response.has_focus();
    if !narrow || idle {
        let colour = if awake { theme::TEXT } else { theme::MUTED };
        let painter = ui.painter_at(rect);
        let at = pos2(rect.left() + 7.0, rect.center().y);
        let font = theme::regular(10.5);
        painter.text(at, Align2::LEFT_CENTER, param.info().name, font, colour);
    }
    if !narrow || !idle {
        let value = rect.with_min_x(middle).shrink2(egui::vec2(2.0, 4.0));
        entry::value(ui, session, param, value, 10.5);
    }
}

/// The field of a switch: a lamp and its name; a click toggles it.
pub(crate) fn switch(ui: &Ui, session: &mut Session, param: Param, rect: Rect) {
    debug_assert!(matches!(param.info().kind, Kind::Choice(names) if names.len() == 2));
    theme::well(ui.painter(), rect);
    let response = control::interact(ui, session, param, rect);
    let on = session.index(param) == 1;
    if response.clicked() {
        session.change(param, if on { 0.0 } else { 1.0 });
    }
    let lamp = pos2(rect.left() + 11.0, rect.center().y);
    crate::paint::lamp(ui.painter(), lamp, on, theme::AMBER);
    let colour = match on {
        true => theme::AMBER,
        false => crate::widgets::button::ink(&response, theme::MUTED),
    };
    let at = lamp + egui::vec2(9.0, 0.0);
    let font = theme::regular(10.5);
    let name = param.info().name;
    let painter = ui.painter_at(rect);
    painter.text(at, Align2::LEFT_CENTER, name, font, colour);
}
