//! From TOML to a patch, with errors that say where.

use super::{FORMAT, MACROS, Patch, PatchError, migrate};
use crate::modulation::{MAX_ROUTES, Route, RouteCurve, Source};
use crate::params::{Kind, Param, TABLE};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// No patch is near this size; what is larger is something else.
const MAX_BYTES: usize = 1 << 20;

/// A value of the file, with its place.
pub(super) struct Entry {
    /// `group.key`, or the key alone at the top level and in routes.
    pub(super) key: String,
    pub(super) content: Content,
    line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Text(String),
    Number(f64),
    Texts(Vec<String>),
    /// Something that no key of a patch takes.
    Other(&'static str),
}

/// The text, for errors: its name, and lines by offset.
struct PatchText<'a> {
    file: &'a str,
    text: &'a str,
}

impl PatchText<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        let end = span.start.min(self.text.len());
        1 + self.text.as_bytes()[..end]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
    }

    fn error(&self, line: usize, key: &str, problem: impl Into<String>) -> PatchError {
        PatchError {
            file: self.file.into(),
            line,
            key: key.into(),
            problem: problem.into(),
        }
    }

    fn entry_error(&self, entry: &Entry, problem: impl Into<String>) -> PatchError {
        self.error(entry.line, &entry.key, problem)
    }
}

pub(super) fn parse(text: &str, file: &str) -> Result<Patch, PatchError> {
    let source = PatchText { file, text };
    if text.len() > MAX_BYTES {
        return Err(source.error(1, "", "too large for a patch"));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let line = source.line(error.span().unwrap_or(0..0));
        // The message may go on over several lines; the first says what is wrong.
        let problem = error
            .message()
            .lines()
            .next()
            .unwrap_or("not TOML")
            .to_string();
        source.error(line, "", problem)
    })?;
    let mut entries = Vec::new();
    let mut routes = Vec::new();
    for (key, value) in document.get_ref() {
        let name = key.get_ref().as_ref();
        let line = source.line(key.span());
        match value.get_ref() {
            DeValue::Table(table) => entries.extend(flatten(&source, name, table)),
            DeValue::Array(list) if name == "route" => {
                for item in list.iter() {
                    let DeValue::Table(table) = item.get_ref() else {
                        return Err(source.error(
                            line,
                            "route",
                            "expected tables, as in [[route]]",
                        ));
                    };
                    let line = source.line(item.span());
                    routes.push((line, flatten(&source, "", table)));
                }
            }
            value => entries.push(Entry {
                key: name.into(),
                content: content(value),
                line,
            }),
        }
    }
    let format = format(&source, &entries)?;
    migrate::migrate(&mut entries, format);
    let mut patch = Patch::new();
    for entry in &entries {
        read_entry(&source, entry, &mut patch)?;
    }
    if routes.len() > MAX_ROUTES {
        let problem = format!("{} routes; at most {MAX_ROUTES} are possible", routes.len());
        return Err(source.error(routes[MAX_ROUTES].0, "route", problem));
    }
    for (line, mut entries) in routes {
        migrate::migrate(&mut entries, format);
        patch.routes.push(read_route(&source, line, &entries)?);
    }
    if !entries.iter().any(|entry| entry.key == "name") {
        return Err(source.error(1, "name", "missing; every patch has a name"));
    }
    Ok(patch)
}

fn flatten(source: &PatchText<'_>, group: &str, table: &DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let name: &toml::de::DeString<'_> = key.get_ref();
        let key_line = source.line(key.span());
        let key = match group.is_empty() {
            true => name.to_string(),
            false => format!("{group}.{name}"),
        };
        Entry {
            key,
            content: content(value.get_ref()),
            line: key_line,
        }
    };
    table.iter().map(entry).collect()
}

fn content(value: &DeValue<'_>) -> Content {
    let number = |text: &str| text.replace('_', "").parse().ok();
    match value {
        DeValue::String(text) => Content::Text(text.to_string()),
        DeValue::Integer(integer) if integer.radix() == 10 => {
            number(integer.as_str()).map_or(Content::Other("a number too large"), Content::Number)
        }
        DeValue::Float(float) => {
            number(float.as_str()).map_or(Content::Other("no number"), Content::Number)
        }
        DeValue::Array(list) => {
            let texts = list.iter().map(|item| match item.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => None,
            });
            texts
                .collect::<Option<_>>()
                .map_or(Content::Other("a list"), Content::Texts)
        }
        DeValue::Boolean(_) => Content::Other("true or false"),
        DeValue::Table(_) => Content::Other("a table"),
        _ => Content::Other("no plain value"),
    }
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
        (key, content) => match key.strip_prefix("macro_names.") {
            Some(number) => {
                let index = number
                    .parse::<usize>()
                    .ok()
                    .filter(|n| (1..=MACROS).contains(n));
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
        (Kind::Choice(names), Content::Text(text)) => names
            .iter()
            .position(|name| name == text)
            .map(|index| index as f32)
            .ok_or_else(|| {
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
    Ok(Route {
        source: from.ok_or_else(|| missing("from"))?,
        via,
        target: to.ok_or_else(|| missing("to"))?,
        amount: amount.ok_or_else(|| missing("amount"))?,
        curve,
    })
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
        Content::Texts(_) => "a list",
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
pub(super) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |other: &&str| strsim::jaro_winkler(&name, &other.to_lowercase());
    names
        .map(|other| (alike(&other), other))
        .filter(|(alike, _)| *alike > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}
