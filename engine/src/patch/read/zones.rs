//! Reads the key zones of a kit.

use super::super::text::{Content, Document, Entry, PatchText};
use super::super::{KeyZone, Patch, PatchError, factory};
use super::{expected, read_document};
use crate::engine::OUTPUTS;

/// Keys of a zone; everything else is read as its patch.
const KEYS: &[&str] = &["keys", "patch", "note", "tune", "pan", "level", "choke", "output"];

/// Reads a zone: a drum or factory patch, changed by what is written here, on its keys.
pub(super) fn read(
    source: &PatchText<'_>,
    line: usize,
    document: &Document,
) -> Result<KeyZone, PatchError> {
    if let Some((line, _)) = document.key_zones.first() {
        return Err(source.error(*line, "key_zone", "a key zone has none of its own"));
    }
    let (own, rest): (Vec<Entry>, Vec<Entry>) =
        document.entries.iter().cloned().partition(|entry| KEYS.contains(&entry.key.as_str()));
    let find = |key: &str| own.iter().find(|entry| entry.key == key);
    let Some(keys) = find("keys") else {
        return Err(source.error(line, "key_zone.keys", "missing"));
    };
    let base = match find("patch") {
        None => Patch::new(),
        Some(entry) => match &entry.content {
            Content::Text(name) => factory::sound(name).ok_or_else(|| {
                source.entry_error(entry, format!("no drum or patch is called \"{name}\""))
            })?,
            other => return Err(source.entry_error(entry, expected("the name of a drum", other))),
        },
    };
    let mut zone = KeyZone { keys: read_keys(source, keys)?, ..KeyZone::new(0, base) };
    // The whole sound of a kit is its own.
    zone.patch.key_zones.clear();
    for entry in &own {
        let number = |low: f64, high: f64| number(source, entry, [low, high]);
        match entry.key.as_str() {
            "note" => zone.note = number(0.0, 127.0)?.round() as u8,
            "tune" => zone.tune = number(-48.0, 48.0)? as f32,
            "pan" => zone.pan = number(-1.0, 1.0)? as f32,
            "level" => zone.level = number(-60.0, 12.0)? as f32,
            "output" => zone.output = number(0.0, OUTPUTS as f64)?.round() as u8,
            "choke" => zone.choke = number(0.0, 127.0)?.round() as u8,
            _ => {}
        }
    }
    let rest = Document { entries: rest, routes: document.routes.clone(), key_zones: Vec::new() };
    read_document(source, &rest, &mut zone.patch)?;
    if zone.patch.tracks.iter().any(Option::is_some) || zone.patch.impulse.is_some() {
        return Err(source.error(line, "key_zone", "imported sounds cannot be in key zones"));
    }
    Ok(zone)
}

/// One key, or the first and the last of a range.
fn read_keys(source: &PatchText<'_>, entry: &Entry) -> Result<[u8; 2], PatchError> {
    let keys = match &entry.content {
        Content::Number(key) => [*key, *key],
        Content::Numbers(keys) if keys.len() == 2 => [keys[0], keys[1]],
        _ => [f64::NAN; 2],
    };
    let is_key = |key: &f64| (0.0..=127.0).contains(key) && key.fract() == 0.0;
    if !keys.iter().all(is_key) || keys[0] > keys[1] {
        let problem = "expected a key, or [first, last], of 0 to 127";
        return Err(source.entry_error(entry, problem));
    }
    Ok(keys.map(|key| key as u8))
}

fn number(source: &PatchText<'_>, entry: &Entry, [low, high]: [f64; 2]) -> Result<f64, PatchError> {
    match &entry.content {
        Content::Number(number) if (low..=high).contains(number) => Ok(*number),
        Content::Number(number) => {
            Err(source.entry_error(entry, format!("{number} is outside {low} to {high}")))
        }
        other => Err(source.entry_error(entry, expected("a number", other))),
    }
}
