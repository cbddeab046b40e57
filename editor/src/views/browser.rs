//! The patch browser: search, categories, tags, favourites, ratings; a click loads a patch and plays it.

mod card;
mod pack;
mod save;

use crate::audition::Audition;
use crate::host::EditorHost;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, entry};
use card::{Preview, Wish, card, preview};
use egui::accesskit::Role;
use egui::{
    Align2, Color32, Key, Rect, ScrollArea, Sense, TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use myriad_engine::Patch;
use myriad_engine::patch::search;
use myriad_library::{Entry, Library, explore};
use pack::PackDialogs;
use save::SaveForm;
use std::collections::HashMap;
use std::path::PathBuf;

/// The order of the patches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Name,
    Category,
    Rating,
    Recent,
    Yours,
}

impl Sort {
    const ALL: [(Sort, &str); 5] = [
        (Sort::Name, "by name"),
        (Sort::Category, "by category"),
        (Sort::Rating, "by rating"),
        (Sort::Recent, "recently used"),
        (Sort::Yours, "yours first"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(sort, _)| *sort == self).map_or("", |(_, name)| name)
    }
}

/// State of the browser.
#[derive(Debug, Default)]
pub(crate) struct Browser {
    search: String,
    /// Filters by this category or tag.
    only: Option<String>,
    /// Filters by this folder of the user's patches.
    folder: Option<String>,
    favourites: bool,
    sort: Sort,
    /// While a patch is saved.
    saving: Option<SaveForm>,
    /// The patch that gets another name, or a folder, which is being typed.
    naming: Option<Naming>,
    /// The patch that was deleted last, and its name.
    deleted: Option<(PathBuf, String)>,
    packs: PackDialogs,
    /// What was done.
    news: String,
    /// Why something could not be done.
    trouble: String,
    /// The patch that was last scrolled to.
    seen: String,
    /// Preview pictures of patches, by their identity.
    previews: HashMap<String, Preview>,
    /// Whether patches are not played when they are chosen.
    quiet: bool,
    audition: Audition,
    /// Whether the sound is to be saved as a picture; the editor takes it back.
    pub(crate) wants_picture: bool,
    /// The patch that the sound that plays is to be bred with.
    mate: Option<Patch>,
}

/// A name that is being typed in the place of a card.
#[derive(Debug)]
struct Naming {
    entry: Entry,
    text: String,
    /// Whether its field has just appeared.
    is_new: bool,
    /// Whether it is the name of a folder.
    folder: bool,
}

const CARD: egui::Vec2 = vec2(210.0, 44.0);

impl Browser {
    /// The patches that match search and filters.
    fn found(&self, library: &Library) -> Vec<Entry> {
        let offered = library.entries().iter().filter(|entry| {
            let patch = &entry.patch;
            let mut labels = patch.tags.iter().chain([&patch.category]);
            let labelled = |only| labels.any(|label| label == only);
            (!self.favourites || library.is_favourite(entry))
                && (self.sort != Sort::Recent || library.recency(entry).is_some())
                && self.only.as_ref().is_none_or(labelled)
                && self.folder.as_ref().is_none_or(|folder| entry.folder == *folder)
        });
        let found = search(&self.search, offered, |entry| &entry.patch);
        let mut found: Vec<Entry> = found.into_iter().cloned().collect();
        match self.sort {
            Sort::Name => {}
            Sort::Category => found.sort_by(|a, b| a.patch.category.cmp(&b.patch.category)),
            Sort::Rating => found.sort_by_key(|entry| u8::MAX - library.rating(entry)),
            Sort::Recent => found.sort_by_key(|entry| library.recency(entry)),
            Sort::Yours => found.sort_by_key(|entry| entry.file.is_none()),
        }
        found
    }

    /// Asks what to save the patch as.
    pub(crate) fn ask_to_save(&mut self, patch: &Patch, library: &Library) {
        self.saving = Some(SaveForm::new(patch, library));
        self.trouble.clear();
    }

    /// The patch that was chosen to breed with, once.
    pub(crate) fn take_mate(&mut self) -> Option<Patch> {
        self.mate.take()
    }

    /// Plays a phrase with the sound that was loaded, unless auditions are off.
    pub(crate) fn play(&mut self, session: &mut Session) {
        if !self.quiet {
            self.audition.start(session.host, &session.patch.category, session.time);
        }
    }

    /// Plays on with the phrase of the patch that was chosen.
    pub(crate) fn tick(&mut self, host: &mut dyn EditorHost, time: f64) {
        self.audition.tick(host, time);
    }

    pub(crate) fn plays(&self) -> bool {
        self.audition.plays()
    }

    /// Releases every key.
    pub(crate) fn release(&mut self, host: &mut dyn EditorHost) {
        self.audition.stop(host);
    }

