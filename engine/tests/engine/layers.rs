//! The two layers of a voice, and routes to copies and partials.

use myriad_conformance::testing::*;
use myriad_engine::modulation::{Route, Source};
use myriad_engine::params::{Kind, Param};
use myriad_engine::{Engine, EngineConfig, EventKind, Patch};

/// Values of `layer.mode`.
const MIX: f32 = 1.0;
const MORPH: f32 = 2.0;
const MULTIPLY: f32 = 3.0;

/// Values of `source.table` and `layer.table`.
const SAW: f32 = 0.0;
const SQUARE: f32 = 1.0;
const VOCAL: f32 = 4.0;
const BELL: f32 = 5.0;

/// A steady saw with a second layer.
fn layered(mode: f32, table: f32, blend: f32) -> Patch {
    patch(&[
        (Param::SourceTable, SAW),
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 64.0),
        (Param::Env1Sustain, 1.0),
        (Param::LayerMode, mode),
        (Param::LayerTable, table),
        (Param::LayerPosition, 1.0),
        (Param::LayerPartials, 64.0),
        (Param::LayerBlend, blend),
    ])
}

/// A note of the key 69.
fn heard(patch: &Patch) -> [Vec<f32>; 2] {
    play(&mut engine(patch), &[(0, on(69))], 24_000)
}

fn level(patch: &Patch, hertz: f32) -> f32 {
    level_at(&heard(patch)[0], 12_000, hertz)
}

#[test]
fn at_the_ends_of_the_blend_only_one_layer_sounds() {
    // Without the loudness compensation, which is an estimate.
    let plain = |patch| with(patch, &[(Param::ShapeBalance, 0.0)]);
    let first = plain(layered(0.0, SAW, 0.0));
    for mode in [MIX, MORPH] {
        for (table, blend) in [(SQUARE, 0.0), (BELL, 0.0), (SQUARE, 1.0), (BELL, 1.0)] {
            let alone = match blend == 0.0 {
                true => first.clone(),
                false => with(first.clone(), &[(Param::SourceTable, table)]),
            };
            let [expected, _] = heard(&alone);
            let [got, _] = heard(&plain(layered(mode, table, blend)));
            let off: Vec<f32> = got.iter().zip(&expected).map(|(a, b)| a - b).collect();
            let off = db(peak(&off) / peak(&expected));
            assert!(off < -75.0, "mode {mode}, table {table}, {blend}: {off} dB");
        }
    }
}

#[test]
fn mixed_layers_have_separate_pitches() {
    let mixed = layered(MIX, SAW, 0.5);
    let fifth = with(mixed, &[(Param::LayerTune, 7.0), (Param::LayerTilt, -12.0)]);
    let (root, above) = (level(&fifth, 440.0), level(&fifth, hertz(76.0)));
    assert!((root - above).abs() < 4.0, "{root} and {above} dB");
    let octave = |hertz: f32| level(&fifth, 2.0 * hertz) - level(&fifth, hertz);
    let darker = octave(hertz(76.0)) - octave(440.0);
    assert!((darker + 12.0).abs() < 2.0, "{darker} dB");
}

#[test]
fn mixed_layers_have_separate_pan_positions() {
    let apart = [
        (Param::LayerTune, 12.0),
        (Param::LayerPan, 1.0),
        (Param::AmpPan, -0.5),
        (Param::LayerTable, SQUARE),
        (Param::LayerPosition, 0.0),
        (Param::SourcePosition, 0.0),
    ];
    let [left, right] = heard(&with(layered(MIX, SAW, 0.5), &apart));
    let side = |hertz| level_at(&right, 12_000, hertz) - level_at(&left, 12_000, hertz);
    assert!(side(440.0) < -3.0 && side(880.0) > 3.0);
}

/// Layers that are spread are on one side each, as a picture's left and right are.
#[test]
fn spread_layers_are_fully_apart() {
    let values =
        [(Param::LayerTune, 12.0), (Param::LayerSpread, 1.0), (Param::SourcePartials, 1.0)];
    let [left, right] = heard(&with(layered(MIX, SAW, 0.5), &values));
    let sides = |hertz| [&left, &right].map(|side| level_at(side, 12_000, hertz));
    let ([first, other], [here, second]) = (sides(440.0), sides(880.0));
    assert!(first > other + 60.0, "the first layer is left: {first} and {other} dB");
    assert!(second > here + 60.0, "the second layer is right: {here} and {second} dB");
    // Without a second layer there is nothing to spread.
    let [left, right] = heard(&with(layered(MORPH, SAW, 0.5), &values));
    assert_eq!(left, right);
}

/// Half way from a saw to a bell every partial is half way between the pitches.
#[test]
fn a_morph_moves_pitches() {
    let half = layered(MORPH, BELL, 0.5);
    // The third ratio is 3 of a saw and 1.183 of a bell; nothing is left at either.
    let [between, saw, bell] = [2.0915, 3.0, 1.183].map(|ratio| level(&half, 440.0 * ratio));
    assert!(between > saw + 30.0 && between > bell + 30.0);
}

