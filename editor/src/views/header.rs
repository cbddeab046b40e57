//! The header: patch name, status, undo and redo, the slots A and B.

mod compare;

use crate::host::Status;
use crate::paint;
use crate::session::Session;
use crate::slots::Slots;
use crate::theme;
use crate::widgets::button;
use crate::widgets::meter::Meter;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{
    Align2, Color32, Painter, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use myriad_library::{Entry, Library};

/// What the header needs besides the session.
pub(crate) struct Header<'a> {
    pub(crate) library: &'a mut Library,
    /// The sounds A and B.
    pub(crate) slots: &'a mut Slots,
    /// Whether the patch browser is open.
    pub(crate) browsing: &'a mut bool,
    /// Whether the import page is open.
    pub(crate) importing: &'a mut bool,
    pub(crate) status: &'a Status,
    pub(crate) meter: &'a Meter,
    /// Whether there was an underrun a moment ago.
    pub(crate) underrun: bool,
}

impl Header<'_> {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        logo(ui.painter(), rect.left_center() + vec2(8.0, 0.0));
        version(ui, Rect::from_min_size(rect.left_top(), vec2(130.0, rect.height())));
        let y = rect.center().y;
        let at = |x: f32| pos2(rect.left() + x, y);
        self.undo(ui, session, at(152.0));
        compare::history(ui, session, at(208.0));
        self.import(ui, at(238.0));
        let slots = Rect::from_min_size(at(262.0) - vec2(0.0, 14.0), vec2(compare::SLOTS, 28.0));
        compare::slots(ui, session, self.slots, slots);
        let half = (0.5 * rect.width() - 150.0).clamp(0.0, 215.0);
        let middle = Rect::from_center_size(rect.center(), vec2(2.0 * half, 40.0));
        let middle = middle.with_min_x(middle.left().max(slots.right() + 10.0));
        self.patch(ui, session, middle);
        self.progress(ui, session, rect.with_min_x(middle.right() + 12.0));
    }

    /// The patch name between arrows; a click opens the browser.
    fn patch(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        theme::well(ui.painter(), rect);
        let square = vec2(32.0, rect.height() - 8.0);
        let left = Rect::from_center_size(rect.left_center() + vec2(20.0, 0.0), square);
        let right = Rect::from_center_size(rect.right_center() - vec2(20.0, 0.0), square);
        for (place, name, step) in [(left, "Previous patch", -1), (right, "Next patch", 1)] {
            let pressed = button::icon(ui, place, name, name, |painter, colour| {
                paint::arrow(painter, place.center(), 5.0, step > 0, colour);
            });
            if pressed.clicked() {
                neighbour(self.library, session, step);
            }
        }
        let heart = Rect::from_center_size(right.left_center() - vec2(16.0, 0.0), vec2(28.0, 28.0));
        let name = session.patch.name.clone();
        let entry = self.library.current(&name).cloned();
        let liked = entry.as_ref().is_some_and(|entry| self.library.is_favourite(entry));
        let pressed = button::icon(ui, heart, "Favourite", "Favourite", |painter, colour| {
            let colour = if liked { theme::ROSE } else { colour };
            paint::heart(painter, heart.center(), 6.5, liked, colour);
        });
        if let (true, Some(entry)) = (pressed.clicked(), entry) {
            // A favourite that cannot be saved is kept until the editor closes.
            let _ = self.library.toggle_favourite(&entry);
        }

        let body = Rect::from_min_max(
            pos2(left.right() + 6.0, rect.top()),
            pos2(heart.left() - 2.0, rect.bottom()),
        );
        let tip = match (self.status.trouble.as_str(), session.patch.description.as_str()) {
            ("", "") => "Browse patches",
            ("", text) | (text, _) => text,
        };
        let response = button::area(ui, body, "Browse patches", tip, *self.browsing);
        button::backdrop(ui.painter(), body.shrink2(vec2(0.0, 4.0)), &response);
        let painter = ui.painter_at(body);
        let at = body.left_center() + vec2(10.0, -7.0);
        let font = theme::bold(15.0);
        painter.text(at, Align2::LEFT_CENTER, &name, font, theme::TEXT);
        let (about, colour) = match self.status.trouble.as_str() {
            "" => {
                let mut about = vec![session.patch.category.clone()];
                about.extend(session.patch.tags.iter().take(3).cloned());
                (about.join("  ·  "), theme::MUTED)
            }
            trouble => (trouble.to_owned(), theme::ALARM),
        };
        let at = body.left_center() + vec2(10.0, 10.0);
        painter.text(at, Align2::LEFT_CENTER, about, theme::regular(10.5), colour);
        if response.clicked() {
            *self.browsing = !*self.browsing || *self.importing;
            *self.importing = false;
        }
    }

    /// Opens and closes the import page.
    fn import(&mut self, ui: &mut Ui, at: Pos2) {
        let rect = Rect::from_center_size(at, vec2(28.0, 28.0));
        let tip =
            "Import a sound, a picture, a patch, a scale or a song; or drop the file on the window";
        let on = *self.importing;
        let pressed = button::icon(ui, rect, "Import", tip, |painter, colour| {
            let colour = if on { theme::AMBER } else { colour };
            import_arrow(painter, at, colour);
        });
        if pressed.clicked() {
            *self.importing = !on;
        }
    }

    fn undo(&self, ui: &mut Ui, session: &mut Session, at: Pos2) {
        let next = [
            ("Undo", session.history.next_undo().map(|e| e.describe())),
            ("Redo", session.history.next_redo().map(|e| e.describe())),
        ];
        for (place, (name, edit)) in next.into_iter().enumerate() {
            let centre = at + vec2(32.0 * place as f32, 0.0);
            let rect = Rect::from_center_size(centre, vec2(28.0, 28.0));
            let tip = match &edit {
                Some(edit) => format!("{name}: {edit}"),
                None => format!("Nothing to {}", name.to_lowercase()),
            };
            let pressed = button::icon(ui, rect, name, &tip, |painter, colour| {
                let colour = if edit.is_some() { colour } else { theme::EDGE };
                undo_arrow(painter, centre, place == 0, colour);
            });
            match (pressed.clicked(), place) {
                (true, 0) => session.undo(),
                (true, _) => session.redo(),
                _ => {}
            }
        }
    }

    /// Voices, partials, renderer and load; level; underruns.
    fn progress(&self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let meter = Rect::from_min_max(
            pos2(rect.right() - 150.0, rect.center().y - 8.0),
            pos2(rect.right() - 6.0, rect.center().y + 8.0),
        );
        self.meter.show(ui, meter);
        let light = pos2(meter.left() - 20.0, rect.center().y);
        self.light(ui, session, light);
        let mut right = light.x - 22.0;
        let counters = &self.status.counters;
        let load = self.status.load.map(|load| format!("{:.0}%", 100.0 * load));
        let renderer = self.status.renderer.as_str();
        let middle = pos2(right - 19.0, rect.center().y);
        choose_renderer(ui, session, Rect::from_center_size(middle, vec2(52.0, 38.0)));
        for (title, value) in [
            (renderer, load.unwrap_or_else(|| "–".into())),
            ("Partials", thousands(counters.partials)),
            ("Voices", counters.voices.to_string()),
            ("BPM", format!("{:.0}", self.status.bpm)),
        ] {
            let painter = ui.painter();
            let at = pos2(right, rect.center().y + 10.0);
            theme::caps(painter, at, Align2::RIGHT_CENTER, title, 8.5, theme::FAINT);
            let at = pos2(right, rect.center().y - 6.0);
            let warn = title == renderer && self.status.load.is_some_and(|load| load > 0.85);
            let colour = if warn { theme::ALARM } else { theme::TEXT };
            let font = theme::regular(13.0);
            painter.text(at, Align2::RIGHT_CENTER, value, font, colour);
            right -= 64.0;
            if right < rect.left() + 30.0 {
                break;
            }
        }
    }

    /// Green in normal operation, red after an underrun, amber while the CPU replaces the GPU. A
    /// click silences everything.
    fn light(&self, ui: &mut Ui, session: &mut Session, at: Pos2) {
        let rect = Rect::from_center_size(at, vec2(26.0, 26.0));
        let colour = if self.underrun {
            theme::ALARM
        } else if self.status.stands_in {
            theme::AMBER
        } else {
            theme::AQUA
        };
        let counters = &self.status.counters;
        let tip = format!(
            "{}: {}\n{} underruns, {} voices stolen, {} notes dropped\nClick to silence everything",
            self.status.renderer,
            self.status.why,
            self.status.underruns,
            counters.voices_stolen,
            counters.notes_dropped,
        );
        let pressed = button::icon(ui, rect, "Silence", &tip, |painter, _| {
            let mut mesh = Mesh::default();
            paint::glow(&mut mesh, at, 11.0, theme::light(colour, 0.8));
            painter.add(Shape::mesh(mesh));
            painter.circle_filled(at, 3.2, colour);
        });
        if pressed.clicked() {
            session.host.panic();
        }
    }
}

