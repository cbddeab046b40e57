//! The layers page: both tables side by side, the blend between them, and the parameters of the
//! second layer.

use super::displays::Displays;
use super::pages::GAP;
use super::table::{self, LAYERS, Layer};
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, choice, knob, strip};
use egui::{Align2, Rect, Ui, UiBuilder, pos2, vec2};
use myriad_engine::params::Param;

/// Opacity of controls that have no effect in the current mode.
const DIM: f32 = 0.35;
/// Padding of a panel.
const SIDE: f32 = 12.0;
/// The panel between the layers.
const BLEND: f32 = 136.0;
/// The column of knobs beside a landscape.
const COLUMN: f32 = knob::CELL.x + GAP;

/// Parameters of the second layer that have an effect only in mix mode: two rows.
const WHEN_MIXED: [&[Param]; 2] = [
    &[
        Param::LayerTune,
        Param::LayerPartials,
        Param::LayerFormant,
        Param::LayerTilt,
        Param::LayerBandwidth,
    ],
    &[
        Param::LayerPan,
        Param::LayerSpread,
        Param::LayerHardness,
        Param::LayerOutput,
        Param::LayerMaterial,
    ],
];

/// The name of the layer's mode.
pub(crate) fn mode(session: &Session) -> String {
    let mode = session.value(Param::LayerMode);
    Param::LayerMode.info().format(mode)
}

/// The page. Returns where the tables are.
pub(crate) fn show(
    ui: &mut Ui,
    session: &mut Session,
    displays: &Displays,
    rect: Rect,
) -> Vec<Rect> {
    let mode = mode(session);
    // Tables have the same width; the parameters of the second layer take the rest.
    let room = rect.width() - BLEND - 2.0 * (GAP + COLUMN) - 4.0 * SIDE - GAP;
    let own = (0.48 * room).clamp(330.0, 460.0);
    let land = (0.5 * (room - own)).max(0.0);
    let [first, blend, second] = {
        let left = rect.left() + land + COLUMN + 2.0 * SIDE;
        let right = left + BLEND + 2.0 * GAP;
        [
            rect.with_max_x(left),
            rect.with_min_x(left + GAP).with_max_x(right - GAP),
            rect.with_min_x(right),
        ]
    };
    let inside = theme::titled_panel(ui.painter(), first, "Layer 1");
    let mut lands = vec![inside.with_max_x(inside.left() + land)];
    layer(ui, session, &LAYERS[0], inside, land);

    let inside = theme::titled_panel(ui.painter(), blend, "Blend");
    let mut between = part(ui, "blend", inside, mode != "off");
    blended(&mut between, session, displays, &mode, inside);

    let inside = theme::titled_panel(ui.painter(), second, "Layer 2");
    let size = vec2(246.0, 24.0);
    let modes = pos2(inside.right() - size.x, second.top() + 4.0);
    let modes = Rect::from_min_size(modes, size);
    choice::buttons(ui, session, Param::LayerMode, modes);
    let mut heard = part(ui, "second", inside, mode != "off");
    layer(&mut heard, session, &LAYERS[1], inside, land);
    let own = inside.with_min_x(inside.left() + land + COLUMN + GAP);
    let mut mixed = part(ui, "own", own, mode == "mix");
    aligned(&mut mixed, session, WHEN_MIXED, own);
    let land = inside.with_max_x(inside.left() + land);
    match mode.as_str() {
        "off" => add_layer_button(ui, session, land),
        _ => lands.push(land),
    }
    lands
}

/// A part of the page, dimmed unless it has an effect; it can be edited in either case.
fn part(ui: &mut Ui, name: &str, rect: Rect, heard: bool) -> Ui {
    let mut part = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    if !heard {
        part.multiply_opacity(DIM);
    }
    part
}

/// A layer's table display, and the knobs of its position beside it.
fn layer(ui: &mut Ui, session: &mut Session, layer: &Layer, inside: Rect, land: f32) {
    let split = inside.left() + land;
    table::show(ui, session, layer, inside.with_max_x(split));
    let column =
        Rect::from_min_size(pos2(split + GAP, inside.top()), vec2(knob::CELL.x, inside.height()));
    strip::strip(ui, session, &[layer.position, layer.speed], column);
}

/// Parameters in rows with aligned columns; the last of a row takes the remaining width.
fn aligned(ui: &mut Ui, session: &mut Session, rows: [&[Param]; 2], rect: Rect) {
    let columns = rows[0].len().max(rows[1].len());
    let wide = rect.width() / columns as f32;
    for (row, params) in rows.into_iter().enumerate() {
        for (column, &param) in params.iter().enumerate() {
            let at = vec2(column as f32 * wide, row as f32 * knob::CELL.y);
            let last = column + 1 == params.len();
            let taken = if last { columns - column } else { 1 };
            let size = vec2(taken as f32 * wide, knob::CELL.y);
            let cell = Rect::from_min_size(rect.min + at, size);
            strip::show(ui, session, param, cell);
        }
    }
}

/// The spectrum of both layers together, and the blend knob.
fn blended(ui: &mut Ui, session: &mut Session, displays: &Displays, mode: &str, inside: Rect) {
    const KNOB: f32 = 110.0;
    let picture = inside.with_max_y(inside.bottom() - KNOB);
    displays.show(ui, session, "layer", picture);
    let centre = pos2(inside.center().x, picture.bottom() + 50.0);
    knob::large(ui, session, Param::LayerBlend, centre);
    let end = match mode {
        "multiply" => "1 × 2",
        _ => "2",
    };
    let corner = vec2(0.5 * inside.width() - 12.0, knob::LARGE + 4.0);
    for (side, text, layer) in [(-1.0, "1", &LAYERS[0]), (1.0, end, &LAYERS[1])] {
        let at = centre + corner * vec2(side, 1.0);
        let font = theme::bold(11.0);
        ui.painter().text(at, Align2::CENTER_CENTER, text, font, layer.colour);
    }
}

/// Shown instead of the second layer's table while the layer is off.
fn add_layer_button(ui: &Ui, session: &mut Session, land: Rect) {
    let size = vec2((land.width() - 16.0).min(130.0), 28.0);
    let place = Rect::from_center_size(land.center() + vec2(0.0, 12.0), size);
    let tip = "Adds a second layer in mix mode; morph and multiply are above";
    let text = "Add a layer";
    if button::word(ui, place, text, tip, true).clicked()
        && let Some(mix) = Param::LayerMode.info().parse("mix")
    {
        session.change(Param::LayerMode, mix);
    }
}
