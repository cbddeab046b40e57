//! The tuning panel: the scale of the patch, and the settings of the instance that win over the patch.

use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use egui::{Align2, Popup, PopupCloseBehavior, Rect, ScrollArea, Ui, pos2, vec2};
use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::{InstanceSettings, ScaleSetting};
use myriad_library as library;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How wide the panel is.
pub(crate) const WIDTH: f32 = 268.0;
/// How wide the names are.
const NAMES: f32 = 84.0;
/// The height of a row.
const ROW: f32 = 25.0;

/// Bend ranges to choose from, in semitones.
const BEND_RANGES: [u8; 9] = [0, 1, 2, 3, 5, 7, 12, 24, 48];
const NOTE_BEND_RANGES: [u8; 5] = [2, 12, 24, 48, 96];

/// State of the panel.
#[derive(Debug, Default)]
pub(crate) struct TuningPanel {
    /// A path that is being typed.
    path: String,
    /// Why the last file was refused; empty if it was not.
    problem: String,
    /// Files of the user's folder, read when a menu is opened.
    files: Option<Vec<PathBuf>>,
    /// Whether the menus of the scales are open.
    open: [bool; 2],
}

/// Whose scale a row shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Patch,
    Instance,
}

type Scale = Option<Arc<ScaleSetting>>;

impl TuningPanel {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let inside = theme::titled_panel(ui.painter(), rect, "Tuning");
        let mut rows = (0..).map(|row| {
            let min = pos2(inside.left(), inside.top() - 4.0 + ROW * row as f32);
            Rect::from_min_size(min, vec2(inside.width(), ROW - 2.0))
        });
        let mut row = || rows.next().unwrap_or(Rect::NOTHING);
        self.scale(ui, session, Owner::Patch, row());
        self.scale(ui, session, Owner::Instance, row());
        bend_range(ui, session, row());
        mpe(ui, session, row());
        let [left, right] = halves(row());
        note_channels(ui, session, left);
        note_bend_range(ui, session, right);
        mts(ui, session, row());
        if !self.problem.is_empty() {
            let line = row();
            theme::fitted(ui.painter(), line, &self.problem, 10.5, theme::ALARM);
        }
    }

    /// A scale and the menu to change it.
    fn scale(&mut self, ui: &Ui, session: &mut Session, owner: Owner, rect: Rect) {
        let settings = session.host.settings();
        let (name, tip, current) = match owner {
            Owner::Patch => ("Patch scale", "The scale that belongs to the patch", {
                session.patch.tuning.clone()
            }),
            Owner::Instance => {
                ("Scale", "A scale for every patch, instead of the patch's own", settings.tuning)
            }
        };
        let none = match owner {
            Owner::Patch => "12 equal",
            Owner::Instance => "as the patch",
        };
        let text = current.as_ref().map_or(none.to_owned(), |scale| match scale.keyboard() {
            Some(_) => format!("{}, mapped", scale.name()),
            None => scale.name().to_owned(),
        });
        let mut chosen: Option<Scale> = None;
        let mut open = false;
        let close = PopupCloseBehavior::CloseOnClickOutside;
        show_menu(ui, rect, name, tip, &text, close, |ui| {
            open = true;
            let label = ui.label(format!("{name} file, .scl or .kbm"));
            let field = ui.text_edit_singleline(&mut self.path).labelled_by(label.id);
            let typed = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if typed && !self.path.is_empty() {
                let path = PathBuf::from(self.path.trim());
                chosen = self.read(&path, &current);
            }
            let folder = library::scale_folder();
            let read = || folder.as_deref().map(library::scale_files).unwrap_or_default();
            for path in self.files.get_or_insert_with(read).clone() {
                let label = path.file_name().map_or("".into(), |name| name.to_string_lossy());
                if ui.selectable_label(false, label).clicked() {
                    chosen = self.read(&path, &current);
                }
            }
            ui.separator();
            if ui.selectable_label(current.is_none(), none).clicked() {
                chosen = Some(None);
            }
            for built_in in ScaleSetting::built_in_names() {
                let selected = current.as_ref().is_some_and(|scale| scale.name() == built_in);
                if ui.selectable_label(selected, built_in).clicked() {
                    chosen = ScaleSetting::built_in(built_in).map(|scale| Some(Arc::new(scale)));
                }
            }
            if chosen.is_some() {
                ui.close();
            }
        });
        self.open[owner as usize] = open;
        if self.open == [false; 2] {
            // Read again when a menu is opened again.
            self.files = None;
        }
        if let Some(scale) = chosen {
            set_scale(session, owner, scale);
        }
    }

    /// Reads a file, and keeps why it was refused.
    fn read(&mut self, path: &Path, current: &Scale) -> Option<Scale> {
        self.problem.clear();
        match read(path, current) {
            Ok(scale) => {
                self.path.clear();
                Some(Some(Arc::new(scale)))
            }
            Err(problem) => {
                self.problem = problem;
                None
            }
        }
    }
}