/// Menu of renderers, where there is a choice.
fn choose_renderer(ui: &mut Ui, session: &mut Session, rect: Rect) {
    let choices = session.host.renderers();
    if choices.is_empty() {
        return;
    }
    let tip = "Renderer and its load. Click to choose: the host restarts the instrument, \
               since the latency changes.";
    let response = button::area(ui, rect, "Renderer", tip, false);
    button::backdrop(ui.painter(), rect, &response);
    egui::Popup::menu(&response).show(|ui| {
        for (index, (name, chosen)) in choices.into_iter().enumerate() {
            if ui.selectable_label(chosen, name).clicked() {
                session.host.choose_renderer(index);
                ui.close();
            }
        }
    });
}

/// Loads the previous or next patch.
pub(crate) fn neighbour(library: &mut Library, session: &mut Session, step: isize) {
    let entries = library.entries();
    if entries.is_empty() {
        return;
    }
    let current = library.current(&session.patch.name).map(Entry::id);
    let here = entries.iter().position(|entry| Some(entry.id()) == current);
    let next = match here {
        Some(here) => (here as isize + step).rem_euclid(entries.len() as isize) as usize,
        None => 0,
    };
    let next = entries[next].clone();
    session.load(next.patch.clone());
    // What cannot be remembered is no reason not to play it.
    let _ = library.used(&next);
}

