//! The file that keeps which MIDI controller moves which parameter.

use super::{MACRO_PARAMS, Router};
use crate::{atomic_file, input};
use myriad_engine::params::Param;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Default, Serialize, Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Learned {
    /// Controller number by macro number, which is counted from 1.
    #[serde(default)]
    macros: BTreeMap<String, u8>,
    /// Controller number by the id of any other parameter.
    #[serde(default)]
    parameters: BTreeMap<String, u8>,
}

/// Macro `number`, counted from 1.
fn macro_called(number: &str) -> Option<Param> {
    let index = number.parse::<usize>().ok()?.checked_sub(1)?;
    MACRO_PARAMS.get(index).copied()
}

fn param_called(id: &str) -> Option<Param> {
    Param::ALL.iter().find(|param| param.info().id == id).copied()
}

/// The file in the user's configuration folder; none when there is no such folder.
pub fn path() -> Option<PathBuf> {
    let folder = |name: &str| {
        let folder = std::env::var_os(name).filter(|folder| !folder.is_empty());
        folder.map(PathBuf::from)
    };
    let settings = if cfg!(windows) {
        folder("APPDATA")
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
    };
    Some(settings?.join("myriad").join("midi.toml"))
}

/// Loads the mapping into the router; a missing file is an empty mapping.
///
/// # Errors
/// When the file cannot be read or parsed.
pub fn load(path: &Path, router: &Router) -> Result<(), String> {
    let text = match input::open(path).and_then(io::read_to_string) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let learned: Learned = toml::from_str(&text).map_err(|error| broken(&error.message()))?;
    let macros = learned.macros.iter().map(|(name, cc)| (name, cc, macro_called(name)));
    let others = learned.parameters.iter().map(|(name, cc)| (name, cc, param_called(name)));
    for (name, &cc, param) in macros.chain(others) {
        match param {
            Some(param) if cc < 128 => router.learn(cc, param),
            _ => return Err(broken(&format!("no parameter {name} or controller {cc}"))),
        }
    }
    Ok(())
}

/// Writes the router's mapping.
///
/// # Errors
/// When the file cannot be written; the old one stays then.
pub fn save(path: &Path, router: &Router) -> io::Result<()> {
    let mut learned = Learned::default();
    for cc in 0..128 {
        let Some(param) = router.param_of(cc) else {
            continue;
        };
        match MACRO_PARAMS.iter().position(|&turned| turned == param) {
            Some(index) => learned.macros.insert((index + 1).to_string(), cc),
            None => learned.parameters.insert(param.info().id.into(), cc),
        };
    }
    let text = toml::to_string(&learned).map_err(io::Error::other)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let comment = "# Which MIDI controller moves what; written by `myriad play`.\n\n";
    atomic_file::write(path, format!("{comment}{text}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_mappings_are_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("midi.toml");
        let saved = Router::new(0, &[]);
        load(&path, &saved).unwrap();
        saved.learn(74, Param::Macro1);
        saved.learn(21, Param::FilterCutoff);
        save(&path, &saved).unwrap();
        let loaded = Router::new(0, &[]);
        load(&path, &loaded).unwrap();
        assert_eq!(loaded.param_of(74), Some(Param::Macro1));
        assert_eq!(loaded.param_of(21), Some(Param::FilterCutoff));
        assert_eq!(loaded.param_of(1), None);
    }

    #[test]
    fn a_malformed_file_is_an_error_and_maps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("midi.toml");
        let router = Router::new(0, &[]);
        let unknown = "[parameters]\n\"no.such\" = 1";
        for text in ["macros", "[macros]\n9 = 1", "[macros]\n1 = 200", "[other]", unknown] {
            std::fs::write(&path, text).unwrap();
            let complaint = load(&path, &router).unwrap_err();
            assert!(complaint.contains("midi.toml"), "{complaint}");
        }
        assert!((0..128).all(|cc| router.param_of(cc).is_none()));
    }
}
