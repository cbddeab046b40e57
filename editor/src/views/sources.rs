//! The row of chips: all modulation sources. What does not fit is in a list at its end.

use crate::names;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, chip};
use egui::{Align2, Popup, PopupCloseBehavior, Rect, Sense, Ui, pos2, vec2};
use myriad_engine::modulation::Source;

const HEIGHT: f32 = 24.0;
const GAP: f32 = 5.0;
/// The width of the button that opens the list.
const MORE: f32 = 62.0;

/// How readily a source gives up its place: not at all if it is used, or an envelope or an LFO.
fn rank(source: Source, session: &Session) -> u8 {
    let word = source.name().trim_end_matches(|c: char| c.is_ascii_digit());
    match word {
        _ if is_used(source, session) => 0,
        "env" | "lfo" => 0,
        "velocity" | "key" | "wheel" | "pressure" | "random" | "copy" | "partial" => 1,
        _ => 2,
    }
}

fn is_used(source: Source, session: &Session) -> bool {
    let mut routes = session.patch.routes.iter();
    routes.any(|route| route.source == source || route.via == Some(source))
}

fn width(ui: &Ui, source: Source, session: &Session) -> f32 {
    let text = names::source(source, &session.patch);
    let galley = ui.painter().layout_no_wrap(text, theme::regular(11.0), theme::TEXT);
    galley.size().x + 29.0
}

/// Shows the chips from the left end of `rect`. Macros have theirs at their knobs.
pub(crate) fn show(ui: &Ui, session: &Session, rect: Rect) {
    let is_macro = |source: &Source| source.name().starts_with("macro");
    let all = Source::NAMES.iter().map(|&(_, source)| source);
    let mut shown: Vec<(Source, f32)> = all
        .filter(|source| !is_macro(source))
        .map(|source| (source, width(ui, source, session) + GAP))
        .collect();
    let mut hidden: Vec<Source> = Vec::new();
    let whole = |shown: &[(Source, f32)]| shown.iter().map(|(_, wide)| wide).sum::<f32>() - GAP;
    loop {
        let room = rect.width() - if hidden.is_empty() { 0.0 } else { MORE + GAP };
        if shown.is_empty() || whole(&shown) <= room {
            break;
        }
        let ranks = shown.iter().map(|(source, _)| rank(*source, session));
        let most = ranks.clone().max().unwrap_or(0);
        // Of the readiest the last.
        let index = ranks.collect::<Vec<_>>().iter().rposition(|rank| *rank == most);
        hidden.insert(0, shown.remove(index.unwrap_or(0)).0);
    }
    hidden.sort_by_key(|source| *source as usize);
    let mut left = rect.left();
    let top = rect.center().y - 0.5 * HEIGHT;
    for (source, wide) in shown {
        let place = Rect::from_min_size(pos2(left, top), vec2(wide - GAP, HEIGHT));
        chip::chip(ui, session, source, place);
        left += wide;
    }
    if !hidden.is_empty() {
        let place = Rect::from_min_size(pos2(left, top), vec2(MORE, HEIGHT));
        more(ui, session, &hidden, place);
    }
}

/// The list of the sources that have no place in the row; they are dragged from it.
fn more(ui: &Ui, session: &Session, hidden: &[Source], rect: Rect) {
    let response = button::area(ui, rect, "More sources", "More modulation sources", false);
    button::backdrop(ui.painter(), rect, &response);
    let text = format!("+{} more", hidden.len());
    let ink = button::ink(&response, theme::MUTED);
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, theme::regular(11.0), ink);
    let stays = PopupCloseBehavior::CloseOnClickOutside;
    Popup::menu(&response).close_behavior(stays).show(|ui| {
        for &source in hidden {
            let size = vec2(118.0, HEIGHT);
            let (place, _) = ui.allocate_exact_size(size, Sense::hover());
            chip::chip(ui, session, source, place);
        }
    });
}