#[test]
fn a_product_has_only_the_partials_of_both() {
    let product = layered(MULTIPLY, SQUARE, 1.0);
    let (odd, even) = (level(&product, 3.0 * 440.0), level(&product, 2.0 * 440.0));
    assert!(odd > even + 60.0, "{odd} and {even} dB");
    // Either falls by 6 dB an octave, the product by 12: -19 dB from the first to the third.
    let slope = odd - level(&product, 440.0);
    assert!((slope + 19.1).abs() < 1.0, "{slope} dB");
}

/// The loudness is compensated: a product of quiet levels is not quiet.
#[test]
fn layers_keep_the_loudness() {
    let plain = rms(&heard(&layered(0.0, SAW, 0.0))[0][12_000..]);
    for mode in [MIX, MORPH, MULTIPLY] {
        for table in [SQUARE, BELL, VOCAL] {
            for blend in [0.25, 0.5, 0.75, 1.0] {
                let patch = layered(mode, table, blend);
                let loud = rms(&heard(&patch)[0][12_000..]);
                let off = db(loud / plain);
                assert!(off.abs() < 4.0, "{mode}, {table}, {blend}: {off} dB");
            }
        }
    }
}

/// A knob that clicks cannot be turned on stage.
#[test]
fn layers_change_without_a_click() {
    for mode in [MIX, MORPH, MULTIPLY] {
        for table in [SAW, BELL] {
            for &param in Param::ALL {
                let own = param.info().group() == "layer";
                if !own || !matches!(param.info().kind, Kind::Number { .. }) {
                    continue;
                }
                let few = [
                    (Param::SourcePartials, 4.0),
                    (Param::SourcePosition, 0.3),
                    (Param::LayerPartials, 4.0),
                    (Param::LayerPosition, 0.3),
                    (Param::UnisonVoices, 2.0),
                ];
                let patch = with(layered(mode, table, 0.5), &few);
                let (min, max) = param.info().kind.range();
                for value in [min, max] {
                    let events = [(10, on(40)), (500, on(47)), (24_000, set(param, value))];
                    let [out, _] = play(&mut engine(&patch), &events, 48_000);
                    let name = format!("{mode}, {table}: {} {value}", param.info().id);
                    assert_no_click(&out, 24_000, &name);
                }
            }
        }
    }
}

#[test]
fn choices_of_the_layer_crossfade() {
    for (param, value) in [
        (Param::LayerMode, 0.0),
        (Param::LayerMode, MIX),
        (Param::LayerMode, MULTIPLY),
        (Param::LayerTable, BELL),
        (Param::LayerMaterial, 3.0),
    ] {
        for mode in [MIX, MORPH] {
            let patch = with(
                layered(mode, SAW, 0.5),
                &[(Param::SourcePosition, 0.3), (Param::LayerPosition, 0.3)],
            );
            let events = [(10, on(40)), (24_000, set(param, value))];
            let [out, _] = play(&mut engine(&patch), &events, 48_000);
            assert_no_click(&out, 24_000, &format!("{mode}: {} {value}", param.info().id));
        }
    }
}

/// The clouds of both layers are freed, however their notes end.
#[test]
fn all_clouds_are_freed() {
    let patch =
        with(layered(MIX, BELL, 0.5), &[(Param::UnisonVoices, 5.0), (Param::VoiceLimit, 6.0)]);
    let mut engine = engine(&patch);
    let mut events = Vec::new();
    for note in 0..60 {
        let at = 400 * note;
        events.push((at, on(40 + (note % 20) as u8)));
        events.push((at + 900, off(40 + (note % 20) as u8)));
        if note % 7 == 0 {
            events.push((at + 1, set(Param::LayerMode, (note % 4) as f32)));
        }
    }
    events.push((26_000, EventKind::AllSoundOff));
    play(&mut engine, &events, 48_000);
    assert_eq!(engine.counters().clouds, 0);
}

/// An engine in which no more than two clouds sound.
fn with_two_clouds(patch: &Patch) -> Engine {
    let config = EngineConfig { sample_rate: RATE as f32, clouds: 2, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, patch);
    engine
}

/// A layer that is switched on without free clouds must not take those of other notes.
#[test]
fn without_free_clouds_notes_keep_one_layer() {
    let mut engine = with_two_clouds(&layered(0.0, SQUARE, 0.5));
    let events = [(0, on(69)), (10, on(76)), (12_000, set(Param::LayerMode, MIX))];
    let [out, _] = play(&mut engine, &events, 36_000);
    for key in [69.0, 76.0] {
        let [before, after] = [2_000, 24_000].map(|start| level_at(&out, start, hertz(key)));
        assert!((before - after).abs() < 4.0, "{key}: {before}, {after} dB");
    }
}

