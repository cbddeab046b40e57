//! The families of tables: the ratio and the level of every partial, each from a formula in a few lines.

use super::{Table, strikes};
use crate::dsp::hash;
use std::f32::consts::PI;
use std::sync::LazyLock;

impl Table {
    /// Frequency ratios of the modes, for families that are not harmonic.
    pub(super) fn modes(self) -> Option<Vec<f32>> {
        match self {
            // Hum, prime, tierce, quint, nominal and what follows (Rossing, "Science of
            // Percussion Instruments"); higher modes as n², as of a rim.
            Table::Bell | Table::StrikeBell => {
                let mut modes = vec![
                    0.5, 1.0, 1.183, 1.506, 2.0, 2.514, 2.662, 3.011, 4.166, 5.433, 6.796, 8.215,
                ];
                modes.extend((0..36).map(|k| 0.052 * (13.5 + k as f32).powf(2.0)));
                Some(modes)
            }
            // A free bar: (2k + 1)², relative to the first (Euler and Bernoulli); a copy of
            // each mode, slightly off, gives the wood its shimmer.
            Table::Bar => Some(
                (1..=24)
                    .map(|k| ((2 * k + 1) as f32 / 3.011).powi(2))
                    .flat_map(|mode| [mode, mode * 1.0015])
                    .collect(),
            ),
            // A wine glass: modes go with n², n from 2 (French 1983), each split in two.
            Table::Glass => Some(
                (2..=26)
                    .map(|n| (n * n) as f32 / 4.0)
                    .flat_map(|mode| [mode, mode * 1.002])
                    .collect(),
            ),
            // A free rectangular plate: m² + n² times its proportions, in order.
            Table::Plate => {
                let wave = |m: u32, n: u32| (m * m) as f32 + 1.71 * (n * n) as f32;
                let all = (1..=9).flat_map(|m| (1..=7).map(move |n| wave(m, n) / wave(1, 1)));
                let mut modes: Vec<f32> = all.collect();
                modes.sort_by(f32::total_cmp);
                modes.dedup();
                Some(modes)
            }
            // A round membrane: zeros of Bessel functions, relative to the first (Rossing); higher
            // modes have the same density.
            Table::Membrane => {
                let mut modes = vec![
                    1.0, 1.594, 2.136, 2.296, 2.653, 2.918, 3.156, 3.501, 3.6, 3.652, 4.06, 4.154,
                    4.601, 4.61, 4.832, 4.904, 5.132, 5.412, 5.54, 5.651,
                ];
                modes.extend((0..28).map(|k| 5.9 + 0.24 * k as f32 + 0.11 * jitter(k)));
                Some(modes)
            }
            // No formula: dense modes, each with a close neighbour that it beats with.
            Table::Gong => Some(
                (0..40)
                    .map(|k| (1.0 + k as f32).powf(0.86) + 0.22 * jitter(k + 77))
                    .flat_map(|mode| [mode, mode * 1.006])
                    .collect(),
            ),
            Table::StrikeBar => Some(strikes::bar_modes()),
            Table::StrikePlate => Some(strikes::plate_modes()),
            Table::StrikeSkin => Some(strikes::skin_modes()),
            _ => None,
        }
    }

    /// The level of partial `n` (from 1) with frequency `ratio`, at `position` 0 to 1.
    pub(super) fn level(self, position: f32, n: usize, ratio: f32) -> f32 {
        let x = n as f32;
        match self {
            Table::Saw => x.powf(-mix(7.0, 1.0, position.powf(0.25))),
            Table::Square if n.is_multiple_of(2) => 0.0,
            Table::Square => x.powf(-mix(6.0, 1.0, position.powf(0.25))),
            Table::Pulse => (PI * x * mix(0.5, 0.02, position.sqrt())).sin().abs() / x,
            Table::Organ => organ(position, n),
            Table::Vocal => vowel(position, x * FORMANT_PITCH) / x.sqrt(),
            Table::Bell => {
                // The hum is quieter than the strike; a hard clapper excites more modes.
                let softness = if n == 1 { 0.6 } else { 1.0 };
                softness * (-ratio / mix(1.5, 9.0, position)).exp()
            }
            Table::Pluck => {
                let at = mix(0.5, 0.06, position);
                (PI * x * at).sin().abs() * x.powf(-mix(1.6, 1.0, position))
            }
            Table::Bar => {
                let split = if n.is_multiple_of(2) { 0.35 } else { 1.0 };
                split * (-(ratio - 1.0) / mix(2.0, 18.0, position)).exp()
            }
            Table::Glass => {
                let split = if n.is_multiple_of(2) { 0.7 } else { 1.0 };
                split * (-(ratio - 1.0) / mix(0.7, 12.0, position)).exp()
            }
            Table::Blown => {
                let even = mix(0.03, 0.9, position);
                let share = if n.is_multiple_of(2) { even } else { 1.0 };
                share * x.powf(-mix(2.6, 1.5, position)) * (-x / 40.0).exp()
            }
            Table::Brass => {
                let reach = mix(0.9, 16.0, position * position);
                (-((x - 1.0) / reach)).exp() * x.powf(-0.25)
            }
            Table::Bowed => {
                let bow = (PI * x * mix(0.17, 0.045, position)).sin().abs().max(0.03);
                bow / x * body(x * BODY_PITCH)
            }
            Table::Plate | Table::Gong => {
                let hardness = mix(1.2, 14.0, position * position);
                (0.4 + 0.6 * jitter(n + 5).abs()) * (-(ratio - 1.0) / hardness).exp()
            }
            Table::Membrane => {
                // A stroke in the middle excites only the axially symmetric modes; at the rim all of them.
                let round = matches!(n, 1 | 4 | 9 | 16);
                let share = if round { mix(1.0, 0.5, position) } else { mix(0.08, 1.0, position) };
                share * (-(ratio - 1.0) / mix(0.8, 4.0, position)).exp()
            }
            Table::Digital => bessel(n as i32 - 1, mix(0.0, 14.0, position)).abs().max(1e-5),
            Table::Noise => {
                let level = 0.15 + jitter(n + 300).abs();
                level * x.powf(-mix(1.4, 0.1, position))
            }
            Table::StrikeString => strikes::string(position, n),
            Table::StrikeBar => strikes::bar(position, n),
            Table::StrikePlate => strikes::plate(position, n),
            Table::StrikeBell => strikes::bell(position, n),
            Table::StrikeSkin => strikes::skin(position, n),
        }
    }
}

