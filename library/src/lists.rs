//! What the user keeps: favourites, ratings, patches used last, name and theme; a small text file each.

use myriad_files::{atomic_file, input};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// The files in the user's folder, a line for each patch.
pub(crate) const FAVOURITES: &str = "favourites.txt";
const RATINGS: &str = "ratings.txt";
const RECENT: &str = "recent.txt";
const AUTHOR: &str = "author.txt";
const THEME: &str = "theme.txt";

/// The word for the light theme in its file.
const LIGHT: &str = "light";

/// How many of the patches used last are kept.
const MOST_RECENT: usize = 40;

/// The most stars.
pub const MAX_RATING: u8 = 5;

/// A file of lines. One that could not be read is not written either, so that nothing in it is lost.
#[derive(Debug, Default)]
struct Lines {
    unreadable: Option<String>,
}

impl Lines {
    fn read(&mut self, folder: &Path, name: &str) -> Option<String> {
        self.unreadable = None;
        match input::open(&folder.join(name)).and_then(io::read_to_string) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(String::new()),
            Err(error) => {
                self.unreadable = Some(error.to_string());
                None
            }
        }
    }

    fn write(&self, folder: &Path, name: &str, text: &str) -> io::Result<()> {
        if let Some(reason) = &self.unreadable {
            return Err(io::Error::other(format!("{name} cannot be read: {reason}")));
        }
        fs::create_dir_all(folder)?;
        atomic_file::write(&folder.join(name), text.as_bytes())
    }
}

/// Favourites, ratings and patches used last, by the identity of patches.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) favourites: BTreeSet<String>,
    ratings: BTreeMap<String, u8>,
    /// The latest first.
    recent: Vec<String>,
    author: String,
    light_theme: bool,
    files: [Lines; 5],
}

impl Lists {
    pub(crate) fn read(&mut self, folder: &Path) {
        let [favourites, ratings, recent, author, theme] = &mut self.files;
        if let Some(text) = favourites.read(folder, FAVOURITES) {
            self.favourites = text.lines().map(str::to_owned).collect();
        }
        if let Some(text) = ratings.read(folder, RATINGS) {
            let line = |line: &str| {
                let (stars, id) = line.split_once(' ')?;
                let stars = stars.parse().ok().filter(|stars| (1..=MAX_RATING).contains(stars))?;
                Some((id.to_owned(), stars))
            };
            self.ratings = text.lines().filter_map(line).collect();
        }
        if let Some(text) = recent.read(folder, RECENT) {
            self.recent = text.lines().take(MOST_RECENT).map(str::to_owned).collect();
        }
        if let Some(text) = author.read(folder, AUTHOR) {
            self.author = text.lines().next().unwrap_or_default().to_owned();
        }
        if let Some(text) = theme.read(folder, THEME) {
            self.light_theme = text.trim() == LIGHT;
        }
    }

    /// Stars of a patch; 0 without.
    pub(crate) fn rating(&self, id: &str) -> u8 {
        self.ratings.get(id).copied().unwrap_or(0)
    }

    pub(crate) fn rate(&mut self, folder: Option<&Path>, id: &str, stars: u8) -> io::Result<()> {
        match stars.min(MAX_RATING) {
            0 => self.ratings.remove(id),
            stars => self.ratings.insert(id.to_owned(), stars),
        };
        let line = |(id, stars): (&String, &u8)| format!("{stars} {id}\n");
        let text: String = self.ratings.iter().map(line).collect();
        folder.map_or(Ok(()), |folder| self.files[1].write(folder, RATINGS, &text))
    }

    pub(crate) fn toggle_favourite(&mut self, folder: Option<&Path>, id: &str) -> io::Result<()> {
        if !self.favourites.remove(id) {
            self.favourites.insert(id.to_owned());
        }
        let names: Vec<&str> = self.favourites.iter().map(String::as_str).collect();
        let text = names.join("\n") + "\n";
        folder.map_or(Ok(()), |folder| self.files[0].write(folder, FAVOURITES, &text))
    }

    /// How long ago a patch was used, in patches; none if that is longer ago than is kept.
    pub(crate) fn recency(&self, id: &str) -> Option<usize> {
        self.recent.iter().position(|recent| recent == id)
    }

    pub(crate) fn used(&mut self, folder: Option<&Path>, id: &str) -> io::Result<()> {
        if self.recent.first().is_some_and(|latest| latest == id) {
            return Ok(());
        }
        self.recent.retain(|recent| recent != id);
        self.recent.insert(0, id.to_owned());
        self.recent.truncate(MOST_RECENT);
        self.write_recent(folder)
    }

    /// A patch has another identity from now on.
    pub(crate) fn rename(&mut self, folder: Option<&Path>, from: &str, to: &str) -> io::Result<()> {
        let stars = self.rating(from);
        if stars > 0 {
            self.ratings.remove(from);
            self.rate(folder, to, stars)?;
        }
        if self.favourites.remove(from) {
            self.toggle_favourite(folder, to)?;
        }
        if let Some(place) = self.recent.iter_mut().find(|recent| *recent == from) {
            to.clone_into(place);
            self.write_recent(folder)?;
        }
        Ok(())
    }

    fn write_recent(&self, folder: Option<&Path>) -> io::Result<()> {
        let text = self.recent.join("\n") + "\n";
        folder.map_or(Ok(()), |folder| self.files[2].write(folder, RECENT, &text))
    }

    /// The name that the user signs patches with.
    pub(crate) fn author(&self) -> &str {
        &self.author
    }

    /// Whether the editor is light.
    pub(crate) fn light_theme(&self) -> bool {
        self.light_theme
    }

    pub(crate) fn set_light_theme(&mut self, folder: Option<&Path>, light: bool) -> io::Result<()> {
        self.light_theme = light;
        let word = if light { LIGHT } else { "dark" };
        folder.map_or(Ok(()), |folder| self.files[4].write(folder, THEME, &format!("{word}\n")))
    }

    pub(crate) fn set_author(&mut self, folder: Option<&Path>, author: &str) -> io::Result<()> {
        if author == self.author {
            return Ok(());
        }
        self.author = author.to_owned();
        let text = format!("{author}\n");
        folder.map_or(Ok(()), |folder| self.files[3].write(folder, AUTHOR, &text))
    }
}
