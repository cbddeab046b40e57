//! Kits: key zones play their own patches, choke each other, and pass through the kit's effects.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::patch::KeyZone;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, OUTPUTS, Patch, factory};
use myriad_measure::forward;

/// A steady tone in a zone.
fn tone(key: u8) -> KeyZone {
    KeyZone::new(key, soft())
}

fn kit(key_zones: Vec<KeyZone>) -> Patch {
    Patch { key_zones, ..Patch::new() }
}

fn engine_with(patch: &Patch) -> Engine {
    let mut engine = Engine::new(&EngineConfig::default()).unwrap();
    engine.set_patch(0, patch);
    engine
}

/// What one key of a patch sounds like.
fn heard(patch: &Patch, key: u8) -> [Vec<f32>; 2] {
    play(&mut engine_with(patch), &[(0, on(key))], RATE / 4)
}

/// A zone sounds as its patch does, on the note that it says.
#[test]
fn a_zone_plays_its_patch_on_its_note() {
    let zone = KeyZone { note: 64, tune: 5.0, ..tone(36) };
    let got = heard(&kit(vec![zone]), 36);
    let expected = heard(&soft(), 69);
    assert!(rms(&expected[0]) > 1e-3);
    assert_eq!(got, expected);
    assert_eq!(rms(&heard(&kit(vec![tone(36)]), 37)[0]), 0.0, "other keys are silent");
    let range = KeyZone { keys: [40, 50], note: 60, ..tone(0) };
    assert_eq!(heard(&kit(vec![range]), 45), heard(&soft(), 65), "keys of a range follow");
}

#[test]
fn level_and_pan_of_a_zone_and_of_the_kit_add_up() {
    let plain = heard(&kit(vec![tone(36)]), 36);
    let zone = KeyZone { level: -12.0, pan: -1.0, ..tone(36) };
    let [left, right] = heard(&kit(vec![zone]), 36);
    let difference = db(rms(&left)) - db(rms(&plain[0]));
    // In the middle each side has 3 dB less.
    assert!((difference + 9.0).abs() < 0.1, "{difference}");
    assert!(rms(&right) < 1e-4 * rms(&left));
    let softer = with(kit(vec![tone(36)]), &[(Param::OutputGain, -12.0)]);
    let difference = db(rms(&heard(&softer, 36)[0])) - db(rms(&plain[0]));
    assert!((difference + 12.0).abs() < 0.1, "{difference}");
}

#[test]
fn zones_of_a_choke_group_cut_each_other_off() {
    let open = KeyZone { choke: 1, ..tone(46) };
    let closed = KeyZone { choke: 1, ..tone(42) };
    let other = tone(38);
    let mut engine = engine_with(&kit(vec![open, closed, other]));
    play(&mut engine, &[(0, on(46)), (0, on(38))], RATE / 10);
    assert_eq!(engine.counters().voices, 2);
    play(&mut engine, &[(0, on(42))], RATE / 10);
    assert_eq!(engine.keys(0), 1 << 42 | 1 << 38, "46 was cut off, 38 was not");
}

#[test]
fn macros_controllers_and_resets_reach_every_zone() {
    let mut zone = tone(36);
    zone.patch.routes.push(route(
        myriad_engine::modulation::Source::Macro1,
        Param::AmpLevel,
        -30.0,
    ));
    let mut engine = engine_with(&kit(vec![zone]));
    let first = play(&mut engine, &[(0, on(36))], RATE / 4);
    let turned = EventKind::Param { param: Param::Macro1, value: 1.0 };
    let softer = play(&mut engine, &[(0, turned)], RATE / 2);
    let late = &softer[0][RATE / 4..];
    assert!(db(rms(late)) < db(rms(&first[0])) - 25.0);
    let silent = play(&mut engine, &[(0, EventKind::AllSoundOff)], RATE / 4);
    assert_eq!(rms(&silent[0][RATE / 8..]), 0.0);
    engine.reset();
    assert_eq!(play(&mut engine, &[(0, on(36))], RATE / 4), first);
}

