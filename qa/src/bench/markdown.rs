//! The tables of the README, from a kept run: `benches/readme` puts them there.

use super::candidate;
use super::held::Work;
use super::pace::Pace;
use super::report::Report;
use super::table::{micros, partials};
use super::text::distinct;
use std::fmt::Write;

/// What a machine holds and how quickly blocks come back, as Markdown.
pub(super) fn tables(report: &Report) -> String {
    let date = report.date.split('T').next().unwrap_or_default();
    let mut text = format!(
        "{}. Myriad {}, {date}.\n\n",
        report.machine.line(),
        report.version
    );
    if let Some(rows) = &report.held {
        let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
        heading(&mut text, "partials in real time", report, &ids);
        for work in distinct(rows.iter().map(|row| row.work)) {
            let held = |id: &&str| {
                let mut rows = rows.iter();
                let row = rows.find(|row| row.work == work && row.renderer == *id);
                row.map_or_else(String::new, |row| partials(row.partials.value))
            };
            line(&mut text, name(work), ids.iter().map(held));
        }
        text.push('\n');
    }
    if let Some(rows) = &report.played {
        let title = "1,024 voices played in blocks of 64: median, 99%, worst µs";
        let paced: Vec<_> = rows.iter().filter(|row| row.pace == Pace::Paced).collect();
        let ids = distinct(paced.iter().map(|row| row.renderer.as_str()));
        heading(&mut text, title, report, &ids);
        let times = |id: &&str| {
            let mut rows = paced.iter();
            let block = rows.find(|row| row.renderer == *id).map(|row| &row.block);
            block.map_or_else(String::new, |block| {
                let [p50, p99, max] = [&block.p50, &block.p99, &block.max];
                let [p50, p99, max] = [p50, p99, max].map(|figure| micros(figure.value));
                format!("{p50}, {p99}, {max}")
            })
        };
        line(&mut text, "a block, of 1,333 µs", ids.iter().map(times));
        text.push('\n');
    }
    text
}

/// What people call the work, in the README.
fn name(work: Work) -> &'static str {
    match work.id() {
        "bank" => "the bank alone",
        "table" => "the renderer: pitch, morph and gains moving",
        "filtered" => "tilt, damping and filter too",
        _ => "everything there is",
    }
}

fn heading(text: &mut String, title: &str, report: &Report, ids: &[&str]) {
    let names = ids.iter();
    let names = names.map(|id| candidate::name(id, report.machine.cores));
    line(text, title, names);
    line(text, "---", ids.iter().map(|_| "---:".to_owned()));
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "| {first} | {} |", cells.join(" | "));
}
