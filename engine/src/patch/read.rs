//! From the entries of a text to a patch, with errors that say where.

use super::text::{Content, Document, Entry, PatchText, split_entries};
use super::{FORMAT, MACROS, MAX_KEY_ZONES, Patch, PatchError, migrate};
use crate::impulse::ImpulseResponse;
use crate::modulation::{MAX_ROUTES, Route, RouteCurve, Source};
use crate::params::{Kind, Param, TABLE};
use crate::tracks::Tracks;

mod drawn;
mod tuning;
mod zones;

pub(super) fn parse(text: &str, file: &str) -> Result<Patch, PatchError> {
    let source = PatchText { file, text };
    let mut document = split_entries(&source)?;
    let format = format(&source, &document.entries)?;
    migrate::migrate(&mut document, format);
    let mut patch = Patch::new();
    read_document(&source, &document, &mut patch)?;
    if !document.entries.iter().any(|entry| entry.key == "name") {
        return Err(source.error(1, "name", "missing; every patch has a name"));
    }
    if document.key_zones.len() > MAX_KEY_ZONES {
        let count = document.key_zones.len();
        let problem = format!("{count} key zones; at most {MAX_KEY_ZONES} are possible");
        return Err(source.error(document.key_zones[MAX_KEY_ZONES].0, "key_zone", problem));
    }
    for (line, zone) in &document.key_zones {
        patch.key_zones.push(zones::read(&source, *line, zone)?);
    }
    Ok(patch)
}

/// Reads everything but key zones into a patch.
fn read_document(
    source: &PatchText<'_>,
    document: &Document,
    patch: &mut Patch,
) -> Result<(), PatchError> {
    for entry in &document.entries {
        read_entry(source, entry, patch)?;
    }
    let routes = &document.routes;
    if routes.len() > MAX_ROUTES {
        let problem = format!("{} routes; at most {MAX_ROUTES} are possible", routes.len());
        return Err(source.error(routes[MAX_ROUTES].0, "route", problem));
    }
    for (line, entries) in routes {
        patch.routes.push(read_route(source, *line, entries)?);
    }
    tuning::read(source, document, patch)
}

/// The format of the file, which must be one that this version knows.
fn format(source: &PatchText<'_>, entries: &[Entry]) -> Result<u32, PatchError> {
    let Some(entry) = entries.iter().find(|entry| entry.key == "format") else {
        return Err(source.error(1, "format", format!("missing; expected format = {FORMAT}")));
    };
    match entry.content {
        Content::Number(format) if format >= 1.0 && format.fract() == 0.0 => {
            match format <= f64::from(FORMAT) {
                true => Ok(format as u32),
                false => Err(source.entry_error(
                    entry,
                    format!("{format} is newer than this Myriad knows ({FORMAT}); update it"),
                )),
            }
        }
        _ => Err(source.entry_error(entry, format!("expected a whole number up to {FORMAT}"))),
    }
}

fn read_entry(source: &PatchText<'_>, entry: &Entry, patch: &mut Patch) -> Result<(), PatchError> {
    match (entry.key.as_str(), &entry.content) {
        ("format", _) => {}
        ("name", Content::Text(text)) if text.trim().is_empty() => {
            return Err(source.entry_error(entry, "empty; every patch has a name"));
        }
        ("name", Content::Text(text)) => patch.name = text.clone(),
        ("category", Content::Text(text)) => patch.category = text.clone(),
        ("author", Content::Text(text)) => patch.author = text.clone(),
        ("description", Content::Text(text)) => patch.description = text.clone(),
        ("tags", Content::Texts(tags)) => patch.tags = tags.clone(),
        ("name" | "category" | "author" | "description", other) => {
            return Err(source.entry_error(entry, expected("text", other)));
        }
        ("tags", other) => {
            return Err(source.entry_error(entry, expected("a list of texts", other)));
        }
        // Its keys are read together.
        (key, _) if key.starts_with(tuning::GROUP) => {}
        (key @ ("imported.tracks" | "imported.layer"), Content::Text(text)) => {
            let tracks = Tracks::from_text(text);
            let tracks = tracks.map_err(|error| source.entry_error(entry, error.to_string()))?;
            patch.tracks[usize::from(key == "imported.layer")] = Some(tracks);
        }
        ("imported.impulse", Content::Text(text)) => {
            let impulse = ImpulseResponse::from_text(text);
            let impulse = impulse.map_err(|error| source.entry_error(entry, error.to_string()))?;
            patch.impulse = Some(impulse);
        }
        (key, content) if key.starts_with("drawn.") => {
            drawn::read(key, content, patch)
                .map_err(|problem| source.entry_error(entry, problem))?;
        }
        (key, content) => match key.strip_prefix("macro_names.") {
            Some(number) => {
                let index = number.parse::<usize>().ok().filter(|n| (1..=MACROS).contains(n));
                let (Some(index), Content::Text(text)) = (index, content) else {
                    let problem = format!("expected 1 to {MACROS} = \"a name\"");
                    return Err(source.entry_error(entry, problem));
                };
                patch.macro_names[index - 1] = text.clone();
            }
            None => {
                let param = parameter(source, entry, key)?;
                patch.values.set(param, read_value(source, entry, param)?);
            }
        },
    }
    Ok(())
}

