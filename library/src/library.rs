//! All patches, listed, and saved in the user's folder.

use crate::folders::{self, WASTEBASKET, own_patches};
use crate::lists::Lists;
use myriad_engine::{Patch, factory};
use myriad_files::atomic_file;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A patch of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The patch.
    pub patch: Patch,
    /// Its file, if it is one of the user's own.
    pub file: Option<PathBuf>,
    /// The folder of that file, below that of all patches: `Pads`, `Pads/Slow`; empty for that one itself.
    pub folder: String,
}

impl Entry {
    /// A factory patch.
    pub fn factory(patch: &Patch) -> Self {
        Self { patch: patch.clone(), file: None, folder: String::new() }
    }

    /// What tells it from all others: its file, below the folder of all patches; a factory patch has its name
    /// alone.
    pub fn id(&self) -> String {
        let Some(name) = self.file.as_ref().and_then(|file| file.file_name()) else {
            return self.patch.name.clone();
        };
        match self.folder.as_str() {
            "" => name.to_string_lossy().into_owned(),
            folder => format!("{folder}/{}", name.to_string_lossy()),
        }
    }
}

/// All patches, by name.
#[derive(Debug)]
pub struct Library {
    entries: Vec<Entry>,
    unreadable: Vec<String>,
    lists: Lists,
    /// The identity of the patch that was loaded or saved last.
    current: Option<String>,
    folder: Option<PathBuf>,
}

impl Library {
    /// Factory patches and those in `folder`, which need not exist yet. Files that are not patches
    /// are left out. Without a folder nothing can be saved.
    pub fn open(folder: Option<PathBuf>) -> Self {
        let (entries, lists) = (Vec::new(), Lists::default());
        let unreadable = Vec::new();
        let mut library = Self { entries, unreadable, lists, current: None, folder };
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
        let factory = factory::patches().iter().map(Entry::factory);
        let own = self.folder.as_deref().map(own_patches).unwrap_or_default();
        self.entries = factory.chain(own.entries).collect();
        self.unreadable = own.unreadable;
        let name = |entry: &Entry| entry.patch.name.to_lowercase();
        self.entries.sort_by_cached_key(name);
        if let Some(folder) = &self.folder {
            self.lists.read(folder);
        }
    }

    /// All patches, by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A line for each of the user's files that could not be read, and so is missing here.
    pub fn unreadable(&self) -> &[String] {
        &self.unreadable
    }

    /// The folders of the user's own patches, by name.
    pub fn folders(&self) -> Vec<&str> {
        let folders = self.entries.iter().map(|entry| entry.folder.as_str());
        let named: BTreeSet<&str> = folders.filter(|folder| !folder.is_empty()).collect();
        named.into_iter().collect()
    }

    /// Moves one of the user's own patches to another folder below that of all patches. Its heart and its
    /// stars go with it.
    ///
    /// # Errors
    /// When it is a factory patch, or cannot be moved.
    pub fn move_to(&mut self, entry: &Entry, folder: &str) -> io::Result<()> {
        let file = own_file(entry)?;
        let target = folders::below(self.folder()?, folder);
        fs::create_dir_all(&target)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let target = free_file(&target, &stem);
        fs::rename(&file, &target)?;
        let was_current = self.current.as_ref() == Some(&entry.id());
        self.refresh();
        let moved = self.entries.iter().find(|other| other.file.as_ref() == Some(&target));
        let Some(id) = moved.map(Entry::id) else {
            return Ok(());
        };
        if was_current {
            self.current = Some(id.clone());
        }
        self.lists.rename(self.folder.as_deref(), &entry.id(), &id)
    }

    /// Whether a patch is a favourite. Lists of earlier versions have the names of the user's own, too.
    pub fn is_favourite(&self, entry: &Entry) -> bool {
        let favourites = &self.lists.favourites;
        let by_name = || favourites.contains(&entry.patch.name);
        let own = || entry.file.is_some() && factory::find(&entry.patch.name).is_none();
        favourites.contains(&entry.id()) || (own() && by_name())
    }

