//! Struck bodies: the frequencies of their modes, and how much a stroke at a position excites each.
//!
//! Positions go from the end or rim, 0, to the middle, 1. A stroke excites a mode in proportion to
//! the mode's own displacement at that position. The hardness of the mallet and the material of the body
//! apply to every table: `part/strike.rs`.

use super::families::{bessel, mix};
use std::f32::consts::PI;
use std::sync::LazyLock;

/// Modes that a body has at most.
const MOST: usize = 64;

/// The position between the end, 0, and the middle, 0.5: never exactly the end, where nothing moves.
fn along(position: f32) -> f32 {
    mix(0.03, 0.5, position)
}

/// A string between two ends: mode n moves as n half waves do.
pub(super) fn string(position: f32, n: usize) -> f32 {
    (PI * n as f32 * along(position)).sin().abs() / (n as f32).sqrt()
}

/// A bar that is free at both ends (Euler and Bernoulli): ratios go as (2k + 1)².
pub(super) fn bar_modes() -> Vec<f32> {
    (1..=24).map(|k| ((2 * k + 1) as f32 / 3.011).powi(2)).collect()
}

/// How mode n of such a bar moves, by its solution near one end.
pub(super) fn bar(position: f32, n: usize) -> f32 {
    let x = (n as f32 + 0.5) * PI * along(position);
    // Towards the middle the other end matters too; even modes have a node in the middle.
    let far = (n as f32 + 0.5) * PI - x;
    let mirrored = if n.is_multiple_of(2) { -1.0 } else { 1.0 };
    ((-x).exp() + mirrored * (-far).exp() + x.cos() - x.sin()).abs() / n as f32
}

/// Frequencies of the modes of a plate supported at its edges, in order, and their half waves along and
/// across.
static PLATE: LazyLock<Vec<(f32, [f32; 2])>> = LazyLock::new(|| {
    let wave = |m: f32, n: f32| m * m + 1.71 * n * n;
    let mut modes: Vec<(f32, [f32; 2])> = (1..=10u8)
        .flat_map(|m| (1..=8u8).map(move |n| [f32::from(m), f32::from(n)]))
        .map(|[m, n]| (wave(m, n) / wave(1.0, 1.0), [m, n]))
        .collect();
    modes.sort_by(|a, b| a.0.total_cmp(&b.0));
    modes.dedup_by(|a, b| a.0 == b.0);
    modes.truncate(MOST);
    modes
});

pub(super) fn plate_modes() -> Vec<f32> {
    PLATE.iter().map(|mode| mode.0).collect()
}

/// A stroke on the line from a corner to the middle.
pub(super) fn plate(position: f32, n: usize) -> f32 {
    let [along_it, across] = PLATE[n - 1].1;
    let place = along(position);
    (PI * along_it * place).sin().abs() * (PI * across * place).sin().abs()
}

/// Diameters and frequencies of the modes of a round skin: zeros of Bessel functions, by frequency.
static SKIN: LazyLock<Vec<(f32, i32)>> = LazyLock::new(|| {
    const STEP: f32 = 0.1;
    let mut zeros = Vec::new();
    for order in 0..14 {
        let mut last = bessel(order, STEP);
        for step in 2..250 {
            let x = step as f32 * STEP;
            let now = bessel(order, x);
            // Below its order a Bessel function has no zeros, and is too small to tell its sign.
            if x > order as f32 && last * now < 0.0 {
                // Between two steps the function is nearly a line.
                zeros.push((x - STEP * now / (now - last), order));
            }
            last = now;
        }
    }
    zeros.sort_by(|a, b| a.0.total_cmp(&b.0));
    zeros.truncate(MOST);
    zeros
});

pub(super) fn skin_modes() -> Vec<f32> {
    SKIN.iter().map(|zero| zero.0 / SKIN[0].0).collect()
}

/// A mode of a skin moves as its Bessel function does on the way from the middle to the rim.
pub(super) fn skin(position: f32, n: usize) -> f32 {
    let (zero, order) = SKIN[n - 1];
    bessel(order, zero * mix(0.95, 0.0, position)).abs() / (n as f32).sqrt()
}

/// How a stroke moves mode n of a bell, from its lip up to its waist: modes with a ring that rests
/// around the waist (prime, quint and every second one above) are hardly moved there.
pub(super) fn bell(position: f32, n: usize) -> f32 {
    let ringed = matches!(n, 2 | 4) || (n > 6 && n.is_multiple_of(2));
    let reach = if ringed { 0.95 } else { 0.4 };
    (0.5 * PI * position * reach).cos() * if n == 1 { 0.5 } else { (n as f32).powf(-0.4) }
}
