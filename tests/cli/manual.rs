//! Checks the parameter reference in the manual against the parameter table.
//!
//! `REGENERATE_MANUAL=1 cargo test --test cli manual` writes it anew.

use myriad_engine::params::{Curve, Kind, ParamInfo, TABLE, Unit};
use std::fmt::Write;
use std::fs;

const START: &str = "<!-- parameters -->\n";
const END: &str = "<!-- end of parameters -->";

/// A table for every group. Groups that differ only in their number (envelopes, LFOs) share one.
fn reference() -> String {
    let mut out = String::new();
    let mut groups: Vec<&str> = TABLE.iter().map(|info| info.group()).collect();
    groups.dedup();
    let numbered = |group: &str| group.trim_end_matches(char::is_numeric) != group;
    let alike = |a: &&&str, b: &&&str| {
        let base = |group: &str| group.trim_end_matches(char::is_numeric).to_owned();
        numbered(a) && numbered(b) && base(a) == base(b)
    };
    for first in &groups {
        let same: Vec<&&str> = groups.iter().filter(|other| alike(&first, other)).collect();
        if same.first().is_some_and(|other| *other != first) {
            continue;
        }
        let title = match same.last() {
            Some(last) if *last != first => format!("{first} to {last}"),
            _ => (*first).to_owned(),
        };
        let head = "| id | name | range | default | routes | |\n|---|---|---|---|---|---|";
        writeln!(out, "\n### {title}\n\n{head}").unwrap();
        for info in TABLE.iter().filter(|info| info.group() == *first) {
            let others = TABLE.iter().filter(|other| {
                other.key() == info.key() && same.iter().any(|group| **group == other.group())
            });
            let mut defaults: Vec<String> = others.map(|row| row.format(row.default)).collect();
            if defaults.iter().all(|default| *default == defaults[0]) {
                defaults = vec![info.format(info.default)];
            }
            row(&mut out, info, &defaults.join(", "));
        }
    }
    out.push_str(
        "\n*Routes* is the unit of a route's amount; empty where routes cannot reach.\n\n",
    );
    out
}

fn row(out: &mut String, info: &ParamInfo, default: &str) {
    let range = match info.kind {
        Kind::Choice(names) => names.join(", "),
        kind => {
            let (min, max) = kind.range();
            format!("{} to {}", kind.format(min), kind.format(max))
        }
    };
    let routes = match info.kind {
        _ if !info.modulated => "",
        Kind::Number { curve: Curve::Exponential, .. } => "octaves",
        Kind::Number { curve: Curve::Power(_), .. } => "knob",
        Kind::Number { unit: Unit::Percent | Unit::Pan | Unit::Plain, .. } => "1",
        Kind::Number { unit, .. } => unit.symbol(),
        _ => "1",
    };
    let ParamInfo { id, name, help, .. } = info;
    writeln!(out, "| `{id}` | {name} | {range} | {default} | {routes} | {help} |").unwrap();
}

#[test]
fn the_manual_lists_every_parameter_as_it_is() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/MANUAL.md");
    let text = fs::read_to_string(file).unwrap();
    let start = text.find(START).unwrap() + START.len();
    let end = text.find(END).unwrap();
    if std::env::var_os("REGENERATE_MANUAL").is_some() {
        fs::write(file, format!("{}{}{}", &text[..start], reference(), &text[end..])).unwrap();
    } else {
        assert!(
            text[start..end] == reference(),
            "docs/MANUAL.md is out of date; run: REGENERATE_MANUAL=1 cargo test --test cli manual"
        );
    }
}