    /// Makes a patch a favourite, or not any more.
    ///
    /// # Errors
    /// When the file cannot be written, or could not be read; the change is kept until the editor
    /// closes.
    pub fn toggle_favourite(&mut self, entry: &Entry) -> io::Result<()> {
        let own_name = entry.file.is_some() && self.is_favourite(entry);
        let id = match own_name && !self.lists.favourites.contains(&entry.id()) {
            true => entry.patch.name.clone(),
            false => entry.id(),
        };
        self.lists.toggle_favourite(self.folder.as_deref(), &id)
    }

    /// Stars of a patch, 0 to 5.
    pub fn rating(&self, entry: &Entry) -> u8 {
        self.lists.rating(&entry.id())
    }

    /// Gives a patch stars; 0 removes them.
    ///
    /// # Errors
    /// As [`toggle_favourite`](Self::toggle_favourite).
    pub fn rate(&mut self, entry: &Entry, stars: u8) -> io::Result<()> {
        self.lists.rate(self.folder.as_deref(), &entry.id(), stars)
    }

    /// How many patches were used since this one; none if that is long ago.
    pub fn recency(&self, entry: &Entry) -> Option<usize> {
        self.lists.recency(&entry.id())
    }

    /// A patch is played now.
    ///
    /// # Errors
    /// As [`toggle_favourite`](Self::toggle_favourite).
    pub fn used(&mut self, entry: &Entry) -> io::Result<()> {
        self.current = Some(entry.id());
        self.lists.used(self.folder.as_deref(), &entry.id())
    }

    /// The entry of the patch called `name` that plays: of several with that name the one that was loaded.
    pub fn current(&self, name: &str) -> Option<&Entry> {
        let named = || self.entries.iter().filter(|entry| entry.patch.name == name);
        let loaded = named().find(|entry| self.current.as_deref() == Some(&entry.id()));
        loaded.or_else(|| named().next())
    }

    /// The name that the user signs patches with.
    pub fn author(&self) -> &str {
        self.lists.author()
    }

    /// Remembers the name that the user signs patches with.
    ///
    /// # Errors
    /// As [`toggle_favourite`](Self::toggle_favourite).
    pub fn set_author(&mut self, author: &str) -> io::Result<()> {
        self.lists.set_author(self.folder.as_deref(), author)
    }

    /// Whether the user wants the editor light.
    pub fn light_theme(&self) -> bool {
        self.lists.light_theme()
    }

    /// Remembers whether the user wants the editor light.
    ///
    /// # Errors
    /// As [`toggle_favourite`](Self::toggle_favourite).
    pub fn set_light_theme(&mut self, light: bool) -> io::Result<()> {
        self.lists.set_light_theme(self.folder.as_deref(), light)
    }

    /// The user's own patch of that name, which [`save`](Self::save) would replace.
    pub fn own(&self, name: &str) -> Option<&Entry> {
        let same = |entry: &&Entry| entry.patch.name.eq_ignore_ascii_case(name);
        self.entries.iter().filter(same).find(|entry| entry.file.is_some())
    }