/// A kit that is replaced fades out, and leaves nothing behind.
#[test]
fn a_kit_is_replaced_while_it_sounds() {
    let mut engine = engine_with(&kit(vec![tone(36)]));
    play(&mut engine, &[(0, on(36))], RATE / 10);
    engine.set_patch(0, &soft());
    let after = play(&mut engine, &[], RATE / 4);
    assert_eq!(rms(&after[0][RATE / 8..]), 0.0);
    assert_eq!(engine.counters().clouds, 0);
}

/// Kits are text like any patch, and complete in themselves when written.
#[test]
fn kits_survive_the_round_trip_and_wrong_zones_say_where() {
    let text = "format = 3\nname = \"x\"\n[[key_zone]]\nkeys = [35, 36]\npatch = \"Kick\"\nchoke = 2\n\
        [key_zone.filter]\ncutoff = 300.0\n[[key_zone]]\nkeys = 40\nlevel = -3.0\noutput = 8\n";
    let patch = Patch::parse(text, "my.toml").unwrap();
    assert_eq!(patch.key_zones[0].patch.name, "Kick");
    assert_eq!(patch.key_zones[0].patch.values[Param::FilterCutoff], 300.0);
    let written = patch.to_toml();
    assert!(!written.contains("patch ="), "{written}");
    assert_eq!(Patch::parse(&written, "again").unwrap(), patch);
    for (zone, expected) in [
        ("patch = \"Kick\"", "my.toml:3: key_zone.keys: missing"),
        ("keys = 128", "my.toml:4: keys: expected a key"),
        ("keys = [40, 30]", "my.toml:4: keys: expected a key"),
        ("keys = 36\npatch = \"Nothing\"", "my.toml:5: patch: no drum or patch"),
        ("keys = 36\nlevel = 99", "my.toml:5: level: 99 is outside -60 to 12"),
        ("keys = 36\n[[key_zone.key_zone]]\nkeys = 1", "my.toml:5: key_zone: a key zone has none"),
        ("keys = 36\n[key_zone.filter]\ncutof = 1", "my.toml:6: filter.cutof: no such parameter"),
    ] {
        let text = format!("format = 3\nname = \"x\"\n[[key_zone]]\n{zone}\n");
        let error = Patch::parse(&text, "my.toml").unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}\nexpected {expected}");
    }
}

/// Where the power of a drum lies in its first 150 ms, and how long it takes to fall by 20 dB.
fn drum(kit: &Patch, key: u8) -> (f32, f32) {
    let [left, right] = play(&mut engine_with(kit), &[(0, on(key))], 3 * RATE);
    let mono: Vec<f32> = left.iter().zip(&right).map(|(left, right)| left + right).collect();
    let mut start: Vec<f64> = mono[..RATE * 3 / 20].iter().map(|&x| f64::from(x)).collect();
    start.resize(8_192, 0.0);
    let powers: Vec<f64> = forward(&mut start).iter().map(|bin| bin.norm_sqr()).collect();
    let weighted: f64 = powers.iter().enumerate().map(|(bin, power)| bin as f64 * power).sum();
    let hertz = weighted / powers.iter().sum::<f64>() * RATE as f64 / 8_192.0;
    let levels: Vec<f32> = mono.chunks(RATE / 100).map(rms).collect();
    let loudest = levels.iter().fold(0.0, |top: f32, &level| top.max(level));
    let last = levels.iter().rposition(|&level| level > 0.1 * loudest).unwrap();
    (hertz as f32, (last + 1) as f32 / 100.0)
}

/// Drums have the register and the length of what they are: centroid in Hertz and seconds to -20 dB,
/// least and most. The ranges lie around recorded drums.
#[test]
fn drums_sound_like_what_they_are() {
    let kit = &factory::find("Acoustic Kit").unwrap();
    for (key, hertz, seconds) in [
        (36, [50.0, 160.0], [0.05, 0.2]),
        (37, [1_200.0, 5_000.0], [0.02, 0.15]),
        (38, [500.0, 2_500.0], [0.05, 0.25]),
        (42, [8_000.0, 13_000.0], [0.03, 0.2]),
        (46, [7_000.0, 12_000.0], [0.4, 1.5]),
        (41, [60.0, 250.0], [0.25, 0.9]),
        (50, [100.0, 400.0], [0.25, 0.9]),
        (49, [1_800.0, 6_000.0], [0.8, 2.5]),
        (51, [6_000.0, 12_000.0], [0.4, 1.5]),
        (60, [600.0, 1_600.0], [0.03, 0.2]),
        (64, [200.0, 450.0], [0.1, 0.4]),
        (75, [1_800.0, 3_000.0], [0.01, 0.1]),
        (76, [800.0, 2_500.0], [0.01, 0.1]),
        (81, [9_000.0, 14_000.0], [0.2, 1.0]),
    ] {
        let (centroid, decay) = drum(kit, key);
        assert!((hertz[0]..=hertz[1]).contains(&centroid), "key {key}: {centroid} Hz");
        assert!((seconds[0]..=seconds[1]).contains(&decay), "key {key}: {decay} s");
    }
}

