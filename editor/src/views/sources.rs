//! The row of chips: all modulation sources.

use crate::names;
use crate::session::Session;
use crate::theme;
use crate::widgets::chip;
use egui::{Rect, Ui, pos2, vec2};
use myriad_engine::modulation::Source;

/// The usual sources; others are shown as soon as a patch uses them.
fn is_shown(source: Source, session: &Session) -> bool {
    let word = source.name().trim_end_matches(|c: char| c.is_ascii_digit());
    let usual = matches!(
        word,
        "env" | "lfo" | "velocity" | "key" | "wheel" | "pressure" | "random" | "copy" | "partial"
    );
    usual || (word != "macro" && is_used(source, session))
}

fn is_used(source: Source, session: &Session) -> bool {
    let mut routes = session.patch.routes.iter();
    routes.any(|route| route.source == source || route.via == Some(source))
}

/// Shows the chips from the right end of `rect`, as many as fit.
pub(crate) fn show(ui: &Ui, session: &Session, rect: Rect) {
    let width = |source: Source| {
        let text = names::source(source, &session.patch);
        let font = theme::regular(11.0);
        let galley = ui.painter().layout_no_wrap(text, font, theme::TEXT);
        galley.size().x + 31.0
    };
    let all = Source::NAMES.iter().map(|&(_, source)| source);
    let mut shown: Vec<Source> = all.filter(|&s| is_shown(s, session)).collect();
    let gap = 6.0;
    let whole = |shown: &[Source]| shown.iter().map(|&s| width(s) + gap).sum::<f32>();
    while !shown.is_empty() && whole(&shown) > rect.width() {
        // Unused sources are left out first.
        let idle = |source: &Source| !is_used(*source, session);
        match shown.iter().rposition(idle) {
            Some(index) => drop(shown.remove(index)),
            None => drop(shown.pop()),
        }
    }
    let mut left = rect.right() - whole(&shown) + gap;
    for source in shown {
        let size = vec2(width(source), 24.0);
        let place = Rect::from_min_size(pos2(left, rect.center().y - 12.0), size);
        chip::chip(ui, session, source, place);
        left += size.x + gap;
    }
}
