//! The patch browser: search, categories, tags, favourites; a click loads a patch.

mod card;

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, entry};
use card::{Preview, card, preview};
use egui::accesskit::Role;
use egui::{Align2, Key, Rect, ScrollArea, Sense, TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use myriad_engine::patch::search;
use myriad_library::{Entry, Library};
use std::collections::HashMap;

/// State of the browser.
#[derive(Debug, Default)]
pub(crate) struct Browser {
    search: String,
    /// Filters by this category or tag.
    only: Option<String>,
    favourites: bool,
    /// The name for saving, while it is being typed.
    saving: Option<String>,
    /// Whether its field has just appeared.
    asks: bool,
    /// Error message of the last save.
    trouble: String,
    /// The patch that was last scrolled to.
    seen: String,
    /// Preview pictures of patches, by name.
    previews: HashMap<String, Preview>,
}

const CARD: egui::Vec2 = vec2(210.0, 44.0);

impl Browser {
    /// The patches that match search and filters.
    fn found(&self, library: &Library) -> Vec<Entry> {
        let offered = library.entries().iter().filter(|entry| {
            let patch = &entry.patch;
            let mut labels = patch.tags.iter().chain([&patch.category]);
            let labelled = |only| labels.any(|label| label == only);
            (!self.favourites || library.is_favourite(&patch.name))
                && self.only.as_ref().is_none_or(labelled)
        });
        let found = search(&self.search, offered, |entry| &entry.patch);
        found.into_iter().cloned().collect()
    }

    /// Asks for the name to save the patch by.
    pub(crate) fn ask_to_save(&mut self, name: &str) {
        self.saving = Some(name.to_owned());
        self.asks = true;
        self.trouble.clear();
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
        self.head(ui, session, library, head);
        let side = Rect::from_min_max(
            pos2(inside.left(), head.bottom() + 8.0),
            pos2(inside.left() + 148.0, inside.bottom()),
        );
        self.filters(ui, library, side);
        let grid = Rect::from_min_max(pos2(side.right() + 12.0, side.top()), inside.max);
        self.cards(ui, session, library, grid);
        ui.input(|input| input.key_pressed(Key::Escape)) && self.saving.is_none()
    }

    fn head(&mut self, ui: &mut Ui, session: &mut Session, library: &mut Library, rect: Rect) {
        let field = rect.with_max_x(rect.left() + 300.0);
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
        let save = Rect::from_min_max(pos2(rect.right() - 320.0, rect.top()), rect.max);
        self.save(ui, session, library, save);
    }

    fn save(&mut self, ui: &mut Ui, session: &mut Session, library: &mut Library, rect: Rect) {
        let place = rect.with_min_x(rect.right() - 84.0);
        let Some(name) = &mut self.saving else {
            if button::word(ui, place, "Save as…", "Save this sound as a user patch", true)
                .clicked()
            {
                self.ask_to_save(&session.patch.name);
            }
            return;
        };
        let field = rect.with_max_x(place.left() - 8.0);
        let edit = TextEdit::singleline(name)
            .hint_text("Patch name")
            .align(Align2::LEFT_CENTER)
            .margin(egui::Margin::symmetric(10, 4));
        let response = ui.put(field, edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Patch name"));
        if std::mem::take(&mut self.asks) {
            entry::begin(&response, name);
        }
        let enter = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let pressed = button::word(ui, place, "Save", &self.trouble, true).clicked();
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            self.saving = None;
        } else if (enter || pressed) && !name.trim().is_empty() {
            let mut patch = session.snapshot();
            patch.name = name.trim().to_owned();
            match library.save(&patch) {
                Ok(_) => {
                    session.describe(&patch);
                    self.saving = None;
                }
                Err(error) => self.trouble = format!("Could not save: {error}"),
            }
        }
        if !self.trouble.is_empty() && self.saving.is_some() {
            let at = pos2(field.left(), rect.bottom() + 4.0);
            let font = theme::regular(10.5);
            ui.painter().text(at, Align2::LEFT_TOP, &self.trouble, font, theme::ALARM);
        }
    }

    /// Categories, then the most frequent tags.
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
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("filters"));
        ScrollArea::vertical().auto_shrink(false).show(&mut child, |ui| {
            for (label, count, is_category) in counts {
                let (place, _) = ui.allocate_exact_size(vec2(132.0, 22.0), Sense::hover());
                let chosen = self.only.as_ref() == Some(&label);
                let response = button::area(ui, place, &format!("Only {label}"), "", chosen);
                let painter = ui.painter();
                if chosen {
                    painter.rect_filled(place, theme::SMALL_ROUND, theme::RAISED);
                } else {
                    button::backdrop(painter, place, &response);
                }
                let idle = if is_category { theme::TEXT } else { theme::MUTED };
                let ink = if chosen { theme::AMBER } else { button::ink(&response, idle) };
                let at = place.left_center() + vec2(10.0, 0.0);
                let font = theme::regular(11.5);
                painter.text(at, Align2::LEFT_CENTER, &label, font.clone(), ink);
                let at = place.right_center() - vec2(8.0, 0.0);
                painter.text(at, Align2::RIGHT_CENTER, count, font, theme::FAINT);
                if response.clicked() {
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
        for Entry { patch, .. } in &found {
            let previews = &mut self.previews;
            if !previews.contains_key(&patch.name) {
                previews.insert(patch.name.clone(), preview(patch));
            }
        }
        let columns = (rect.width() / CARD.x).floor().max(1.0) as usize;
        let wide = (rect.width() - 14.0) / columns as f32;
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
                let name = &entry.patch.name;
                // Scrolls to the current patch, also when it was chosen elsewhere.
                if *name == session.patch.name && self.seen != *name {
                    ui.scroll_to_rect(place.expand(CARD.y), None);
                    self.seen.clone_from(name);
                }
                let preview = self.previews.get(name);
                card(ui, session, library, &entry, preview, place);
            }
        });
    }
}
