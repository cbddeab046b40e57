//! Helpers of tests: they play events at sample times, and measure the output.

#![allow(missing_docs, reason = "helpers of tests, named after what they do")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use crate::in_blocks;
pub use crate::steepest;
use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::{Kind, Param};
use myriad_engine::tracks::{PartialTrack, encode};
use myriad_engine::{Engine, EngineConfig, EventKind, Patch, Tracks};

pub const RATE: usize = 48_000;

/// The default patch with these settings.
pub fn patch(settings: &[(Param, f32)]) -> Patch {
    with(Patch::new(), settings)
}

/// `patch` with these settings.
pub fn with(mut patch: Patch, settings: &[(Param, f32)]) -> Patch {
    let settings = settings.iter();
    settings.for_each(|&(param, value)| patch.values.set(param, value));
    patch
}

/// A linear route.
pub fn route(source: Source, target: Param, amount: f32) -> Route {
    Route { source, via: None, target, amount, curve: RouteCurve::Linear }
}

/// A steady sound of a few low partials, in which any click is clearly visible.
pub fn soft() -> Patch {
    patch(&[
        (Param::SourcePartials, 4.0),
        (Param::SourcePosition, 0.3),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Attack, 0.01),
        (Param::Env1Release, 0.05),
    ])
}

/// A patch with an imported table: so many equal frames, of harmonics with these `levels`.
pub fn imported(levels: &[f32], frames: usize) -> Patch {
    let track = |(n, &level): (usize, &f32)| PartialTrack {
        ratio: (n + 1) as f64,
        noise: 0.0,
        levels: vec![level; frames],
        phases: vec![0.0; frames],
    };
    let partials: Vec<PartialTrack> = levels.iter().enumerate().map(track).collect();
    let seconds = (frames - 1) as f64;
    let mut patch = patch(&[
        (Param::SourceTable, imported_table()),
        (Param::SourcePartials, levels.len() as f32),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Attack, 0.0),
    ]);
    let bytes = encode(440.0, seconds, &vec![0.0; frames], &partials);
    patch.tracks[0] = Some(Tracks::from_bytes(bytes).unwrap());
    patch
}

/// The last choice of `source.table`.
fn imported_table() -> f32 {
    match Param::SourceTable.info().kind {
        Kind::Choice(names) => names.iter().position(|name| *name == "imported").unwrap() as f32,
        _ => unreachable!("tables are a choice"),
    }
}

/// The same patch with all effects on.
pub fn with_all_effects(mut patch: Patch) -> Patch {
    for &param in Param::ALL {
        if param.info().key() == "on" {
            patch.values.set(param, 1.0);
        }
    }
    patch
}

pub fn engine(patch: &Patch) -> Engine {
    engine_at(RATE as f32, patch)
}

pub fn engine_at(sample_rate: f32, patch: &Patch) -> Engine {
    let config = EngineConfig { sample_rate, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, patch);
    engine
}

pub const fn on(key: u8) -> EventKind {
    EventKind::NoteOn { key, velocity: 0.8 }
}

pub fn off(key: u8) -> EventKind {
    EventKind::NoteOff { key, velocity: 0.5 }
}

pub fn cc(cc: u8, value: f32) -> EventKind {
    EventKind::Control { cc, value }
}

/// Plays events of part 0 at their times, in blocks of 256; left and right.
pub fn play(engine: &mut Engine, events: &[(usize, EventKind)], frames: usize) -> [Vec<f32>; 2] {
    play_in_blocks(engine, events, frames, &mut std::iter::repeat(256))
}

pub fn play_in_blocks(
    engine: &mut Engine,
    events: &[(usize, EventKind)],
    frames: usize,
    blocks: &mut dyn Iterator<Item = usize>,
) -> [Vec<f32>; 2] {
    let next = |_| blocks.next().unwrap_or(64);
    in_blocks(events, frames, next, |now, left, right| {
        engine.render(now, left, right);
    })
}

/// A knob is turned.
pub const fn set(param: Param, value: f32) -> EventKind {
    EventKind::Param { param, value }
}

/// The steps around frame `at` of a steady sound must not be steeper than those before and after.
pub fn assert_no_click(out: &[f32], at: usize, what: &str) {
    let before = steepest(&out[at / 2..at - 100]);
    let during = steepest(&out[at - 100..at + 6_000]);
    let own = before.max(steepest(&out[at + 6_000..]));
    assert!(during <= 1.6 * own, "{what}: {during}, {own}");
}

/// The level around `hertz`, in decibels, from `start` on.
pub fn level_at(out: &[f32], start: usize, hertz: f32) -> f32 {
    let length = 1 << 13;
    let (levels, lobe) = spectrum(&out[start..start + length]);
    let bin = (hertz * length as f32 / RATE as f32).round() as usize;
    highest(&levels[bin - lobe..=bin + lobe])
}

pub fn highest(levels: &[f32]) -> f32 {
    levels.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

pub fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |peak, x| peak.max(x.abs()))
}

pub fn rms(samples: &[f32]) -> f32 {
    let power: f64 = samples.iter().map(|&x| f64::from(x).powi(2)).sum();
    (power / samples.len().max(1) as f64).sqrt() as f32
}

pub fn db(level: f32) -> f32 {
    20.0 * level.max(1e-15).log10()
}

/// Magnitudes in decibels relative to a full-scale sine, under a window whose side lobes are
/// below -140 dB, and the width of its main lobe to either side, in bins.
pub fn spectrum(samples: &[f32]) -> (Vec<f32>, usize) {
    /// The shape of a Kaiser window with such side lobes.
    const BETA: f64 = 20.0;
    let n = samples.len();
    let window: Vec<f64> = (0..n)
        .map(|i| {
            let x = 2.0 * (i as f64 + 0.5) / n as f64 - 1.0;
            bessel(BETA * (1.0 - x * x).sqrt()) / bessel(BETA)
        })
        .collect();
    let gain: f64 = window.iter().sum::<f64>() / 2.0;
    let mut input: Vec<f64> = samples.iter().zip(&window).map(|(x, w)| f64::from(*x) * w).collect();
    let bins = myriad_measure::forward(&mut input);
    (bins.iter().map(|bin| db((bin.norm() / gain) as f32)).collect(), 8)
}

/// The modified Bessel function I0, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-18 * sum {
        term *= (x / (2.0 * k)).powi(2);
        sum += term;
        k += 1.0;
    }
    sum
}

/// The frequency of the strongest partial, interpolated between bins.
pub fn pitch(samples: &[f32]) -> f32 {
    let (levels, _) = spectrum(samples);
    let top = (1..levels.len() - 1).max_by(|&a, &b| levels[a].total_cmp(&levels[b])).unwrap();
    let (a, b, c) = (levels[top - 1], levels[top], levels[top + 1]);
    let shift = 0.5 * (a - c) / (a - 2.0 * b + c);
    (top as f32 + shift) * RATE as f32 / samples.len() as f32
}

pub fn hertz(key: f32) -> f32 {
    440.0 * ((key - 69.0) / 12.0).exp2()
}
