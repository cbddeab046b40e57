//! The text of a patch: TOML split into entries with their lines.

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// An error with file, line and key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {}{problem}", if key.is_empty() { String::new() } else { format!("{key}: ") })]
pub struct PatchError {
    /// The file, as the caller called it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The key; empty when the text could not be read that far.
    pub key: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// Larger files are not patches.
const MAX_BYTES: usize = 1 << 20;

/// A value of the file, with its line.
#[derive(Clone)]
pub(super) struct Entry {
    /// `group.key`, or the key alone at the top level and in routes.
    pub(super) key: String,
    pub(super) content: Content,
    pub(super) line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Text(String),
    Number(f64),
    Texts(Vec<String>),
    Numbers(Vec<f64>),
    /// A type that no key of a patch takes.
    Other(&'static str),
}

/// The text, for errors: its name, and lines by offset.
pub(super) struct PatchText<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl PatchText<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        let end = span.start.min(self.text.len());
        1 + self.text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count()
    }

    pub(super) fn error(&self, line: usize, key: &str, problem: impl Into<String>) -> PatchError {
        PatchError { file: self.file.into(), line, key: key.into(), problem: problem.into() }
    }

    pub(super) fn entry_error(&self, entry: &Entry, problem: impl Into<String>) -> PatchError {
        self.error(entry.line, &entry.key, problem)
    }
}

/// Contents of the document: entries, the entries of every route with its line, and the contents of
/// every key zone with its line.
#[derive(Default)]
pub(super) struct Document {
    pub(super) entries: Vec<Entry>,
    pub(super) routes: Vec<(usize, Vec<Entry>)>,
    pub(super) key_zones: Vec<(usize, Document)>,
}

/// Splits the text into entries.
pub(super) fn split_entries(source: &PatchText<'_>) -> Result<Document, PatchError> {
    let text = source.text;
    if text.len() > MAX_BYTES {
        return Err(source.error(1, "", "too large for a patch"));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let line = source.line(error.span().unwrap_or(0..0));
        // The message may have several lines; the first says what is wrong.
        let problem = error.message().lines().next().unwrap_or("not TOML").to_string();
        source.error(line, "", problem)
    })?;
    split_table(source, document.get_ref())
}

fn split_table(source: &PatchText<'_>, table: &DeTable<'_>) -> Result<Document, PatchError> {
    let mut document = Document::default();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let line = source.line(key.span());
        match value.get_ref() {
            DeValue::Table(table) => document.entries.extend(flatten(source, name, table)),
            DeValue::Array(list) if name == "route" || name == "key_zone" => {
                for item in list.iter() {
                    let DeValue::Table(table) = item.get_ref() else {
                        let problem = format!("expected tables, as in [[{name}]]");
                        return Err(source.error(line, name, problem));
                    };
                    let line = source.line(item.span());
                    match name {
                        "route" => document.routes.push((line, flatten(source, "", table))),
                        _ => document.key_zones.push((line, split_table(source, table)?)),
                    }
                }
            }
            value => {
                let entry = Entry { key: name.into(), content: content(value), line };
                document.entries.push(entry);
            }
        }
    }
    Ok(document)
}

fn flatten(source: &PatchText<'_>, group: &str, table: &DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let name: &toml::de::DeString<'_> = key.get_ref();
        let key_line = source.line(key.span());
        let key = match group.is_empty() {
            true => name.to_string(),
            false => format!("{group}.{name}"),
        };
        Entry { key, content: content(value.get_ref()), line: key_line }
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
            let numbers = list.iter().map(|item| match content(item.get_ref()) {
                Content::Number(number) => Some(number),
                _ => None,
            });
            if let Some(numbers) = numbers.collect::<Option<Vec<f64>>>()
                && !numbers.is_empty()
            {
                return Content::Numbers(numbers);
            }
            let texts = list.iter().map(|item| match item.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => None,
            });
            texts.collect::<Option<_>>().map_or(Content::Other("a list"), Content::Texts)
        }
        DeValue::Boolean(_) => Content::Other("true or false"),
        DeValue::Table(_) => Content::Other("a table"),
        _ => Content::Other("no plain value"),
    }
}