/// A layer that is switched off fades out, and its clouds are freed.
#[test]
fn without_free_clouds_a_layer_still_fades_out() {
    let soft = [(Param::SourcePosition, 0.3), (Param::LayerPosition, 0.3)];
    let mut engine = with_two_clouds(&with(layered(MIX, SAW, 0.5), &soft));
    let events = [(0, on(40)), (24_000, set(Param::LayerMode, MORPH))];
    let [out, _] = play(&mut engine, &events, 48_000);
    assert_no_click(&out, 24_000, "mix to morph");
    assert_eq!(engine.counters().clouds, 1);
}

/// A copy with more of the second layer than its voice reads the rows of that layer.
#[test]
fn a_route_blends_the_layer_for_single_copies() {
    for mode in [MORPH, MULTIPLY] {
        let unison = [(Param::UnisonVoices, 2.0), (Param::UnisonDetune, 0.0)];
        let mut patch = with(layered(mode, SQUARE, 0.0), &unison);
        let plain = rms(&heard(&patch)[0][12_000..]);
        patch.routes = vec![route(Source::Copy, Param::LayerBlend, 1.0)];
        let blended = rms(&heard(&patch)[0][12_000..]);
        let off = db(blended / plain);
        assert!(off.abs() < 6.0, "mode {mode}: {off} dB");
    }
}

#[test]
fn routes_reach_single_copies() {
    let unison = with(
        layered(0.0, SAW, 0.0),
        &[
            (Param::UnisonVoices, 2.0),
            (Param::UnisonDetune, 0.0),
            (Param::UnisonSpread, 0.0),
            (Param::SourcePosition, 0.0),
        ],
    );
    let routed = |target, amount| {
        let mut patch = unison.clone();
        patch.routes = vec![route(Source::Copy, target, amount)];
        patch
    };
    // A fifth down and a fifth up.
    let apart = routed(Param::PitchTune, 7.0);
    let [low, middle, high] = [62.0, 69.0, 76.0].map(|key| level(&apart, hertz(key)));
    assert!((low - high).abs() < 1.0 && low > middle + 40.0);
    // The lower one is quieter.
    let mut uneven = routed(Param::PitchTune, 7.0);
    uneven.routes.push(route(Source::Copy, Param::AmpLevel, 6.0));
    let difference = level(&uneven, hertz(76.0)) - level(&uneven, hertz(62.0));
    assert!((difference - 12.0).abs() < 0.5, "{difference} dB");
    // Only when the wheel is up, scaled by the copy.
    let mut wheel = unison.clone();
    wheel.routes =
        vec![Route { via: Some(Source::Copy), ..route(Source::Wheel, Param::PitchTune, 7.0) }];
    assert!(level(&wheel, 440.0) > level(&wheel, hertz(76.0)) + 40.0);
    let events = [(0, cc(1, 1.0)), (10, on(69))];
    let [out, _] = play(&mut engine(&wheel), &events, 24_000);
    assert!(level_at(&out, 12_000, hertz(76.0)) > level_at(&out, 12_000, 440.0) + 40.0);
}

/// Every parameter that a route can set per copy has an effect.
#[test]
fn every_target_of_copies_is_heard() {
    let base = with(
        layered(MORPH, BELL, 0.5),
        &[
            (Param::UnisonVoices, 2.0),
            (Param::SourcePartials, 8.0),
            (Param::FilterType, 2.0),
            (Param::Filter2Type, 3.0),
        ],
    );
    let [plain, _] = heard(&base);
    let targets = route(Source::Copy, Param::AmpLevel, 0.0).targets();
    assert!(targets.len() >= 10);
    for &target in targets {
        let mut patch = base.clone();
        patch.routes = vec![route(Source::Copy, target, 0.3)];
        let [out, _] = heard(&patch);
        assert!(out != plain, "{}", target.info().id);
    }
}

#[test]
fn routes_from_partials_follow_the_ratio() {
    let mut patch = with(layered(0.0, SAW, 0.0), &[(Param::ShapeBalance, 0.0)]);
    let plain = level(&patch, 8.0 * 440.0) - level(&patch, 440.0);
    // 20 dB in ten octaves are 6 in three.
    patch.routes = vec![route(Source::Partial, Param::AmpLevel, 20.0)];
    let tilted = level(&patch, 8.0 * 440.0) - level(&patch, 440.0);
    assert!((tilted - plain - 6.0).abs() < 0.3, "{plain} and {tilted}");
    // An octave in ten: the eighth partial is 3.6 semitones higher.
    patch.routes = vec![route(Source::Partial, Param::PitchTune, 12.0)];
    let there = level(&patch, 8.0 * 440.0 * 2.0_f32.powf(0.3));
    assert!(there > level(&patch, 8.0 * 440.0) + 20.0);
}

#[test]
fn routes_from_copies_to_other_targets_are_refused() {
    let text =
        "format = 3\nname = \"x\"\n[[route]]\nfrom = \"copy\"\nto = \"delay.mix\"\namount = 1\n";
    let error = Patch::parse(text, "x.toml").unwrap_err().to_string();
    assert!(error.contains("pitch.tune"), "{error}");
    assert!(!error.contains('\n'), "{error}");
}
