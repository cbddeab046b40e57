//! The on-screen keyboard, and the computer's keys that play it.

use crate::host::EditorHost;
use crate::light;
use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{Align2, Color32, Key, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// The lowest key shown, and how many octaves there are.
const LOWEST: u8 = 24;
const OCTAVES: u8 = 6;
const HIGHEST: u8 = LOWEST + 12 * OCTAVES;

/// The computer's keys, from the C of the octave on: the lower row is white, the upper black.
const COMPUTER: [Key; 17] = [
    Key::A,
    Key::W,
    Key::S,
    Key::E,
    Key::D,
    Key::F,
    Key::T,
    Key::G,
    Key::Y,
    Key::H,
    Key::U,
    Key::J,
    Key::K,
    Key::O,
    Key::L,
    Key::P,
    Key::Semicolon,
];

/// The keys that are held here.
#[derive(Debug)]
pub(crate) struct Keyboard {
    /// The key under the mouse.
    mouse: Option<u8>,
    /// Keys that the computer's keys hold, in the order of [`COMPUTER`].
    computer: [Option<u8>; COMPUTER.len()],
    /// The C that the computer's A plays.
    base: u8,
}

impl Default for Keyboard {
    fn default() -> Self {
        Self { mouse: None, computer: [None; COMPUTER.len()], base: 60 }
    }
}

fn is_black(key: u8) -> bool {
    matches!(key % 12, 1 | 3 | 6 | 8 | 10)
}

impl Keyboard {
    /// Whether a key is held here.
    pub(crate) fn plays(&self) -> bool {
        self.mouse.is_some() || self.computer.iter().any(Option::is_some)
    }

    /// Releases every key.
    pub(crate) fn release(&mut self, host: &mut dyn EditorHost) {
        let held = self.computer.iter_mut().map(Option::take);
        for key in held.chain([self.mouse.take()]).flatten() {
            host.note_off(key);
        }
    }

    /// Shows the keys and plays them.
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let span = Span { rect, lowest: LOWEST, highest: HIGHEST };
        let id = ui.scope_id().with("keyboard");
        let response = ui.interact(rect, id, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Keyboard"));
        let pressed =
            response.is_pointer_button_down_on() && ui.input(|i| i.pointer.primary_down());
        let pointer = response.interact_pointer_pos().filter(|_| pressed);
        let under = pointer.and_then(|at| span.key_at(at));
        if under.map(|(key, _)| key) != self.mouse {
            if let Some(key) = self.mouse.take() {
                session.host.note_off(key);
            }
            if let Some((key, velocity)) = under {
                session.host.note_on(key, velocity);
                self.mouse = Some(key);
            }
        }
        self.computer_keys(ui, session);
        let hovered = response.hover_pos().and_then(|at| span.key_at(at));
        self.paint(ui, session, &span, hovered.map(|(key, _)| key));
    }

    /// Plays the computer's keys, unless something is being typed.
    fn computer_keys(&mut self, ui: &Ui, session: &mut Session) {
        let typing = ui.ctx().text_edit_focused();
        let (down, plain, octave) = ui.input(|input| {
            let plain = !typing && !input.modifiers.command && !input.modifiers.alt;
            let down = COMPUTER.map(|key| input.key_down(key));
            let octave = input.num_presses(Key::X) as i32 - input.num_presses(Key::Z) as i32;
            (down, plain, octave)
        });
        if plain && octave != 0 {
            self.base = (i32::from(self.base) + 12 * octave).clamp(24, 84) as u8;
        }
        for (place, held) in self.computer.iter_mut().enumerate() {
            match (*held, down[place] && plain) {
                (None, true) => {
                    let key = self.base + place as u8;
                    session.host.note_on(key, 0.8);
                    *held = Some(key);
                }
                (Some(key), false) => {
                    session.host.note_off(key);
                    *held = None;
                }
                _ => {}
            }
        }
    }

    fn paint(&self, ui: &Ui, session: &Session, span: &Span, hovered: Option<u8>) {
        let painter = ui.painter_at(span.rect);
        let ours = |key: u8| self.mouse == Some(key) || self.computer.contains(&Some(key));
        let down = |key: u8| ours(key) || session.snapshot.keys >> key & 1 == 1;
        span.paint(&painter, down, hovered);
        for key in (LOWEST..=HIGHEST).step_by(12) {
            let place = span.place(key);
            let text = format!("C{}", key / 12 - 1);
            let at = pos2(place.center().x, place.bottom() - 9.0);
            let base = key == self.base;
            let colour = if base { theme::ROSE } else { theme::FAINT };
            painter.text(at, Align2::CENTER_CENTER, text, theme::regular(9.0), colour);
        }
    }
}

/// Keys side by side, from a white one to a white one.
pub(crate) struct Span {
    pub(crate) rect: Rect,
    pub(crate) lowest: u8,
    pub(crate) highest: u8,
}

impl Span {
    fn keys(&self) -> impl Iterator<Item = u8> {
        self.lowest..=self.highest
    }

    /// Where a key is.
    fn place(&self, key: u8) -> Rect {
        let whites = |keys: std::ops::Range<u8>| keys.filter(|&key| !is_black(key)).count() as f32;
        let width = self.rect.width() / whites(self.lowest..self.highest + 1);
        let left = self.rect.left() + whites(self.lowest..key) * width;
        match is_black(key) {
            false => Rect::from_min_max(
                pos2(left + 0.75, self.rect.top()),
                pos2(left + width - 0.75, self.rect.bottom()),
            ),
            true => Rect::from_min_size(
                pos2(left - 0.31 * width, self.rect.top()),
                vec2(0.62 * width, 0.62 * self.rect.height()),
            ),
        }
    }

    /// The key at a position, and its velocity: low at the top, high at the bottom.
    pub(crate) fn key_at(&self, at: Pos2) -> Option<(u8, f32)> {
        let under = self.keys().map(|key| (key, self.place(key)));
        let under = under.filter(|(_, place)| place.contains(at));
        let (key, place) = under.max_by_key(|(key, _)| is_black(*key))?;
        let depth = (at.y - place.top()) / place.height();
        Some((key, (0.25 + 0.75 * depth).clamp(0.0, 1.0)))
    }

    /// Paints the keys, black ones over white ones.
    pub(crate) fn paint(
        &self,
        painter: &egui::Painter,
        down: impl Fn(u8) -> bool,
        hovered: Option<u8>,
    ) {
        let ground = if light::is_on(painter.ctx()) { theme::FAINT } else { theme::WELL };
        painter.rect_filled(self.rect, theme::SMALL_ROUND, ground);
        for black in [false, true] {
            for key in self.keys().filter(|&key| is_black(key) == black) {
                paint_key(painter, self.place(key), black, down(key), hovered == Some(key));
            }
        }
    }
}

fn paint_key(painter: &egui::Painter, place: Rect, black: bool, down: bool, hovered: bool) {
    let corners = egui::CornerRadius { sw: 3, se: 3, ..egui::CornerRadius::ZERO };
    let fill = match (black, hovered) {
        // Black keys are dark in the light theme too, which exchanges light and dark.
        (black, hovered) if light::is_on(painter.ctx()) => match (black, hovered) {
            (true, false) => theme::TEXT,
            (true, true) => theme::MUTED,
            (false, false) => theme::NIGHT,
            (false, true) => theme::RAISED,
        },
        (true, false) => Color32::from_rgb(0x0c, 0x0a, 0x16),
        (true, true) => theme::RAISED,
        (false, false) => Color32::from_rgb(0x34, 0x2e, 0x52),
        (false, true) => Color32::from_rgb(0x42, 0x3a, 0x66),
    };
    painter.rect_filled(place, corners, fill);
    if !black {
        paint::vertical_gradient(
            painter,
            place.with_max_y(place.top() + 0.6 * place.height()),
            Color32::from_black_alpha(90),
            Color32::TRANSPARENT,
        );
    } else {
        let edge = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.7));
        painter.rect_stroke(place, corners, edge, egui::StrokeKind::Inside);
    }
    if down {
        let colour = theme::AMBER;
        let bottom = place.with_min_y(place.top() + 0.15 * place.height());
        paint::vertical_gradient(
            painter,
            bottom,
            Color32::TRANSPARENT,
            colour.gamma_multiply(if black { 0.8 } else { 0.85 }),
        );
        let mut mesh = Mesh::default();
        let at = place.center_bottom() - vec2(0.0, 6.0);
        paint::glow(&mut mesh, at, 1.6 * place.width(), theme::light(colour, 0.5));
        painter.add(Shape::mesh(mesh));
    }
}
