//! The explore page: random changes, children of two patches, and a pad that morphs between four snapshots.

mod pad;

use super::pages::GAP;
use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use crate::widgets::dial::Dial;
use egui::{Color32, Painter, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use myriad_engine::Patch;
use myriad_library::explore::{Section, breed, randomise};
use pad::Pad;
use std::time::SystemTime;

/// The width of a dial's cell.
const DIAL: f32 = 84.0;
/// Locks beside each other.
const LOCK_COLUMNS: usize = 3;
/// The height of a button with a word.
const BUTTON: f32 = 30.0;

const AMOUNT: Dial = Dial {
    name: "Random amount",
    label: "Amount",
    help: "How far random changes go: a little turns the knobs a little, from the middle on choices change too",
    default: 0.3,
};

const MUTATION: Dial = Dial {
    name: "Mutation",
    label: "Mutation",
    help: "Random changes of the child, besides what it has from its parents",
    default: 0.0,
};

/// State of the page.
#[derive(Debug)]
pub(crate) struct Explore {
    amount: f32,
    mutation: f32,
    locked: Vec<Section>,
    /// The parents of the child that was bred last.
    parents: Option<Box<[Patch; 2]>>,
    pad: Pad,
    /// The number that the next random sound is made from.
    seed: u32,
    /// Whether the browser should open, to choose a patch.
    pub(crate) asks_for_patch: bool,
}

impl Default for Explore {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            amount: AMOUNT.default,
            mutation: MUTATION.default,
            locked: Vec::new(),
            parents: None,
            pad: Pad::default(),
            // Another sequence of sounds every time.
            seed: now.map_or(1, |now| now.subsec_nanos() ^ now.as_secs() as u32),
            asks_for_patch: false,
        }
    }
}

impl Explore {
    /// Random sounds repeat from here on.
    pub(crate) fn set_seed(&mut self, seed: u32) {
        self.seed = seed;
    }

    fn next_seed(&mut self) -> u32 {
        self.seed = self.seed.wrapping_add(1);
        self.seed
    }

    /// Breeds the sound that plays with another patch, and loads the child.
    pub(crate) fn breed_with(&mut self, session: &mut Session, other: Patch) {
        self.parents = Some(Box::new([session.snapshot(), other]));
        self.breed(session);
    }

    /// Another child of the same parents.
    fn breed(&mut self, session: &mut Session) {
        let seed = self.next_seed();
        let Some([first, second]) = self.parents.as_deref() else {
            return;
        };
        let child = breed(first, second, self.mutation, seed);
        let what = format!("Bred {}", child.name);
        session.replace(child, what);
    }