    /// Shows the browser. Returns whether it should close.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        library: &mut Library,
        rect: Rect,
    ) -> bool {
        theme::panel(ui.painter(), rect);
        let inside = rect.shrink(12.0);
        let head = inside.with_max_y(inside.top() + 28.0);
        let below = inside.with_min_y(head.bottom() + 8.0);
        if let Some(form) = &mut self.saving {
            let at = head.left_center() + vec2(4.0, 0.0);
            let font = theme::bold(13.0);
            ui.painter().text(at, Align2::LEFT_CENTER, "Save as a patch", font, theme::TEXT);
            if form.show(ui, session, library, below) {
                self.saving = None;
            }
            return false;
        }
        self.head(ui, session, library, head);
        let side = below.with_max_x(below.left() + 148.0);
        self.filters(ui, library, side);
        let mut grid = below.with_min_x(side.right() + 12.0);
        let notice = grid.with_max_y(grid.top() + 26.0);
        if self.notice(ui, library, notice) {
            grid = grid.with_min_y(notice.bottom() + 4.0);
        }
        let typing = self.naming.is_some();
        self.cards(ui, session, library, grid);
        ui.input(|input| input.key_pressed(Key::Escape)) && !typing
    }

    fn head(&mut self, ui: &mut Ui, session: &mut Session, library: &mut Library, rect: Rect) {
        let field = rect.with_max_x(rect.left() + 250.0);
        let search = TextEdit::singleline(&mut self.search)
            .hint_text("Search names, tags, descriptions")
            .align(Align2::LEFT_CENTER)
            .margin(egui::Margin::symmetric(10, 4));
        let response = ui.put(field, search);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Search"));
        let heart = Rect::from_min_size(pos2(field.right() + 8.0, rect.top()), vec2(28.0, 28.0));
        let on = self.favourites;
        let pressed =
            button::icon(ui, heart, "Only favourites", "Only favourites", |painter, colour| {
                let colour = if on { theme::ROSE } else { colour };
                paint::heart(painter, heart.center(), 6.5, on, colour);
            });
        if pressed.clicked() {
            self.favourites = !self.favourites;
        }
        let sort = Rect::from_min_size(pos2(heart.right() + 6.0, rect.top()), vec2(112.0, 28.0));
        let name = (self.sort.name(), theme::TEXT);
        button::list(ui, sort, "Sort patches", name, |ui| {
            for (sort, name) in Sort::ALL {
                if ui.selectable_label(self.sort == sort, name).clicked() {
                    self.sort = sort;
                }
            }
        });
        let switch = Rect::from_min_size(pos2(sort.right() + 6.0, rect.top()), vec2(74.0, 28.0));
        let tip = "A click on a patch plays a phrase with it";
        if button::word(ui, switch, "Audition", tip, !self.quiet).clicked() {
            self.quiet = !self.quiet;
            self.audition.stop(session.host);
        }
        let mut right = rect.right();
        let mut word = |text: &str, tip: &str, wide: f32| {
            let place =
                Rect::from_min_max(pos2(right - wide, rect.top()), pos2(right, rect.bottom()));
            right -= wide + 8.0;
            button::word(ui, place, text, tip, true).clicked()
        };
        if word("Save as…", "Save this sound as a user patch", 84.0) {
            self.ask_to_save(&session.patch, library);
        }
        if word("Picture…", "Save what this sound plays as a picture, to edit and import it", 70.0)
        {
            self.wants_picture = true;
        }
        if word("Revert", "Load this patch again as it was saved", 64.0)
            && let Some(entry) = library.current(&session.patch.name)
        {
            let what = format!("Reverted to {}", entry.patch.name);
            session.replace(entry.patch.clone(), what);
        }
        if word("New", "Begin with a plain sound", 48.0) {
            session.replace(Patch::new(), "New patch".into());
        }
        let place = Rect::from_min_max(pos2(right - 60.0, rect.top()), pos2(right, rect.bottom()));
        let title = self.folder.clone().or_else(|| self.only.clone());
        let title = title.unwrap_or_else(|| "Myriad patches".into());
        let mut packs = std::mem::take(&mut self.packs);
        let outcome = packs.show(ui, library, |library| self.found(library), &title, place);
        self.packs = packs;
        match outcome {
            Some(Ok(news)) => (self.news, self.trouble) = (news, String::new()),
            Some(Err(error)) => self.trouble = error,
            None => {}
        }
    }

    /// What was deleted, to bring it back, or what went wrong. Returns whether there is anything.
    fn notice(&mut self, ui: &mut Ui, library: &mut Library, rect: Rect) -> bool {
        let text = match (&self.deleted, self.trouble.as_str()) {
            (None, "") if self.news.is_empty() => return false,
            (None, "") => self.news.clone(),
            (Some((_, name)), "") => format!("{name} is in the wastebasket."),
            (_, trouble) => trouble.to_owned(),
        };
        let colour = if self.trouble.is_empty() { theme::MUTED } else { theme::ALARM };
        let at = rect.left_center() + vec2(4.0, 0.0);
        let font = theme::regular(11.5);
        let drawn = ui.painter().text(at, Align2::LEFT_CENTER, text, font, colour);
        let place = |index: f32| {
            let left = drawn.right() + 12.0 + 80.0 * index;
            Rect::from_min_size(pos2(left, rect.top()), vec2(74.0, rect.height()))
        };
        if self.deleted.is_some()
            && self.trouble.is_empty()
            && button::word(ui, place(0.0), "Restore", "Bring it back", true).clicked()
            && let Some((file, _)) = self.deleted.take()
            && let Err(error) = library.restore(&file)
        {
            self.trouble = format!("Could not restore: {error}");
        }
        if button::word(ui, place(1.0), "Dismiss", "", false).clicked() {
            self.deleted = None;
            self.news.clear();
            self.trouble.clear();
        }
        true
    }

    /// Folders, categories, then the most frequent tags.
    fn filters(&mut self, ui: &mut Ui, library: &Library, rect: Rect) {
        let mut counts: Vec<(String, usize, bool)> = Vec::new();
        for entry in library.entries() {
            let category = [(&entry.patch.category, true)];
            let tags = entry.patch.tags.iter().map(|tag| (tag, false));
            for (label, is_category) in category.into_iter().chain(tags) {
                match counts.iter_mut().find(|(known, ..)| known == label) {
                    Some((_, count, _)) => *count += 1,
                    None => counts.push((label.clone(), 1, is_category)),
                }
            }
        }
        counts.sort_by(|a, b| (!a.2, b.1, &a.0).cmp(&(!b.2, a.1, &b.0)));
        let folders = library.folders();
        // The last patch of a folder may have been moved or deleted.
        let is_there = |folder: &String| folders.contains(&folder.as_str());
        self.folder = self.folder.take().filter(is_there);
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("filters"));
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            for folder in folders {
                let entries = library.entries().iter();
                let count = entries.filter(|entry| entry.folder == folder).count();
                let chosen = self.folder.as_deref() == Some(folder);
                let name = format!("Folder {folder}");
                if filter_line(ui, &name, (folder, theme::AQUA), count, chosen) {
                    self.folder = (!chosen).then(|| folder.to_owned());
                }
            }
            for (label, count, is_category) in counts {
                let chosen = self.only.as_ref() == Some(&label);
                let idle = if is_category { theme::TEXT } else { theme::MUTED };
                if filter_line(ui, &format!("Only {label}"), (&label, idle), count, chosen) {
                    self.only = (!chosen).then_some(label);
                }
            }
        });
    }

    fn cards(&mut self, ui: &mut Ui, session: &mut Session, library: &mut Library, rect: Rect) {
        let found = self.found(library);
        if found.is_empty() {
            return theme::emptiness(ui.painter(), rect, "No patches found");
        }
        for entry in &found {
            self.previews.entry(entry.id()).or_insert_with(|| preview(&entry.patch));
        }
        let current = library.current(&session.patch.name).map(Entry::id).unwrap_or_default();
        let columns = (rect.width() / CARD.x).floor().max(1.0) as usize;
        let wide = (rect.width() - 14.0) / columns as f32;
        let mut wish = None;
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("cards"));
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            let rows = found.len().div_ceil(columns);
            let size = vec2(rect.width() - 14.0, rows as f32 * (CARD.y + 6.0));
            let (area, _) = ui.allocate_exact_size(size, Sense::hover());
            for (index, entry) in found.into_iter().enumerate() {
                let at = vec2(
                    wide * (index % columns) as f32,
                    (CARD.y + 6.0) * (index / columns) as f32,
                );
                let place = Rect::from_min_size(area.min + at, vec2(wide - 8.0, CARD.y));
                let id = entry.id();
                let playing = id == current;
                // Scrolls to the current patch, also when it was chosen elsewhere.
                if playing && self.seen != id {
                    ui.scroll_to_rect(place.expand(CARD.y), None);
                    self.seen.clone_from(&id);
                }
                if self.naming.as_ref().is_some_and(|naming| naming.entry.id() == id) {
                    self.name(ui, session, library, place);
                    continue;
                }
                let preview = self.previews.get(&id);
                let asked = card(ui, library, &entry, playing, preview, place);
                wish = asked.map(|asked| (asked, entry)).or(wish.take());
            }
        });
        if let Some((wish, entry)) = wish {
            self.grant(wish, entry, session, library);
        }
    }

    /// Does what was asked for on a card.
    fn grant(&mut self, wish: Wish, entry: Entry, session: &mut Session, library: &mut Library) {
        self.trouble.clear();
        let done = match wish {
            Wish::Load => {
                let is_new =
                    library.current(&session.patch.name).map(Entry::id) != Some(entry.id());
                if is_new || session.patch.name != entry.patch.name {
                    session.load(entry.patch.clone());
                }
                self.play(session);
                library.used(&entry)
            }
            Wish::Favourite => library.toggle_favourite(&entry),
            Wish::Rate(stars) => library.rate(&entry, stars),
            Wish::Rename => {
                let text = entry.patch.name.clone();
                self.naming = Some(Naming { entry, text, is_new: true, folder: false });
                Ok(())
            }
            Wish::MoveTo(folder) => library.move_to(&entry, &folder),
            Wish::MoveToNew => {
                let text = "New folder".to_owned();
                self.naming = Some(Naming { entry, text, is_new: true, folder: true });
                Ok(())
            }
            Wish::Duplicate => library.duplicate(&entry).map(|_| ()),
            Wish::Delete => library.delete(&entry).map(|file| {
                self.deleted = Some((file, entry.patch.name.clone()));
            }),
            Wish::Breed => {
                self.mate = Some(entry.patch);
                Ok(())
            }
            Wish::LoadOnly(section) => {
                let mut patch = session.snapshot();
                section.copy(&entry.patch, &mut patch);
                session.replace(patch, format!("{} of {}", section.name(), entry.patch.name));
                Ok(())
            }
            Wish::LoadIntoLayer => {
                let mut patch = session.snapshot();
                explore::load_into_layer(&entry.patch, &mut patch);
                session.replace(patch, format!("Layer 2 of {}", entry.patch.name));
                Ok(())
            }
        };
        if let Err(error) = done {
            self.trouble = format!("{error}.");
        }
    }

    /// The field for the new name of a patch, or for the name of its folder.
    fn name(&mut self, ui: &mut Ui, session: &mut Session, library: &mut Library, rect: Rect) {
        let Some(Naming { entry, text, is_new, folder }) = &mut self.naming else {
            return;
        };
        let edit = TextEdit::singleline(text)
            .align(Align2::LEFT_CENTER)
            .margin(egui::Margin::symmetric(10, 4));
        let response = ui.put(rect.shrink2(vec2(2.0, 8.0)), edit);
        let label = if *folder { "Name of the folder" } else { "New name" };
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, label));
        if std::mem::take(is_new) {
            entry::begin(&response, text);
        }
        let given_up = ui.input(|input| input.key_pressed(Key::Escape));
        if !response.lost_focus() && !given_up {
            return;
        }
        let (old, new) = (entry.patch.name.clone(), text.trim().to_owned());
        let plays = library.current(&session.patch.name).map(Entry::id) == Some(entry.id());
        if *folder {
            if !given_up && let Err(error) = library.move_to(entry, &new) {
                self.trouble = format!("Could not move: {error}.");
            }
        } else if !given_up && !new.is_empty() && new != old {
            match library.rename(entry, &new) {
                Ok(()) if plays && session.patch.name == old => {
                    let mut patch = Patch::clone(&session.patch);
                    patch.name = new;
                    session.describe(&patch);
                }
                Ok(()) => {}
                Err(error) => self.trouble = format!("Could not rename: {error}."),
            }
        }
        self.naming = None;
    }
}

/// A line of the filters: what it keeps, in its colour, and how many patches that are. Returns whether it was
/// clicked.
fn filter_line(
    ui: &mut Ui,
    name: &str,
    (label, idle): (&str, Color32),
    count: usize,
    chosen: bool,
) -> bool {
    let (place, _) = ui.allocate_exact_size(vec2(132.0, 22.0), Sense::hover());
    let response = button::area(ui, place, name, "", chosen);
    let painter = ui.painter_at(place);
    if chosen {
        painter.rect_filled(place, theme::SMALL_ROUND, theme::RAISED);
    } else {
        button::backdrop(&painter, place, &response);
    }
    let ink = if chosen { theme::AMBER } else { button::ink(&response, idle) };
    let at = place.left_center() + vec2(10.0, 0.0);
    let font = theme::regular(11.5);
    let words = ui.painter_at(place.with_max_x(place.right() - 28.0));
    words.text(at, Align2::LEFT_CENTER, label, font.clone(), ink);
    let at = place.right_center() - vec2(8.0, 0.0);
    painter.text(at, Align2::RIGHT_CENTER, count, font, theme::FAINT);
    response.clicked()
}
