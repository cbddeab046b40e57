//! What controllers have learned, kept from one day to the next.

use super::Router;
use crate::unfinished::UnfinishedFile;
use myriad_engine::patch::MACROS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file: which controller moves which macro.
#[derive(Default, Serialize, Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Learned {
    /// Controller number by macro, both as people count: macros from 1.
    macros: BTreeMap<String, u8>,
}

/// Where it is kept: the user's folder for settings, or nowhere when there is none.
pub(crate) fn path() -> Option<PathBuf> {
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

/// Teaches the router what was learned before.
///
/// # Errors
/// When the file is there but cannot be read or understood; nothing is learned then.
pub(crate) fn load(path: &Path, router: &Router) -> Result<(), String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let learned: Learned = toml::from_str(&text).map_err(|error| broken(&error.message()))?;
    for (number, &cc) in &learned.macros {
        match number.parse::<usize>() {
            Ok(number) if (1..=MACROS).contains(&number) && cc < 128 => {
                router.learn(cc, number - 1);
            }
            _ => return Err(broken(&format!("no macro {number} or controller {cc}"))),
        }
    }
    Ok(())
}

/// Keeps what the router has learned.
///
/// # Errors
/// When the file cannot be written; the old one stays then.
pub(crate) fn save(path: &Path, router: &Router) -> io::Result<()> {
    let macros = (0..128).filter_map(|cc| {
        let index = router.macro_of(cc)?;
        Some(((index + 1).to_string(), cc))
    });
    let learned = Learned {
        macros: macros.collect(),
    };
    let text = toml::to_string(&learned).map_err(io::Error::other)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let (unfinished, mut file) = UnfinishedFile::create(path)?;
    file.write_all(b"# Which MIDI controller moves which macro; written by `myriad play`.\n\n")?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    unfinished.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learned_is_there_tomorrow() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("midi.toml");
        let today = Router::new(0, &[]);
        load(&path, &today).unwrap();
        today.learn(74, 0);
        today.learn(21, 7);
        save(&path, &today).unwrap();
        let tomorrow = Router::new(0, &[]);
        load(&path, &tomorrow).unwrap();
        assert_eq!(tomorrow.macro_of(74), Some(0));
        assert_eq!(tomorrow.macro_of(21), Some(7));
        assert_eq!(tomorrow.macro_of(1), None);
    }

    #[test]
    fn a_broken_file_is_named_and_harmless() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("midi.toml");
        let router = Router::new(0, &[]);
        for text in ["macros", "[macros]\n9 = 1", "[macros]\n1 = 200", "[other]"] {
            std::fs::write(&path, text).unwrap();
            let complaint = load(&path, &router).unwrap_err();
            assert!(complaint.contains("midi.toml"), "{complaint}");
        }
        assert!((0..128).all(|cc| router.macro_of(cc).is_none()));
    }
}
