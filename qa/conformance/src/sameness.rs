//! Renders that must be equal: when repeated, with other block sizes, and to the reference.

use super::{MakeRenderer, PARITY_DB, below, in_blocks, peak_difference_db, reference, same};
use myriad_engine::dsp::hash;
use myriad_engine::{Engine, EngineConfig, EventKind, Patch, factory};
use std::sync::{LazyLock, OnceLock};

/// A short performance: a chord, more notes, bends, pedal, then release.
fn performance() -> Vec<(usize, EventKind)> {
    let on = |key, velocity| EventKind::NoteOn { key, velocity };
    let off = |key| EventKind::NoteOff { key, velocity: 0.5 };
    vec![
        (5, on(48, 0.9)),
        (37, on(64, 0.6)),
        (700, on(91, 0.8)),
        (4_001, EventKind::PitchBend(0.7)),
        (6_000, EventKind::Control { cc: 1, value: 0.8 }),
        (9_000, on(52, 1.0)),
        (9_001, off(64)),
        (12_345, EventKind::PitchBend(0.0)),
        (14_000, off(48)),
        (14_000, off(91)),
        (15_000, off(52)),
    ]
}

const FRAMES: usize = 19_200;

fn play(engine: &mut Engine, block: impl Fn(usize) -> usize) -> Result<Vec<f32>, String> {
    play_events(engine, &performance(), FRAMES, block)
}

pub(super) fn play_events(
    engine: &mut Engine,
    events: &[(usize, EventKind)],
    frames: usize,
    block: impl Fn(usize) -> usize,
) -> Result<Vec<f32>, String> {
    let [mut left, right] = in_blocks(events, frames, block, |now, left, right| {
        engine.render(now, left, right);
    });
    match engine.counters().renders_failed {
        0 => {
            left.extend(right);
            Ok(left)
        }
        failed => Err(match engine.render_error() {
            Some(error) => format!("{failed} blocks were not rendered: {error}"),
            None => format!("{failed} blocks were not rendered"),
        }),
    }
}

pub(super) fn engine(make: MakeRenderer<'_>, patch: &Patch) -> Result<Engine, String> {
    let config = EngineConfig { clouds: 128, ..EngineConfig::default() };
    let mut engine = Engine::with_renderer(&config, make()).map_err(|error| error.to_string())?;
    engine.set_patch(0, patch);
    Ok(engine)
}

/// Sets another patch, and resets the engine.
pub(super) fn change(engine: &mut Engine, patch: &Patch) {
    engine.set_patch(0, patch);
    engine.reset();
}

/// An engine that has played other patches gives what a new one gives, in blocks of any size.
pub(super) fn repeats(make: MakeRenderer<'_>) -> Result<String, String> {
    type Size = fn(usize) -> usize;
    let sizes: [(&str, Size); 6] = [
        ("512", |_| 512),
        ("1", |_| 1),
        ("32", |_| 32),
        ("333", |_| 333),
        ("8192", |_| 8_192),
        ("random sizes", |at| hash(at as u32) as usize % 700),
    ];
    let mut used = engine(make, &factory::patches()[0])?;
    for patch in factory::patches() {
        let expected = play(&mut engine(make, patch)?, |_| 512)?;
        for (blocks, size) in sizes {
            change(&mut used, patch);
            if !same(&expected, &play(&mut used, size)?) {
                return Err(format!("{} differs after a reset in blocks of {blocks}", patch.name));
            }
        }
    }
    Ok(format!("{} patches, blocks of 1 to 8192 and random sizes", factory::patches().len()))
}

/// What the reference renders, kept for the whole process: every renderer under test is compared with
/// the same samples, and the reference is the slowest of all.
pub(super) type Expected = OnceLock<Result<Vec<f32>, String>>;

/// The reference's render of one case. Its engine is made when the first case is not known yet.
pub(super) fn expected<'a>(
    known: &'a Expected,
    engine_of_reference: &mut Option<Engine>,
    patch: &Patch,
    play: impl FnOnce(&mut Engine) -> Result<Vec<f32>, String>,
) -> Result<&'a [f32], String> {
    let rendered = known.get_or_init(|| {
        let mut made = match engine_of_reference.take() {
            Some(made) => made,
            None => engine(&reference, patch)?,
        };
        change(&mut made, patch);
        let rendered = play(&mut made);
        *engine_of_reference = Some(made);
        rendered
    });
    rendered.as_deref().map_err(Clone::clone)
}

pub(super) fn patches_match_the_reference(make: MakeRenderer<'_>) -> Result<String, String> {
    static KNOWN: LazyLock<Vec<Expected>> =
        LazyLock::new(|| factory::patches().iter().map(|_| Expected::new()).collect());
    let mut worst = (f64::NEG_INFINITY, "");
    let mut reference = None;
    let mut engine = engine(make, &factory::patches()[0])?;
    for (patch, known) in factory::patches().iter().zip(KNOWN.iter()) {
        let expected = expected(known, &mut reference, patch, |engine| play(engine, |_| 512))?;
        change(&mut engine, patch);
        let db = peak_difference_db(expected, &play(&mut engine, |_| 512)?);
        if db > worst.0 {
            worst = (db, &patch.name);
        }
    }
    let measured = format!("{:.1} dBFS at worst ({})", worst.0, worst.1);
    below(PARITY_DB, worst.0, measured)
}
