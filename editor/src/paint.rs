//! Shapes that egui does not have: glows, gradients, arcs.

use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};
use std::f32::consts::TAU;

/// Adds a vertex without a texture and returns its number.
fn vertex(mesh: &mut Mesh, pos: Pos2, color: Color32) -> u32 {
    let index = mesh.vertices.len() as u32;
    mesh.vertices.push(Vertex { pos, uv: WHITE_UV, color });
    index
}

/// Adds a quadrangle with a colour for each corner, in order around it.
pub(crate) fn quad(mesh: &mut Mesh, corners: [(Pos2, Color32); 4]) {
    let [a, b, c, d] = corners.map(|(pos, colour)| vertex(mesh, pos, colour));
    mesh.add_triangle(a, b, c);
    mesh.add_triangle(a, c, d);
}

/// Adds a soft round glow: bright in the centre, transparent at `radius`.
pub(crate) fn glow(mesh: &mut Mesh, centre: Pos2, radius: f32, colour: Color32) {
    // Two rings approximate the falloff of light.
    const SPOKES: u32 = 10;
    let middle = vertex(mesh, centre, colour);
    let inner = mesh.vertices.len() as u32;
    for ring in [(0.4, 0.28), (1.0, 0.0)] {
        for spoke in 0..SPOKES {
            let at =
                centre + radius * ring.0 * egui::Vec2::angled(TAU * spoke as f32 / SPOKES as f32);
            vertex(mesh, at, colour.gamma_multiply(ring.1));
        }
    }
    for spoke in 0..SPOKES {
        let next = (spoke + 1) % SPOKES;
        let (a, b) = (inner + spoke, inner + next);
        mesh.add_triangle(middle, a, b);
        mesh.add_triangle(a, a + SPOKES, b + SPOKES);
        mesh.add_triangle(a, b + SPOKES, b);
    }
}

/// A rectangle with a vertical gradient.
pub(crate) fn vertical_gradient(painter: &Painter, rect: Rect, top: Color32, bottom: Color32) {
    let mut mesh = Mesh::default();
    let corners = [
        (rect.left_top(), top),
        (rect.right_top(), top),
        (rect.right_bottom(), bottom),
        (rect.left_bottom(), bottom),
    ];
    quad(&mut mesh, corners);
    painter.add(Shape::mesh(mesh));
}

/// Fills from a line down to `floor`: `top` at the line's height, fading to `bottom`.
pub(crate) fn fill_below(
    mesh: &mut Mesh,
    line: &[Pos2],
    floor: f32,
    top: Color32,
    bottom: Color32,
) {
    for pair in line.windows(2) {
        let corners = [
            (pair[0], top),
            (pair[1], top),
            (pos2(pair[1].x, floor), bottom),
            (pos2(pair[0].x, floor), bottom),
        ];
        quad(mesh, corners);
    }
}

/// A line with a glow.
pub(crate) fn luminous_line(painter: &Painter, line: Vec<Pos2>, width: f32, colour: Color32) {
    let stroke = Stroke::new(5.0 * width, crate::theme::light(colour, 0.16));
    painter.line(line.clone(), stroke);
    painter.line(line, Stroke::new(width, colour));
}

/// A handle that can be dragged.
pub(crate) fn handle(painter: &Painter, at: Pos2, colour: Color32, awake: bool) {
    let mut mesh = Mesh::default();
    let radius = if awake { 20.0 } else { 13.0 };
    glow(&mut mesh, at, radius, crate::theme::light(colour, 0.7));
    painter.add(Shape::mesh(mesh));
    let radius = if awake { 5.5 } else { 4.5 };
    painter.circle(at, radius, crate::theme::NIGHT, Stroke::new(2.0, colour));
    painter.circle_filled(at, 1.6, crate::theme::LIGHT);
}

/// A lamp, on or off.
pub(crate) fn lamp(painter: &Painter, at: Pos2, lit: bool, colour: Color32) {
    if lit {
        let mut mesh = Mesh::default();
        glow(&mut mesh, at, 11.0, crate::theme::light(colour, 0.8));
        painter.add(Shape::mesh(mesh));
        painter.circle_filled(at, 3.0, crate::theme::LIGHT);
    } else {
        painter.circle(at, 3.0, crate::theme::NIGHT, Stroke::new(1.2, crate::theme::FAINT));
    }
}

/// The arc of a knob: three quarters of a turn, open at the bottom.
pub(crate) fn knob_angle(scale: f32) -> f32 {
    TAU * (0.375 + 0.75 * scale.clamp(0.0, 1.0))
}

/// The point at `scale` of a knob's arc.
pub(crate) fn on_knob(centre: Pos2, radius: f32, scale: f32) -> Pos2 {
    centre + radius * egui::Vec2::angled(knob_angle(scale))
}

/// The points of a knob's arc from one scale to another.
pub(crate) fn arc(centre: Pos2, radius: f32, from: f32, to: f32) -> Vec<Pos2> {
    let steps = ((to - from).abs() * 32.0).ceil().max(1.0) as usize;
    let at = |step: usize| from + (to - from) * step as f32 / steps as f32;
    (0..=steps).map(|step| on_knob(centre, radius, at(step))).collect()
}

/// A small triangle that points left or right.
pub(crate) fn arrow(painter: &Painter, centre: Pos2, size: f32, right: bool, colour: Color32) {
    let way = if right { size } else { -size };
    let points = vec![
        centre + vec2(-0.5 * way, -size),
        centre + vec2(0.5 * way, 0.0),
        centre + vec2(-0.5 * way, size),
    ];
    painter.line(points, Stroke::new(1.6, colour));
}

/// A heart, filled or not.
pub(crate) fn heart(painter: &Painter, centre: Pos2, size: f32, filled: bool, colour: Color32) {
    let at = |t: f32| {
        // The usual heart curve, upright and about as wide as `size` on each side.
        let x = 16.0 * t.sin().powi(3);
        let y = 13.0 * t.cos() - 5.0 * (2.0 * t).cos() - 2.0 * (3.0 * t).cos() - (4.0 * t).cos();
        centre + size / 16.0 * vec2(x, -y)
    };
    let line: Vec<Pos2> = (0..32).map(|i| at(TAU * i as f32 / 32.0)).collect();
    if filled {
        let mut mesh = Mesh::default();
        let middle = vertex(&mut mesh, centre, colour);
        let first = middle + 1;
        for &point in &line {
            vertex(&mut mesh, point, colour);
        }
        for i in 0..32 {
            mesh.add_triangle(middle, first + i, first + (i + 1) % 32);
        }
        painter.add(Shape::mesh(mesh));
    }
    painter.add(Shape::closed_line(line, Stroke::new(1.3, colour)));
}
