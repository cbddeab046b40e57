//! All patches, listed, and saved in the user's folder.

use crate::MAX_FILE_BYTES;
use myriad_engine::{Patch, factory};
use myriad_files::atomic_file;
use myriad_files::input::{self, read_limited};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file in the user's folder with the names of the favourites, one a line.
const FAVOURITES: &str = "favourites.txt";

/// A patch of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The patch.
    pub patch: Patch,
    /// Its file, if it is one of the user's own.
    pub file: Option<PathBuf>,
}

/// All patches, by name.
#[derive(Debug)]
pub struct Library {
    entries: Vec<Entry>,
    favourites: BTreeSet<String>,
    /// Why the file of favourites cannot be read; then it is not written either.
    favourites_unreadable: Option<String>,
    folder: Option<PathBuf>,
}

impl Library {
    /// Factory patches and those in `folder`, which need not exist yet. Files that are not patches
    /// are left out. Without a folder nothing can be saved.
    pub fn open(folder: Option<PathBuf>) -> Self {
        let mut library = Self {
            entries: Vec::new(),
            favourites: BTreeSet::new(),
            favourites_unreadable: None,
            folder,
        };
        library.refresh();
        library
    }

    /// The folder of the user's patches on this system.
    pub fn user_folder() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = || variable("HOME").map(PathBuf::from);
        let data = if cfg!(target_os = "windows") {
            variable("APPDATA").map(PathBuf::from)
        } else if cfg!(target_os = "macos") {
            home().map(|home| home.join("Library/Application Support"))
        } else {
            let data = variable("XDG_DATA_HOME").map(PathBuf::from);
            data.or_else(|| home().map(|home| home.join(".local/share")))
        };
        data.map(|data| data.join("myriad").join("patches"))
    }

    /// Reads the folder anew.
    pub fn refresh(&mut self) {
        let factory =
            factory::patches().iter().map(|patch| Entry { patch: patch.clone(), file: None });
        let own = self.folder.iter().flat_map(|folder| own_patches(folder));
        self.entries = factory.chain(own).collect();
        let name = |entry: &Entry| entry.patch.name.to_lowercase();
        self.entries.sort_by_cached_key(name);
        let Some(folder) = &self.folder else {
            return;
        };
        let read = input::open(&folder.join(FAVOURITES)).and_then(io::read_to_string);
        self.favourites_unreadable = None;
        match read {
            Ok(text) => self.favourites = text.lines().map(str::to_owned).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.favourites_unreadable = Some(error.to_string()),
        }
    }

    /// All patches, by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether a patch is a favourite.
    pub fn is_favourite(&self, name: &str) -> bool {
        self.favourites.contains(name)
    }

    /// Makes a patch a favourite, or not any more.
    ///
    /// # Errors
    /// When the file cannot be written, or could not be read; the change is kept until the editor
    /// closes.
    pub fn toggle_favourite(&mut self, name: &str) -> io::Result<()> {
        if !self.favourites.remove(name) {
            self.favourites.insert(name.to_owned());
        }
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        if let Some(reason) = &self.favourites_unreadable {
            return Err(io::Error::other(format!("{FAVOURITES} cannot be read: {reason}")));
        }
        let names: Vec<&str> = self.favourites.iter().map(String::as_str).collect();
        write_whole(&folder.join(FAVOURITES), &(names.join("\n") + "\n"))
    }

    /// Saves a patch in the user's folder; it replaces a patch of the user's with the same name.
    ///
    /// # Errors
    /// When there is no folder, or it cannot be written.
    pub fn save(&mut self, patch: &Patch) -> io::Result<PathBuf> {
        let Some(folder) = &self.folder else {
            return Err(io::Error::other("there is no folder for patches"));
        };
        let same = |entry: &&Entry| entry.patch.name.eq_ignore_ascii_case(&patch.name);
        let known = self.entries.iter().filter(same).find_map(|e| e.file.clone());
        let file = known.unwrap_or_else(|| free_file(folder, &file_name(&patch.name)));
        write_whole(&file, &patch.to_toml())?;
        self.refresh();
        Ok(file)
    }
}

