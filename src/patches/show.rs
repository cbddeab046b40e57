//! One patch in detail: everything that is not at its default.

use crate::patches::table;
use myriad_engine::Patch;
use myriad_engine::modulation::{Route, RouteCurve};
use myriad_engine::params::{Curve, Kind, Param, Unit};
use myriad_engine::patch::KeyZone;
use myriad_player::failure::Failure;

pub(super) fn to_text(patch: &Patch) -> String {
    let mut text = format!("{}\n", patch.name);
    let author = match patch.author.as_str() {
        "" => String::new(),
        author => format!(", by {author}"),
    };
    text += &format!("  {}{author}\n", patch.category);
    for line in [patch.description.clone(), patch.tags.join(", ")] {
        if !line.is_empty() {
            text += &format!("  {line}\n");
        }
    }
    section(&mut text, "Parameters", &parameters(patch));
    section(&mut text, "Macros", &macros(patch));
    let routes: Vec<[String; 3]> = patch.routes.iter().map(route).collect();
    section(&mut text, "Routes", &routes);
    let zones: Vec<[String; 3]> = patch.key_zones.iter().map(key_zone).collect();
    section(&mut text, "Key zones", &zones);
    text
}

fn section<const N: usize>(text: &mut String, heading: &str, rows: &[[String; N]]) {
    if !rows.is_empty() {
        *text += &format!("\n{heading}\n{}", table::indented(rows));
    }
}

/// Changed parameters; macros have a section of their own.
fn parameters(patch: &Patch) -> Vec<[String; 3]> {
    let changed = |param: &&Param| {
        let info = param.info();
        info.group() != "macro" && patch.values[**param] != info.default
    };
    let row = |param: &Param| {
        let info = param.info();
        [info.id.to_owned(), info.name.to_owned(), info.format(patch.values[*param])]
    };
    Param::ALL.iter().filter(changed).map(row).collect()
}

/// The macros that do something here.
fn macros(patch: &Patch) -> Vec<[String; 3]> {
    let macros = Param::ALL.iter().filter(|param| param.info().group() == "macro");
    macros
        .zip(&patch.macro_names)
        .filter(|(_, name)| !name.is_empty())
        .map(|(param, name)| {
            let info = param.info();
            [info.id.to_owned(), name.clone(), info.format(patch.values[*param])]
        })
        .collect()
}

fn key_zone(zone: &KeyZone) -> [String; 3] {
    let keys = match zone.keys {
        [first, last] if first == last => first.to_string(),
        [first, last] => format!("{first} to {last}"),
    };
    let choke = match zone.choke {
        0 => String::new(),
        group => format!("choke group {group}"),
    };
    [keys, zone.patch.name.clone(), choke]
}

fn route(route: &Route) -> [String; 3] {
    let mut source = route.source.name().to_owned();
    if let Some(via) = route.via {
        source += &format!(" × {}", via.name());
    }
    let curve = match route.curve {
        RouteCurve::Linear => "",
        RouteCurve::Squared => " squared",
        RouteCurve::Root => " root",
        RouteCurve::Smooth => " smooth",
        RouteCurve::Steps => " in steps",
        RouteCurve::Fold => " folded",
        RouteCurve::Inverse => " inverse",
    };
    let target = format!("→ {}", route.target.info().id);
    [source + curve, target, amount(route)]
}

/// How far a route moves its target, in the unit that routes to it add.
fn amount(route: &Route) -> String {
    let amount = route.amount;
    match route.target.info().kind {
        Kind::Number { curve: Curve::Exponential, .. } => format!("{amount:+} octaves"),
        Kind::Number { curve: Curve::Power(_), .. } => format!("{:+}% of the way", 100.0 * amount),
        Kind::Number { unit: Unit::Percent | Unit::Pan, .. } => format!("{:+}%", 100.0 * amount),
        Kind::Number { unit, .. } => format!("{amount:+} {}", unit.symbol()).trim_end().to_owned(),
        Kind::Whole { .. } | Kind::Choice(_) => format!("{amount:+}"),
    }
}

/// For scripts: the patch file's own structure.
pub(super) fn to_json(patch: &Patch) -> Result<serde_json::Value, Failure> {
    let value: toml::Value = toml::from_str(&patch.to_toml()).map_err(Failure::failed)?;
    serde_json::to_value(value).map_err(Failure::failed)
}
