//! The library of LFO shapes: drawings to begin with.

use myriad_engine::dsp::hash;
use myriad_engine::modulation::{Drawing, Point};
use myriad_engine::view;
use std::f32::consts::TAU;

/// A shape of the library.
pub(super) struct Preset {
    pub(super) name: &'static str,
    /// Whether it is drawn in steps, else by points.
    pub(super) steps: bool,
    /// Its drawing on a grid of so many columns; the second number selects among random ones.
    make: fn(usize, u32) -> Drawing,
}

impl Preset {
    pub(super) fn draw(&self, columns: usize, seed: u32) -> Drawing {
        (self.make)(columns.clamp(1, Drawing::MOST), seed)
    }
}

/// All of them.
pub(super) const LIBRARY: [Preset; 16] = [
    points("Sine", |_, _| sine()),
    points("Triangle", |_, _| line(&[[0.0, 0.0], [0.25, 1.0], [0.75, -1.0]])),
    points("Ramp up", |_, _| line(&[[0.0, -1.0], [1.0, 1.0]])),
    points("Ramp down", |_, _| line(&[[0.0, 1.0], [1.0, -1.0]])),
    points("Square", |_, _| pulse(0.5)),
    points("Pulse", |_, _| pulse(0.25)),
    points("Trapezoid", |_, _| line(&[[0.125, 1.0], [0.375, 1.0], [0.625, -1.0], [0.875, -1.0]])),
    points("Fall", |_, _| curved(1.0, -1.0, 0.6)),
    points("Swell", |_, _| curved(-1.0, 1.0, -0.6)),
    points("Swing", |_, _| line(&[[0.0, 1.0], [0.66, -1.0], [0.66, 0.5], [1.0, -1.0]])),
    points("Random line", |columns, seed| {
        let points = (0..columns).map(|column| {
            let x = column as f32 / columns as f32;
            Point::new(x, random(seed, column))
        });
        Drawing::from_points(&points.collect::<Vec<_>>())
    }),
    steps("Stairs up", |columns, _| stairs(columns, false)),
    steps("Stairs down", |columns, _| stairs(columns, true)),
    steps("Gate", |columns, _| heights(columns, |column| if column % 2 == 0 { 1.0 } else { -1.0 })),
    steps("Three of eight", |columns, _| {
        // The first, fourth and seventh of eight.
        heights(columns, |column| if column % 8 % 3 == 0 { 1.0 } else { -1.0 })
    }),
    steps("Random steps", |columns, seed| heights(columns, |column| random(seed, column))),
];

const fn points(name: &'static str, make: fn(usize, u32) -> Drawing) -> Preset {
    Preset { name, steps: false, make }
}

const fn steps(name: &'static str, make: fn(usize, u32) -> Drawing) -> Preset {
    Preset { name, steps: true, make }
}

fn line(points: &[[f32; 2]]) -> Drawing {
    let points: Vec<Point> = points.iter().map(|&[x, y]| Point::new(x, y)).collect();
    Drawing::from_points(&points)
}

fn heights(columns: usize, height: impl Fn(usize) -> f32) -> Drawing {
    Drawing::new(&(0..columns).map(height).collect::<Vec<_>>())
}

fn stairs(columns: usize, down: bool) -> Drawing {
    let last = columns.max(2) as f32 - 1.0;
    let sign = if down { -1.0 } else { 1.0 };
    heights(columns, |column| sign * (2.0 * column as f32 / last - 1.0))
}

fn pulse(width: f32) -> Drawing {
    line(&[[0.0, 1.0], [width, 1.0], [width, -1.0], [1.0, -1.0]])
}

fn curved(from: f32, to: f32, curve: f32) -> Drawing {
    Drawing::from_points(&[Point { x: 0.0, y: from, curve }, Point::new(1.0, to)])
}

/// Eight points, each with a curve that goes through the sine half way to the next.
fn sine() -> Drawing {
    let height = |turn: f32| (TAU * turn).sin();
    let point = |index: usize| {
        let x = index as f32 / 8.0;
        let [from, middle, to] = [0.0, 0.0625, 0.125].map(|after| height(x + after));
        Point { x, y: from, curve: curve_through((middle - from) / (to - from)) }
    };
    Drawing::from_points(&std::array::from_fn::<_, 8, _>(point))
}

/// The curve whose middle is at this fraction of the way.
fn curve_through(middle: f32) -> f32 {
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..20 {
        let curve = 0.5 * (low + high);
        match view::bend(curve, 0.5) < middle {
            true => low = curve,
            false => high = curve,
        }
    }
    0.5 * (low + high)
}

/// A height by chance, -1 to 1, in steps of a hundredth.
fn random(seed: u32, column: usize) -> f32 {
    let hash = hash(seed.wrapping_mul(0x9E37) ^ column as u32);
    (hash % 201) as f32 / 100.0 - 1.0
}

/// The same shape from its end to its beginning.
pub(super) fn reversed(drawing: &Drawing) -> Drawing {
    let points = drawing.points();
    if drawing.is_even() {
        return Drawing::new(&points.iter().rev().map(|point| point.y).collect::<Vec<_>>());
    }
    // The curve between two points belongs to the one that is now the first of them.
    let reversed = (0..points.len()).rev().map(|index| {
        let before = points[(index + points.len() - 1) % points.len()];
        let Point { x, y, .. } = points[index];
        Point { x: 1.0 - x, y, curve: -before.curve }
    });
    Drawing::from_points(&reversed.collect::<Vec<_>>())
}

/// The same shape upside down.
pub(super) fn inverted(drawing: &Drawing) -> Drawing {
    let points: Vec<Point> =
        drawing.points().iter().map(|point| Point { y: -point.y, ..*point }).collect();
    match drawing.is_even() {
        true => Drawing::new(&points.iter().map(|point| point.y).collect::<Vec<_>>()),
        false => Drawing::from_points(&points),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_fits_every_grid_and_its_sine_is_one() {
        for preset in &LIBRARY {
            for columns in [0, 1, 2, 7, 32, 99] {
                let drawing = preset.draw(columns, 5);
                assert_eq!(drawing.is_even(), preset.steps, "{}", preset.name);
                assert!(!drawing.points().is_empty());
            }
        }
        for i in 0..200 {
            let x = i as f32 / 200.0;
            assert!((sine().at(x, false) - (TAU * x).sin()).abs() < 0.02, "{x}");
        }
    }

    #[test]
    fn a_shape_reversed_or_inverted_twice_is_itself() {
        for preset in &LIBRARY {
            let drawing = preset.draw(8, 3);
            let [turned, upside_down] = [reversed, inverted].map(|turn| turn(&drawing));
            for i in 0..50 {
                let x = (i as f32 + 0.4) / 50.0;
                let there = drawing.at(x, preset.steps);
                assert!((inverted(&upside_down).at(x, preset.steps) - there).abs() < 1e-3);
                assert!((upside_down.at(x, preset.steps) + there).abs() < 1e-3, "{}", preset.name);
                let back = reversed(&turned).at(x, preset.steps);
                assert!((back - there).abs() < 1e-3, "{}", preset.name);
                let mirrored = turned.at(1.0 - x, preset.steps);
                assert!((mirrored - there).abs() < 1e-3, "{}: {x}", preset.name);
            }
        }
    }
}
