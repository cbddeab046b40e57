//! The layers page: the tables of both side by side, how they become one sound between them, and what
//! the second has of its own.

use super::pages::GAP;
use super::portraits::Sitter;
use super::table::{self, LAYERS, Layer};
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, choice, knob, strip};
use egui::{Align2, Rect, Ui, UiBuilder, pos2, vec2};
use myriad_engine::params::Param;

/// How much is seen of what nobody hears.
const DIM: f32 = 0.35;
/// Left and right of what is in a panel.
const SIDE: f32 = 12.0;
/// The panel between the layers.
const BLEND: f32 = 136.0;
/// The column of knobs beside a landscape.
const COLUMN: f32 = knob::CELL.x + GAP;

/// What the second layer has of its own, but only where it is mixed with the first: two rows.
const WHEN_MIXED: [&[Param]; 2] = [
    &[
        Param::LayerTune,
        Param::LayerPartials,
        Param::LayerFormant,
        Param::LayerTilt,
        Param::LayerBandwidth,
    ],
    &[Param::LayerPan, Param::LayerHardness, Param::LayerMaterial],
];

/// The name of the layer's mode.
pub(crate) fn mode(session: &Session) -> String {
    let mode = session.value(Param::LayerMode);
    Param::LayerMode.info().format(mode)
}

/// The page.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, sitter: &Sitter, rect: Rect) {
    let mode = mode(session);
    // Landscapes of one size, and the rest for what the second layer has of its own.
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
    layer(ui, session, &LAYERS[0], inside, land);

    let inside = theme::titled_panel(ui.painter(), blend, "Blend");
    let mut between = part(ui, "blend", inside, mode != "off");
    blended(&mut between, session, sitter, &mode, inside);

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
    if mode == "off" {
        let land = inside.with_max_x(inside.left() + land);
        invitation(ui, session, land);
    }
}

/// A part of the page, dim unless it is heard; whatever is in it can be set in either case.
fn part(ui: &mut Ui, name: &str, rect: Rect, heard: bool) -> Ui {
    let mut part = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    if !heard {
        part.multiply_opacity(DIM);
    }
    part
}

/// A layer's landscape, and beside it the knobs that move through it.
fn layer(ui: &mut Ui, session: &mut Session, layer: &Layer, inside: Rect, land: f32) {
    let split = inside.left() + land;
    table::show(ui, session, layer, inside.with_max_x(split));
    let column = Rect::from_min_size(
        pos2(split + GAP, inside.top()),
        vec2(knob::CELL.x, inside.height()),
    );
    strip::strip(ui, session, &[layer.position, layer.speed], column);
}

/// Parameters in rows whose knobs stand below each other; the last of a row has what is left.
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

/// What the layers are together, and the knob that says how much there is of either.
fn blended(ui: &mut Ui, session: &mut Session, sitter: &Sitter, mode: &str, inside: Rect) {
    const KNOB: f32 = 110.0;
    let picture = inside.with_max_y(inside.bottom() - KNOB);
    sitter.show(ui, session, "layer", picture);
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
        ui.painter()
            .text(at, Align2::CENTER_CENTER, text, font, layer.colour);
    }
}

/// What is in place of the second layer's landscape as long as there is none.
fn invitation(ui: &Ui, session: &mut Session, land: Rect) {
    let size = vec2((land.width() - 16.0).min(130.0), 28.0);
    let place = Rect::from_center_size(land.center() + vec2(0.0, 12.0), size);
    let tip = "Mixes a second layer in; above, it can be made to morph or multiply instead";
    let text = "Add a layer";
    if button::word(ui, place, text, tip, true).clicked()
        && let Some(mix) = Param::LayerMode.info().parse("mix")
    {
        session.change(Param::LayerMode, mix);
    }
}