    fn randomise(&mut self, session: &mut Session) {
        let seed = self.next_seed();
        let now = session.snapshot();
        let random = randomise(&now, self.amount, &self.locked, seed);
        if random != now {
            session.replace(random, format!("Randomised by {:.0}%", 100.0 * self.amount));
        }
    }

    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let room = rect.width() - 2.0 * GAP;
        let mut left = rect.left();
        let [random, breed, morph] = [0.39, 0.22, 0.39].map(|share| {
            let place =
                Rect::from_min_size(pos2(left, rect.top()), vec2(share * room, rect.height()));
            left = place.right() + GAP;
            place
        });
        self.random_panel(ui, session, random);
        self.breed_panel(ui, session, breed);
        let inside = theme::titled_panel(ui.painter(), morph, "Morph");
        self.pad.show(ui, session, inside);
    }

    /// The locks, the amount and the button.
    fn random_panel(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let inside = theme::titled_panel(ui.painter(), rect, "Randomise");
        let locks = inside.with_max_x(inside.right() - DIAL - 10.0);
        let rows = Section::RANDOM.len().div_ceil(LOCK_COLUMNS);
        let hint = Rect::from_min_max(pos2(locks.left(), locks.bottom() - 20.0), locks.max);
        let grid = locks.with_max_y(hint.top() - 6.0);
        let size = vec2(grid.width() / LOCK_COLUMNS as f32, grid.height() / rows as f32);
        for (index, &section) in Section::RANDOM.iter().enumerate() {
            let (column, row) = (index % LOCK_COLUMNS, index / LOCK_COLUMNS);
            let at = grid.min + vec2(column as f32 * size.x, row as f32 * size.y);
            self.lock(ui, section, Rect::from_min_size(at, size).shrink(2.5));
        }
        let text = "Locked sections stay as they are.";
        theme::fitted(ui.painter(), hint, text, 11.0, theme::FAINT);
        let right = inside.with_min_x(inside.right() - DIAL);
        AMOUNT.show(ui, &mut self.amount, right);
        let place = right.with_min_y(right.bottom() - BUTTON);
        let tip = "Changes everything that is not locked, around the sound that plays";
        if push(ui, place, "Randomise", tip, true) {
            self.randomise(session);
        }
    }

    /// The lock of a section.
    fn lock(&mut self, ui: &Ui, section: Section, rect: Rect) {
        let locked = self.locked.contains(&section);
        let tip = match locked {
            true => format!("{} stays as it is; click to let it change", section.name()),
            false => format!("{} changes at random; click to keep it", section.name()),
        };
        let response = button::area(ui, rect, &format!("Lock {}", section.name()), &tip, locked);
        if response.clicked() {
            match locked {
                true => self.locked.retain(|&other| other != section),
                false => self.locked.push(section),
            }
        }
        let painter = ui.painter();
        theme::well(painter, rect);
        if response.hovered() || response.has_focus() {
            painter.rect_filled(rect.shrink(1.0), theme::SMALL_ROUND, theme::RAISED);
        }
        let sign = pos2(rect.left() + 14.0, rect.center().y);
        let (ink, text) = match locked {
            true => (theme::AMBER, theme::MUTED),
            false => (theme::FAINT, theme::TEXT),
        };
        padlock(painter, sign, locked, ink);
        let name = rect.with_min_x(rect.left() + 21.0);
        theme::fitted(painter, name, section.name(), 11.5, text);
    }

    /// The parents, the mutation and the button.
    fn breed_panel(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let inside = theme::titled_panel(ui.painter(), rect, "Breed");
        let dial = inside.with_min_x(inside.right() - DIAL);
        let names = inside.with_max_x(dial.left() - 4.0).with_max_y(inside.top() + 88.0);
        match self.parents.as_deref() {
            Some([first, second]) => {
                let third = names.height() / 3.0;
                let words = [
                    (first.name.as_str(), theme::TEXT),
                    ("×", theme::MUTED),
                    (second.name.as_str(), theme::TEXT),
                ];
                for (row, (word, colour)) in words.into_iter().enumerate() {
                    let min = names.min + vec2(0.0, third * row as f32);
                    let line = Rect::from_min_size(min, vec2(names.width(), third));
                    theme::fitted(&ui.painter_at(line), line, word, 13.0, colour);
                }
            }
            None => explain(ui, names),
        }
        MUTATION.show(ui, &mut self.mutation, dial);
        let line = |row: f32| {
            let bottom = inside.bottom() - row * (BUTTON + 6.0);
            Rect::from_min_max(pos2(inside.left(), bottom - BUTTON), pos2(inside.right(), bottom))
        };
        let tip = "Opens the browser: right-click a patch and choose Breed with current";
        if push(ui, line(1.0), "Choose a patch…", tip, true) {
            self.asks_for_patch = true;
        }
        let tip = match self.parents {
            Some(_) => "Another child of the same two patches",
            None => "Choose a patch first",
        };
        if push(ui, line(0.0), "Breed again", tip, self.parents.is_some()) {
            self.breed(session);
        }
    }
}

/// What breeding is, while there are no parents.
fn explain(ui: &Ui, rect: Rect) {
    let text = "A child takes every section from this sound or another one, or something between.";
    let painter = ui.painter_at(rect);
    let galley = painter.layout(text.into(), theme::regular(11.0), theme::FAINT, rect.width());
    painter.galley(rect.min + vec2(2.0, 4.0), galley, theme::FAINT);
}

/// A button that does something. Returns whether it was pressed.
fn push(ui: &Ui, rect: Rect, text: &str, tip: &str, enabled: bool) -> bool {
    let response = button::area(ui, rect, text, tip, false);
    let painter = ui.painter();
    let awake = enabled && (response.hovered() || response.has_focus());
    let fill = if awake { theme::DISC } else { theme::RAISED };
    let fill = if enabled { fill } else { theme::WELL };
    let edge = Stroke::new(1.0, if awake { theme::FAINT } else { theme::EDGE });
    painter.rect(rect, theme::SMALL_ROUND, fill, edge, StrokeKind::Inside);
    let colour = if enabled { theme::AMBER } else { theme::FAINT };
    theme::fitted(painter, rect, text, 12.0, colour);
    enabled && response.clicked()
}

/// A padlock, closed or open.
fn padlock(painter: &Painter, at: Pos2, closed: bool, colour: Color32) {
    let body = Rect::from_center_size(at + vec2(0.0, 2.5), vec2(9.0, 6.5));
    let stroke = Stroke::new(1.4, colour);
    // The shackle stands to the side when it is open.
    let centre = body.center_top() + vec2(if closed { 0.0 } else { 4.6 }, -1.5);
    let bow = (0..=10).map(|step| {
        let angle = std::f32::consts::PI * (1.0 + step as f32 / 10.0);
        centre + 2.9 * egui::Vec2::angled(angle)
    });
    let mut line: Vec<Pos2> = vec![pos2(centre.x - 2.9, body.top())];
    line.extend(bow);
    if closed {
        line.push(pos2(centre.x + 2.9, body.top()));
    }
    painter.line(line, stroke);
    match closed {
        true => painter.rect_filled(body, 1.5, colour),
        false => painter.rect_stroke(body, 1.5, stroke, StrokeKind::Inside),
    };
}
