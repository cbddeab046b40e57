//! Packs in the browser: the patches that are listed are written as one file, and those of one are added.

use crate::file_dialog::FileDialog;
use crate::theme;
use crate::widgets::button;
use egui::{Rect, Ui};
use myriad_library::{Entry, Library, file_name, write_pack};
use std::path::PathBuf;

/// The dialogs that are open.
#[derive(Default)]
pub(super) struct PackDialogs {
    /// The dialog for the name of a pack, and the patches that it gets.
    export: Option<(FileDialog, Vec<Entry>)>,
    import: Option<FileDialog>,
}

impl std::fmt::Debug for PackDialogs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PackDialogs")
    }
}

impl PackDialogs {
    /// The button and its menu. `listed` finds the patches that the browser shows; `title` is what they are.
    /// Returns what became of a pack, once that is known.
    pub(super) fn show(
        &mut self,
        ui: &Ui,
        library: &mut Library,
        listed: impl FnOnce(&Library) -> Vec<Entry>,
        title: &str,
        rect: Rect,
    ) -> Option<Result<String, String>> {
        let mut outcome = None;
        ui.painter().rect_filled(rect, theme::SMALL_ROUND, theme::RAISED);
        button::list(ui, rect, "Packs", ("Pack…", theme::AMBER), |ui| {
            let own = listed(library).into_iter().filter(|entry| entry.file.is_some());
            let own: Vec<Entry> = own.collect();
            let text = match own.len() {
                0 => "Export: none of yours is listed".to_owned(),
                1 => "Export 1 patch of yours…".to_owned(),
                count => format!("Export {count} patches of yours…"),
            };
            let offer = egui::Button::new(text);
            if ui.add_enabled(!own.is_empty(), offer).clicked() {
                outcome = self.ask_for_name(ui, own, title).err().map(Err);
                ui.close();
            }
            if ui.button("Import a pack…").clicked() {
                outcome = self.ask_for_pack(ui).err().map(Err);
                ui.close();
            }
        });
        self.poll(library).or(outcome)
    }

    fn ask_for_name(&mut self, ui: &Ui, entries: Vec<Entry>, title: &str) -> Result<(), String> {
        let wake = ui.ctx().clone();
        let name = format!("{}.zip", file_name(title));
        let dialog = FileDialog::save_pack(&name, move || wake.request_repaint());
        let dialog = dialog.map_err(|error| format!("No file dialog: {error}"))?;
        self.export = Some((dialog, entries));
        Ok(())
    }

    fn ask_for_pack(&mut self, ui: &Ui) -> Result<(), String> {
        let wake = ui.ctx().clone();
        let dialog = FileDialog::open_pack(move || wake.request_repaint());
        self.import = Some(dialog.map_err(|error| format!("No file dialog: {error}"))?);
        Ok(())
    }

    /// Does what was chosen in a dialog.
    fn poll(&mut self, library: &mut Library) -> Option<Result<String, String>> {
        if let Some(chosen) = self.export.as_ref().and_then(|(dialog, _)| dialog.poll()) {
            let (_, entries) = self.export.take()?;
            return Some(export(&entries, chosen?));
        }
        let chosen = self.import.as_ref().and_then(FileDialog::poll)?;
        self.import = None;
        let report = library.import_pack(&chosen?);
        Some(report.map(|report| report.sentence()).map_err(|error| error.to_string()))
    }
}

/// Writes a pack; its name gets its ending.
fn export(entries: &[Entry], mut file: PathBuf) -> Result<String, String> {
    if file.extension().is_none() {
        file.set_extension("zip");
    }
    let entries: Vec<&Entry> = entries.iter().collect();
    write_pack(&entries, &file).map_err(|error| error.to_string())?;
    Ok(format!("Saved as {}.", file.display()))
}