/// Reads a scale, or a keyboard map for the current one.
fn read(path: &Path, current: &Scale) -> Result<ScaleSetting, String> {
    let read = match (library::is_keyboard(path), current) {
        (true, Some(scale)) => library::read_keyboard(scale, path),
        (true, None) => return Err("a keyboard map needs a scale; choose one first".to_owned()),
        (false, _) => library::read_scale(path),
    };
    read.map_err(|error| error.to_string())
}

/// Tunes the patch by a Scala file, and returns a line about it; or why not.
///
/// # Errors
/// When the file cannot be read or is neither a scale nor a keyboard map.
pub(crate) fn tune_patch(session: &mut Session, file: &Path) -> Result<String, String> {
    let scale = read(file, &session.patch.tuning).map_err(|problem| {
        // The file is named already.
        let place = problem.strip_prefix(&file.display().to_string());
        place.map_or(problem.clone(), |place| place.trim_start_matches([':', ' ']).to_owned())
    })?;
    let text = format!("The patch is tuned by {}.", scale.name());
    set_scale(session, Owner::Patch, Some(Arc::new(scale)));
    Ok(text)
}

/// Tunes the patch, which is loaded anew with it and can be undone, or the instance.
fn set_scale(session: &mut Session, owner: Owner, scale: Scale) {
    match owner {
        Owner::Patch => {
            let mut patch = session.snapshot();
            patch.tuning = scale;
            if patch.tuning != session.patch.tuning {
                session.replace(patch, "Tuning".into());
            }
        }
        Owner::Instance => change(session, |settings| settings.tuning = scale),
    }
}

fn change(session: &mut Session, change: impl FnOnce(&mut InstanceSettings)) {
    let mut settings = session.host.settings();
    change(&mut settings);
    session.host.set_settings(settings);
}

fn bend_range(ui: &Ui, session: &mut Session, rect: Rect) {
    let current = session.host.settings().bend_range;
    let none = "as the patch";
    let text = current.map_or(none.to_owned(), |range| format!("{range:.0} st"));
    let tip = "Semitones of the pitch wheel for every patch, instead of the patch's own";
    let mut chosen = None;
    menu(ui, rect, "Bend range", tip, &text, |ui| {
        if ui.selectable_label(current.is_none(), none).clicked() {
            chosen = Some(None);
        }
        for range in BEND_RANGES {
            let selected = current == Some(range.into());
            if ui.selectable_label(selected, format!("{range} st")).clicked() {
                chosen = Some(Some(f32::from(range)));
            }
        }
    });
    if let Some(range) = chosen {
        change(session, |settings| settings.bend_range = range);
    }
}

fn mpe(ui: &Ui, session: &mut Session, rect: Rect) {
    const ZONES: [(MpeZone, &str); 3] =
        [(MpeZone::Off, "off"), (MpeZone::Lower, "lower zone"), (MpeZone::Upper, "upper zone")];
    let current = session.host.settings().mpe.zone;
    let text = ZONES.iter().find(|(zone, _)| *zone == current).map_or("", |(_, name)| name);
    let tip = "For controllers that play each note on a channel of its own: the lower zone is \
               channel 1 and those above it, the upper zone channel 16 and those below it";
    let mut chosen = None;
    menu(ui, rect, "MPE", tip, text, |ui| {
        for (zone, name) in ZONES {
            if ui.selectable_label(zone == current, name).clicked() {
                chosen = Some(zone);
            }
        }
    });
    if let Some(zone) = chosen {
        change(session, |settings| settings.mpe.zone = zone);
    }
}

