//! The envelope display. The width of each stage is its knob position, so that a millisecond and a
//! minute both fit and can both be dragged. An envelope can also be drawn by points.

mod points;

use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, control, field};
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{Color32, Painter, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::modulation::{DrawnEnvelope, ENVELOPES, EnvelopePoint};
use myriad_engine::params::Param;
use myriad_engine::view;

/// The parameters of one envelope.
pub(crate) struct Envelope {
    index: usize,
    delay: Param,
    attack: Param,
    hold: Param,
    decay: Param,
    sustain: Param,
    release: Param,
    /// The second decay, and the level at which it begins.
    slope: Param,
    breaks: Param,
    loops: Param,
    speed: Param,
    /// Of attack, decay and release.
    curves: [Param; 3],
}

/// The corners of the curve.
struct Corners {
    /// Start of the attack.
    start: Pos2,
    top: Pos2,
    /// The end of the hold.
    held: Pos2,
    /// End of the decay and start of the slope; without a slope, start of the sustain.
    broken: Pos2,
    sustained: Pos2,
    released: Pos2,
    end: Pos2,
}

/// Fractions of the width: the most that each stage takes, and the fixed width of the sustain.
/// Their sum is more than one, since stages are seldom at their longest; if needed all shrink.
const DELAY: f32 = 0.2;
const ATTACK: f32 = 0.4;
const HOLD: f32 = 0.2;
const DECAY: f32 = 0.4;
const SLOPE: f32 = 0.4;
const SUSTAIN: f32 = 0.12;
const RELEASE: f32 = 0.4;

impl Envelope {
    /// The envelope of a group, if it is one.
    pub(crate) fn of_group(group: &str) -> Option<Self> {
        let get = |key: &str| Param::by_id(&format!("{group}.{key}"));
        let number = group.strip_prefix("env")?.parse::<usize>().ok()?;
        let index = number.checked_sub(1).filter(|index| *index < ENVELOPES)?;
        Some(Self {
            index,
            delay: get("delay")?,
            attack: get("attack")?,
            hold: get("hold")?,
            decay: get("decay")?,
            sustain: get("sustain")?,
            release: get("release")?,
            slope: get("slope")?,
            breaks: get("break")?,
            loops: get("loop")?,
            speed: get("speed")?,
            curves: [get("attack_curve")?, get("decay_curve")?, get("release_curve")?],
        })
    }

    /// Its knobs; the curves are handles on the display.
    pub(crate) fn knobs(&self) -> [Param; 6] {
        [self.delay, self.attack, self.hold, self.decay, self.sustain, self.release]
    }

    /// Less common parameters, on a line: slope, break, speed, and the loop switch.
    pub(crate) fn fields(&self, ui: &mut Ui, session: &mut Session, line: Rect) {
        let wide = (line.width() / 4.0).min(94.0);
        let left = line.right() - 4.0 * wide;
        let place = |index: f32| {
            let min = pos2(left + wide * index, line.top());
            Rect::from_min_size(min, vec2(wide - 5.0, line.height()))
        };
        field::field(ui, session, self.slope, place(0.0));
        field::field(ui, session, self.breaks, place(1.0));
        field::field(ui, session, self.speed, place(2.0));
        field::switch(ui, session, self.loops, place(3.0));
    }

    /// Whether it is drawn by points, so that the stages do nothing.
    pub(crate) fn is_drawn(&self, session: &Session) -> bool {
        session.patch.envelopes[self.index].is_some()
    }

    /// Shows it as it is drawn, if it is; `scale` belongs to the page.
    pub(crate) fn show_points(
        &self,
        ui: &Ui,
        session: &mut Session,
        rect: Rect,
        level: Option<f32>,
        scale: &mut Option<f32>,
    ) {
        let Some(envelope) = session.patch.envelopes[self.index] else {
            return;
        };
        theme::well(ui.painter(), rect);
        let name = names::group(self.attack.info().group());
        let is_held = !session.held.is_empty();
        points::Canvas::new(rect, self.index, &name, envelope, scale, is_held)
            .show(ui, session, level);
        self.switch(ui, session, rect);
    }

    /// The button that changes between stages and points. Points begin with the stages; these stay as they are.
    fn switch(&self, ui: &Ui, session: &mut Session, rect: Rect) {
        let drawn = self.is_drawn(session);
        let place = Rect::from_min_size(rect.right_top() + vec2(-48.0, 3.0), vec2(44.0, 18.0));
        let tip = "Draw the envelope by any number of points, in place of its stages";
        if button::word(ui, place, "Draw", tip, drawn).clicked() {
            let envelope = (!drawn).then(|| self.as_points(session));
            let name = names::group(self.attack.info().group());
            let what = if drawn { "by stages" } else { "drawn" };
            session.begin_drawing(&format!("{name} {what}"));
            session.draw(|patch| patch.envelopes[self.index] = envelope);
            session.end();
        }
    }

    /// The stages as points.
    fn as_points(&self, session: &Session) -> DrawnEnvelope {
        let [attack, decay, release] = self.curves.map(|curve| session.value(curve));
        let value = |param: Param| session.value(param);
        let point = |time: Param, level: f32, curve: f32| EnvelopePoint {
            seconds: value(time),
            level,
            curve,
        };
        let mut points = vec![point(self.attack, 1.0, attack)];
        if value(self.delay) > 0.0 {
            points.insert(0, point(self.delay, 0.0, 0.0));
        }
        if value(self.hold) > 0.0 {
            points.push(point(self.hold, 1.0, 0.0));
        }
        if value(self.slope) > 0.0 {
            points.push(point(self.decay, value(self.breaks), decay));
            points.push(point(self.slope, value(self.sustain), decay));
        } else {
            points.push(point(self.decay, value(self.sustain), decay));
        }
        let held = points.len() - 1;
        points.push(point(self.release, 0.0, release));
        DrawnEnvelope::new(&points, held)
    }

    /// The width of a fraction of one.
    fn unit(&self, session: &Session, plot: Rect) -> f32 {
        let stages = [
            (self.delay, DELAY),
            (self.attack, ATTACK),
            (self.hold, HOLD),
            (self.decay, DECAY),
            (self.slope, SLOPE),
            (self.release, RELEASE),
        ];
        let shares = stages.map(|(param, share)| session.scale(param) * share);
        let whole: f32 = SUSTAIN + shares.iter().sum::<f32>();
        plot.width() / whole.max(1.0)
    }

    fn corners(&self, session: &Session, plot: Rect) -> Corners {
        let unit = self.unit(session, plot);
        let wide = |param: Param, share: f32| session.scale(param) * share * unit;
        let y = |level: f32| plot.bottom() - level * plot.height();
        let sustain = y(session.value(self.sustain));
        let breaks = match session.value(self.slope) > 0.0 {
            true => y(session.value(self.breaks)),
            false => sustain,
        };
        let mut x = plot.left();
        let mut next = |width: f32, y: f32| {
            x += width;
            pos2(x, y)
        };
        Corners {
            start: next(wide(self.delay, DELAY), y(0.0)),
            top: next(wide(self.attack, ATTACK), y(1.0)),
            held: next(wide(self.hold, HOLD), y(1.0)),
            broken: next(wide(self.decay, DECAY), breaks),
            sustained: next(wide(self.slope, SLOPE), sustain),
            released: next(SUSTAIN * unit, sustain),
            end: next(wide(self.release, RELEASE), y(0.0)),
        }
    }

    /// Draws it in `rect` and lets its corners be dragged.
    pub(crate) fn show(&self, ui: &Ui, session: &mut Session, rect: Rect, level: Option<f32>) {
        theme::well(ui.painter(), rect);
        let plot = Rect::from_min_max(rect.min + vec2(12.0, 12.0), rect.max - vec2(12.0, 10.0));
        let corners = self.corners(session, plot);
        let painter = ui.painter_at(rect);
        for part in 1..4 {
            let y = plot.bottom() - plot.height() * part as f32 / 3.0;
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.3));
            painter.hline(rect.x_range().shrink(1.0), y, stroke);
        }
        let line = self.line(session, plot, &corners);
        let mut mesh = Mesh::default();
        let top = theme::light(theme::AMBER, 0.22);
        let bottom = theme::light(theme::ROSE, 0.03);
        paint::fill_below(&mut mesh, &line, plot.bottom(), top, bottom);
        painter.add(Shape::mesh(mesh));
        if let Some(level) = level {
            let y = plot.bottom() - level * plot.height();
            let stroke = Stroke::new(1.0, theme::light(theme::LIGHT, 0.5));
            painter.hline(plot.x_range(), y, stroke);
        }
        paint::luminous_line(&painter, line, 1.7, theme::AMBER);
        if session.index(self.loops) == 1 {
            loop_line(&painter, &corners, plot);
        }
        self.bends(ui, session, &corners);
        self.handles(ui, session, plot, &corners);
        self.switch(ui, session, rect);
    }

    fn line(&self, session: &Session, plot: Rect, corners: &Corners) -> Vec<Pos2> {
        let mut line = vec![plot.left_bottom()];
        let mut stage = |from: Pos2, to: Pos2, curve: f32| {
            const STEPS: usize = 24;
            for step in 0..=STEPS {
                let x = step as f32 / STEPS as f32;
                let y = view::bend(curve, x);
                line.push(pos2(from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * y));
            }
        };
        let [attack, decay, release] = self.curves.map(|curve| session.value(curve));
        stage(corners.start, corners.top, attack);
        stage(corners.held, corners.broken, decay);
        stage(corners.broken, corners.sustained, decay);
        stage(corners.released, corners.end, release);
        line.push(pos2(plot.right(), plot.bottom()));
        line
    }

    /// A handle in the middle of each curved stage.
    fn bends(&self, ui: &Ui, session: &mut Session, corners: &Corners) {
        let stages = [
            (corners.start, corners.top),
            (corners.held, corners.broken),
            (corners.released, corners.end),
        ];
        for (curve, (from, to)) in self.curves.into_iter().zip(stages) {
            let y = view::bend(session.value(curve), 0.5);
            let at = pos2(0.5 * (from.x + to.x), from.y + (to.y - from.y) * y);
            if (to.x - from.x).abs() < 16.0 {
                continue;
            }
            let grip = Rect::from_center_size(at, vec2(16.0, 16.0));
            let response = control::interact(ui, session, curve, grip);
            let awake = response.hovered() || response.dragged() || response.has_focus();
            let radius = if awake { 4.5 } else { 3.0 };
            let stroke = Stroke::new(1.4, theme::AMBER.gamma_multiply(0.8));
            ui.painter().circle(at, radius, theme::WELL, stroke);
        }
    }

    fn handles(&self, ui: &Ui, session: &mut Session, plot: Rect, corners: &Corners) {
        let Corners { start, top, held, broken, sustained, released, end } = *corners;
        let unit = self.unit(session, plot);
        let slopes = session.value(self.slope) > 0.0;
        // Without a slope the decay ends at the sustain.
        let below = if slopes { self.breaks } else { self.sustain };
        let handles = [
            ("Delay handle", start, plot.left(), DELAY, self.delay, None),
            ("Attack handle", top, start.x, ATTACK, self.attack, None),
            ("Hold handle", held, top.x, HOLD, self.hold, None),
            ("Decay handle", broken, held.x, DECAY, self.decay, Some(below)),
            ("Slope handle", sustained, broken.x, SLOPE, self.slope, Some(self.sustain)),
            ("Release handle", end, released.x, RELEASE, self.release, None),
        ];
        let seen = |name: &str| slopes || name != "Slope handle";
        for (name, at, from, share, time, level) in handles.into_iter().filter(|h| seen(h.0)) {
            // The hold handle lies on the attack handle while the hold is zero, so it is moved
            // aside.
            let aside =
                if name.starts_with("Hold") && (held.x - top.x) < 10.0 { 10.0 } else { 0.0 };
            let at = at + vec2(aside, 0.0);
            let id = control::id(ui, time).with("handle");
            let grip = Rect::from_center_size(at, vec2(18.0, 18.0));
            let response = ui
                .interact(grip, id, Sense::drag())
                .on_hover_and_drag_cursor(egui::CursorIcon::Move);
            response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, name));
            let held: Vec<Param> = [Some(time), level].into_iter().flatten().collect();
            if response.drag_started() {
                session.begin(&held);
            }
            if response.dragged()
                && let Some(pointer) = response.interact_pointer_pos()
            {
                let scale = (pointer.x - aside - from) / (share * unit);
                session.set(time, time.info().kind.from_scale(scale));
                if let Some(level) = level {
                    session.set(level, (plot.bottom() - pointer.y) / plot.height());
                }
            }
            if response.drag_stopped() {
                session.end();
            }
            let awake = response.hovered() || response.dragged();
            let quiet = matches!(name, "Delay handle" | "Hold handle") && !awake;
            if quiet {
                let colour = theme::AMBER.gamma_multiply(0.55);
                ui.painter().circle(at, 3.0, theme::WELL, Stroke::new(1.2, colour));
            } else {
                paint::handle(ui.painter(), at, theme::AMBER, awake);
            }
            if awake {
                let texts: Vec<String> =
                    held.iter().map(|param| param.info().format(session.value(*param))).collect();
                let font = theme::regular(11.0);
                let place =
                    pos2(at.x.clamp(plot.left() + 40.0, plot.right() - 40.0), plot.top() + 2.0);
                let galley = ui.painter().layout_no_wrap(texts.join("   "), font, theme::TEXT);
                let back = Rect::from_center_size(place, galley.size() + vec2(10.0, 4.0));
                ui.painter().rect_filled(back, 4.0, Color32::from_black_alpha(170));
                ui.painter().galley(back.min + vec2(5.0, 2.0), galley, theme::TEXT);
            }
        }
    }
}

/// The return line of a loop: from the end of the decay to the attack, below the curve.
fn loop_line(painter: &Painter, corners: &Corners, plot: Rect) {
    let (from, to) = (corners.sustained, corners.start);
    let floor = plot.bottom() + 4.0;
    let stroke = Stroke::new(1.2, theme::AMBER.gamma_multiply(0.7));
    painter.vline(from.x, from.y + 6.0..=floor, stroke);
    painter.hline(to.x..=from.x, floor, stroke);
    paint::arrow(painter, pos2(to.x + 3.0, floor), 3.6, false, theme::AMBER);
}
