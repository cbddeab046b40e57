//! The LFO display. Waves that are drawn are edited in it; others are dragged sideways for the phase and
//! upwards for the rate.

mod canvas;
mod shapes;

use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::points::rounded;
use crate::widgets::{button, choice};
use canvas::{Canvas, heights_of, in_columns};
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::modulation::Drawing;
use myriad_engine::params::Param;
use myriad_engine::view;

/// Cycles that are shown; random waveforms need more.
const CYCLES: f64 = 2.0;
const RANDOM_CYCLES: f64 = 8.0;

/// The height of the row of tools.
const TOOLS: f32 = 24.0;

/// Columns and rows to choose from; none is a free place.
const COLUMNS: [usize; 10] = [0, 3, 4, 6, 8, 12, 16, 20, 24, 32];
const ROWS: [usize; 6] = [0, 4, 8, 12, 16, 24];

/// The parameters of one LFO.
pub(crate) struct Lfo {
    index: usize,
    shape: Param,
    rate: Param,
    phase: Param,
    /// All other parameters.
    rest: Vec<Param>,
}

/// The grid that drawn points snap to.
#[derive(Clone, Copy, Debug)]
struct Grid {
    columns: usize,
    rows: usize,
}

/// How LFOs are drawn; the same for all of them.
#[derive(Debug)]
pub(crate) struct LfoEditor {
    grid: Grid,
    /// Whether the LFO takes the whole page.
    pub(crate) enlarged: bool,
    /// Where the pointer was last, while it draws steps.
    stroke: Option<Pos2>,
    /// Counts random shapes, so that each is another one.
    seed: u32,
}

impl Default for LfoEditor {
    fn default() -> Self {
        Self { grid: Grid { columns: 8, rows: 8 }, enlarged: false, stroke: None, seed: 0 }
    }
}

/// How the wave is shown and edited, by the value of its shape parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A computed wave.
    Wave,
    Points,
    Steps,
}

impl Lfo {
    /// The LFO of a group, if it is one.
    pub(crate) fn of_group(group: &str) -> Option<Self> {
        let get = |key: &str| Param::by_id(&format!("{group}.{key}"));
        let index = group.strip_prefix("lfo")?.parse::<usize>().ok()?.checked_sub(1)?;
        let (shape, rate, phase) = (get("shape")?, get("rate")?, get("phase")?);
        let mut rest = crate::widgets::strip::of_group(group);
        rest.retain(|param| *param != shape);
        Some(Self { index, shape, rate, phase, rest })
    }

    /// Parameters with a widget under the display.
    pub(crate) fn knobs(&self) -> &[Param] {
        &self.rest
    }

    fn mode(&self, session: &Session) -> Mode {
        match self.shape.info().format(session.value(self.shape)).as_str() {
            "drawn" => Mode::Points,
            "drawn steps" => Mode::Steps,
            _ => Mode::Wave,
        }
    }

    /// The value of the shape parameter for a mode.
    fn shape_of(&self, mode: Mode) -> f32 {
        let name = if mode == Mode::Steps { "drawn steps" } else { "drawn" };
        self.shape.info().parse(name).unwrap_or_default()
    }

    fn name(&self) -> String {
        names::group(self.shape.info().group())
    }

    /// Draws it in `rect`, with a line at `level`, its current value.
    pub(crate) fn show(
        &self,
        ui: &mut Ui,
        session: &mut Session,
        editor: &mut LfoEditor,
        rect: Rect,
        level: Option<f32>,
    ) {
        theme::well(ui.painter(), rect);
        let tools = rect.with_max_y(rect.top() + TOOLS);
        let below = rect.with_min_y(tools.bottom());
        let (mode, name) = (self.mode(session), self.name());
        let plot = match mode {
            Mode::Wave => below.shrink2(vec2(1.0, 6.0)),
            Mode::Points | Mode::Steps => below.shrink2(vec2(10.0, 8.0)),
        };
        let canvas = Canvas { plot, lfo: self.index, name: &name, grid: editor.grid };
        match mode {
            Mode::Wave => self.wave(ui, session, below, plot),
            Mode::Points => canvas.points(ui, session),
            Mode::Steps => canvas.steps(ui, session, &mut editor.stroke),
        }
        if let Some(level) = level {
            now(ui, plot, level);
        }
        self.tools(ui, session, editor, tools);
        // Beside the tabs, where it covers nothing of the wave.
        let corner = rect.right_top() - vec2(120.0, 30.0);
        let corner = Rect::from_min_size(corner, vec2(120.0, 24.0));
        choice::bar(ui, session, self.shape, corner);
    }