fn note_channels(ui: &Ui, session: &mut Session, rect: Rect) {
    let current = session.host.settings().mpe.channels;
    let tip = "How many channels of the MPE zone carry notes";
    let mut chosen = None;
    menu(ui, rect, "MPE channels", tip, &current.to_string(), |ui| {
        for channels in (1..=15).rev() {
            if ui.selectable_label(channels == current, channels.to_string()).clicked() {
                chosen = Some(channels);
            }
        }
    });
    if let Some(channels) = chosen {
        change(session, |settings| settings.mpe.channels = channels);
    }
}

fn note_bend_range(ui: &Ui, session: &mut Session, rect: Rect) {
    let current = session.host.settings().mpe.bend_range;
    let tip = "Semitones of a full bend of one MPE note, unless the controller says otherwise";
    let mut chosen = None;
    menu(ui, rect, "MPE bend", tip, &format!("{current} st"), |ui| {
        for range in NOTE_BEND_RANGES {
            if ui.selectable_label(range == current, format!("{range} st")).clicked() {
                chosen = Some(range);
            }
        }
    });
    if let Some(range) = chosen {
        let range = range.min(MpeSettings::MAX_BEND_RANGE);
        change(session, |settings| settings.mpe.bend_range = range);
    }
}

fn mts(ui: &Ui, session: &mut Session, rect: Rect) {
    let follows = session.host.settings().follows_mts;
    let text = match (follows, session.host.mts_scale()) {
        (false, _) => "ignored".to_owned(),
        (true, None) => "followed, no master".to_owned(),
        (true, Some(name)) => format!("followed: {name}"),
    };
    let tip = "Whether the tuning of an MTS-ESP master is followed, also by held notes; it wins over \
               the scales here";
    let mut chosen = None;
    menu(ui, rect, "MTS-ESP", tip, &text, |ui| {
        for (value, name) in [(true, "followed"), (false, "ignored")] {
            if ui.selectable_label(value == follows, name).clicked() {
                chosen = Some(value);
            }
        }
    });
    if let Some(follows) = chosen {
        change(session, |settings| settings.follows_mts = follows);
    }
}

/// A name, and a value that opens a menu. It closes when something is chosen.
fn menu(ui: &Ui, rect: Rect, name: &str, tip: &str, value: &str, contents: impl FnOnce(&mut Ui)) {
    show_menu(ui, rect, name, tip, value, PopupCloseBehavior::CloseOnClick, contents);
}

fn show_menu(
    ui: &Ui,
    rect: Rect,
    name: &str,
    tip: &str,
    value: &str,
    close: PopupCloseBehavior,
    contents: impl FnOnce(&mut Ui),
) {
    let names = rect.with_max_x(rect.left() + NAMES);
    let painter = ui.painter_at(rect);
    let font = theme::regular(11.0);
    painter.text(names.left_center(), Align2::LEFT_CENTER, name, font.clone(), theme::MUTED);
    let well = rect.with_min_x(names.right());
    theme::well(ui.painter(), well);
    let response = button::area(ui, well, name, tip, false);
    button::backdrop(ui.painter(), well, &response);
    let at = well.left_center() + vec2(8.0, 0.0);
    ui.painter_at(well).text(at, Align2::LEFT_CENTER, value, font, theme::TEXT);
    Popup::menu(&response).close_behavior(close).show(|ui| {
        // Wide enough for the scroll bar to lie beside short entries.
        ui.set_min_width(90.0);
        ScrollArea::vertical().auto_shrink([false, true]).max_height(280.0).show(ui, contents);
    });
}

fn halves(rect: Rect) -> [Rect; 2] {
    let middle = rect.center().x;
    [rect.with_max_x(middle - 4.0), rect.with_min_x(middle + 4.0)]
}