    /// Saves a patch in a file of its own, beside others of the same name.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_new(&mut self, patch: &Patch) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        let file = free_file(folder, &file_name(&patch.name));
        self.write(file, patch)
    }

    /// Gives one of the user's own patches another name; its file keeps its own.
    ///
    /// # Errors
    /// When it is a factory patch, or cannot be written.
    pub fn rename(&mut self, entry: &Entry, name: &str) -> io::Result<()> {
        let file = own_file(entry)?;
        let mut patch = entry.patch.clone();
        patch.name = name.to_owned();
        self.write(file, &patch).map(|_| ())
    }

    /// Saves a copy of a patch, with a name that no patch has yet.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn duplicate(&mut self, entry: &Entry) -> io::Result<PathBuf> {
        let mut patch = entry.patch.clone();
        let taken = |name: &str| self.entries.iter().any(|entry| entry.patch.name == name);
        let mut names = (2..).map(|number| format!("{} {number}", entry.patch.name));
        patch.name = names.find(|name| !taken(name)).unwrap_or_default();
        self.save_new(&patch)
    }

    /// Moves one of the user's own patches to the wastebasket, a folder beside them. Returns where it is.
    ///
    /// # Errors
    /// When it is a factory patch, or cannot be moved.
    pub fn delete(&mut self, entry: &Entry) -> io::Result<PathBuf> {
        let file = own_file(entry)?;
        let basket = folders::below(&self.folder()?.join(WASTEBASKET), &entry.folder);
        fs::create_dir_all(&basket)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let target = free_file(&basket, &stem);
        fs::rename(&file, &target)?;
        self.refresh();
        Ok(target)
    }

    /// Brings a deleted patch back into the folder that it was in.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn restore(&mut self, deleted: &Path) -> io::Result<()> {
        let stem = deleted.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.folder()?;
        let below = deleted.strip_prefix(folder.join(WASTEBASKET)).ok().and_then(Path::parent);
        let target = below.map_or_else(|| folder.to_owned(), |below| folder.join(below));
        fs::create_dir_all(&target)?;
        let target = free_file(&target, &stem);
        fs::rename(deleted, target)?;
        self.refresh();
        Ok(())
    }

    pub(crate) fn folder(&self) -> io::Result<&Path> {
        let none = || io::Error::other("there is no folder for patches");
        self.folder.as_deref().ok_or_else(none)
    }

    fn write(&mut self, file: PathBuf, patch: &Patch) -> io::Result<PathBuf> {
        write_whole(&file, &patch.to_toml())?;
        self.refresh();
        let written = self.entries.iter().find(|entry| entry.file.as_ref() == Some(&file));
        self.current = written.map(Entry::id);
        Ok(file)
    }

    /// Saves a patch in the user's folder; it replaces a patch of the user's with the same name.
    ///
    /// # Errors
    /// When there is no folder, or it cannot be written.
    pub fn save(&mut self, patch: &Patch) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        let known = self.own(&patch.name).and_then(|entry| entry.file.clone());
        let file = known.unwrap_or_else(|| free_file(folder, &file_name(&patch.name)));
        self.write(file, patch)
    }
}

/// The file of one of the user's own patches.
fn own_file(entry: &Entry) -> io::Result<PathBuf> {
    let factory = || io::Error::other("a factory patch stays as it is; duplicate it");
    entry.file.clone().ok_or_else(factory)
}

/// A file name that every file system accepts, without an extension, for a patch of this name.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let stem: String = name.to_lowercase().chars().map(plain).take(64).collect();
    match stem.trim_matches('-') {
        "" => "patch".into(),
        stem => stem.into(),
    }
}

/// A file of that name that does not exist yet: names that look alike get a number.
pub(crate) fn free_file(folder: &Path, stem: &str) -> PathBuf {
    let named = |number: usize| match number {
        1 => folder.join(format!("{stem}.toml")),
        number => folder.join(format!("{stem}-{number}.toml")),
    };
    let mut numbers = (1..).map(named);
    let free = numbers.find(|file| !file.exists());
    free.unwrap_or_else(|| named(1))
}

