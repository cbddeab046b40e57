//! Drawing of partials: stems, points and glows.

use crate::paint;
use crate::theme;
use crate::views::axis::Axes;
use egui::epaint::{Mesh, Vertex};
use egui::{Color32, Painter, Pos2, Rect, Shape, TextureId, pos2, vec2};

/// A partial on the screen.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) x: f32,
    /// 0 to 1.
    pub(super) height: f32,
    pub(super) unfiltered: f32,
    pub(super) pan: f32,
}

/// The background of the cloud.
pub(super) fn backdrop(painter: &Painter, rect: Rect) {
    painter.rect_filled(rect, theme::ROUND, theme::WELL);
    let horizon = rect.shrink(1.0).with_min_y(rect.top() + 0.3 * rect.height());
    let glow = Color32::from_rgb(0x1a, 0x12, 0x34).gamma_multiply(0.75);
    paint::vertical_gradient(painter, horizon, Color32::TRANSPARENT, glow);
}

/// A vertical line from one height to another.
pub(super) fn stem(
    mesh: &mut Mesh,
    axes: Axes,
    x: f32,
    heights: [f32; 2],
    half: f32,
    colours: [Color32; 2],
) {
    let [top, bottom] = heights.map(|height| axes.y(height));
    if bottom - top < 0.5 {
        return;
    }
    paint::quad(
        mesh,
        [
            (pos2(x - half, top), colours[0]),
            (pos2(x + half, top), colours[0]),
            (pos2(x + half, bottom), colours[1]),
            (pos2(x - half, bottom), colours[1]),
        ],
    );
}

pub(super) fn dot(mesh: &mut Mesh, at: Pos2, half: f32, colour: Color32) {
    let corner = |x: f32, y: f32| (at + half * vec2(x, y), colour);
    paint::quad(mesh, [corner(0.0, -1.4), corner(1.4, 0.0), corner(0.0, 1.4), corner(-1.4, 0.0)]);
}

/// A soft glow, drawn with the texture.
pub(super) fn sprite(mesh: &mut Mesh, at: Pos2, radius: f32, color: Color32) {
    let first = mesh.vertices.len() as u32;
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        mesh.vertices.push(Vertex {
            pos: at + radius * vec2(x, y),
            uv: pos2(0.5 + 0.5 * x, 0.5 + 0.5 * y),
            color,
        });
    }
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first, first + 2, first + 3);
}

/// Partials that the filter removes.
pub(super) fn paint_removed(painter: &Painter, axes: Axes, marks: &[Mark]) {
    let mut mesh = Mesh::default();
    for mark in marks {
        removed(&mut mesh, axes, mark, 1.0);
    }
    painter.add(Shape::mesh(mesh));
}

pub(super) fn removed(mesh: &mut Mesh, axes: Axes, mark: &Mark, seen: f32) {
    if mark.unfiltered > mark.height + 0.01 {
        let dim = theme::FAINT.gamma_multiply(0.3 * seen);
        let heights = [mark.unfiltered, mark.height];
        stem(mesh, axes, mark.x, heights, 0.4, [dim, dim.gamma_multiply(0.4)]);
        let at = pos2(mark.x, axes.y(mark.unfiltered));
        dot(mesh, at, 0.8, theme::MUTED.gamma_multiply(0.45 * seen));
    }
}

/// Partials that are heard.
pub(super) fn paint_marks(painter: &Painter, axes: Axes, marks: &[Mark], spark: TextureId) {
    let mut stems = Mesh::default();
    let mut lights = Mesh::with_texture(spark);
    // A few partials are drawn thicker than many.
    let audible = marks.iter().filter(|mark| mark.height > 0.1).count();
    let brush = (220.0 / audible.max(1) as f32).sqrt().clamp(0.8, 1.7);
    for mark in marks.iter().filter(|mark| mark.height > 0.0) {
        let colour = theme::pan(mark.pan);
        let bright = mark.height;
        // Stems cover each other; only the glows add up.
        let top = colour.gamma_multiply(0.12 + 0.7 * bright);
        let bottom = colour.gamma_multiply(0.03 + 0.05 * bright);
        stem(
            &mut stems,
            axes,
            mark.x,
            [mark.height, 0.0],
            brush * (0.45 + 0.4 * bright),
            [top, bottom],
        );
        let at = pos2(mark.x, axes.y(mark.height));
        let halo = theme::light(colour, 0.22 + 0.5 * bright);
        sprite(&mut lights, at, brush * (3.0 + 20.0 * bright * bright), halo);
        let core = theme::light(theme::LIGHT, 0.25 + 0.6 * bright);
        sprite(&mut lights, at, brush * (1.2 + 3.8 * bright), core);
    }
    painter.add(Shape::mesh(stems));
    painter.add(Shape::mesh(lights));
}
