//! The whole panel: what goes where, at every size of terminal.

use super::scene::Scene;
use super::{engine, help, macros, meters, piano, spectrum, theme};
use myriad_player::terminal;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Widget};

/// The smallest terminal that shows everything.
const SMALLEST: [u16; 2] = [64, 22];

/// Draws the scene.
pub(super) fn draw(frame: &mut Frame, scene: &Scene) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    Block::new()
        .style(Style::new().bg(theme::GROUND))
        .render(area, buffer);
    if area.width < SMALLEST[0] || area.height < SMALLEST[1] {
        let text = format!(
            "Playing. This panel needs {} × {} characters; here are {} × {}.",
            SMALLEST[0], SMALLEST[1], area.width, area.height
        );
        Paragraph::new(theme::dim(text)).render(area, buffer);
        return;
    }
    // What is left of tall terminals goes to the spectrum, and a little to the rest.
    let tall = area.height >= 40;
    let [header, sound, middle, knobs, keys, footer] = Layout::vertical([
        Constraint::Length(if tall { 3 } else { 1 }),
        Constraint::Min(7),
        Constraint::Length(if tall { 10 } else { 6 }),
        Constraint::Length(4),
        Constraint::Length(if tall { 6 } else { 3 }),
        Constraint::Length(1),
    ])
    .areas(area);
    title(frame, header, scene);
    let [wide, narrow] =
        Layout::horizontal([Constraint::Min(20), Constraint::Length(meters::WIDTH)]).areas(sound);
    let [figures, timing] =
        Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(middle);
    let buffer = frame.buffer_mut();
    spectrum::draw(buffer, wide, scene);
    meters::draw(buffer, narrow, scene);
    engine::figures(buffer, figures, scene);
    engine::histogram(buffer, timing, scene);
    macros::draw(buffer, knobs, scene);
    piano::draw(buffer, keys, scene);
    foot(frame, footer, scene);
    let buffer = frame.buffer_mut();
    if let Some(browsing) = &scene.browser {
        help::patches(buffer, area, browsing);
    }
    if scene.help {
        help::help(buffer, area);
    }
}

fn title(frame: &mut Frame, area: Rect, scene: &Scene) {
    let [name, category, description] = &scene.patch;
    let device = match scene.connected {
        true => theme::dim(format!("{} ", scene.device)),
        false => theme::bright("device away, playing on in silence ", theme::ALARM),
    };
    let right = Line::from(device).right_aligned();
    let room = usize::from(area.width).saturating_sub(right.width() + name.len() + 14);
    let mut left = vec![Span::raw(" ")];
    for (index, letter) in "MYRIAD".chars().enumerate() {
        left.push(theme::bright(
            letter.to_string(),
            theme::dawn(0.45 + 0.09 * index as f32),
        ));
    }
    left.push(theme::bright(format!("  {name}"), theme::TEXT));
    left.push(theme::dim(fitted(
        &format!("  {category} · {description}"),
        room,
    )));
    let line = Rect {
        y: area.y + area.height / 2,
        height: 1,
        ..area
    };
    frame.render_widget(Line::from(left), line);
    frame.render_widget(right, line);
}

/// As much of a text as there is room for.
fn fitted(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let start: String = text.chars().take(room.saturating_sub(1)).collect();
    start.trim_end().to_owned() + "…"
}

fn foot(frame: &mut Frame, area: Rect, scene: &Scene) {
    let mut right = Vec::new();
    if scene.recording {
        right.push(theme::bright("● rec  ", theme::ALARM));
    }
    if let Some([position, length]) = scene.song {
        let clock = |seconds: f64| {
            terminal::clock(seconds)
                .chars()
                .take_while(|c| *c != '.')
                .collect::<String>()
        };
        right.push(theme::text(format!(
            "♪ {} / {}  ",
            clock(position),
            clock(length)
        )));
    }
    if scene.pedal {
        right.push(theme::bright("pedal  ", theme::ACCENT));
    }
    let velocity = (scene.velocity * 127.0).round();
    let octave = i32::from(scene.lowest) / 12 - 1;
    right.push(theme::dim(format!("octave {octave}  velocity {velocity} ")));
    let right = Line::from(right).right_aligned();
    let room = usize::from(area.width).saturating_sub(right.width() + 1);
    let left = match &scene.news {
        Some(news) => {
            let news = fitted(&format!(" {news}"), room);
            Line::from(theme::bright(news, theme::CALM))
        }
        None => {
            let keys = [
                ("?", "help"),
                ("/", "patches"),
                ("^C", "leave"),
                ("←→↑↓", "macros"),
                ("l", "learn"),
            ];
            let mut spans = vec![Span::raw(" ")];
            for (key, what) in keys {
                let next = [
                    theme::bright(key, theme::ACCENT),
                    theme::dim(format!(" {what}  ")),
                ];
                let width: usize = spans.iter().chain(&next).map(Span::width).sum();
                if width <= room {
                    spans.extend(next);
                }
            }
            Line::from(spans)
        }
    };
    frame.render_widget(left, area);
    frame.render_widget(right, area);
}
