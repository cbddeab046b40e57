//! The play page: chord, zone and tuning. Each panel shows its settings.

use super::pages::{GAP, Page};
use super::tuning::{self, TuningPanel};
use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::keyboard::Span;
use crate::widgets::strip;
use egui::accesskit::Role;
use egui::{Align2, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::params::Param;

/// The root key of the chord display.
const ROOT: u8 = 60;

/// A panel for each group: its display on the left, its knobs in two rows on the right.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, tuning: &mut TuningPanel, rect: Rect) {
    let panel = rect.with_min_x(rect.right() - tuning::WIDTH);
    tuning.show(ui, session, panel);
    let rect = rect.with_max_x(panel.left() - GAP);
    let groups = Page::Play.groups();
    let knobs = |group: &str| strip::width_in_two_rows(&strip::of_group(group)) + 32.0;
    // The chord needs more room than the zone.
    let weight = |group: &str| if group == "zone" { 0.5 } else { 1.0 };
    let taken: f32 = groups.iter().map(|group| knobs(group) + GAP).sum();
    let whole: f32 = groups.iter().map(|group| weight(group)).sum();
    let share = (rect.width() + GAP - taken) / whole;
    let mut left = rect.left();
    for group in groups {
        let room = share * weight(group);
        let size = vec2(knobs(group) + room, rect.height());
        let panel = Rect::from_min_size(pos2(left, rect.top()), size);
        let inside = theme::titled_panel(ui.painter(), panel, &names::group(group));
        let mut place = inside;
        if room > 64.0 {
            let drawing = inside.with_max_x(inside.left() + room);
            place = inside.with_min_x(drawing.right() + 8.0);
            match group {
                "chord" => chord(ui, session, drawing),
                "zone" => zone(ui, session, drawing),
                // A new group has knobs, and no display yet.
                _ => {}
            }
        }
        strip::strip(ui, session, &strip::of_group(group), place);
        left += size.x + GAP;
    }
}

/// The notes of the chord on keys: a click adds one or takes it away.
fn chord(ui: &Ui, session: &mut Session, rect: Rect) {
    let slots = strip::of_group("chord");
    let span = Span {
        rect: Rect::from_center_size(rect.center(), vec2(rect.width(), rect.height().min(120.0))),
        lowest: ROOT - 12,
        highest: ROOT + if rect.width() > 120.0 { 24 } else { 12 },
    };
    let id = ui.scope_id().with("chord keys");
    let response = ui.interact(span.rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Chord keys"));
    let hovered = response.hover_pos().and_then(|at| span.key_at(at));
    let note = |session: &Session, slot: Param| session.value(slot) as i32;
    if response.clicked()
        && let Some((key, _)) = hovered
        && key != ROOT
    {
        let interval = i32::from(key) - i32::from(ROOT);
        let there = slots.iter().find(|&&slot| note(session, slot) == interval);
        let free = slots.iter().find(|&&slot| note(session, slot) == 0);
        match (there, free) {
            (Some(&slot), _) => session.change(slot, 0.0),
            (None, Some(&slot)) => session.change(slot, interval as f32),
            (None, None) => {}
        }
    }
    let notes: Vec<i32> = slots.iter().map(|&slot| note(session, slot)).collect();
    let down = |key: u8| {
        let interval = i32::from(key) - i32::from(ROOT);
        interval == 0 || notes.contains(&interval)
    };
    span.paint(&ui.painter_at(span.rect), down, hovered.map(|(key, _)| key));
    response.on_hover_text("Notes of the chord: click to add or remove one");
}

/// The key and velocity range of this part.
fn zone(ui: &Ui, session: &Session, rect: Rect) {
    theme::well(ui.painter(), rect);
    let painter = ui.painter_at(rect);
    let plot = rect.shrink2(vec2(8.0, 8.0));
    for octave in 0..=10 {
        let x = plot.left() + plot.width() * (12 * octave) as f32 / 127.0;
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.45));
        painter.vline(x, plot.y_range(), stroke);
    }
    let x = |key: Param| plot.left() + session.value(key) / 127.0 * plot.width();
    let y = |velocity: Param| plot.bottom() - session.value(velocity) * plot.height();
    let field = Rect::from_min_max(
        pos2(x(Param::ZoneLowKey), y(Param::ZoneHighVelocity)),
        pos2(x(Param::ZoneHighKey), y(Param::ZoneLowVelocity)),
    );
    if field.width() >= 0.0 && field.height() >= 0.0 {
        let top = theme::light(theme::VIOLET, 0.34);
        let bottom = theme::light(theme::VIOLET, 0.1);
        paint::vertical_gradient(&painter, field, top, bottom);
        let edge = Stroke::new(1.4, theme::VIOLET);
        painter.rect_stroke(field, 2.0, edge, egui::StrokeKind::Inside);
    }
    let words = [
        ("keys", plot.right_bottom(), Align2::RIGHT_BOTTOM),
        ("hard", plot.left_top(), Align2::LEFT_TOP),
    ];
    for (word, at, anchor) in words {
        let inwards = (plot.center() - at) * 0.06;
        painter.text(at + inwards, anchor, word, theme::regular(9.0), theme::MUTED);
    }
}
