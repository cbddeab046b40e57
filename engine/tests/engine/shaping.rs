//! Filters, spectral dynamics and scales in the output.

use myriad_conformance::testing::*;
use myriad_engine::params::{Kind, Param};
use myriad_engine::{EventKind, Patch};

/// Four steady partials, with filters, scale, dynamics, curve and unison in use.
fn shaped(kind: f32) -> Patch {
    let settings = [
        (Param::FilterType, kind),
        (Param::FilterCutoff, 300.0),
        (Param::FilterResonance, 0.3),
        (Param::Filter2Type, kind),
        (Param::Filter2Cutoff, 500.0),
        (Param::PartialSnap, 0.3),
        (Param::PartialDetune, 5.0),
        (Param::DynamicsContrast, 0.1),
        (Param::DynamicsSmear, 0.01),
        (Param::Curve3, -6.0),
        (Param::UnisonVoices, 3.0),
    ];
    with(soft(), &settings)
}

/// A knob that clicks cannot be turned on stage.
#[test]
fn shaping_parameters_change_without_a_click() {
    let groups = ["partial", "dynamics", "filter", "filter2", "curve", "unison"];
    let own = |param: &&Param| groups.contains(&param.info().group());
    for kind in 11..16 {
        let patch = shaped(kind as f32);
        for &param in Param::ALL.iter().filter(own) {
            // Kinds, scales and routings crossfade; `clicks` tests them.
            if !matches!(param.info().kind, Kind::Number { .. }) {
                continue;
            }
            let (min, max) = param.info().kind.range();
            for value in [min, max] {
                let events = [(10, on(40)), (500, on(47)), (24_000, set(param, value))];
                let [out, _] = play(&mut engine(&patch), &events, 48_000);
                let name = format!("{kind}: {}", param.info().id);
                assert_no_click(&out, 24_000, &format!("{name} {value}"));
            }
        }
    }
}

/// Turning the knob while a note sounds must not make it louder.
#[test]
fn contrast_keeps_the_loudness_however_fast_it_comes() {
    for table in [0.0, 4.0, 16.0] {
        let patch = patch(&[
            (Param::SourceTable, table),
            (Param::SourcePosition, 0.8),
            (Param::SourceScatter, 1.0),
            (Param::Env1Sustain, 1.0),
            (Param::DynamicsSmear, 0.2),
        ]);
        let contrast = |value| set(Param::DynamicsContrast, value);
        let events = [(0, on(45)), (24_000, contrast(1.0)), (72_000, contrast(-1.0))];
        let [out, _] = play(&mut engine(&patch), &events, 120_000);
        let loudness = |from: usize, to: usize| {
            let power: f32 = out[from..to].iter().map(|x| x * x).sum();
            10.0 * (power / (to - from) as f32).log10()
        };
        let plain = loudness(12_000, 24_000);
        for at in (24_000..118_000).step_by(1_000) {
            let now = loudness(at, at + 2_000);
            assert!((now - plain).abs() < 10.0, "{table}: {now} and {plain} dB at {at}");
        }
        assert!((loudness(60_000, 72_000) - plain).abs() < 3.0, "{table}");
        assert!((loudness(108_000, 120_000) - plain).abs() < 3.0, "{table}");
    }
}

/// Freezing a decaying string must hold its spectrum for any time.
#[test]
fn a_frozen_note_stays_as_it_is_and_thaws() {
    let mut patch = patch(&[
        (Param::SourcePosition, 1.0),
        (Param::DecayRate, 30.0),
        (Param::DecaySlope, 0.7),
        (Param::Env1Sustain, 1.0),
        (Param::SourceSpeed, 0.3),
    ]);
    let freeze = |value| set(Param::DynamicsFreeze, value);
    let events = [(0, on(57)), (9_600, freeze(1.0)), (120_000, freeze(0.0))];
    let [out, _] = play(&mut engine(&patch), &events, 168_000);
    for partial in [1.0, 3.0, 6.0] {
        let at = |start| level_at(&out, start, 220.0 * partial);
        let (early, late, thawed) = (at(14_400), at(110_000), at(158_000));
        assert!((early - late).abs() < 0.1, "{partial}: {early} and {late} dB");
        assert!(thawed < late - 12.0, "{partial}: {thawed} after {late} dB");
    }
    patch.values.set(Param::DynamicsFreeze, 1.0);
    let [out, _] = play(&mut engine(&patch), &[(0, on(57))], 24_000);
    assert!(peak(&out) > 0.01, "a note that starts frozen sounds");
}

#[test]
fn smeared_levels_take_their_time() {
    let level = |seconds: f32| {
        let patch = patch(&[
            (Param::SourcePosition, 1.0),
            (Param::Env1Sustain, 1.0),
            (Param::FilterType, 2.0),
            (Param::FilterCutoff, 20_000.0),
            (Param::DynamicsSmear, seconds),
        ]);
        let events = [(0, on(57)), (24_000, set(Param::FilterCutoff, 100.0))];
        let [out, _] = play(&mut engine(&patch), &events, 80_000);
        [28_000, 70_000].map(|start| level_at(&out, start, 1_760.0))
    };
    let ([quick, _], [slow, later]) = (level(0.0), level(0.5));
    assert!(slow > quick + 20.0, "{slow} and {quick} dB");
    assert!(later < slow - 8.0, "{later} after {slow} dB");
}

