//! From a patch to TOML: only what differs from the defaults, in the order of the table.

use super::{FORMAT, Patch};
use crate::modulation::{Drawing, RouteCurve};
use crate::params::{Kind, TABLE};
use std::fmt::Write;

pub(super) fn to_toml(patch: &Patch) -> String {
    let mut out = format!("format = {FORMAT}\nname = {}\n", quoted(&patch.name));
    line(&mut out, "category", &quoted(&patch.category));
    for (key, text) in [("author", &patch.author), ("description", &patch.description)] {
        if !text.is_empty() {
            line(&mut out, key, &quoted(text));
        }
    }
    if !patch.tags.is_empty() {
        let tags: Vec<String> = patch.tags.iter().map(|tag| quoted(tag)).collect();
        line(&mut out, "tags", &format!("[{}]", tags.join(", ")));
    }
    let mut group = "";
    for (info, &value) in TABLE.iter().zip(&patch.values.0) {
        if value == info.default {
            continue;
        }
        if group != info.group() {
            group = info.group();
            out.push_str(&format!("\n[{group}]\n"));
        }
        let value = match info.kind {
            Kind::Choice(names) => quoted(names[value as usize]),
            Kind::Whole { .. } => format!("{value:.0}"),
            Kind::Number { .. } => format!("{value:?}"),
        };
        line(&mut out, info.key(), &value);
    }
    if patch.macro_names.iter().any(|name| !name.is_empty()) {
        out.push_str("\n[macro_names]\n");
        for (index, name) in patch.macro_names.iter().enumerate() {
            if !name.is_empty() {
                line(&mut out, &(index + 1).to_string(), &quoted(name));
            }
        }
    }
    let drawn = patch.drawings.iter().enumerate();
    let mut drawn = drawn.filter(|(_, drawing)| **drawing != Drawing::default());
    if let Some(first) = drawn.next() {
        out.push_str("\n[drawn]\n");
        for (index, drawing) in [first].into_iter().chain(drawn) {
            let heights = format!("{:?}", drawing.heights());
            line(&mut out, &format!("lfo{}", index + 1), &heights);
        }
    }
    for route in &patch.routes {
        out.push_str("\n[[route]]\n");
        line(&mut out, "from", &quoted(route.source.name()));
        if let Some(via) = route.via {
            line(&mut out, "via", &quoted(via.name()));
        }
        line(&mut out, "to", &quoted(route.target.info().id));
        line(&mut out, "amount", &format!("{:?}", route.amount));
        let curve = RouteCurve::NAMES.iter().find(|(_, curve)| *curve == route.curve);
        if let Some((name, curve)) = curve
            && *curve != RouteCurve::default()
        {
            line(&mut out, "curve", &quoted(name));
        }
    }
    if patch.tracks.iter().any(Option::is_some) {
        out.push_str("\n[imported]\n");
    }
    for (key, tracks) in ["tracks", "layer"].iter().zip(&patch.tracks) {
        if let Some(tracks) = tracks {
            line(&mut out, key, &quoted(&tracks.to_text()));
        }
    }
    out
}

fn line(out: &mut String, key: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{key} = {value}");
}

/// A TOML string: quotes, backslashes and control characters escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
