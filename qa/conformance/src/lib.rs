//! The requirements on every renderer, as checks that run anywhere: in the test suite for each
//! instruction set, and on a user's machine for its renderers.

mod accuracy;
mod in_blocks;
pub mod parameters;
mod random;
mod sameness;
mod takeover;
pub mod testing;

pub use in_blocks::in_blocks;
pub use random::clients_do_not_matter;

use myriad_engine::render::{Capacity, CpuRenderer, Renderer};
use myriad_engine::simd::Level;

/// Makes a fresh renderer of the kind under test.
pub type MakeRenderer<'a> = &'a dyn Fn() -> Box<dyn Renderer>;

/// One requirement on renderers.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name in tables.
    pub name: &'static str,
    /// What a user would lose without it.
    pub promise: &'static str,
    /// Runs it; returns what was measured, or what is wrong.
    pub run: fn(MakeRenderer<'_>) -> Result<String, String>,
}

/// All checks, quick ones first.
pub const CHECKS: &[Check] = &[
    Check {
        name: "accuracy",
        promise: "sines are clean to -110 dB from 20 Hz to 20 kHz",
        run: accuracy::sines_match_double_precision,
    },
    Check {
        name: "phase",
        promise: "partials stay in tune with each other for as long as a note lasts",
        run: accuracy::phases_never_drift,
    },
    Check {
        name: "clouds",
        promise: "any cloud sounds as on the reference, to -110 dBFS, however ticks are cut",
        run: random::clouds_match_the_reference,
    },
    Check {
        name: "flight",
        promise: "blocks in flight together sound as they do one by one",
        run: random::flight_does_not_matter,
    },
    Check {
        name: "repeat",
        promise: "a render repeats bit for bit, after a reset and in any block sizes of the host",
        run: sameness::repeats,
    },
    Check {
        name: "parity",
        promise: "every patch sounds as on the reference, to -110 dBFS",
        run: sameness::patches_match_the_reference,
    },
    Check {
        name: "takeover",
        promise: "a renderer that takes over while every patch sounds continues it as the reference does",
        run: takeover::patches_are_taken_over,
    },
    Check {
        name: "parameters",
        promise: "at the ends of every parameter too",
        run: parameters::all_match_the_reference,
    },
];

/// The renderer that others are compared with: instructions that every machine has, one thread.
pub fn reference() -> Box<dyn Renderer> {
    Box::new(CpuRenderer::with_level(1, Level::Baseline))
}

/// The level of `difference` in decibels relative to `signal`, by root mean square.
pub fn relative_db(difference: &[f32], signal: &[f32]) -> f64 {
    let power = |samples: &[f32]| samples.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
    10.0 * (power(difference).max(1e-300) / power(signal).max(1e-300)).log10()
}

/// The steepest step between neighbouring samples: a click is one that is larger than those of the
/// sound itself.
pub fn steepest(samples: &[f32]) -> f32 {
    samples.windows(2).fold(0.0, |top, pair| top.max((pair[1] - pair[0]).abs()))
}

/// Whether two signals have the same bits.
fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}

/// How far the audio of two renderers may differ.
const PARITY_DB: f64 = -110.0;

/// What was measured; an error when it is not below the limit.
fn below(limit_db: f64, worst_db: f64, measured: String) -> Result<String, String> {
    match worst_db < limit_db {
        true => Ok(measured),
        false => Err(measured),
    }
}

/// A new renderer, prepared.
fn prepared(
    make: MakeRenderer<'_>,
    slots: usize,
    buses: usize,
) -> Result<Box<dyn Renderer>, String> {
    let mut renderer = make();
    let prepared = renderer.prepare(Capacity { slots, buses });
    prepared.map_err(|error| error.to_string())?;
    Ok(renderer)
}

/// The largest difference between two signals, in decibels of full scale.
pub fn peak_difference_db(a: &[f32], b: &[f32]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| f64::from(a - b).abs());
    20.0 * differences.fold(1e-15, f64::max).log10()
}
