//! The import page: what was found in a sound or a picture, with handles for trim, loop and root key.

mod drawing;
mod sound;

use crate::import::{Found, Importer};
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::views::kit::key_name;
use crate::widgets::{button, choice};
use drawing::DrawingView;
use egui::accesskit::Role;
use egui::{Align2, Key, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::params::Param;
use myriad_import::{Content, Material, Options};
use sound::SoundView;

/// What the user wants after this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Stay,
    Close,
    /// Close, and ask for the name to save it by.
    Save,
}

/// How the file is to be imported again.
enum Again {
    With(Options),
    /// As an impulse response for the sound that was there before.
    AsResponse,
}

/// State of the page from frame to frame.
#[derive(Default)]
pub(crate) struct ImportPage {
    sound: SoundView,
    drawing: DrawingView,
}

/// Middle C, for sounds without a pitch.
const MIDDLE_C_HERTZ: f64 = 261.625_565_3;

impl ImportPage {
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        importer: &mut Importer,
        rect: Rect,
    ) -> Wish {
        theme::panel(ui.painter(), rect);
        let inside = rect.shrink(12.0);
        let side = inside.with_min_x(inside.right() - 268.0);
        let view = inside.with_max_x(side.left() - 12.0);
        let wish = self.side(ui, session, importer, side);
        match (&importer.found, importer.progress()) {
            (Some(found), _) => {
                let changed = match &found.content {
                    Content::Sound(_, overview) => {
                        self.sound.show(ui, session, found, overview, view)
                    }
                    Content::Picture(picture) => {
                        self.drawing.show(ui, session, found, picture, view);
                        None
                    }
                };
                if let Some(options) = changed {
                    importer.again(ui.ctx(), options);
                }
            }
            (None, Some(_)) => theme::well(ui.painter(), view),
            (None, None) => {
                theme::well(ui.painter(), view);
                let text =
                    "Drop any sound, a wavetable, a picture, a patch, a scale or a song here";
                theme::emptiness(ui.painter(), view, text);
            }
        }
        if let Some(share) = importer.progress() {
            ring(ui, importer, view, share);
        }
        match ui.input(|input| input.key_pressed(Key::Escape)) {
            true => Wish::Close,
            false => wish,
        }
    }

    fn side(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        importer: &mut Importer,
        rect: Rect,
    ) -> Wish {
        let title = match importer.name.as_str() {
            "" => "Import",
            name => name,
        };
        let painter = ui.painter_at(rect);
        painter.text(rect.left_top(), Align2::LEFT_TOP, title, theme::bold(13.0), theme::TEXT);
        let mut y = rect.top() + 22.0;
        if let Some(note) = &importer.note {
            let colour = if note.is_error { theme::ALARM } else { theme::AQUA };
            let height = paragraph(ui, pos2(rect.left(), y), rect.width(), &note.text, colour);
            let place = Rect::from_min_size(pos2(rect.left(), y), vec2(rect.width(), height));
            let response = ui.interact(place, ui.scope_id().with("note"), Sense::hover());
            let text = format!("Import: {}", note.text);
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
            y += height;
        }
        let mut again = None;
        if let Some(found) = &importer.found {
            for (what, value) in &found.findings {
                let at = pos2(rect.left(), y);
                painter.text(at, Align2::LEFT_TOP, *what, theme::regular(11.0), theme::MUTED);
                let at = pos2(rect.left() + 68.0, y);
                painter.text(at, Align2::LEFT_TOP, value, theme::regular(11.0), theme::TEXT);
                y += 15.0;
            }
            let warning = found.recording.as_ref().and_then(|recording| recording.warning());
            if let Some(warning) = warning {
                let at = pos2(rect.left(), y + 2.0);
                paragraph(ui, at, rect.width(), warning, theme::AMBER);
            }
            let controls = |height: f32| rect.with_min_y(rect.bottom() - height);
            again = match &found.content {
                Content::Sound(..) => controls_of(ui, session, found, controls(92.0)),
                Content::Picture(picture) => {
                    let place = controls(drawing::CONTROLS + 32.0);
                    drawing::controls(ui, session, found, picture, place).map(Again::With)
                }
            };
        }
        match again {
            Some(Again::With(options)) => importer.again(ui.ctx(), options),
            Some(Again::AsResponse) => importer.use_as_response(ui.ctx()),
            None => {}
        }
        buttons(ui, importer, rect.with_min_y(rect.bottom() - 26.0))
    }

    /// Call when a window was opened again: textures must be uploaded again.
    pub(crate) fn opened(&mut self) {
        self.sound = SoundView::default();
        self.drawing = DrawingView::default();
    }
}

