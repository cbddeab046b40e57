//! The harmonics page: the table of a layer drawn as bars, frame by frame, with tools and formulas.
//!
//! Every table can be drawn in. The first stroke makes a copy of it that belongs to the patch; what is drawn is heard
//! at once.

mod bars;
mod lane;
mod tools;

use super::pages::GAP;
use super::table::LAYERS;
use crate::formula::Formula;
use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use bars::Bars;
use egui::accesskit::Role;
use egui::{Align2, Key, Pos2, Rect, Stroke, StrokeKind, TextEdit, Ui, WidgetInfo, pos2, vec2};
use lane::Lane;
use myriad_engine::Tracks;
use myriad_engine::params::Param;
use myriad_engine::spectrum::Table;
use myriad_engine::tracks::{DrawnTable, Harmonic};
use tools::{Tool, VARIABLES};

/// The width of the tools, and the height of a row of them.
const TOOLS: f32 = 276.0;
const ROW: f32 = 25.0;
/// The height of the row of frames.
const FRAMES: f32 = 22.0;

/// Frames and partials of a copy of a table.
const COPIED_FRAMES: usize = 16;
const FEWEST_PARTIALS: usize = 64;
const MOST_PARTIALS: usize = 512;
/// The pitch of the tables of the families: A2, where formant hold has no effect.
const FAMILY_PITCH: f32 = 110.0;

/// Numbers of harmonics to look at, and of frames, to choose from.
const SHOWN: [usize; 6] = [16, 32, 64, 128, 256, 512];
const FRAME_COUNTS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// State of the page.
#[derive(Debug)]
pub(crate) struct Harmonics {
    /// The layer whose table is shown.
    layer: usize,
    lane: Lane,
    shown: usize,
    /// Whether tools and formulas change all frames.
    all_frames: bool,
    /// A copied frame, and where it was.
    copied: Option<(usize, Vec<Harmonic>)>,
    formula: String,
    /// Why the formula cannot be used; empty if it can.
    mistake: String,
    /// Where the pointer was last, while it draws.
    stroke: Option<Pos2>,
    /// Counts random changes, so that each is another one.
    seed: u32,
}

impl Default for Harmonics {
    fn default() -> Self {
        Self {
            layer: 0,
            lane: Lane::Level,
            shown: 64,
            all_frames: false,
            copied: None,
            formula: "1/n".to_owned(),
            mistake: String::new(),
            stroke: None,
            seed: 0,
        }
    }
}