/// The patches in a folder.
pub(crate) fn own_patches(folder: &Path) -> Vec<Entry> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let read = |file: PathBuf| {
        let text = String::from_utf8(read_limited(&file, MAX_FILE_BYTES).ok()??).ok()?;
        let patch = Patch::parse(&text, &file.display().to_string()).ok()?;
        let file = Some(file);
        Some(Entry { patch, file })
    };
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let patches = files.filter(|file| file.extension().is_some_and(|e| e == "toml"));
    patches.filter_map(read).collect()
}

/// A file name that every file system accepts.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let stem: String = name.to_lowercase().chars().map(plain).take(64).collect();
    match stem.trim_matches('-') {
        "" => "patch".into(),
        stem => stem.into(),
    }
}

/// A file of that name that does not exist yet: names that look alike get a number.
fn free_file(folder: &Path, stem: &str) -> PathBuf {
    let named = |number: usize| match number {
        1 => folder.join(format!("{stem}.toml")),
        number => folder.join(format!("{stem}-{number}.toml")),
    };
    let mut numbers = (1..).map(named);
    let free = numbers.find(|file| !file.exists());
    free.unwrap_or_else(|| named(1))
}

/// Writes a file and, where it is missing, its folder.
fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    atomic_file::write(file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn saved_patches_are_found_again() {
        let folder = folder();
        let mut library = Library::open(Some(folder.path().join("patches")));
        let factory = library.entries().len();
        let mut patch = factory::patches()[0].clone();
        patch.name = "Mine: ä/b".into();
        library.save(&patch).unwrap();
        patch.description = "Better".into();
        library.save(&patch).unwrap();
        library.toggle_favourite("Aurora").unwrap();
        fs::write(folder.path().join("patches").join("no-patch.toml"), "nonsense").unwrap();

        let library = Library::open(Some(folder.path().join("patches")));
        assert_eq!(library.entries().len(), factory + 1);
        let own: Vec<_> = library.entries().iter().filter(|e| e.file.is_some()).collect();
        assert_eq!(own[0].patch, patch);
        assert!(library.is_favourite("Aurora"));
        assert!(!library.is_favourite("Tide"));
    }

    #[test]
    fn two_patches_whose_names_look_alike_have_files_of_their_own() {
        assert_eq!(file_name("Solar Lead"), "solar-lead");
        assert_eq!(file_name("../../etc"), "etc");
        assert_eq!(file_name("???"), "patch");
        let folder = folder();
        let mut library = Library::open(Some(folder.path().join("patches")));
        let mut patch = factory::patches()[0].clone();
        for name in ["One two", "One-two"] {
            patch.name = name.into();
            library.save(&patch).unwrap();
        }
        let own = library.entries().iter().filter(|e| e.file.is_some());
        assert_eq!(own.count(), 2);
    }

    /// A file that is not text is not replaced by one that lacks what was in it.
    #[test]
    fn unreadable_favourites_are_not_overwritten() {
        let folder = folder();
        fs::create_dir_all(folder.path().join("patches")).unwrap();
        let file = folder.path().join("patches").join(FAVOURITES);
        let bytes = b"Aurora\nCaf\xe9\n";
        fs::write(&file, bytes).unwrap();
        let mut library = Library::open(Some(folder.path().join("patches")));
        assert!(library.toggle_favourite("Tide").is_err());
        assert!(library.is_favourite("Tide"), "until the editor closes");
        assert_eq!(fs::read(&file).unwrap(), bytes);
        fs::write(&file, "Aurora\n").unwrap();
        library.refresh();
        library.toggle_favourite("Tide").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "Aurora\nTide\n");
    }

    /// Opening a named pipe would wait for somebody to write to it.
    #[cfg(unix)]
    #[test]
    fn named_pipes_are_no_patches() {
        let folder = folder();
        fs::create_dir_all(folder.path().join("patches")).unwrap();
        for name in ["pipe.toml", FAVOURITES] {
            let made = std::process::Command::new("mkfifo")
                .arg(folder.path().join("patches").join(name))
                .status();
            assert!(made.unwrap().success());
        }
        let library = Library::open(Some(folder.path().join("patches")));
        assert_eq!(library.entries().len(), factory::patches().len());
    }
}
