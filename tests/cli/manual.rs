//! Checks the parameter reference in the manual against the parameter table.
//!
//! `REGENERATE_MANUAL=1 cargo test --test cli manual` writes it anew.

use myriad_engine::params::{Curve, Kind, TABLE, Unit};
use std::fmt::Write;
use std::fs;

const START: &str = "<!-- parameters -->\n";
const END: &str = "<!-- end of parameters -->";

fn reference() -> String {
    let mut out = String::new();
    let mut group = "";
    for info in TABLE {
        if info.group() != group {
            group = info.group();
            let head = "| id | name | range | default | routes | |\n|---|---|---|---|---|---|";
            writeln!(out, "\n### {group}\n\n{head}").unwrap();
        }
        let range = match info.kind {
            Kind::Choice(names) => names.join(", "),
            kind => {
                let (min, max) = kind.range();
                format!("{} to {}", kind.format(min), kind.format(max))
            }
        };
        let routes = match info.kind {
            _ if !info.modulated => "",
            Kind::Number {
                curve: Curve::Exponential,
                ..
            } => "octaves",
            Kind::Number {
                curve: Curve::Power(_),
                ..
            } => "way",
            Kind::Number {
                unit: Unit::Percent | Unit::Pan | Unit::Plain,
                ..
            } => "1",
            Kind::Number { unit, .. } => unit.symbol(),
            _ => "1",
        };
        let default = info.format(info.default);
        let help = info.help;
        writeln!(
            out,
            "| `{}` | {} | {range} | {default} | {routes} | {help} |",
            info.id, info.name
        )
        .unwrap();
    }
    out.push_str(
        "\n*Routes* is the unit of a route's amount; empty where routes cannot reach.\n\n",
    );
    out
}

#[test]
fn the_manual_lists_every_parameter_as_it_is() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/MANUAL.md");
    let text = fs::read_to_string(file).unwrap();
    let start = text.find(START).unwrap() + START.len();
    let end = text.find(END).unwrap();
    if std::env::var_os("REGENERATE_MANUAL").is_some() {
        fs::write(
            file,
            format!("{}{}{}", &text[..start], reference(), &text[end..]),
        )
        .unwrap();
    } else {
        assert!(
            text[start..end] == reference(),
            "docs/MANUAL.md is out of date; run: REGENERATE_MANUAL=1 cargo test --test cli manual"
        );
    }
}
