//! Dials: knobs for settings that are no parameters of the patch.

use crate::paint;
use crate::theme;
use crate::widgets::control;
use egui::epaint::Mesh;
use egui::{Color32, CursorIcon, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// The radius of a dial's arc.
const RADIUS: f32 = 19.5;
/// Change of the value for a point of a drag.
const DRAG: f32 = 1.0 / 220.0;
/// Change for a notch of the wheel or an arrow key.
const STEP: f32 = 0.02;
/// Factor of fine adjustment, while Shift is held.
const FINE: f32 = 0.1;

/// A setting from 0 to 1 that is shown in percent.
pub(crate) struct Dial {
    /// Name for screen readers.
    pub(crate) name: &'static str,
    /// The word below it.
    pub(crate) label: &'static str,
    pub(crate) help: &'static str,
    /// The value that a double click sets.
    pub(crate) default: f32,
}

impl Dial {
    /// Shows the dial with its label and its value, filling `cell` from its top.
    pub(crate) fn show(&self, ui: &Ui, value: &mut f32, cell: Rect) {
        let centre = pos2(cell.center().x, cell.top() + 28.0);
        let grip = Rect::from_center_size(centre, vec2(56.0, 54.0));
        let id = ui.scope_id().with(("dial", self.name));
        let response = ui.interact(grip, id, Sense::click_and_drag());
        let fine = if ui.input(|input| input.modifiers.shift) { FINE } else { 1.0 };
        let mut turn = 0.0;
        if response.drag_started() || response.clicked() {
            response.request_focus();
        }
        if response.dragged() {
            turn += (response.drag_delta().x - response.drag_delta().y) * DRAG;
        }
        if response.hovered() {
            turn += STEP * control::take_wheel(ui);
        }
        if response.has_focus() {
            let arrows = control::take_arrows(ui, id);
            turn += STEP * (arrows.x + arrows.y);
        }
        *value = (*value + turn * fine).clamp(0.0, 1.0);
        if response.double_clicked() {
            *value = self.default;
        }
        let shown = f64::from(*value);
        response.widget_info(|| WidgetInfo::slider(true, shown, self.name));
        let awake = response.hovered() || response.dragged() || response.has_focus();
        face(ui, centre, 0.0, *value, awake);
        let colour = if awake { theme::TEXT } else { theme::MUTED };
        let line = |y: f32| {
            Rect::from_center_size(pos2(centre.x, cell.top() + y), vec2(cell.width(), 14.0))
        };
        theme::label(ui.painter(), line(60.0), self.label, colour);
        let percent = format!("{:.0}%", 100.0 * *value);
        theme::fitted(ui.painter(), line(75.0), &percent, 11.0, theme::TEXT);
        response.on_hover_and_drag_cursor(CursorIcon::ResizeVertical).on_hover_text(self.help);
    }
}

/// A disc, an arc from `origin` to `scale`, and a pointer.
pub(crate) fn face(ui: &Ui, centre: Pos2, origin: f32, scale: f32, awake: bool) {
    let painter = ui.painter();
    let mut mesh = Mesh::default();
    let shadow = Color32::from_black_alpha(120);
    paint::glow(&mut mesh, centre + vec2(0.0, 3.0), RADIUS + 4.0, shadow);
    painter.add(Shape::mesh(mesh));
    painter.circle_filled(centre, RADIUS - 4.0, theme::DISC);
    let mut mesh = Mesh::default();
    let sheen = theme::light(theme::VIOLET, if awake { 0.3 } else { 0.16 });
    paint::glow(&mut mesh, centre - vec2(0.0, 5.0), RADIUS - 3.0, sheen);
    painter.add(Shape::mesh(mesh));
    let edge = if awake { theme::FAINT } else { theme::EDGE };
    painter.circle_stroke(centre, RADIUS - 4.0, Stroke::new(1.0, edge));
    let way = paint::arc(centre, RADIUS, 0.0, 1.0);
    painter.line(way, Stroke::new(2.0, theme::EDGE.gamma_multiply(0.8)));
    if (scale - origin).abs() > 0.002 {
        let colour = theme::dawn(0.25 + 0.6 * scale);
        let arc = paint::arc(centre, RADIUS, origin, scale);
        painter.line(arc.clone(), Stroke::new(8.0, theme::light(colour, 0.13)));
        painter.line(arc, Stroke::new(2.8, colour));
    }
    let tip = paint::on_knob(centre, RADIUS - 6.5, scale);
    let foot = paint::on_knob(centre, 0.41 * RADIUS, scale);
    painter.line_segment([foot, tip], Stroke::new(2.2, theme::TEXT));
}
