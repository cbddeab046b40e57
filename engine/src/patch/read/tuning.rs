//! Reads the tuning of a patch: a built-in scale by its name, or the texts of Scala files.

use super::super::text::{Content, Document, Entry, PatchText};
use super::super::{Patch, PatchError};
use super::{expected, unknown};
use crate::tuning::{ScaleSetting, TuningError};
use std::sync::Arc;

/// How keys of this group begin.
pub(super) const GROUP: &str = "tuning.";

/// Reads the group, if there is one.
pub(super) fn read(
    source: &PatchText<'_>,
    document: &Document,
    patch: &mut Patch,
) -> Result<(), PatchError> {
    let [mut name, mut scale, mut keyboard] = [None; 3];
    for entry in document.entries.iter().filter(|entry| entry.key.starts_with(GROUP)) {
        let place = match &entry.key[GROUP.len()..] {
            "name" => &mut name,
            "scale" => &mut scale,
            "keyboard" => &mut keyboard,
            key => {
                let keys = ["name", "scale", "keyboard"].into_iter();
                let problem = unknown("no such key of a tuning", key, keys);
                return Err(source.entry_error(entry, problem));
            }
        };
        match &entry.content {
            Content::Text(text) => *place = Some((entry, text.as_str())),
            other => return Err(source.entry_error(entry, expected("text", other))),
        }
    }
    let failed = |entry: &Entry, error: TuningError| source.entry_error(entry, error.to_string());
    let setting = match (name, scale) {
        (name, Some((entry, text))) => {
            let name = name.map_or("", |(_, name)| name);
            ScaleSetting::read(name, text).map_err(|error| failed(entry, error))?
        }
        (Some((entry, name)), None) => ScaleSetting::built_in(name).ok_or_else(|| {
            let problem = format!("no built-in scale is called \"{name}\"");
            source.entry_error(entry, unknown(&problem, name, ScaleSetting::built_in_names()))
        })?,
        (None, None) => match keyboard {
            Some((entry, _)) => {
                return Err(source.entry_error(entry, "a keyboard map needs a scale or a name"));
            }
            None => return Ok(()),
        },
    };
    let setting = match keyboard {
        Some((entry, text)) => setting.with_keyboard(text).map_err(|error| failed(entry, error))?,
        None => setting,
    };
    patch.tuning = Some(Arc::new(setting));
    Ok(())
}