    /// A computed wave.
    fn wave(&self, ui: &Ui, session: &mut Session, rect: Rect, plot: Rect) {
        let id = ui.scope_id().with(("wave", self.shape.info().id));
        let response = ui.interact(rect, id, Sense::drag()).on_hover_cursor(CursorIcon::Move);
        let name = format!("{} wave", self.name());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
        if response.drag_started() {
            session.begin(&[self.phase, self.rate]);
        }
        if response.dragged() {
            let delta = response.drag_delta();
            let cycles = delta.x / rect.width() * CYCLES as f32;
            let phase = (session.value(self.phase) - cycles).rem_euclid(1.0);
            session.set(self.phase, phase);
            let scale = session.scale(self.rate) - delta.y / 400.0;
            session.set(self.rate, self.rate.info().kind.from_scale(scale));
        }
        if response.drag_stopped() {
            session.end();
        }
        let painter = ui.painter_at(rect);
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6));
        painter.hline(plot.x_range(), plot.center().y, stroke);
        let line = self.line(session, plot);
        let mut mesh = Mesh::default();
        let awake = response.hovered() || response.dragged();
        let light = theme::light(theme::AQUA, if awake { 0.2 } else { 0.13 });
        let dark = theme::light(theme::AQUA, 0.0);
        paint::fill_below(&mut mesh, &line, rect.bottom(), light, dark);
        painter.add(Shape::mesh(mesh));
        paint::luminous_line(&painter, line, 1.7, theme::AQUA);
    }

    fn line(&self, session: &Session, plot: Rect) -> Vec<Pos2> {
        let shape = session.index(self.shape);
        let phase = f64::from(session.value(self.phase));
        // Random waveforms.
        let random = matches!(
            self.shape.info().format(shape as f32).as_str(),
            "sample and hold" | "smooth random"
        );
        let cycles = if random { RANDOM_CYCLES } else { CYCLES };
        let drawing = session.patch.drawings[self.index];
        let steps = plot.width() as usize;
        (0..=steps)
            .map(|step| {
                let x = step as f32 / steps as f32;
                let height = view::wave(shape, phase + cycles * f64::from(x), &drawing);
                pos2(plot.left() + x * plot.width(), plot.center().y - 0.5 * height * plot.height())
            })
            .collect()
    }

    /// What the wave is drawn with: points or steps, the grid, and shapes to begin with.
    fn tools(&self, ui: &mut Ui, session: &mut Session, editor: &mut LfoEditor, row: Rect) {
        let mode = self.mode(session);
        let mut left = row.left() + 4.0;
        let mut place = |wide: f32| {
            let place = Rect::from_min_size(pos2(left, row.top() + 3.0), vec2(wide, 19.0));
            left += wide + 3.0;
            place
        };
        let tip = "Draw the wave by points with curves between them";
        if button::word(ui, place(52.0), "Points", tip, mode == Mode::Points).clicked() {
            self.draw_by(session, editor, Mode::Points);
        }
        let tip = "Draw the wave as a sequence of steps: drag across the bars";
        if button::word(ui, place(48.0), "Steps", tip, mode == Mode::Steps).clicked() {
            self.draw_by(session, editor, Mode::Steps);
        }
        let name = self.name();
        let shapes = place(58.0);
        button::list(ui, shapes, "Shapes", ("Shapes", theme::MUTED), |ui| {
            // Those by points on the left, those in steps on the right.
            ui.horizontal_top(|ui| {
                for steps in [false, true] {
                    ui.vertical(|ui| {
                        let presets = shapes::LIBRARY.iter();
                        for preset in presets.filter(|preset| preset.steps == steps) {
                            if ui.button(preset.name).clicked() {
                                self.begin_with(session, editor, preset);
                                ui.close();
                            }
                        }
                    });
                }
            });
        });
        if mode != Mode::Wave {
            let drawing = session.patch.drawings[self.index];
            let columns = match mode {
                Mode::Steps => heights_of(&drawing, editor.grid.columns).len(),
                _ => editor.grid.columns,
            };
            let what = if mode == Mode::Steps { "steps" } else { "columns" };
            if let Some(columns) = numbers(ui, place(74.0), "Grid columns", columns, what, &COLUMNS)
            {
                editor.grid.columns = columns;
                if mode == Mode::Steps {
                    let heights = in_columns(&drawing, columns.max(1));
                    let drawing = Drawing::new(&heights);
                    self.redraw(session, &format!("{name}: {columns} steps"), mode, drawing);
                }
            }
            let rows = editor.grid.rows;
            if let Some(rows) = numbers(ui, place(60.0), "Grid rows", rows, "rows", &ROWS) {
                editor.grid.rows = rows;
            }
            for (label, turn) in [
                ("Reverse", shapes::reversed as fn(&Drawing) -> Drawing),
                ("Invert", shapes::inverted),
            ] {
                let place = place(52.0);
                // In a narrow panel there is no room for these.
                if place.right() < row.right() - 30.0
                    && button::word(ui, place, label, "", false).clicked()
                {
                    self.redraw(session, &format!("{name}: {label}"), mode, turn(&drawing));
                }
            }
        }
        let corner = pos2(row.right() - 26.0, row.top() + 3.0);
        let corner = Rect::from_min_size(corner, vec2(22.0, 19.0));
        let label = if editor.enlarged { "Reduce LFO" } else { "Enlarge LFO" };
        let enlarged = editor.enlarged;
        let response = button::icon(ui, corner, label, label, |painter, colour| {
            let size = if enlarged { vec2(7.0, 5.0) } else { vec2(13.0, 9.0) };
            let frame = Rect::from_center_size(corner.center(), size);
            let inside = egui::StrokeKind::Inside;
            painter.rect_stroke(frame, 1.0, Stroke::new(1.4, colour), inside);
        });
        if response.clicked() {
            editor.enlarged = !enlarged;
        }
    }

    /// Begins with a shape of the library.
    fn begin_with(&self, session: &mut Session, editor: &mut LfoEditor, preset: &shapes::Preset) {
        editor.seed = editor.seed.wrapping_add(1);
        let columns = if editor.grid.columns == 0 { 8 } else { editor.grid.columns };
        let mode = if preset.steps { Mode::Steps } else { Mode::Points };
        let drawing = preset.draw(columns, editor.seed);
        let what = format!("{}: {}", self.name(), preset.name);
        self.redraw(session, &what, mode, drawing);
    }

    /// Draws by points or steps from now on. What was drawn before is there again; an LFO for which nothing was drawn
    /// begins with the wave that it has.
    fn draw_by(&self, session: &mut Session, editor: &LfoEditor, mode: Mode) {
        let drawing = session.patch.drawings[self.index];
        let drawing = match self.mode(session) {
            Mode::Wave if drawing == Drawing::default() => self.sampled(session, editor, mode),
            _ => drawing,
        };
        self.redraw(session, &format!("{} drawn", self.name()), mode, drawing);
    }

    /// The computed wave as a drawing.
    fn sampled(&self, session: &Session, editor: &LfoEditor, mode: Mode) -> Drawing {
        let shape = session.index(self.shape);
        let wave = self.shape.info().format(shape as f32);
        let preset = shapes::LIBRARY.iter().find(|preset| {
            let alike = match wave.as_str() {
                "saw up" => "Ramp up",
                "saw down" => "Ramp down",
                "sample and hold" => "Random steps",
                "smooth random" => "Random line",
                other => return preset.name.eq_ignore_ascii_case(other),
            };
            preset.name == alike
        });
        let columns = if editor.grid.columns == 0 { 8 } else { editor.grid.columns };
        match (preset, mode) {
            (Some(preset), Mode::Points) if !preset.steps => preset.draw(columns, 1),
            _ => {
                let none = Drawing::default();
                let height = |column: usize| {
                    rounded(view::wave(shape, column as f64 / columns as f64, &none))
                };
                Drawing::new(&(0..columns).map(height).collect::<Vec<_>>())
            }
        }
    }

    /// Another drawing and its mode, as one step of undo.
    fn redraw(&self, session: &mut Session, what: &str, mode: Mode, drawing: Drawing) {
        session.begin_drawing(what);
        session.set_too(self.shape, self.shape_of(mode));
        session.draw(|patch| patch.drawings[self.index] = drawing);
        session.end();
    }
}

