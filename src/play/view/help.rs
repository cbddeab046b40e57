//! Overlays: help and the patch browser.

use super::keymap::HELP;
use super::theme;
use super::view_model::Browsing;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Widget};

/// The keys and their actions.
pub(super) fn help(buffer: &mut Buffer, area: Rect) {
    let area = centred(area, 54, HELP.len() as u16 + 4);
    let line = |&(keys, what): &(&str, &str)| {
        Line::from(vec![theme::bright(format!("  {keys:<17}"), theme::ACCENT), theme::text(what)])
    };
    let lines = std::iter::once(Line::default()).chain(HELP.iter().map(line));
    overlay(buffer, area, "Keys", lines.collect());
}

/// The patch browser.
pub(super) fn patches(buffer: &mut Buffer, area: Rect, browsing: &Browsing) {
    let wide = area.width.saturating_sub(6).min(110);
    let area = centred(area, wide, area.height.saturating_sub(4).min(28));
    let rows = usize::from(area.height.saturating_sub(5)).max(1);
    let first = browsing.at.saturating_sub(rows / 2);
    let first = first.min(browsing.rows.len().saturating_sub(rows));
    let mut lines = vec![
        Line::from(vec![
            theme::bright("  / ", theme::ACCENT),
            theme::text(browsing.query.clone()),
            theme::bright("▏", theme::ACCENT),
            theme::dim(match browsing.query.is_empty() {
                true => " type to search, ↑ ↓ to play, enter to keep",
                false => "",
            }),
        ]),
        Line::default(),
    ];
    let shown = browsing.rows.iter().enumerate().skip(first).take(rows);
    for (index, [name, category, description]) in shown {
        let chosen = index == browsing.at;
        let mark = if chosen { "  ▸ " } else { "    " };
        lines.push(Line::from(vec![
            Span::styled(mark, Style::new().fg(theme::ACCENT)),
            match chosen {
                true => theme::bright(format!("{name:<17}"), theme::ACCENT),
                false => theme::text(format!("{name:<17}")),
            },
            theme::dim(format!("{category:<11}{description}")),
        ]));
    }
    if browsing.rows.is_empty() {
        lines.push(Line::from(theme::dim("    no patch matches")));
    }
    overlay(buffer, area, "Patches", lines);
}

fn overlay(buffer: &mut Buffer, area: Rect, title: &str, lines: Vec<Line<'static>>) {
    Clear.render(area, buffer);
    let panel = theme::panel(title)
        .border_style(Style::new().fg(theme::ACCENT))
        .style(Style::new().bg(theme::GROUND));
    let inside = panel.inner(area);
    panel.render(area, buffer);
    Paragraph::new(lines).render(inside, buffer);
}

fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
