//! Numbers of the engine, and the histogram of render times.

use super::view_model::ViewModel;
use super::{bars, theme};
use myriad_live::stream::Histogram;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget};

/// Numbers in two columns.
pub(super) fn figures(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let inside = theme::framed(buffer, area, "Engine");
    let figures = &model.figures;
    let alarm = |count: u64| match count {
        0 => theme::CALM,
        _ => theme::ALARM,
    };
    let cpu = figures.cpu.map_or("–".to_owned(), |cpu| format!("{:.0}%", cpu * 100.0));
    let ready = figures.fill as f32 / figures.depth.max(1) as f32;
    let cells = [
        ("voices", grouped(figures.voices as u64), theme::ACCENT),
        ("partials", grouped(figures.partials as u64), theme::ACCENT),
        ("renderer", figures.renderer.clone(), theme::TEXT),
        ("cpu", cpu, theme::TEXT),
        ("latency", format!("{:.1} ms", model.latency_ms), theme::TEXT),
        ("ready", format!("{:.0}%", ready * 100.0), theme::TEXT),
        ("underruns", grouped(figures.underruns), alarm(figures.underruns)),
        ("device late", grouped(figures.xruns), alarm(figures.xruns)),
    ];
    let row = |pair: &[(&str, String, Color)]| {
        let half = usize::from(inside.width / 2);
        let mut spans: Vec<Span> = vec![Span::raw(" ")];
        for (label, value, colour) in pair {
            let room = half.saturating_sub(label.chars().count() + 3);
            spans.push(theme::dim(*label));
            spans.push(theme::bright(format!(" {value:>room$}  "), *colour));
        }
        Line::from(spans)
    };
    // Tall panels have empty lines in between.
    let apart = usize::from(inside.height as usize >= cells.len() - 1);
    let lines: Vec<Line> = cells
        .chunks(2)
        .flat_map(|pair| std::iter::once(row(pair)).chain(vec![Line::default(); apart]))
        .collect();
    Paragraph::new(lines).render(inside, buffer);
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The range of the histogram, relative to the deadline.
const SHARES: [f32; 2] = [1.0 / 1_024.0, 4.0];

/// The histogram of render times relative to the deadline.
pub(super) fn histogram(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let inside = theme::framed(buffer, area, "Render time / deadline");
    if inside.height < 2 {
        return;
    }
    let plot = Rect { height: inside.height - 1, ..inside };
    let counts = &model.render_time.counts;
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let place = |share: f32| {
        let octaves = |share: f32| share.max(SHARES[0] / 2.0).log2();
        (octaves(share) - octaves(SHARES[0])) / (octaves(SHARES[1]) - octaves(SHARES[0]))
    };
    let share = |at: f32| SHARES[0] * (SHARES[1] / SHARES[0]).powf(at);
    for column in 0..plot.width {
        let edge = |column: u16| f32::from(column) / f32::from(plot.width);
        let at = (edge(column) + edge(column + 1)) / 2.0;
        let [first, last] = [column, column + 1].map(|c| Histogram::bucket(share(edge(c))));
        let count = counts[first..=last].iter().max().copied().unwrap_or(0);
        if count == 0 {
            continue;
        }
        // Logarithmic, so that one late block among millions is visible.
        let share = (1.0 + count as f32).ln() / (1.0 + most as f32).ln();
        let late = at >= place(1.0);
        let colour = |height: f32| match late {
            true => theme::ALARM,
            false => theme::level_colour(0.3 + 0.35 * at + 0.2 * height),
        };
        bars::column(buffer, plot, plot.x + column, share, colour);
    }
    let deadline = plot.x + (place(1.0) * f32::from(plot.width)) as u16;
    for y in plot.top()..plot.bottom() {
        let cell = &mut buffer[(deadline, y)];
        if cell.symbol() == " " {
            cell.set_symbol("┊").set_fg(theme::ALARM);
        }
    }
    let labels = [(0.01, "1%"), (0.1, "10%"), (1.0, "100%")];
    for (share, label) in labels {
        let x = plot.x + (place(share) * f32::from(plot.width)) as u16;
        let x = x.saturating_sub(label.len() as u16 / 2);
        buffer.set_string(x, inside.bottom() - 1, label, Style::new().fg(theme::DIM));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_have_commas() {
        let grouped = [0, 999, 1_000, 1_234_567].map(super::grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
    }
}
