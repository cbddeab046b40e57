//! The folder of the user's patches, and the folders in it.

use crate::{Entry, MAX_FILE_BYTES};
use myriad_engine::Patch;
use myriad_files::input::read_limited;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder in the user's folder for deleted patches.
pub(crate) const WASTEBASKET: &str = "wastebasket";

/// Folders in folders are looked into so far.
const MAX_DEPTH: usize = 3;

/// The longest name of a folder, in characters.
const MAX_NAME: usize = 64;

/// Whether a file is in the wastebasket.
pub fn is_deleted(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.iter().any(|name| name == WASTEBASKET))
}

/// The patches in a folder and those in it.
pub(crate) fn own_patches(folder: &Path) -> OwnPatches {
    let mut found = OwnPatches::default();
    collect(folder, "", MAX_DEPTH, &mut found);
    found
}

/// The user's own patches, and a line for each file that the system did not let us read.
#[derive(Debug, Default)]
pub(crate) struct OwnPatches {
    pub(crate) entries: Vec<Entry>,
    pub(crate) unreadable: Vec<String>,
}

fn collect(path: &Path, folder: &str, depth: usize, found: &mut OwnPatches) {
    let files = fs::read_dir(path).into_iter().flatten().flatten();
    for file in files.map(|file| file.path()) {
        if file.extension().is_some_and(|end| end == "toml") {
            match read_limited(&file, MAX_FILE_BYTES) {
                Ok(bytes) => {
                    found.entries.extend(bytes.and_then(|bytes| parse(bytes, file, folder)))
                }
                Err(error) => found.unreadable.push(format!("{}: {error}", file.display())),
            }
        } else if depth > 0 && file.is_dir() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let is_hidden = name.starts_with('.') || name == WASTEBASKET;
            let below = match folder {
                "" => name.into_owned(),
                folder => format!("{folder}/{name}"),
            };
            if !is_hidden {
                collect(&file, &below, depth - 1, found);
            }
        }
    }
}

fn parse(bytes: Vec<u8>, file: PathBuf, folder: &str) -> Option<Entry> {
    let text = String::from_utf8(bytes).ok()?;
    let patch = Patch::parse(&text, &file.display().to_string()).ok()?;
    Some(Entry { patch, file: Some(file), folder: folder.to_owned() })
}

/// A folder below another one. Whatever the name, it leads nowhere else, and not to the wastebasket.
pub(crate) fn below(folder: &Path, name: &str) -> PathBuf {
    let names = name.split(['/', '\\']).map(plain).filter(|name| !name.is_empty());
    let mut path = folder.to_owned();
    path.extend(names.take(MAX_DEPTH));
    path
}

/// A name of one folder that every file system accepts; empty if nothing of it is left.
fn plain(name: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || " -_&+'".contains(c) { c } else { '-' };
    let name: String = name.chars().take(MAX_NAME).map(keep).collect();
    let name = name.trim_matches(['-', ' ']);
    match name.eq_ignore_ascii_case(WASTEBASKET) {
        true => format!("{name} 2"),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_lead_nowhere_else() {
        let root = Path::new("/root");
        let path = |name: &str| below(root, name);
        assert_eq!(path(""), root);
        assert_eq!(path("Slow pads"), root.join("Slow pads"));
        assert_eq!(path("../../etc/./x"), root.join("etc/x"));
        assert_eq!(path("/etc"), root.join("etc"));
        assert_eq!(path("C:\\Windows"), root.join("C/Windows"));
        assert_eq!(path("a/b/c/d/e"), root.join("a/b/c"));
        assert_eq!(path("Wastebasket"), root.join("Wastebasket 2"));
        assert_eq!(path(&"ä".repeat(500)), root.join("ä".repeat(MAX_NAME)));
    }
}