fn parameter(source: &PatchText<'_>, entry: &Entry, id: &str) -> Result<Param, PatchError> {
    Param::by_id(id).ok_or_else(|| {
        let names = TABLE.iter().map(|row| row.id);
        source.entry_error(entry, unknown("no such parameter", id, names))
    })
}

fn read_value(source: &PatchText<'_>, entry: &Entry, param: Param) -> Result<f32, PatchError> {
    let info = param.info();
    match (info.kind, &entry.content) {
        (Kind::Choice(names), Content::Text(text)) => info.parse(text).ok_or_else(|| {
            let problem = format!("\"{text}\" is none of {}", names.join(", "));
            source.entry_error(entry, problem)
        }),
        (Kind::Choice(names), other) => {
            let problem = expected(&format!("one of {}", names.join(", ")), other);
            Err(source.entry_error(entry, problem))
        }
        (kind, Content::Number(number)) => {
            let (min, max) = kind.range();
            let value = *number as f32;
            if !(min..=max).contains(&value) {
                let unit = match kind {
                    Kind::Number { unit, .. } if unit != crate::params::Unit::Percent => {
                        unit.symbol()
                    }
                    _ => "",
                };
                let problem = format!("{number} is outside {min} to {max} {unit}");
                return Err(source.entry_error(entry, problem.trim_end().to_string()));
            }
            Ok(value)
        }
        (_, other) => Err(source.entry_error(entry, expected("a number", other))),
    }
}

fn read_route(source: &PatchText<'_>, line: usize, entries: &[Entry]) -> Result<Route, PatchError> {
    let (mut from, mut to, mut amount) = (None, None, None);
    let (mut via, mut curve) = (None, RouteCurve::default());
    for entry in entries {
        match (entry.key.as_str(), &entry.content) {
            ("from", Content::Text(name)) => {
                from = Some(named(source, entry, name, Source::NAMES)?)
            }
            ("via", Content::Text(name)) => via = Some(named(source, entry, name, Source::NAMES)?),
            ("curve", Content::Text(name)) => {
                curve = named(source, entry, name, RouteCurve::NAMES)?
            }
            ("to", Content::Text(id)) => {
                let param = parameter(source, entry, id)?;
                if !param.info().modulated {
                    return Err(source.entry_error(entry, format!("{id} cannot be modulated")));
                }
                to = Some(param);
            }
            ("amount", Content::Number(number)) if number.abs() <= 1e6 => {
                amount = Some(*number as f32);
            }
            ("from" | "via" | "curve" | "to", other) => {
                return Err(source.entry_error(entry, expected("a name", other)));
            }
            ("amount", other) => return Err(source.entry_error(entry, expected("a number", other))),
            (key, _) => {
                let names = ["from", "via", "to", "amount", "curve"].into_iter();
                return Err(
                    source.entry_error(entry, unknown("no such key of a route", key, names))
                );
            }
        }
    }
    let missing = |key: &str| source.error(line, &format!("route.{key}"), "missing");
    let route = Route {
        source: from.ok_or_else(|| missing("from"))?,
        via,
        target: to.ok_or_else(|| missing("to"))?,
        amount: amount.ok_or_else(|| missing("amount"))?,
        curve,
    };
    if !route.is_possible() {
        let ids = route.targets().iter().map(|param| param.info().id);
        let ids = ids.collect::<Vec<_>>().join(", ");
        let problem = format!("copies and partials have no such thing of their own; only {ids}");
        return Err(source.error(line, "route.to", &problem));
    }
    Ok(route)
}

fn named<T: Copy>(
    source: &PatchText<'_>,
    entry: &Entry,
    name: &str,
    names: &[(&str, T)],
) -> Result<T, PatchError> {
    let found = names.iter().find(|(other, _)| *other == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names = names.iter().map(|&(name, _)| name);
        source.entry_error(entry, unknown(&format!("no \"{name}\""), name, names))
    })
}

fn expected(what: &str, found: &Content) -> String {
    let found = match found {
        Content::Text(_) => "text",
        Content::Number(_) => "a number",
        Content::Texts(_) | Content::Numbers(_) => "a list",
        Content::Other(other) => other,
    };
    format!("expected {what}, found {found}")
}

fn unknown<'a>(problem: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    match closest(name, names) {
        Some(close) => format!("{problem}; did you mean \"{close}\"?"),
        None => problem.to_string(),
    }
}

/// The name most like `name`, if one is near.
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |other: &&str| strsim::jaro_winkler(&name, &other.to_lowercase());
    names
        .map(|other| (alike(&other), other))
        .filter(|(alike, _)| *alike > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}
