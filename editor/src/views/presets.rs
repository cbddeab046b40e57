//! The menu of a section's presets: its saved racks, envelopes, LFOs, tables or modulation, to load and to save.

use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use egui::accesskit::Role;
use egui::{
    Key, Popup, PopupCloseBehavior, Rect, RichText, ScrollArea, Stroke, TextEdit, Ui, WidgetInfo,
    vec2,
};
use myriad_library::{Library, Preset, PresetKind};

/// The size of the button.
pub(crate) const BUTTON: f32 = 24.0;

/// State of the menu that is open.
#[derive(Debug, Default)]
pub(crate) struct Presets {
    /// Which menu it is, and what was saved when it was opened.
    open: Option<(PresetKind, usize, Vec<Preset>)>,
    /// The name that is typed.
    name: String,
    /// What went wrong.
    trouble: String,
}

impl Presets {
    /// The button at `rect`, and its menu. `index` says which envelope, LFO or layer it is for.
    pub(crate) fn show(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        library: &Library,
        (kind, index): (PresetKind, usize),
        rect: Rect,
    ) {
        let name = format!("{} presets", kind.name());
        let tip = format!("{name}: load one, or save this");
        let label = match kind {
            PresetKind::Rack | PresetKind::Modulation => name,
            _ => format!("{} {} presets", kind.name(), index + 1),
        };
        let response = button::icon(ui, rect, &label, &tip, |painter, colour| {
            let stroke = Stroke::new(1.5, colour);
            for line in -1..=1 {
                let y = rect.center().y + 4.0 * line as f32;
                painter.hline(rect.center().x - 5.5..=rect.center().x + 5.5, y, stroke);
            }
        });
        let popup = Popup::menu(&response)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .show(|ui| self.menu(ui, session, library, (kind, index)));
        let is_this = |(open, place, _): &(PresetKind, usize, _)| (*open, *place) == (kind, index);
        if popup.is_none() && self.open.as_ref().is_some_and(is_this) {
            *self = Self::default();
        }
    }

    fn menu(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        library: &Library,
        (kind, index): (PresetKind, usize),
    ) {
        let is_this = |(open, place, _): &(PresetKind, usize, _)| (*open, *place) == (kind, index);
        let is_new = !self.open.as_ref().is_some_and(is_this);
        if is_new {
            self.open = Some((kind, index, library.presets(kind)));
        }
        ui.set_min_width(190.0);
        ui.horizontal(|ui| {
            let edit = TextEdit::singleline(&mut self.name)
                .hint_text("Name")
                .margin(egui::Margin::symmetric(8, 3))
                .desired_width(110.0);
            let field = ui.add(edit);
            // It can be typed into at once.
            if is_new {
                field.request_focus();
            }
            field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the preset"));
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if ui.button("Save").clicked() || enter {
                let patch = session.snapshot();
                match library.save_preset(kind, &self.name, &patch, index) {
                    Ok(_) => {
                        *self = Self::default();
                        ui.close();
                    }
                    Err(error) => self.trouble = format!("Could not save: {error}."),
                }
            }
        });
        if !self.trouble.is_empty() {
            ui.label(RichText::new(&self.trouble).color(theme::ALARM));
        }
        let presets = self.open.as_ref().map(|(.., presets)| presets.clone()).unwrap_or_default();
        if presets.is_empty() {
            ui.label(RichText::new("None saved yet").color(theme::MUTED));
            return;
        }
        ui.separator();
        ScrollArea::vertical().max_height(240.0).show(ui, |ui| {
            for preset in presets {
                ui.horizontal(|ui| {
                    let size = vec2(150.0, 20.0);
                    let line = egui::Button::new(&preset.name).truncate().min_size(size);
                    if ui.add(line).clicked() {
                        self.load(ui, session, library, (kind, index), &preset);
                    }
                    let remove = ui.small_button("×").on_hover_text("Move it to the wastebasket");
                    let label = format!("Delete {}", preset.name);
                    remove.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
                    if remove.clicked() {
                        let deleted = library.delete_preset(&preset);
                        self.trouble = match deleted {
                            Ok(()) => String::new(),
                            Err(error) => format!("Could not delete: {error}."),
                        };
                        self.open = None;
                    }
                });
            }
        });
    }

    /// Loads a preset as one step of undo; notes go on where only knobs move.
    fn load(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        library: &Library,
        (kind, index): (PresetKind, usize),
        preset: &Preset,
    ) {
        let mut patch = session.snapshot();
        match library.load_preset(kind, preset, &mut patch, index) {
            Ok(()) => {
                session.begin_whole(&format!("{} {}", kind.name(), preset.name));
                session.move_to(&patch);
                session.end();
                ui.close();
            }
            Err(error) => self.trouble = error.to_string(),
        }
    }
}