/// Writes a file and, where it is missing, its folder.
pub(crate) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    atomic_file::write(file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::FAVOURITES;

    fn entry(library: &Library, name: &str) -> Entry {
        library.entries().iter().find(|entry| entry.patch.name == name).unwrap().clone()
    }

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
        library.toggle_favourite(&entry(&library, "Aurora")).unwrap();
        fs::write(folder.path().join("patches").join("no-patch.toml"), "nonsense").unwrap();

        let library = Library::open(Some(folder.path().join("patches")));
        assert_eq!(library.entries().len(), factory + 1);
        let own: Vec<_> = library.entries().iter().filter(|e| e.file.is_some()).collect();
        assert_eq!(own[0].patch, patch);
        assert!(library.is_favourite(&entry(&library, "Aurora")));
        assert!(!library.is_favourite(&entry(&library, "Tide")));
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
        assert!(library.toggle_favourite(&entry(&library, "Tide")).is_err());
        assert!(library.is_favourite(&entry(&library, "Tide")), "until the editor closes");
        assert_eq!(fs::read(&file).unwrap(), bytes);
        fs::write(&file, "Aurora\n").unwrap();
        library.refresh();
        library.toggle_favourite(&entry(&library, "Tide")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "Aurora\nTide\n");
    }

    /// Two patches of one name are told apart by their files: rated, renamed and deleted each by itself.
    #[test]
    fn patches_of_one_name_are_two() {
        let folder = folder();
        let mut library = Library::open(Some(folder.path().join("patches")));
        let mut patch = factory::find("Tide").unwrap();
        library.save_new(&patch).unwrap();
        patch.description = "The second".into();
        library.save_new(&patch).unwrap();
        let of = |library: &Library, id: &str| {
            library.entries().iter().find(|entry| entry.id() == id).cloned()
        };
        let [factory, first, second] =
            ["Tide", "tide.toml", "tide-2.toml"].map(|id| of(&library, id).unwrap());
        library.rate(&second, 4).unwrap();
        library.toggle_favourite(&first).unwrap();
        library.used(&first).unwrap();
        assert_eq!(library.current("Tide").unwrap().id(), "tide.toml");
        library.used(&second).unwrap();
        assert_eq!(library.current("Tide").unwrap().id(), "tide-2.toml");

        let mut library = Library::open(Some(folder.path().join("patches")));
        let ratings = [&factory, &first, &second].map(|entry| library.rating(entry));
        assert_eq!(ratings, [0, 0, 4]);
        let liked = [&factory, &first, &second].map(|entry| library.is_favourite(entry));
        assert_eq!(liked, [false, true, false]);
        let recency = [&factory, &first, &second].map(|entry| library.recency(entry));
        assert_eq!(recency, [None, Some(1), Some(0)]);

        library.rename(&second, "Ebb").unwrap();
        assert_eq!(of(&library, "tide-2.toml").unwrap().patch.name, "Ebb");
        assert!(library.rename(&factory, "Ebb").is_err());
        let deleted = library.delete(&first).unwrap();
        assert!(of(&library, "tide.toml").is_none() && deleted.exists());
        assert!(library.delete(&factory).is_err());
        library.restore(&deleted).unwrap();
        assert_eq!(of(&library, "tide.toml").unwrap().patch.name, "Tide");
        library.duplicate(&factory).unwrap();
        assert!(library.own("Tide 2").is_some());
    }

    /// Earlier versions listed favourites by name, the user's own too.
    #[test]
    fn old_favourites_stay() {
        let folder = folder();
        let mut library = Library::open(Some(folder.path().into()));
        let mut patch = factory::find("Tide").unwrap();
        patch.name = "Mine".into();
        library.save(&patch).unwrap();
        fs::write(folder.path().join(FAVOURITES), "Mine\n").unwrap();
        library.refresh();
        let mine = entry(&library, "Mine");
        assert!(library.is_favourite(&mine));
        library.toggle_favourite(&mine).unwrap();
        assert!(!library.is_favourite(&mine));
        library.toggle_favourite(&mine).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(FAVOURITES)).unwrap(), "mine.toml\n");
    }

    /// Folders of folders are shown, patches in them keep their place when they are deleted and restored, and
    /// their stars when they are moved.
    #[test]
    fn patches_lie_in_folders() {
        let temporary = folder();
        let root = temporary.path().join("patches");
        let mut library = Library::open(Some(root.clone()));
        let patch = factory::find("Tide").unwrap();
        library.save_new(&patch).unwrap();
        let own = |library: &Library| library.own("Tide").unwrap().clone();
        library.rate(&own(&library), 3).unwrap();
        library.toggle_favourite(&own(&library)).unwrap();
        library.used(&own(&library)).unwrap();
        library.move_to(&own(&library), "Pads/Slow").unwrap();
        let moved = own(&library);
        assert_eq!(
            (moved.id().as_str(), library.folders()),
            ("Pads/Slow/tide.toml", vec!["Pads/Slow"])
        );
        assert_eq!((library.rating(&moved), library.is_favourite(&moved)), (3, true));
        assert_eq!(
            (library.recency(&moved), library.current("Tide").unwrap().id()),
            (Some(0), moved.id())
        );

        let deleted = library.delete(&moved).unwrap();
        assert!(folders::is_deleted(&deleted) && library.own("Tide").is_none());
        library.restore(&deleted).unwrap();
        assert_eq!(own(&library).id(), "Pads/Slow/tide.toml");
        // Names from elsewhere stay inside.
        library.move_to(&own(&library), "../../../out/./wastebasket").unwrap();
        let inside = own(&library).file.unwrap();
        assert!(inside.starts_with(&root) && !folders::is_deleted(&inside), "{inside:?}");
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