/// Text in several lines; returns its height.
fn paragraph(ui: &Ui, at: egui::Pos2, width: f32, text: &str, colour: egui::Color32) -> f32 {
    let font = theme::regular(11.0);
    let galley = ui.painter().layout(text.to_owned(), font, colour, width);
    let height = galley.size().y;
    ui.painter().galley(at, galley, colour);
    height + 4.0
}

/// Root key, kind and loop. Returns how to import it again.
fn controls_of(ui: &mut Ui, session: &mut Session, found: &Found, rect: Rect) -> Option<Again> {
    let mut again = None;
    let row = |index: usize| {
        let top = rect.top() + 30.0 * index as f32;
        Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), 26.0))
    };
    let is_table = found.recording.is_none() && !found.findings.is_empty();
    let is_any = found.is_any_sound();
    let is_note = !is_table && !is_any;
    let kind = |index: usize| {
        let quarter = (rect.width() + 4.0) / 4.0;
        let left = rect.left() + quarter * index as f32;
        Rect::from_min_size(pos2(left, rect.top()), vec2(quarter - 4.0, 26.0))
    };
    let with = |material, region| Some(Again::With(Options { material, region, ..found.options }));
    let tip = "The sound is a recording of one note";
    if button::word(ui, kind(0), "Recording", tip, is_note).clicked() && !is_note {
        again = with(Material::Note { hertz: None }, None);
    }
    let tip = "The sound is anything else: speech, a loop, a chord, drums, a song. \
               Middle C plays it as it is.";
    if button::word(ui, kind(1), "Any sound", tip, is_any).clicked() && !is_any {
        again = with(Material::AnySound, found.options.region);
    }
    let tip = "The sound is the cycles of a wave, one after the other";
    if button::word(ui, kind(2), "Wavetable", tip, is_table).clicked() && !is_table {
        again = with(Material::Wavetable { cycle: None }, None);
    }
    let tip =
        "The sound is an impulse response: the sound that was there before it is heard through it";
    if button::word(ui, kind(3), "Impulse", tip, false).clicked() {
        again = Some(Again::AsResponse);
    }
    if found.recording.is_some() {
        let place = rect.with_max_y(rect.top() - 4.0).with_min_y(rect.top() - 30.0);
        loop_modes(ui, session, place);
    }
    match is_note {
        true => again.or(root_key(ui, found, row(1))),
        false => again,
    }
}

/// The pitch of a recorded note. Returns how to import it again.
fn root_key(ui: &Ui, found: &Found, root: Rect) -> Option<Again> {
    let mut again = None;
    let hertz = found.hertz();
    let key = |hertz: f64| 69.0 + 12.0 * (hertz / 440.0).log2();
    let text = match hertz {
        Some(hertz) => {
            let cents = 100.0 * (key(hertz) - key(hertz).round());
            // Without the number of the key.
            let name = key_name(key(hertz).round().max(0.0) as u8);
            let name = name.split(' ').next().unwrap_or_default();
            format!("Root {name} {cents:+.0} ct")
        }
        None => "Root key ?".to_owned(),
    };
    if let Some(semitones) = stepper(ui, root, "Root key", &PITCH_STEPS) {
        let wanted = match hertz {
            Some(hertz) => hertz * 2.0_f64.powf(semitones / 12.0),
            None => MIDDLE_C_HERTZ,
        };
        let material = Material::Note { hertz: Some(wanted.clamp(20.0, 5_000.0)) };
        again = Some(Again::With(Options { material, ..found.options }));
    }
    let place = between_steps(root);
    let given = matches!(found.options.material, Material::Note { hertz: Some(_) });
    let tip = "The pitch at which it was recorded. Click to detect it again.";
    let response = button::area(ui, place, "Detect the root key", tip, false);
    button::backdrop(ui.painter(), place, &response);
    let ink = if given { theme::AMBER } else { theme::TEXT };
    theme::fitted(ui.painter(), place, &text, 12.0, ink);
    if response.clicked() {
        let material = Material::Note { hertz: None };
        again = Some(Again::With(Options { material, ..found.options }));
    }
    again
}

/// The loop belongs to the patch, like any parameter.
fn loop_modes(ui: &mut Ui, session: &mut Session, place: Rect) {
    let at = place.left_center();
    ui.painter().text(at, Align2::LEFT_CENTER, "Loop", theme::regular(11.0), theme::MUTED);
    choice::bar(ui, session, Param::SourceLoop, place.with_min_x(place.left() + 40.0));
}