/// The version, as the tooltip of the logo and for screen readers.
fn version(ui: &Ui, logo: Rect) {
    let text = concat!("Myriad ", env!("CARGO_PKG_VERSION"));
    let response = ui.interact(logo, ui.scope_id().with("version"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    response.on_hover_text(text);
}

/// The logo: a small cloud of points, and the name.
fn logo(painter: &Painter, at: Pos2) {
    const POINTS: [(f32, f32, f32); 9] = [
        (0.0, 4.0, 0.0),
        (5.0, -2.0, 0.3),
        (9.0, 6.0, 0.2),
        (11.0, -7.0, 0.6),
        (15.0, 1.0, 0.75),
        (19.0, -4.0, 0.85),
        (20.0, 6.0, 0.5),
        (24.0, 0.0, 1.0),
        (28.0, 4.0, 0.6),
    ];
    let mut mesh = Mesh::default();
    for (x, y, bright) in POINTS {
        let centre = at + vec2(x, y);
        let colour = theme::dawn(0.15 + 0.85 * bright);
        paint::glow(&mut mesh, centre, 4.0 + 5.0 * bright, theme::light(colour, 0.75));
    }
    painter.add(Shape::mesh(mesh));
    for (x, y, bright) in POINTS {
        let colour = theme::dawn(0.2 + 0.8 * bright);
        painter.circle_filled(at + vec2(x, y), 1.1 + 0.7 * bright, colour);
    }
    let at = at + vec2(42.0, 0.0);
    theme::caps(painter, at, Align2::LEFT_CENTER, "Myriad", 14.0, theme::TEXT);
}

/// The arrow of undo, or of redo.
fn undo_arrow(painter: &Painter, centre: Pos2, back: bool, colour: Color32) {
    let side = if back { 1.0 } else { -1.0 };
    let at = |angle: f32| {
        let way = egui::Vec2::angled(angle);
        centre + 5.5 * vec2(way.x * side, way.y) + vec2(0.0, 1.0)
    };
    let points: Vec<Pos2> = (0..=14).map(|i| at(-2.5 + 4.2 * i as f32 / 14.0)).collect();
    let tip = points[0];
    painter.line(points, Stroke::new(1.5, colour));
    let head = vec![tip + vec2(4.6 * side, -0.4), tip, tip + vec2(0.2 * side, -4.6)];
    painter.line(head, Stroke::new(1.5, colour));
}

/// An arrow into a tray.
fn import_arrow(painter: &Painter, centre: Pos2, colour: Color32) {
    let stroke = Stroke::new(1.5, colour);
    let tip = centre + vec2(0.0, 2.5);
    painter.line_segment([centre - vec2(0.0, 7.0), tip], stroke);
    painter.line(vec![tip - vec2(3.8, 3.8), tip, tip + vec2(3.8, -3.8)], stroke);
    let tray = [(-6.5, 2.0), (-6.5, 6.5), (6.5, 6.5), (6.5, 2.0)];
    painter.line(tray.map(|(x, y)| centre + vec2(x, y)).to_vec(), stroke);
}

/// A number with thousands separators.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(super::thousands(number), text);
        }
    }
}
