//! Every parameter of the table at the ends of its range, in a sound that uses every feature. These
//! checks cover a parameter that is added to the table without naming it.

use super::sameness::{Expected, change, engine, expected, play_events};
use super::testing::patch;
use super::{MakeRenderer, PARITY_DB, below, peak_difference_db};
use myriad_engine::params::{Kind, Param};
use myriad_engine::{Engine, EventKind, Patch};
use std::sync::LazyLock;

/// Values of `layer.mode` at which there is a second layer.
const LAYERED: [f32; 3] = [1.0, 2.0, 3.0];

/// A steady patch that uses everything that shapes partials, with the second layer in this mode, so that
/// every knob has an audible effect.
pub fn everything_in_use(layer_mode: f32) -> Patch {
    patch(&[
        (Param::SourcePosition, 0.8),
        (Param::SourcePartials, 40.0),
        (Param::SourceFormant, 0.3),
        (Param::SourceSpeed, 0.2),
        (Param::LayerMode, layer_mode),
        (Param::LayerPartials, 24.0),
        (Param::LayerBlend, 0.4),
        (Param::ShapeStretch, 0.01),
        (Param::ShapeStiffness, 0.0002),
        (Param::ShapeParity, 0.2),
        (Param::ShapeTilt, -2.0),
        (Param::ShapeWidth, 0.5),
        (Param::PartialDetune, 3.0),
        (Param::PartialSnap, 0.2),
        (Param::DynamicsContrast, 0.1),
        (Param::DynamicsGate, -80.0),
        (Param::DynamicsSmear, 0.01),
        (Param::DecayRate, 1.0),
        (Param::FilterType, 2.0),
        (Param::FilterCutoff, 9_000.0),
        (Param::Filter2Type, 15.0),
        (Param::Filter2Cutoff, 3_000.0),
        (Param::Curve2, -6.0),
        (Param::Curve6, 3.0),
        (Param::UnisonVoices, 2.0),
        (Param::UnisonColour, 0.2),
        (Param::Env1Sustain, 1.0),
        (Param::AmpLevel, -12.0),
    ])
}

/// The modes of the second layer in which a parameter is tested: parameters of the layer in all of them.
pub fn modes_of(param: Param) -> &'static [f32] {
    match param.info().group() {
        "layer" => &LAYERED,
        _ => &LAYERED[1..2],
    }
}

/// Parameters of partials: all except those of effects.
pub fn of_partials() -> impl Iterator<Item = Param> {
    let all = Param::ALL.iter().copied();
    all.filter(|param| !param.is_of_an_effect())
}

/// The ends of a parameter, or all its choices.
pub fn ends_of(param: Param) -> Vec<f32> {
    let (min, max) = param.info().kind.range();
    match param.info().kind {
        Kind::Choice(names) => (0..names.len()).map(|index| index as f32).collect(),
        _ => vec![min, max],
    }
}

pub(super) fn all_match_the_reference(make: MakeRenderer<'_>) -> Result<String, String> {
    const FRAMES: usize = 2_400;
    static KNOWN: LazyLock<Vec<Expected>> = LazyLock::new(|| {
        let cases = |param| modes_of(param).len() * ends_of(param).len();
        (0..of_partials().map(cases).sum()).map(|_| Expected::new()).collect()
    });
    let on = |key| EventKind::NoteOn { key, velocity: 0.8 };
    let events = [(5, on(45)), (300, on(88))];
    let mut worst = (f64::NEG_INFINITY, String::new());
    let first = everything_in_use(LAYERED[0]);
    let mut reference = None;
    let mut engine = engine(make, &first)?;
    let mut known = KNOWN.iter();
    let mut count = 0;
    for param in of_partials() {
        for &mode in modes_of(param) {
            let mut patch = everything_in_use(mode);
            for value in ends_of(param) {
                patch.values.set(param, value);
                let play = |engine: &mut Engine| play_events(engine, &events, FRAMES, |_| 256);
                let known = known.next().ok_or("a parameter has more ends than were counted")?;
                let expected = expected(known, &mut reference, &patch, play)?;
                change(&mut engine, &patch);
                let db = peak_difference_db(expected, &play(&mut engine)?);
                if db > worst.0 {
                    worst = (db, format!("{} at {value}", param.info().id));
                }
            }
        }
        count += 1;
    }
    let measured = format!("{:.1} dBFS at worst ({}), {count} of them", worst.0, worst.1);
    below(PARITY_DB, worst.0, measured)
}