#[test]
fn copies_join_one_after_the_other_and_differ_in_colour() {
    let level = |settings: &[(Param, f32)], start: usize, hertz: f32| {
        let patch = patch(&[
            (Param::SourceTable, 4.0),
            (Param::Env1Sustain, 1.0),
            (Param::UnisonVoices, 2.0),
            (Param::UnisonDetune, 100.0),
            (Param::UnisonSpread, 0.0),
        ]);
        let patch = with(patch, settings);
        let [out, _] = play(&mut engine(&patch), &[(0, on(81))], 120_000);
        level_at(&out, start, hertz)
    };
    // The copies are a semitone below and above.
    let (low, high) = (hertz(80.0), hertz(82.0));
    let late = [(Param::UnisonEntry, 2.0)];
    assert!(level(&late, 12_000, high) < level(&late, 12_000, low) - 30.0);
    assert!(level(&late, 100_000, high) > level(&late, 12_000, high) + 30.0);
    let coloured = [(Param::UnisonColour, 1.0)];
    let unlike = |settings: &[(Param, f32)]| {
        let tilt =
            |hertz: f32| level(settings, 48_000, 4.0 * hertz) - level(settings, 48_000, hertz);
        (tilt(high) - tilt(low)).abs()
    };
    assert!(unlike(&coloured) > unlike(&[]) + 2.0);
}

#[test]
fn a_single_copy_has_nobody_to_wait_for() {
    let render = |settings: &[(Param, f32)]| {
        let patch = with(patch(&[(Param::UnisonVoices, 1.0)]), settings);
        play(&mut engine(&patch), &[(0, on(60))], 9_600)
    };
    assert_eq!(render(&[(Param::UnisonEntry, 2.0)]), render(&[]));
    assert_eq!(render(&[(Param::UnisonColour, 1.0)]), render(&[]));
}

/// Copies become voices of their own while their colours differ, and one voice again, without a jump.
#[test]
fn copies_part_and_join_without_a_jump() {
    let patch = patch(&[
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 40.0),
        (Param::Env1Sustain, 1.0),
        (Param::UnisonVoices, 5.0),
        (Param::UnisonDetune, 20.0),
        (Param::ShapeWidth, 0.8),
    ]);
    // So little that it is not heard, and still every copy is described by itself.
    let colour = |value| EventKind::Param { param: Param::UnisonColour, value };
    let events =
        [(0, on(60)), (9_600, colour(1e-6)), (19_200, colour(0.0)), (28_800, colour(1e-6))];
    let [changed, _] = play(&mut engine(&patch), &events, 48_000);
    let [still, _] = play(&mut engine(&patch), &events[..1], 48_000);
    let difference = changed.iter().zip(&still).map(|(a, b)| (a - b).abs());
    let loudest = difference.fold(0.0, f32::max);
    assert!(peak(&still) > 0.05 && loudest < 1e-5, "{loudest}");
    assert!(loudest > 0.0, "nothing has been divided");
}

/// Every key sounds only notes of the scale.
#[test]
fn one_root_for_all_keys_keeps_to_its_scale() {
    let patch = patch(&[
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 12.0),
        (Param::Env1Sustain, 1.0),
        (Param::PartialSnap, 1.0),
        // Major chord on C.
        (Param::PartialScale, 2.0),
        (Param::PartialRoot, 1.0),
    ]);
    let (start, length) = (9_600, 1 << 15);
    for key in [57, 60, 64, 67] {
        let [out, _] = play(&mut engine(&patch), &[(0, on(key))], start + length);
        let (levels, _) = spectrum(&out[start..]);
        let loudest = highest(&levels);
        for bin in 200..levels.len() - 1 {
            let is_peak = levels[bin] > loudest - 40.0
                && levels[bin] > levels[bin - 1]
                && levels[bin] > levels[bin + 1];
            if is_peak {
                let hertz = bin as f32 * RATE as f32 / length as f32;
                let semitones = 12.0 * (hertz / 261.625_58).log2();
                let note = semitones.round().rem_euclid(12.0) as u8;
                assert!([0, 4, 7].contains(&note), "key {key}: {hertz} Hz is {note}");
            }
        }
    }
}

/// Partials that are not in rising order must not alias.
#[test]
fn detuned_and_snapped_partials_stay_below_nyquist() {
    let patch = patch(&[
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 1024.0),
        (Param::Env1Sustain, 1.0),
        (Param::PartialDetune, 100.0),
        (Param::PartialSnap, 0.5),
        (Param::DynamicsSmear, 1.0),
        (Param::PitchBend, 24.0),
    ]);
    let bends =
        (0..200).map(|i| (4_800 + i * 160, EventKind::PitchBend((i as f32 / 15.0).sin().abs())));
    let events: Vec<_> = std::iter::once((0, on(100))).chain(bends).collect();
    let [out, _] = play(&mut engine(&patch), &events, 9_600 + (1 << 15));
    let (levels, _) = spectrum(&out[9_600..]);
    let lowest = (0.7 * hertz(100.0) / RATE as f32 * (1 << 15) as f32) as usize;
    let below = highest(&levels[..lowest]);
    assert!(below < -70.0, "{below} dBFS below the lowest partial");
}
