//! A spectral table in perspective: its frames one behind the other, and the current position.
//! Dragging changes the position.

use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::{choice, control};
use egui::epaint::Mesh;
use egui::{Color32, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::params::Param;
use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{self, FRAMES, Place, Table};
use myriad_engine::tracks::TableHandle;

/// Partials that are shown.
const SHOWN: usize = 48;

/// A layer of the sound: its table and position parameters.
pub(crate) struct Layer {
    index: usize,
    pub(crate) table: Param,
    pub(crate) position: Param,
    pub(crate) speed: Param,
    pub(crate) colour: Color32,
}

/// The layers, in their order.
pub(crate) const LAYERS: [Layer; 2] = [
    Layer {
        index: 0,
        table: Param::SourceTable,
        position: Param::SourcePosition,
        speed: Param::SourceSpeed,
        colour: theme::AMBER,
    },
    Layer {
        index: 1,
        table: Param::LayerTable,
        position: Param::LayerPosition,
        speed: Param::LayerSpeed,
        colour: theme::AQUA,
    },
];

impl Layer {
    /// The imported table of the layer.
    fn table_handle(&self, session: &Session) -> Option<TableHandle> {
        let tracks = session.patch.tracks[self.index].as_ref();
        tracks.and_then(|tracks| tracks.table_handle().ok())
    }
}

/// Draws the table of a layer and lets its position be dragged.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, layer: &Layer, rect: Rect) {
    theme::well(ui.painter(), rect);
    let response = control::interact_as(ui, session, layer.position, rect, "landscape");
    let painter = ui.painter_at(rect);
    // The handle keeps the table loaded while it is drawn.
    let table_handle = layer.table_handle(session);
    let table = match Table::ALL.get(session.index(layer.table)) {
        Some(family) => family.place(),
        None => table_handle.as_ref().map_or(Table::Saw.place(), TableHandle::place),
    };
    let land = Rect::from_min_max(rect.min + vec2(14.0, 34.0), rect.max - vec2(14.0, 12.0));
    // Far frames first, so that near ones cover them.
    for frame in (0..FRAMES).rev() {
        let position = frame as f32 / (FRAMES - 1) as f32;
        let line = ridge(table, position, land);
        let near = 1.0 - position;
        let mut mesh = Mesh::default();
        let floor = floor(position, land);
        let body = theme::WELL.gamma_multiply(0.55);
        paint::fill_below(&mut mesh, &line, floor, body, body);
        painter.add(Shape::mesh(mesh));
        let colour = theme::VIOLET.lerp_to_gamma(theme::ROSE, 0.5 * near);
        let colour = colour.gamma_multiply(0.3 + 0.4 * near);
        painter.line(line, Stroke::new(1.0, colour));
    }
    let heard = match session.snapshot.sounding {
        true => session.snapshot.heard[layer.position],
        false => session.value(layer.position),
    };
    let line = ridge(table, heard, land);
    let awake = response.hovered() || response.dragged();
    let ground = floor(heard, land);
    let mut mesh = Mesh::default();
    let light = theme::light(layer.colour, if awake { 0.2 } else { 0.12 });
    paint::fill_below(&mut mesh, &line, ground, light, Color32::TRANSPARENT);
    for peak in &line {
        let corner = |x: f32, y: f32, strength: f32| {
            (pos2(peak.x + x, y), layer.colour.gamma_multiply(strength))
        };
        let corners = [
            corner(-0.7, peak.y, 0.85),
            corner(0.7, peak.y, 0.85),
            corner(0.7, ground, 0.08),
            corner(-0.7, ground, 0.08),
        ];
        paint::quad(&mut mesh, corners);
    }
    painter.add(Shape::mesh(mesh));
    paint::luminous_line(&painter, line.clone(), 1.2, layer.colour);
    for (n, peak) in line.iter().enumerate() {
        let radius = 2.6 - 1.8 * n as f32 / SHOWN as f32;
        painter.circle_filled(*peak, radius, theme::LIGHT);
    }
    let wide = (rect.width() - 12.0).min(120.0);
    let corner = Rect::from_min_size(rect.left_top() + vec2(6.0, 6.0), vec2(wide, 22.0));
    choice::bar(ui, session, layer.table, corner);
}

/// Base line of a frame: the first in front, the last behind and to the right.
fn floor(position: f32, land: Rect) -> f32 {
    land.bottom() - 0.42 * position * land.height()
}

/// The levels of the table at `position`, from the first partial on the left.
fn ridge(table: Place, position: f32, land: Rect) -> Vec<Pos2> {
    let (row, morph) = table.frame_at(position);
    let tables = spectrum::tables();
    let [low, high] = [row, row + table.stride].map(|row| F32x16::flat(tables.row(row)));
    let aside = 0.16 * land.width();
    let left = land.left() + aside * position;
    let width = land.width() - aside;
    let floor = floor(position, land);
    let height = 0.55 * land.height();
    let peak = |n: usize| {
        let level = low[n] + (high[n] - low[n]) * morph;
        let decibels = 20.0 * level.max(1e-6).log10();
        let tall = ((decibels + 60.0) / 60.0).clamp(0.0, 1.0);
        let across = (1.0 + n as f32).log2() / (SHOWN as f32).log2();
        pos2(left + width * across, floor - tall * height)
    };
    (0..SHOWN).map(peak).collect()
}