/// A step of a value: what its button says, how far it goes, and its name.
type Step = (&'static str, f64, &'static str);

/// Steps of a pitch, in semitones.
const PITCH_STEPS: [Step; 4] = [
    ("−12", -12.0, "octave down"),
    ("−1", -1.0, "semitone down"),
    ("+1", 1.0, "semitone up"),
    ("+12", 12.0, "octave up"),
];

/// Two buttons at either end of a row. Returns the step that was clicked.
fn stepper(ui: &Ui, row: Rect, name: &str, steps: &[Step; 4]) -> Option<f64> {
    let mut clicked = None;
    for (index, &(text, step, step_name)) in steps.iter().enumerate() {
        let left = match index {
            0 | 1 => row.left() + 34.0 * index as f32,
            _ => row.right() - 34.0 * (4 - index) as f32,
        };
        let place = Rect::from_min_size(pos2(left, row.top()), vec2(32.0, row.height()));
        let tip = format!("{name}: {step_name}");
        let response = button::area(ui, place, &format!("{name} {step_name}"), &tip, false);
        button::backdrop(ui.painter(), place, &response);
        let ink = button::ink(&response, theme::MUTED);
        ui.painter().text(place.center(), Align2::CENTER_CENTER, text, theme::regular(11.0), ink);
        if response.clicked() {
            clicked = Some(step);
        }
    }
    clicked
}

/// The room between the buttons of a [`stepper`].
fn between_steps(row: Rect) -> Rect {
    row.with_min_x(row.left() + 70.0).with_max_x(row.right() - 70.0)
}

fn buttons(ui: &mut Ui, importer: &mut Importer, rect: Rect) -> Wish {
    let third = rect.width() / 3.0;
    let place = |index: usize| {
        let left = rect.left() + third * index as f32;
        Rect::from_min_size(pos2(left, rect.top()), vec2(third - 6.0, rect.height()))
    };
    let tip = "Choose a file on this computer";
    if button::word(ui, place(0), "Open…", tip, true).clicked() {
        importer.choose(ui.ctx());
    }
    let has_sound = importer.found.as_ref().is_some_and(|found| !found.findings.is_empty());
    if has_sound && button::word(ui, place(1), "Save as…", "Save it as a patch", true).clicked() {
        return Wish::Save;
    }
    match button::word(ui, place(2), "Done", "Close this page; the sound stays", true).clicked() {
        true => Wish::Close,
        false => Wish::Stay,
    }
}

/// How far the import has come; a click cancels it.
fn ring(ui: &mut Ui, importer: &mut Importer, view: Rect, share: f32) {
    let centre = view.center();
    let place = Rect::from_center_size(centre, vec2(76.0, 76.0));
    ui.painter().rect_filled(view, theme::SMALL_ROUND, theme::NIGHT.gamma_multiply(0.6));
    let response = button::area(ui, place, "Cancel import", "Click to cancel", false);
    let painter = ui.painter();
    painter.circle_filled(centre, 34.0, theme::PANEL);
    painter.circle_stroke(centre, 26.0, Stroke::new(4.0, theme::EDGE));
    let turn = |way: f32| centre + 26.0 * egui::Vec2::angled(std::f32::consts::TAU * (way - 0.25));
    let arc: Vec<_> = (0..=40).map(|step| turn(share * step as f32 / 40.0)).collect();
    paint::luminous_line(painter, arc, 3.0, theme::AMBER);
    let text = match response.hovered() {
        true => "Cancel".to_owned(),
        false => format!("{:.0}%", 100.0 * share),
    };
    painter.text(centre, Align2::CENTER_CENTER, text, theme::regular(11.5), theme::TEXT);
    if response.clicked() {
        importer.cancel();
    }
}

/// Drawn over everything while files are dragged over the window.
pub(crate) fn drop_target(ui: &Ui, files: &[String]) {
    let layer = theme::front(theme::Front::DropTarget);
    let painter = ui.ctx().layer_painter(layer);
    let whole = ui.max_rect();
    painter.rect_filled(whole, 0.0, theme::NIGHT.gamma_multiply(0.7));
    let frame = Stroke::new(2.0, theme::AMBER);
    painter.rect_stroke(whole.shrink(10.0), theme::ROUND, frame, egui::StrokeKind::Inside);
    let text = match files {
        [one] => format!("Drop to import {one}"),
        _ => "Drop one file to import it".to_owned(),
    };
    let font = theme::bold(18.0);
    painter.text(whole.center(), Align2::CENTER_CENTER, text, font, theme::TEXT);
}
