//! The patch browser: typing filters the list, moving plays a patch.

use super::view_model::Browsing;
use myriad_engine::Patch;
use myriad_engine::patch::search;
use myriad_library::Library;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The query, the patches that match it, and the selected one.
pub(super) struct Browser {
    library: Library,
    query: String,
    /// Indices of the library's entries.
    found: Vec<usize>,
    selected: usize,
}

/// The result of a key.
pub(super) enum Answer {
    Stay,
    /// Plays this patch.
    Try(Box<Patch>),
    Close,
    Quit,
}

impl Browser {
    /// Selects the patch of that name.
    pub(super) fn new(library: Library, name: &str) -> Self {
        let mut entries = library.entries().iter();
        let selected = entries.position(|entry| entry.patch.name == name).unwrap_or(0);
        let found = (0..library.entries().len()).collect();
        Self { library, query: String::new(), found, selected }
    }

    /// The patch `step` places after the selected one.
    pub(super) fn neighbour(&self, step: i32) -> Patch {
        let count = self.found.len().max(1) as i32;
        let place = (self.selected as i32 + step).rem_euclid(count) as usize;
        self.patch(place).cloned().unwrap_or_default()
    }

    /// The patch at a place of the list.
    fn patch(&self, place: usize) -> Option<&Patch> {
        self.found.get(place).map(|&index| &self.library.entries()[index].patch)
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Answer {
        match key.code {
            KeyCode::Char('c' | 'q') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Answer::Quit;
            }
            KeyCode::Esc | KeyCode::Enter | KeyCode::Tab => return Answer::Close,
            KeyCode::Up => return self.step(-1),
            KeyCode::Down => return self.step(1),
            KeyCode::PageUp => return self.step(-8),
            KeyCode::PageDown => return self.step(8),
            KeyCode::Backspace => {
                self.query.pop();
            }
            KeyCode::Char(letter) => self.query.push(letter),
            _ => return Answer::Stay,
        }
        self.search()
    }

    fn step(&mut self, step: i32) -> Answer {
        let Some(last) = self.found.len().checked_sub(1) else {
            return Answer::Stay;
        };
        let place = (self.selected as i32 + step).clamp(0, last as i32) as usize;
        match place == self.selected {
            true => Answer::Stay,
            false => {
                self.selected = place;
                self.play(place)
            }
        }
    }

    fn play(&self, place: usize) -> Answer {
        self.patch(place).map_or(Answer::Stay, |patch| Answer::Try(Box::new(patch.clone())))
    }

    /// Filters the list by the words of the query.
    fn search(&mut self) -> Answer {
        let before = self.found.get(self.selected).copied();
        let entries = self.library.entries();
        self.found = search(&self.query, 0..entries.len(), |&index| &entries[index].patch);
        let same = self.found.iter().position(|&index| Some(index) == before);
        self.selected = same.unwrap_or(0);
        match same {
            None => self.play(0),
            Some(_) => Answer::Stay,
        }
    }

    pub(super) fn view(&self) -> Browsing {
        let row = |&index: &usize| {
            let patch = &self.library.entries()[index].patch;
            [&patch.name, &patch.category, &patch.description].map(String::clone)
        };
        Browsing {
            query: self.query.clone(),
            rows: self.found.iter().map(row).collect(),
            at: self.selected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(browser: &mut Browser, code: KeyCode) -> Option<String> {
        match browser.key(KeyEvent::new(code, KeyModifiers::NONE)) {
            Answer::Try(patch) => Some(patch.name.clone()),
            _ => None,
        }
    }

    #[test]
    fn typing_filters_and_moving_plays() {
        let mut browser = Browser::new(Library::open(None), "Aurora");
        assert_eq!(browser.neighbour(0).name, "Aurora");
        let mut tried = None;
        for letter in "felt".chars() {
            tried = typed(&mut browser, KeyCode::Char(letter)).or(tried);
        }
        assert_eq!(tried.as_deref(), Some("Felt Grand"));
        for letter in "zzz".chars() {
            typed(&mut browser, KeyCode::Char(letter));
        }
        assert!(browser.view().rows.is_empty());
        assert_eq!(typed(&mut browser, KeyCode::Down), None);
        for _ in 0..10 {
            typed(&mut browser, KeyCode::Backspace);
        }
        assert_eq!(browser.view().rows.len(), Library::open(None).entries().len());
    }
}
