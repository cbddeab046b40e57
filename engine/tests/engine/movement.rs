//! Modulation: envelopes whose speed depends on the note, LFOs with different phases.

use myriad_conformance::testing::*;
use myriad_engine::modulation::{
    Drawing, DrawnEnvelope, EnvelopePoint, Point, Route, RouteCurve, Source,
};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EventKind, Playable};

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
    patch.drawings[0] = Drawing::new(&[1.0, -1.0, 0.0, -1.0]);
    patch.routes.push(route(Source::Lfo1, Param::AmpLevel, 12.0));
    let levels = levels(&mut engine(&patch), &[(0, on(60))]);
    let [a, b, c, d] = [15, 40, 65, 90].map(|at| db(levels[at]));
    assert!((a - b - 24.0).abs() < 1.0 && (c - b - 12.0).abs() < 1.0 && (b - d).abs() < 1.0);
}

/// An editor draws while a note is held: the note goes on, with the new wave.
#[test]
fn a_wave_is_drawn_while_a_note_sounds() {
    let mut patch = soft();
    patch.values.set(Param::Lfo1Shape, 9.0); // Drawn.
    patch.routes.push(route(Source::Lfo1, Param::AmpLevel, 12.0));
    patch.drawings[0] = Drawing::from_points(&[Point::new(0.0, 1.0)]);
    let mut engine = engine(&patch);
    let [before, _] = play(&mut engine, &[(0, on(60))], RATE / 2);
    patch.drawings[0] = Drawing::from_points(&[Point::new(0.3, -1.0), Point::new(0.9, -1.0)]);
    let mut drawn = Playable::new(patch);
    engine.exchange_drawn(0, &mut drawn);
    let [after, _] = play(&mut engine, &[], RATE / 2);
    let levels = [&before, &after].map(|sound| db(rms(&sound[RATE / 4..])));
    assert!((levels[0] - levels[1] - 24.0).abs() < 0.5, "{levels:?}");
    assert_eq!(engine.counters().voices, 1);
    assert_eq!(drawn.drawings[0], Drawing::from_points(&[Point::new(0.0, 1.0)]), "given back");
}

/// An envelope that is drawn as its stages are sounds as they do, and one with more points goes its own way.
#[test]
fn a_drawn_envelope_is_heard_as_it_was_drawn() {
    let stages = with(
        soft(),
        &[
            (Param::Env1Attack, 0.1),
            (Param::Env1Decay, 0.2),
            (Param::Env1Sustain, 0.4),
            (Param::Env1Release, 0.15),
        ],
    );
    let curve = |param: Param| stages.values[param];
    let point = |seconds: f32, level: f32, curve: f32| EnvelopePoint { seconds, level, curve };
    let mut drawn = stages.clone();
    drawn.envelopes[0] = Some(DrawnEnvelope::new(
        &[
            point(0.1, 1.0, curve(Param::Env1AttackCurve)),
            point(0.2, 0.4, curve(Param::Env1DecayCurve)),
            point(0.15, 0.0, curve(Param::Env1ReleaseCurve)),
        ],
        1,
    ));
    let events = [(0, on(60)), (RATE / 2, off(60))];
    let [stages, same] = [&stages, &drawn].map(|patch| play(&mut engine(patch), &events, RATE));
    let apart = stages[0].iter().zip(&same[0]).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) < 1e-3 * highest(&stages[0]));
    drawn.envelopes[0] = Some(DrawnEnvelope::new(
        &[point(0.01, 1.0, 0.0), point(0.2, 0.0, 0.0), point(0.2, 1.0, 0.0), point(0.1, 0.0, 0.0)],
        2,
    ));
    let levels = levels(&mut engine(&drawn), &events);
    assert!(levels[2] > 5.0 * levels[20] && levels[45] > 5.0 * levels[20], "down and up again");
    assert!(levels[70] < 1e-4, "silent after the release");
}

/// Routes through `partial`: high partials come in after low ones, and have a deeper vibrato.
#[test]
fn high_partials_come_later_and_sway_more() {
    let held = with(
        soft(),
        &[(Param::SourcePartials, 16.0), (Param::Env2Attack, 0.8), (Param::Env2Sustain, 1.0)],
    );
    let mut late = held.clone();
    let route_by_partial = |source, target, amount| Route {
        via: Some(Source::Partial),
        ..route(source, target, amount)
    };
    late.routes.push(Route {
        curve: RouteCurve::Inverse,
        ..route_by_partial(Source::Env2, Param::AmpLevel, -60.0)
    });
    let [out, _] = play(&mut engine(&late), &[(0, on(57))], 2 * RATE);
    // The eighth partial is three octaves up: 18 dB at the start, none at the end.
    let rise = |hertz: f32| level_at(&out, RATE, hertz) - level_at(&out, 1_000, hertz);
    let (low, high) = (rise(220.0), rise(1_760.0));
    assert!((high - low - 16.0).abs() < 3.0, "the first rises by {low} dB, the eighth by {high}");

    // Two partials, of which the second sways by half an octave.
    let two = [(Param::SourcePartials, 2.0), (Param::Lfo1Rate, 2.0), (Param::Lfo1Mode, 1.0)];
    let steady = with(held, &two);
    let mut swaying = steady.clone();
    swaying.routes.push(route_by_partial(Source::Lfo1, Param::PitchTune, 60.0));
    let [steady, _] = play(&mut engine(&steady), &[(0, on(57))], RATE / 2);
    let [swaying, _] = play(&mut engine(&swaying), &[(0, on(57))], RATE / 2);
    // Around the top of the LFO the second has left its place, the first stays.
    let left = |hertz: f32| level_at(&steady, 1_904, hertz) - level_at(&swaying, 1_904, hertz);
    assert!(left(220.0).abs() < 1.0, "{}", left(220.0));
    assert!(left(440.0) > 20.0, "{}", left(440.0));
}
