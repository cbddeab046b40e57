//! From a patch to TOML: only what differs from the defaults, in the order of the table.

use super::{FORMAT, Patch};
use crate::modulation::{Drawing, RouteCurve};
use crate::params::{Kind, TABLE};
use std::fmt::Write;

pub(super) fn to_toml(patch: &Patch) -> String {
    let mut out = format!("format = {FORMAT}\n");
    write_patch(&mut out, patch, "");
    for zone in &patch.key_zones {
        out.push_str("\n[[key_zone]]\n");
        line(&mut out, "keys", &format!("{:?}", zone.keys));
        line(&mut out, "note", &zone.note.to_string());
        for (key, value) in [("tune", zone.tune), ("pan", zone.pan), ("level", zone.level)] {
            if value != 0.0 {
                line(&mut out, key, &format!("{value:?}"));
            }
        }
        if zone.choke != 0 {
            line(&mut out, "choke", &zone.choke.to_string());
        }
        if zone.output != 0 {
            line(&mut out, "output", &zone.output.to_string());
        }
        write_patch(&mut out, &zone.patch, "key_zone.");
    }
    out
}

/// Writes a patch whose tables have names that begin with `prefix`.
fn write_patch(out: &mut String, patch: &Patch, prefix: &str) {
    line(out, "name", &quoted(&patch.name));
    line(out, "category", &quoted(&patch.category));
    for (key, text) in [("author", &patch.author), ("description", &patch.description)] {
        if !text.is_empty() {
            line(out, key, &quoted(text));
        }
    }
    if !patch.tags.is_empty() {
        let tags: Vec<String> = patch.tags.iter().map(|tag| quoted(tag)).collect();
        line(out, "tags", &format!("[{}]", tags.join(", ")));
    }
    let mut group = "";
    for (info, &value) in TABLE.iter().zip(&patch.values.0) {
        if value == info.default {
            continue;
        }
        if group != info.group() {
            group = info.group();
            out.push_str(&format!("\n[{prefix}{group}]\n"));
        }
        let value = match info.kind {
            Kind::Choice(names) => quoted(names[value as usize]),
            Kind::Whole { .. } => format!("{value:.0}"),
            Kind::Number { .. } => format!("{value:?}"),
        };
        line(out, info.key(), &value);
    }
    if patch.macro_names.iter().any(|name| !name.is_empty()) {
        out.push_str(&format!("\n[{prefix}macro_names]\n"));
        for (index, name) in patch.macro_names.iter().enumerate() {
            if !name.is_empty() {
                line(out, &(index + 1).to_string(), &quoted(name));
            }
        }
    }
    if let Some(tuning) = &patch.tuning {
        out.push_str(&format!("\n[{prefix}tuning]\n"));
        line(out, "name", &quoted(tuning.name()));
        if !tuning.is_built_in() {
            line(out, "scale", &quoted(tuning.scale()));
        }
        if let Some(keyboard) = tuning.keyboard() {
            line(out, "keyboard", &quoted(keyboard));
        }
    }
    write_drawn(out, patch, prefix);
    for route in &patch.routes {
        out.push_str(&format!("\n[[{prefix}route]]\n"));
        line(out, "from", &quoted(route.source.name()));
        if let Some(via) = route.via {
            line(out, "via", &quoted(via.name()));
        }
        line(out, "to", &quoted(route.target.info().id));
        line(out, "amount", &format!("{:?}", route.amount));
        let curve = RouteCurve::NAMES.iter().find(|(_, curve)| *curve == route.curve);
        if let Some((name, curve)) = curve
            && *curve != RouteCurve::default()
        {
            line(out, "curve", &quoted(name));
        }
    }
    if patch.tracks.iter().any(Option::is_some) || patch.impulse.is_some() {
        out.push_str(&format!("\n[{prefix}imported]\n"));
    }
    for (key, tracks) in ["tracks", "layer"].iter().zip(&patch.tracks) {
        if let Some(tracks) = tracks {
            line(out, key, &quoted(&tracks.to_text()));
        }
    }
    if let Some(impulse) = &patch.impulse {
        line(out, "impulse", &quoted(&impulse.to_text()));
    }
}

/// Writes drawn LFOs and envelopes, if there are any.
fn write_drawn(out: &mut String, patch: &Patch, prefix: &str) {
    let mut lines: Vec<(String, Vec<f32>)> = Vec::new();
    for (index, drawing) in patch.drawings.iter().enumerate() {
        let (number, points) = (index + 1, drawing.points().iter());
        if *drawing == Drawing::default() {
            continue;
        }
        lines.push(match drawing.is_even() {
            true => (format!("lfo{number}"), points.map(|point| point.y).collect()),
            false => (
                format!("lfo{number}_points"),
                points.flat_map(|point| [point.x, point.y, point.curve]).collect(),
            ),
        });
    }
    for (index, envelope) in patch.envelopes.iter().enumerate() {
        if let Some(envelope) = envelope {
            let points = envelope.points().iter();
            let numbers = points.flat_map(|point| [point.seconds, point.level, point.curve]);
            let held = (envelope.held() + 1) as f32;
            lines.push((format!("env{}", index + 1), [held].into_iter().chain(numbers).collect()));
        }
    }
    if !lines.is_empty() {
        out.push_str(&format!("\n[{prefix}drawn]\n"));
    }
    for (key, numbers) in lines {
        line(out, &key, &format!("{numbers:?}"));
    }
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
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