pub(super) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// A random number of partial `n`, -1 to 1.
fn jitter(n: usize) -> f32 {
    hash(n as u32 + 1) as f32 / (1u64 << 31) as f32 - 1.0
}

/// The Bessel function of order `n`, by its integral: what frequency modulation makes of a sine.
pub(super) fn bessel(n: i32, x: f32) -> f32 {
    const STEPS: usize = 512;
    /// The steps of the integral, each with its sine: they are the same for every order.
    static AT: LazyLock<[(f64, f64); STEPS]> = LazyLock::new(|| {
        std::array::from_fn(|step| {
            let t = (step as f64 + 0.5) * std::f64::consts::PI / STEPS as f64;
            (t, t.sin())
        })
    });
    // Sidebands so far out are negligible.
    if n as f32 > x + 40.0 {
        return 0.0;
    }
    let (n, x) = (f64::from(n), f64::from(x));
    let integral: f64 = AT.iter().map(|(t, sine)| (n * t - x * sine).cos()).sum();
    (integral / STEPS as f64) as f32
}

/// The pitch of a violin's G string, to which the resonances of the body relate.
const BODY_PITCH: f32 = 196.0;

/// The response of a violin's body: air and wood resonances, and the bridge hill.
fn body(frequency: f32) -> f32 {
    let peak = |hertz: f32, width: f32, height: f32| {
        height / (1.0 + ((frequency - hertz) / width).powi(2))
    };
    0.35 + peak(280.0, 40.0, 1.2)
        + peak(460.0, 70.0, 1.4)
        + peak(1_100.0, 250.0, 0.8)
        + peak(2_600.0, 700.0, 1.3)
}

/// Nine drawbars (16', 5 1/3', 8', 4', 2 2/3', 2', 1 3/5', 1 1/3', 1') sound partials 1, 3, 2, 4,
/// 6, 8, 10, 12, 16 of a sub-octave; the note is partial 2 there, so tables hold the even ones.
fn organ(position: f32, n: usize) -> f32 {
    const PARTIALS: [usize; 7] = [1, 2, 3, 4, 5, 6, 8];
    const REGISTRATIONS: [[f32; 7]; 5] = [
        [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [8.0, 4.0, 0.0, 2.0, 0.0, 0.0, 0.0],
        [8.0, 6.0, 5.0, 0.0, 0.0, 0.0, 3.0],
        [8.0, 8.0, 6.0, 6.0, 3.0, 4.0, 5.0],
        [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0],
    ];
    // Every drawbar leaks a little of its own octave and twelfth.
    let leak = |of: usize| -> f32 {
        PARTIALS
            .iter()
            .position(|&p| p * of == n)
            .map_or(0.0, |bar| stops(&REGISTRATIONS, position, bar))
    };
    leak(1) + 0.06 * leak(2) + 0.03 * leak(3)
}

fn stops<const N: usize>(frames: &[[f32; N]], position: f32, column: usize) -> f32 {
    let at = position * (frames.len() - 1) as f32;
    let frame = (at as usize).min(frames.len() - 2);
    mix(frames[frame][column], frames[frame + 1][column], at - frame as f32)
}

/// The pitch of [`FORMANT_KEY`](super::FORMANT_KEY) in Hertz.
const FORMANT_PITCH: f32 = 110.0;

/// The magnitude of five formants, after the tenor's values in the Csound manual's appendix D.
pub(super) fn vowel(position: f32, frequency: f32) -> f32 {
    const FREQUENCIES: [[f32; 5]; 5] = [
        [350.0, 600.0, 2700.0, 2900.0, 3300.0],
        [400.0, 800.0, 2600.0, 2800.0, 3000.0],
        [650.0, 1080.0, 2650.0, 2900.0, 3250.0],
        [400.0, 1700.0, 2600.0, 3200.0, 3580.0],
        [290.0, 1870.0, 2800.0, 3250.0, 3540.0],
    ];
    const LEVELS_DB: [[f32; 5]; 5] = [
        [0.0, -20.0, -17.0, -14.0, -26.0],
        [0.0, -10.0, -12.0, -12.0, -26.0],
        [0.0, -6.0, -7.0, -8.0, -22.0],
        [0.0, -14.0, -12.0, -14.0, -20.0],
        [0.0, -15.0, -18.0, -20.0, -30.0],
    ];
    const WIDTHS: [f32; 5] = [70.0, 90.0, 130.0, 150.0, 180.0];
    let formants: f32 = (0..5)
        .map(|i| {
            let centre = stops(&FREQUENCIES, position, i);
            let level = 10.0_f32.powf(stops(&LEVELS_DB, position, i) / 20.0);
            let off = (frequency - centre) / WIDTHS[i];
            level / (1.0 + off * off).sqrt()
        })
        .sum();
    // Breath noise fills the gaps; above the formants the voice rolls off.
    (formants + 0.004) / (1.0 + (frequency / 5000.0).powi(2))
}
