//! Modulation: envelopes whose speed depends on the note, LFOs with different phases.

use myriad_conformance::testing::*;
use myriad_engine::modulation::Source;
use myriad_engine::params::Param;
use myriad_engine::{Engine, EventKind};

/// The level every 10 ms.
fn levels(engine: &mut Engine, events: &[(usize, EventKind)]) -> Vec<f32> {
    let [left, _] = play(engine, events, RATE);
    left.chunks(RATE / 100).map(rms).collect()
}

#[test]
fn velocity_makes_an_envelope_faster() {
    let slow = [(Param::Env1Attack, 0.4), (Param::AmpVelocity, 0.0)];
    let mut patch = with(soft(), &slow);
    patch.routes.push(route(Source::Velocity, Param::Env1Speed, 3.0));
    let half_way = |velocity: f32| {
        let note = EventKind::NoteOn { key: 60, velocity };
        let levels = levels(&mut engine(&patch), &[(0, note)]);
        let top = levels[90];
        levels.iter().position(|&level| level > 0.5 * top).unwrap()
    };
    assert!(half_way(0.05) > 4 * half_way(1.0));
}

/// A tremolo that is faster for higher keys.
#[test]
fn keys_make_an_lfo_faster() {
    let mut patch = with(soft(), &[(Param::Lfo4Mode, 1.0), (Param::Lfo4Rate, 4.0)]);
    patch.routes.push(route(Source::Lfo4, Param::AmpLevel, 20.0));
    patch.routes.push(route(Source::Key, Param::Lfo4Rate, 5.0));
    let valleys = |key: u8| {
        let levels = levels(&mut engine(&patch), &[(0, on(key))]);
        let low = |w: &&[f32]| w[1] < w[0] && w[1] <= w[2];
        levels.windows(3).filter(low).count()
    };
    let (slow, fast) = (valleys(60), valleys(72));
    assert!((3..=5).contains(&slow), "{slow}");
    assert!((7..=9).contains(&fast), "{fast}");
}

/// The LFOs of two simultaneous notes have the same phase, unless they are spread.
#[test]
fn spread_gives_notes_different_lfo_phases() {
    let play_both = |spread: f32| {
        let lfo = [
            (Param::Lfo1Mode, 1.0),
            (Param::Lfo1Rate, 3.0),
            (Param::Lfo1Spread, spread),
            (Param::AmpVelocity, 0.0),
        ];
        let mut patch = with(soft(), &lfo);
        patch.routes.push(route(Source::Lfo1, Param::AmpLevel, 30.0));
        let levels = levels(&mut engine(&patch), &[(0, on(48)), (0, on(72))]);
        let top = highest(&levels[30..]);
        let bottom = levels[30..].iter().fold(f32::MAX, |low, &x| low.min(x));
        db(top) - db(bottom)
    };
    assert!(play_both(0.0) > play_both(1.0) + 6.0);
}

#[test]
fn a_drawn_wave_is_heard_as_it_was_drawn() {
    let mut patch = soft();
    patch.values.set(Param::Lfo1Shape, 10.0); // Drawn steps.
    patch.values.set(Param::Lfo1Mode, 1.0);
    patch.values.set(Param::Lfo1Rate, 1.0);
    patch.drawings[0] = myriad_engine::modulation::Drawing::new(&[1.0, -1.0, 0.0, -1.0]);
    patch.routes.push(route(Source::Lfo1, Param::AmpLevel, 12.0));
    let levels = levels(&mut engine(&patch), &[(0, on(60))]);
    let [a, b, c, d] = [15, 40, 65, 90].map(|at| db(levels[at]));
    assert!((a - b - 24.0).abs() < 1.0 && (c - b - 12.0).abs() < 1.0 && (b - d).abs() < 1.0);
}