/// A zone with an output of its own is heard there and nowhere else; all outputs together are what one
/// output would have; an output that is not open is heard on the main one.
#[test]
fn zones_have_outputs_of_their_own() {
    let low = KeyZone { output: 3, ..tone(36) };
    let high = KeyZone { note: 67, ..tone(38) };
    let patch = kit(vec![low, high]);
    let render = |outputs: u8| {
        let config = EngineConfig { outputs, ..EngineConfig::default() };
        let mut engine = Engine::new(&config).unwrap();
        engine.set_patch(0, &patch);
        let mut main = [Vec::new(), Vec::new()];
        let mut others = vec![[Vec::new(), Vec::new()]; OUTPUTS];
        for (frames, key) in [(1_000, Some(36)), (333, Some(38)), (8_192, None)] {
            let event = |key| Event { frame: 0, part: 0, kind: on(key) };
            let events: Vec<Event> = key.map(event).into_iter().collect();
            let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
            engine.render(&events, &mut left, &mut right);
            main[0].extend(left);
            main[1].extend(right);
            for (index, sides) in others.iter_mut().enumerate() {
                for (side, heard) in sides.iter_mut().zip(engine.output(index)) {
                    side.extend(heard);
                }
            }
        }
        (main, others)
    };
    let (single, none) = render(0);
    assert!(rms(&single[0]) > 1e-3 && none.iter().all(|sides| sides[0].is_empty()));
    let (main, others) = render(0xFF);
    for (index, [left, _]) in others.iter().enumerate() {
        assert_eq!(left.len(), main[0].len());
        assert_eq!(rms(left) > 1e-3, index == 2, "output {}", index + 1);
    }
    // The first note is on output 3 alone.
    assert_eq!(rms(&main[0][..1_000]), 0.0);
    for side in 0..2 {
        let sums = main[side].iter().zip(&others[2][side]).map(|(a, b)| a + b);
        let difference = sums.zip(&single[side]).map(|(sum, one)| (sum - one).abs());
        assert!(difference.fold(0.0, f32::max) < 1e-6);
    }
    let (main, others) = render(0b1);
    assert!(main == single && others.iter().all(|sides| rms(&sides[0]) == 0.0));
}

/// The second layer has an output of its own in mix mode.
#[test]
fn a_layer_has_an_output_of_its_own() {
    let layered = |output: f32| {
        let mix = Param::LayerMode.info().parse("mix").unwrap();
        with(soft(), &[(Param::LayerMode, mix), (Param::LayerOutput, output)])
    };
    let heard = |patch: &Patch| {
        let config = EngineConfig { outputs: 0xFF, ..EngineConfig::default() };
        let mut engine = Engine::new(&config).unwrap();
        engine.set_patch(0, patch);
        let mut main = [vec![0.0; 8_192], vec![0.0; 8_192]];
        let [left, right] = &mut main;
        engine.render(&[Event { frame: 0, part: 0, kind: on(60) }], left, right);
        (main, engine.output(1).map(<[f32]>::to_vec))
    };
    let (main, second) = heard(&layered(0.0));
    assert!(rms(&main[0]) > 1e-3 && rms(&second[0]) == 0.0);
    let (first, second) = heard(&layered(2.0));
    assert!(rms(&first[0]) > 1e-3 && rms(&second[0]) > 1e-3);
    let sums = first[0].iter().zip(&second[0]).map(|(first, second)| first + second);
    let difference = sums.zip(&main[0]).map(|(sum, one)| (sum - one).abs());
    assert!(difference.fold(0.0, f32::max) < 1e-6);
}