/// A list of numbers; returns the one that is chosen.
fn numbers(
    ui: &Ui,
    rect: Rect,
    name: &str,
    now: usize,
    what: &str,
    all: &[usize],
) -> Option<usize> {
    let text = |number: usize| match number {
        0 => format!("no {what}"),
        _ => format!("{number} {what}"),
    };
    let mut chosen = None;
    button::list(ui, rect, name, (&text(now), theme::MUTED), |ui| {
        for &number in all.iter().filter(|number| **number > 0 || what != "steps") {
            if ui.selectable_label(number == now, text(number)).clicked() {
                chosen = Some(number);
                ui.close();
            }
        }
    });
    chosen
}

/// A line at the current value.
fn now(ui: &Ui, plot: Rect, level: f32) {
    let painter = ui.painter();
    let y = plot.center().y - level * plot.height() / 2.0;
    let stroke = Stroke::new(1.0, theme::light(theme::LIGHT, 0.55));
    painter.hline(plot.x_range(), y, stroke);
    let mut mesh = Mesh::default();
    let at = pos2(plot.left() + 8.0, y);
    paint::glow(&mut mesh, at, 12.0, theme::light(theme::LIGHT, 0.8));
    painter.add(Shape::mesh(mesh));
    painter.circle_filled(at, 2.6, theme::LIGHT);
}
