//! The layout of the view, at every size of terminal.

use super::view_model::ViewModel;
use super::{engine, help, macros, meters, piano, spectrum, theme};
use myriad_player::terminal;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Widget};

/// The smallest terminal that fits the view.
const SMALLEST: [u16; 2] = [64, 22];

pub(super) fn draw(frame: &mut Frame, model: &ViewModel) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    Block::new().style(Style::new().bg(theme::GROUND)).render(area, buffer);
    if area.width < SMALLEST[0] || area.height < SMALLEST[1] {
        let text = format!(
            "Playing. The view needs {} × {} characters; this terminal has {} × {}.",
            SMALLEST[0], SMALLEST[1], area.width, area.height
        );
        Paragraph::new(theme::dim(text)).render(area, buffer);
        return;
    }
    // Most of the height of tall terminals goes to the spectrum.
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
    title(frame, header, model);
    let [wide, narrow] =
        Layout::horizontal([Constraint::Min(20), Constraint::Length(meters::WIDTH)]).areas(sound);
    let [figures, timing] =
        Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(middle);
    let buffer = frame.buffer_mut();
    spectrum::draw(buffer, wide, model);
    meters::draw(buffer, narrow, model);
    engine::figures(buffer, figures, model);
    engine::histogram(buffer, timing, model);
    macros::draw(buffer, knobs, model);
    piano::draw(buffer, keys, model);
    foot(frame, footer, model);
    let buffer = frame.buffer_mut();
    if let Some(browsing) = &model.browser {
        help::patches(buffer, area, browsing);
    }
    if model.help {
        help::help(buffer, area);
    }
}

fn title(frame: &mut Frame, area: Rect, model: &ViewModel) {
    let [name, category, description] = &model.patch;
    let device = match model.connected {
        true => theme::dim(format!("{} ", model.device)),
        false => theme::bright("device lost, playing on in silence ", theme::ALARM),
    };
    let right = Line::from(device).right_aligned();
    let room = usize::from(area.width).saturating_sub(right.width() + name.len() + 14);
    let mut left = vec![Span::raw(" ")];
    for (index, letter) in "MYRIAD".chars().enumerate() {
        left.push(theme::bright(
            letter.to_string(),
            theme::level_colour(0.45 + 0.09 * index as f32),
        ));
    }
    left.push(theme::bright(format!("  {name}"), theme::TEXT));
    left.push(theme::dim(fitted(&format!("  {category} · {description}"), room)));
    let line = Rect { y: area.y + area.height / 2, height: 1, ..area };
    frame.render_widget(Line::from(left), line);
    frame.render_widget(right, line);
}

/// The text, shortened to `room` characters.
fn fitted(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let start: String = text.chars().take(room.saturating_sub(1)).collect();
    start.trim_end().to_owned() + "…"
}

fn foot(frame: &mut Frame, area: Rect, model: &ViewModel) {
    let mut right = Vec::new();
    if model.recording {
        right.push(theme::bright("● rec  ", theme::ALARM));
    }
    if let Some([position, length]) = model.song {
        let clock = |seconds: f64| {
            terminal::clock(seconds).chars().take_while(|c| *c != '.').collect::<String>()
        };
        right.push(theme::text(format!("♪ {} / {}  ", clock(position), clock(length))));
    }
    if model.pedal {
        right.push(theme::bright("pedal  ", theme::ACCENT));
    }
    let velocity = (model.velocity * 127.0).round();
    let octave = i32::from(model.lowest) / 12 - 1;
    right.push(theme::dim(format!("octave {octave}  velocity {velocity} ")));
    let right = Line::from(right).right_aligned();
    let room = usize::from(area.width).saturating_sub(right.width() + 1);
    let left = match &model.news {
        Some(news) => {
            let news = fitted(&format!(" {news}"), room);
            Line::from(theme::bright(news, theme::CALM))
        }
        None => {
            let keys = [
                ("?", "help"),
                ("/", "patches"),
                ("^C", "quit"),
                ("←→↑↓", "macros"),
                ("l", "learn"),
            ];
            let mut spans = vec![Span::raw(" ")];
            for (key, what) in keys {
                let next = [theme::bright(key, theme::ACCENT), theme::dim(format!(" {what}  "))];
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