impl Harmonics {
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        theme::panel(ui.painter(), rect);
        let table = table_of(session, self.layer);
        let frame = self.frame(session, &table);
        self.head(ui, session, &table, rect);
        let inside = Rect::from_min_max(rect.min + vec2(12.0, 38.0), rect.max - vec2(12.0, 10.0));
        let right = inside.with_min_x(inside.right() - TOOLS);
        let left = inside.with_max_x(right.left() - GAP);
        let strip = left.with_min_y(left.bottom() - FRAMES);
        self.frames(ui, session, &table, frame, strip);
        let well = left.with_max_y(strip.top() - 4.0);
        theme::well(ui.painter(), well);
        self.canvas(ui, session, &table, frame, well.shrink2(vec2(8.0, 8.0)));
        self.tools(ui, session, &table, frame, right);
    }

    /// The frame that is drawn: the one that the position knob is nearest to, so that it is heard.
    fn frame(&self, session: &Session, table: &DrawnTable) -> usize {
        let position = session.value(LAYERS[self.layer].position);
        (position * (table.frames() - 1) as f32).round() as usize
    }

    /// The layer, the lane, and how much is shown.
    fn head(&mut self, ui: &Ui, session: &mut Session, table: &DrawnTable, rect: Rect) {
        let mut left = rect.left() + 12.0;
        let mut place = |wide: f32| {
            let place = Rect::from_min_size(pos2(left, rect.top() + 8.0), vec2(wide, 24.0));
            left += wide + 3.0;
            place
        };
        for (layer, name) in ["Layer 1", "Layer 2"].into_iter().enumerate() {
            let tip = "Draw in the table of this layer";
            if button::word(ui, place(60.0), name, tip, self.layer == layer).clicked() {
                self.layer = layer;
            }
        }
        place(8.0);
        for lane in Lane::ALL {
            let chosen = self.lane == lane;
            if button::word(ui, place(58.0), lane.name(), lane.help(), chosen).clicked() {
                self.lane = lane;
            }
        }
        place(8.0);
        let text = format!("{} harmonics", self.shown);
        button::list(ui, place(98.0), "Shown harmonics", (&text, theme::MUTED), |ui| {
            for shown in SHOWN {
                if ui.selectable_label(shown == self.shown, format!("{shown} harmonics")).clicked()
                {
                    self.shown = shown;
                    ui.close();
                }
            }
        });
        let (layer, now) = (self.layer, table.frames());
        let text = format!("{now} frames");
        button::list(ui, place(76.0), "Number of frames", (&text, theme::MUTED), |ui| {
            for frames in FRAME_COUNTS {
                if ui.selectable_label(frames == now, format!("{frames} frames")).clicked() {
                    change(session, layer, "Frames of the table", table.with_frames(frames));
                    ui.close();
                }
            }
        });
        let hint = match (self.layer, session.index(Param::LayerMode)) {
            (1, 0) => "Layer 2 is off: choose its mode on the layers page",
            _ => "",
        };
        let at = pos2(left + 8.0, rect.top() + 20.0);
        ui.painter().text(at, Align2::LEFT_CENTER, hint, theme::regular(11.0), theme::AMBER);
    }

    /// The bars, which are drawn by the pointer.
    fn canvas(
        &mut self,
        ui: &Ui,
        session: &mut Session,
        table: &DrawnTable,
        frame: usize,
        plot: Rect,
    ) {
        let heard = if self.layer == 0 { Param::SourcePartials } else { Param::LayerPartials };
        let bars = Bars {
            plot,
            lane: self.lane,
            frame: table.frame(frame),
            shown: self.shown,
            heard: session.value(heard),
            colour: LAYERS[self.layer].colour,
        };
        let Some(stroke) = bars.show(ui, &mut self.stroke) else {
            return;
        };
        if stroke.begins {
            session.begin_drawing(&format!("Harmonics: {}", self.lane.name()));
        }
        let mut table = table.clone();
        for (index, height) in stroke.crossed {
            if let Some(harmonic) = table.frame_mut(frame).get_mut(index) {
                let value = if stroke.resets { 0.0 } else { self.lane.value(height) };
                self.lane.set(harmonic, value);
            }
        }
        put(session, self.layer, &table);
    }

    /// All frames side by side; a click goes to one.
    fn frames(
        &self,
        ui: &Ui,
        session: &mut Session,
        table: &DrawnTable,
        chosen: usize,
        rect: Rect,
    ) {
        let wide = rect.width() / table.frames() as f32;
        for frame in 0..table.frames() {
            let corner = pos2(rect.left() + frame as f32 * wide, rect.top());
            let place =
                Rect::from_min_size(corner, vec2(wide, rect.height())).shrink2(vec2(1.0, 0.0));
            let name = format!("Frame {}", frame + 1);
            let response = button::area(ui, place, &name, "", frame == chosen);
            let painter = ui.painter();
            let edge = match frame == chosen {
                true => theme::AMBER,
                false => theme::EDGE.gamma_multiply(0.6),
            };
            let fill = if response.hovered() { theme::RAISED } else { theme::WELL };
            painter.rect(place, 2.0, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
            // The first harmonics, small.
            let inside = place.shrink(2.0);
            let few = (inside.width() as usize).clamp(1, 24).min(table.partials());
            for (n, harmonic) in table.frame(frame).iter().take(few).enumerate() {
                let height = Lane::Level.height(harmonic.level) * inside.height();
                let x = inside.left() + (n as f32 + 0.5) * inside.width() / few as f32;
                let stroke = Stroke::new(1.0, theme::dawn(0.3 + 0.5 * height / inside.height()));
                painter.vline(x, inside.bottom() - height..=inside.bottom(), stroke);
            }
            if response.clicked() {
                let position = frame as f32 / (table.frames() - 1) as f32;
                session.change(LAYERS[self.layer].position, position);
            }
        }
    }

    /// Buttons and the formula.
    fn tools(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        table: &DrawnTable,
        frame: usize,
        rect: Rect,
    ) {
        let cell = |row: usize, column: usize, wide: usize| {
            let size = vec2(rect.width() / 4.0, ROW);
            let corner = rect.min + vec2(column as f32 * size.x, row as f32 * size.y);
            Rect::from_min_size(corner, vec2(wide as f32 * size.x, size.y)).shrink(1.5)
        };
        for (index, (tool, name, tip)) in Tool::ALL.into_iter().enumerate() {
            let place = cell(index / 4, index % 4, 1);
            if button::word(ui, place, name, tip, false).clicked() {
                self.seed = self.seed.wrapping_add(1);
                let (lane, seed) = (self.lane, self.seed);
                self.change_frames(session, table, frame, name, |table, frame| {
                    let seed = seed.wrapping_add(997 * frame as u32);
                    tool.apply(table.frame_mut(frame), lane, seed);
                });
            }
        }
        let tip = "Tools and formulas change all frames";
        if button::word(ui, cell(1, 3, 1), "All frames", tip, self.all_frames).clicked() {
            self.all_frames = !self.all_frames;
        }
        let tip = "Copies this frame, also for the other layer";
        if button::word(ui, cell(2, 0, 1), "Copy", tip, false).clicked() {
            self.copied = Some((frame, table.frame(frame).to_vec()));
        }
        let copied = self.copied.clone();
        let tip = "Replaces this frame by the copied one";
        if button::word(ui, cell(2, 1, 1), "Paste", tip, false).clicked()
            && let Some((_, copied)) = &copied
        {
            self.change_frames(session, table, frame, "frame pasted", |table, frame| {
                table.frame_mut(frame).iter_mut().zip(copied).for_each(|(to, from)| *to = *from);
            });
        }
        let tip = "Fills the frames between the copied one and this one with steps on the way";
        if button::word(ui, cell(2, 2, 1), "Morph", tip, false).clicked()
            && let Some((from, _)) = copied
        {
            let mut table = table.clone();
            tools::morph(&mut table, from, frame);
            change(session, self.layer, "Harmonics: morph", table);
        }
        if let Some((from, _)) = &self.copied {
            let text = format!("copied: {}", from + 1);
            theme::fitted(ui.painter(), cell(2, 3, 1), &text, 10.5, theme::MUTED);
        }
        self.formula(ui, session, table, frame, [cell(3, 0, 3), cell(3, 3, 1), cell(4, 0, 4)]);
    }

    /// The field for a formula, a list of some, and what is wrong with it.
    fn formula(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        table: &DrawnTable,
        frame: usize,
        [field, list, line]: [Rect; 3],
    ) {
        let edit = TextEdit::singleline(&mut self.formula)
            .hint_text("1/n")
            .align(Align2::LEFT_CENTER)
            .margin(egui::Margin::symmetric(8, 3));
        let response = ui.put(field, edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Formula"));
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let mut chosen = None;
        button::list(ui, list, "Formulas", ("Formulas", theme::MUTED), |ui| {
            for (name, text) in self.lane.formulas() {
                if ui.button(format!("{name}   {text}")).clicked() {
                    chosen = Some((*text).to_owned());
                    ui.close();
                }
            }
        });
        let use_it = entered || chosen.is_some();
        if let Some(text) = chosen {
            self.formula = text;
        }
        if use_it {
            match Formula::parse(&self.formula, &VARIABLES) {
                Ok(formula) => {
                    self.mistake.clear();
                    let (what, lane) = (self.formula.clone(), self.lane);
                    self.change_frames(session, table, frame, &what, |table, frame| {
                        tools::apply_formula(table, frame, lane, &formula);
                    });
                }
                Err(error) => self.mistake = error.0,
            }
        }
        let (text, colour) = match self.mistake.as_str() {
            "" => ("Enter uses it. n: harmonic, frame, t: 0 to 1, x: as it is", theme::MUTED),
            mistake => (mistake, theme::ALARM),
        };
        theme::fitted(ui.painter(), line, text, 10.5, colour);
    }

    /// Changes this frame, or all of them, as one step.
    fn change_frames(
        &self,
        session: &mut Session,
        table: &DrawnTable,
        frame: usize,
        what: &str,
        mut each: impl FnMut(&mut DrawnTable, usize),
    ) {
        let mut table = table.clone();
        match self.all_frames {
            true => (0..table.frames()).for_each(|frame| each(&mut table, frame)),
            false => each(&mut table, frame),
        }
        change(session, self.layer, &format!("Harmonics: {what}"), table);
    }
}

/// The table of a layer as it can be drawn in: the one of the patch, or a copy of another.
fn table_of(session: &Session, layer: usize) -> DrawnTable {
    let params = &LAYERS[layer];
    let tracks = session.patch.tracks[layer].as_ref();
    let family = Table::ALL.get(session.index(params.table));
    if family.is_none()
        && let Some(drawn) = tracks.and_then(|tracks| tracks.drawn())
    {
        return drawn;
    }
    let heard = if layer == 0 { Param::SourcePartials } else { Param::LayerPartials };
    let partials = (session.value(heard).ceil() as usize).clamp(FEWEST_PARTIALS, MOST_PARTIALS);
    // The handle keeps the table loaded while it is copied.
    let handle = tracks.and_then(|tracks| tracks.table_handle().ok());
    match (family, handle) {
        (Some(family), _) => {
            DrawnTable::copy(family.place(), FAMILY_PITCH, partials, COPIED_FRAMES)
        }
        (None, Some(handle)) => {
            let pitch = 440.0 * ((handle.key() - 69.0) / 12.0).exp2();
            let frames = usize::from(handle.place().frames).min(2 * COPIED_FRAMES);
            DrawnTable::copy(handle.place(), pitch, partials, frames)
        }
        (None, None) => DrawnTable::copy(Table::Saw.place(), FAMILY_PITCH, partials, COPIED_FRAMES),
    }
}

/// Gives a layer this table, as part of a gesture.
fn put(session: &mut Session, layer: usize, table: &DrawnTable) {
    if let Ok(tracks) = Tracks::from_bytes(table.encode()) {
        session.draw(|patch| patch.tracks[layer] = Some(tracks));
        session.set_too(LAYERS[layer].table, Table::ALL.len() as f32);
    }
}

/// The same as a gesture of its own.
fn change(session: &mut Session, layer: usize, what: &str, table: DrawnTable) {
    session.begin_drawing(what);
    put(session, layer, &table);
    session.end();
}
