//! The form that a patch is saved by: name, category, tags, author and comment.

use crate::session::Session;
use crate::theme;
use crate::widgets::{button, entry};
use egui::accesskit::Role;
use egui::{Align2, Key, Rect, TextEdit, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::Patch;
use myriad_library::Library;

/// What is typed until it is saved.
#[derive(Debug)]
pub(super) struct SaveForm {
    /// Name, category, tags, author, comment.
    fields: [String; 5],
    /// Whether the fields have just appeared.
    asks: bool,
    /// Whether a patch of that name exists and the user has to say what becomes of it.
    exists: bool,
    trouble: String,
}

const LABELS: [(&str, &str); 5] = [
    ("Name", "Patch name"),
    ("Category", "Patch category"),
    ("Tags", "Patch tags"),
    ("Author", "Patch author"),
    ("Comment", "Patch comment"),
];

/// How a patch is saved whose name exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Ask,
    Replace,
    KeepBoth,
}

impl SaveForm {
    pub(super) fn new(patch: &Patch, library: &Library) -> Self {
        // A factory patch that was changed is not the factory's any more.
        let author = match patch.author.as_str() {
            "" | "Myriad" => library.author(),
            author => author,
        };
        let fields = [
            patch.name.clone(),
            patch.category.clone(),
            patch.tags.join(", "),
            author.to_owned(),
            patch.description.clone(),
        ];
        Self { fields, asks: true, exists: false, trouble: String::new() }
    }

    /// Shows the form. Returns whether it should close.
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        library: &mut Library,
        rect: Rect,
    ) -> bool {
        let categories = categories(library);
        let mut enter = false;
        for (index, (label, name)) in LABELS.into_iter().enumerate() {
            let top = rect.top() + 31.0 * index as f32;
            let at = pos2(rect.left() + 4.0, top + 13.0);
            let font = theme::regular(11.5);
            ui.painter().text(at, Align2::LEFT_CENTER, label, font, theme::MUTED);
            let wide = if label == "Comment" { rect.width() - 90.0 } else { 340.0 };
            let place = Rect::from_min_size(pos2(rect.left() + 76.0, top), vec2(wide, 26.0));
            let edit = TextEdit::singleline(&mut self.fields[index])
                .align(Align2::LEFT_CENTER)
                .margin(egui::Margin::symmetric(10, 4));
            let response = ui.put(place, edit);
            response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, name));
            if index == 0 && std::mem::take(&mut self.asks) {
                entry::begin(&response, &self.fields[0]);
            }
            if index == 0 && response.changed() {
                self.exists = false;
            }
            enter |= response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if label == "Category" {
                let place = Rect::from_min_size(
                    pos2(place.right() + 8.0, top),
                    vec2(110.0, place.height()),
                );
                button::list(ui, place, "Categories", ("choose…", theme::MUTED), |ui| {
                    for category in &categories {
                        if ui.selectable_label(self.fields[1] == *category, category).clicked() {
                            self.fields[1].clone_from(category);
                        }
                    }
                });
            }
        }
        let way = self.buttons(ui, rect, enter);
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            return true;
        }
        match way {
            Ok(Some(way)) => self.save(session, library, way),
            Ok(None) => false,
            Err(()) => true,
        }
    }

    /// How the user wants it saved; `Err` when not at all.
    fn buttons(&self, ui: &mut Ui, rect: Rect, enter: bool) -> Result<Option<Way>, ()> {
        let top = rect.top() + 31.0 * LABELS.len() as f32 + 6.0;
        let mut left = rect.left() + 76.0;
        let mut word = |text: &str, tip: &str, wide: f32| {
            let place = Rect::from_min_size(pos2(left, top), vec2(wide, 28.0));
            left += wide + 8.0;
            button::word(ui, place, text, tip, true).clicked()
        };
        let mut way = None;
        if self.exists {
            if word("Replace", "Replace your patch of this name", 84.0) {
                way = Some(Way::Replace);
            }
            if word("Keep both", "Save it beside your patch of this name", 84.0) {
                way = Some(Way::KeepBoth);
            }
        } else if word("Save", "Save it among your patches", 84.0) || enter {
            way = Some(Way::Ask);
        }
        if word("Cancel", "", 84.0) {
            return Err(());
        }
        let (text, colour) = match (self.exists, self.trouble.as_str()) {
            (_, trouble) if !trouble.is_empty() => (trouble, theme::ALARM),
            (true, _) => ("You have a patch of this name.", theme::AMBER),
            _ => ("", theme::MUTED),
        };
        let at = pos2(left + 8.0, top + 14.0);
        ui.painter().text(at, Align2::LEFT_CENTER, text, theme::regular(11.5), colour);
        Ok(way)
    }

    /// Returns whether it was saved.
    fn save(&mut self, session: &mut Session, library: &mut Library, way: Way) -> bool {
        let [name, category, tags, author, comment] = &self.fields;
        let mut patch = session.snapshot();
        patch.name = name.trim().to_owned();
        if patch.name.is_empty() {
            self.trouble = "A patch has a name.".into();
            return false;
        }
        if way == Way::Ask && library.own(&patch.name).is_some() {
            self.exists = true;
            return false;
        }
        patch.category = category.trim().to_lowercase();
        let tags = tags.split(',').map(|tag| tag.trim().to_lowercase());
        patch.tags = tags.filter(|tag| !tag.is_empty()).collect();
        patch.author = author.trim().to_owned();
        patch.description = comment.trim().to_owned();
        let saved = match way {
            Way::KeepBoth => library.save_new(&patch),
            _ => library.save(&patch),
        };
        match saved {
            Ok(_) => {
                // A name that cannot be remembered is asked for again.
                let _ = library.set_author(&patch.author);
                session.describe(&patch);
                true
            }
            Err(error) => {
                self.trouble = format!("Could not save: {error}");
                false
            }
        }
    }
}

/// All categories, by name.
fn categories(library: &Library) -> Vec<String> {
    let all = library.entries().iter().map(|entry| entry.patch.category.clone());
    let all: std::collections::BTreeSet<String> = all.filter(|name| !name.is_empty()).collect();
    all.into_iter().collect()
}
