//! Effects: decay times of reverbs, aliasing of drive, tails after a change of patch.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::view;
use myriad_engine::{Engine, EngineConfig, EventKind, ImpulseResponse, Patch};

/// A click of a few milliseconds, to measure reverbs with.
fn click() -> Patch {
    patch(&[
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 1024.0),
        (Param::SourceScatter, 1.0),
        (Param::Env1Attack, 0.0),
        (Param::Env1Decay, 0.004),
        (Param::Env1Sustain, 0.0),
        (Param::AmpVelocity, 0.0),
    ])
}

fn room(settings: &[(Param, f32)]) -> Patch {
    let room = with(click(), &[(Param::ReverbOn, 1.0), (Param::ReverbMix, 1.0)]);
    with(room, settings)
}

/// Seconds to decay by 60 dB, from the slope between -5 and -35 dB of the remaining energy
/// (Schroeder's integral).
fn decay_time(samples: &[f32]) -> f32 {
    let mut left: Vec<f64> = samples
        .iter()
        .rev()
        .scan(0.0, |sum, &x| {
            *sum += f64::from(x).powi(2);
            Some(*sum)
        })
        .collect();
    left.reverse();
    let when =
        |db: f64| left.iter().position(|&x| 10.0 * (x / left[0]).log10() < db).unwrap() as f32;
    2.0 * (when(-35.0) - when(-5.0)) / RATE as f32
}

#[test]
fn a_room_decays_in_its_time() {
    for (seconds, size) in [(0.5, 0.2), (1.0, 0.6), (2.5, 0.6), (6.0, 1.0)] {
        let patch = room(&[
            (Param::ReverbDecay, seconds),
            (Param::ReverbSize, size),
            (Param::ReverbDamp, 20_000.0),
        ]);
        let frames = ((2.0 + seconds) * RATE as f32) as usize;
        let [left, _] = play(&mut engine(&patch), &[(0, on(48))], frames);
        let measured = decay_time(&left[4_800..]);
        let off = measured / seconds;
        assert!((0.85..1.15).contains(&off), "{measured} for {seconds} s");
    }
}

/// Echoes as dense as noise: as many samples are beyond one standard deviation as in noise (Abel
/// and Huang, AES 2006).
#[test]
fn a_click_is_dense_after_a_tenth_of_a_second() {
    for size in [0.0, 0.3, 0.6, 1.0] {
        let patch = room(&[(Param::ReverbSize, size), (Param::ReverbDecay, 3.0)]);
        let [left, _] = play(&mut engine(&patch), &[(0, on(60))], RATE);
        let density = |from: usize| {
            let window = &left[from..from + 1_200];
            let deviation = rms(window);
            let beyond = window.iter().filter(|x| x.abs() > deviation).count();
            beyond as f32 / 1_200.0 / 0.3173
        };
        for from in [7_200, 12_000, 20_000, 30_000] {
            assert!(density(from) > 0.8, "size {size}: {} at {from}", density(from));
        }
    }
}

#[test]
fn a_room_is_wide_and_does_not_ring() {
    let patch = room(&[(Param::ReverbDecay, 4.0)]);
    let [left, right] = play(&mut engine(&patch), &[(0, on(60))], 3 * RATE);
    let (l, r) = (&left[9_600..57_600], &right[9_600..57_600]);
    let common: f32 = l.iter().zip(r).map(|(l, r)| l * r).sum::<f32>() / l.len() as f32;
    let alike = common / (rms(l) * rms(r));
    assert!(alike.abs() < 0.25, "left and right are alike by {alike}");
    // No frequency is far above its neighbours; in noise the difference is some 12 dB.
    let (levels, _) = spectrum(&left[24_000..24_000 + (1 << 15)]);
    for middle in (400..6_000).step_by(100) {
        let near = &levels[middle - 100..middle + 100];
        let mean = near.iter().map(|db| 10f32.powf(db / 10.0)).sum::<f32>() / near.len() as f32;
        let top = highest(near);
        let out = top - 10.0 * mean.log10();
        assert!(out < 15.0, "{out} dB at bin {middle}");
    }
}

#[test]
fn high_frequencies_decay_first() {
    let patch = room(&[(Param::ReverbDecay, 3.0), (Param::ReverbDamp, 1_500.0)]);
    let [left, _] = play(&mut engine(&patch), &[(0, on(48))], 3 * RATE);
    let balance = |from: usize| {
        let (levels, _) = spectrum(&left[from..from + (1 << 14)]);
        let power = |bins: std::ops::Range<usize>| -> f32 {
            levels[bins].iter().map(|db| 10f32.powf(db / 10.0)).sum()
        };
        10.0 * (power(2_000..4_000) / power(50..300)).log10()
    };
    assert!(balance(60_000) < balance(9_600) - 15.0);
}

/// Sines driven hard have no audible energy between their harmonics.
#[test]
fn drive_does_not_alias() {
    for (curve, limit) in [(0.0, -70.0), (1.0, -70.0), (2.0, -70.0)] {
        for key in [60, 84, 101] {
            let driven = patch(&[
                (Param::SourcePartials, 1.0),
                (Param::Env1Sustain, 1.0),
                (Param::AmpVelocity, 0.0),
                (Param::AmpLevel, 0.0),
                (Param::DriveOn, 1.0),
                (Param::DriveType, curve),
                (Param::DriveAmount, 24.0),
            ]);
            let [out, _] = play(&mut engine(&driven), &[(0, on(key))], 9_600 + (1 << 15));
            let (levels, lobe) = spectrum(&out[9_600..]);
            let step = hertz(f32::from(key)) * (1 << 15) as f32 / RATE as f32;
            let top = highest(&levels);
            // Up to 16 kHz, above which it is inaudible.
            let between = (20..(1 << 15) / 3)
                .filter(|&bin| {
                    let nearest = (bin as f32 / step).round() * step;
                    (bin as f32 - nearest).abs() > lobe as f32
                })
                .map(|bin| levels[bin])
                .fold(f32::MIN, f32::max);
            assert!(between - top < limit, "curve {curve}, key {key}: {}", between - top);
        }
    }
}

#[test]
fn drive_keeps_the_level_of_a_few_notes() {
    let level = |amount: f32| {
        let driven = with(soft(), &[(Param::DriveOn, 1.0), (Param::DriveAmount, amount)]);
        let [out, _] = play(&mut engine(&driven), &[(0, on(52)), (0, on(59))], RATE);
        db(rms(&out[RATE / 2..]))
    };
    assert!((level(0.0) - level(30.0)).abs() < 6.0, "{} {}", level(0.0), level(30.0));
}

#[test]
fn the_limiter_keeps_its_ceiling() {
    let loud = with(
        soft(),
        &[(Param::LimiterOn, 1.0), (Param::LimiterGain, 24.0), (Param::LimiterCeiling, -6.0)],
    );
    let chord: Vec<(usize, EventKind)> = (0..8).map(|i| (i * 999, on(40 + 5 * i as u8))).collect();
    let [left, right] = play(&mut engine(&loud), &chord, RATE);
    let loudest = peak(&left).max(peak(&right));
    assert!((0.45..0.5013).contains(&loudest), "{loudest}");
}

#[test]
fn a_compressor_follows_its_ratio() {
    let level = |gain: f32| {
        let pressed = with(
            soft(),
            &[
                (Param::SourcePartials, 1.0),
                (Param::CompressorOn, 1.0),
                (Param::CompressorThreshold, -30.0),
                (Param::CompressorRatio, 4.0),
                (Param::CompressorAttack, 0.001),
                (Param::AmpLevel, gain),
            ],
        );
        let [out, _] = play(&mut engine(&pressed), &[(0, on(60))], RATE);
        db(rms(&out[RATE / 2..]))
    };
    let rise = level(6.0) - level(-6.0);
    assert!((rise - 3.0).abs() < 0.3, "12 dB become {rise}");
}

#[test]
fn echoes_come_in_time_with_the_song() {
    let echoes = with(
        click(),
        &[
            (Param::DelayOn, 1.0),
            (Param::DelaySync, 6.0), // An eighth.
            (Param::DelayMix, 0.5),
            (Param::DelayFeedback, 0.5),
        ],
    );
    let song = EventKind::Transport { bpm: 100.0, beat: 0.0 };
    let [left, _] = play(&mut engine(&echoes), &[(0, song), (0, on(72))], RATE);
    let eighth = (0.3 * RATE as f32) as usize;
    let before = rms(&left[eighth - 2_000..eighth - 100]);
    let echo = rms(&left[eighth + 64..eighth + 400]);
    assert!(echo > 50.0 * before, "{before} {echo}");
}

#[test]
fn a_reverb_tail_continues_after_its_patch_and_ends() {
    let mut engine = engine(&room(&[(Param::ReverbDecay, 2.0)]));
    let [before, _] = play(&mut engine, &[(0, on(60))], RATE / 2);
    engine.set_patch(0, &soft());
    let [tail, _] = play(&mut engine, &[], RATE / 2);
    assert!(rms(&tail[..4_800]) > 0.3 * rms(&before[RATE / 2 - 4_800..]));
    // Its own slope is that of noise, in which a click is visible.
    let own = steepest(&before[RATE / 4..]).max(steepest(&tail[4_800..]));
    assert!(steepest(&tail[..4_800]) < 1.6 * own);
    // Another change at once keeps the older tail, without a click.
    engine.set_patch(0, &with(soft(), &[(Param::ChorusOn, 1.0)]));
    let [after, _] = play(&mut engine, &[], RATE);
    assert!(steepest(&after) < 1.6 * steepest(&tail[RATE / 4..]));
    let mut seconds = 0;
    while !engine.is_silent() {
        play(&mut engine, &[], RATE);
        seconds += 1;
        assert!(seconds < 20, "the room ends");
    }
}

/// Echoes have pauses; the sound ends after the last echo.
#[test]
fn an_engine_is_not_silent_between_echoes() {
    let echoes = with(
        click(),
        &[(Param::DelayOn, 1.0), (Param::DelayTime, 0.8), (Param::DelayFeedback, 0.3)],
    );
    let mut engine = engine(&echoes);
    play(&mut engine, &[(0, on(60)), (480, off(60))], RATE / 2);
    assert!(!engine.is_silent());
    let mut seconds = 0.5;
    while !engine.is_silent() {
        play(&mut engine, &[], RATE / 4);
        seconds += 0.25;
        assert!(seconds < 30.0);
    }
    // 120 dB are twelve echoes.
    assert!(seconds > 7.0, "{seconds}");
}

#[test]
fn macros_reach_effects_also_between_notes() {
    let mut patch = room(&[(Param::ReverbMix, 0.0), (Param::ReverbDecay, 5.0)]);
    let macro1 = myriad_engine::modulation::Source::Macro1;
    patch.routes.push(route(macro1, Param::ReverbMix, 1.0));
    let mut engine = engine(&patch);
    let [dry, _] = play(&mut engine, &[(0, on(60)), (480, off(60))], RATE / 2);
    assert!(peak(&dry[RATE / 4..]) < 1e-4);
    let [wet, _] = play(&mut engine, &[(0, set(Param::Macro1, 1.0))], RATE / 2);
    assert!(rms(&wet[4_800..]) > 1e-4, "{}", rms(&wet[4_800..]));
}

#[test]
fn stems_with_effects_still_add_up_to_the_mix() {
    let config = EngineConfig { parts: 2, stems: true, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, &with_all_effects(soft()));
    engine.set_patch(1, &room(&[]));
    let note = |part, key| myriad_engine::Event { frame: 0, part, kind: on(key) };
    let (mut left, mut right) = (vec![0.0; 4_096], vec![0.0; 4_096]);
    engine.render(&[note(0, 50), note(1, 62)], &mut left, &mut right);
    let [a, b] = [engine.stem(0)[0], engine.stem(1)[0]];
    for (frame, mix) in left.iter().enumerate() {
        assert!((a[frame] + b[frame] - mix).abs() < 1e-5);
    }
}

/// The level in decibels of a sine of key 69 that is held, with these settings.
fn steady(settings: &[(Param, f32)]) -> f32 {
    let sine = [(Param::SourcePartials, 1.0), (Param::Env1Sustain, 1.0), (Param::AmpVelocity, 0.0)];
    let patch = with(patch(settings), &sine);
    let [left, _] = play(&mut engine(&patch), &[(0, on(69))], RATE);
    db(rms(&left[RATE / 2..]))
}

/// The editor must draw the curves that are heard.
#[test]
fn curves_of_effects_are_drawn_as_they_are_heard() {
    let plain = steady(&[]);
    let eq = [
        (Param::EqOn, 1.0),
        (Param::EqLowFrequency, 300.0),
        (Param::EqLowGain, 9.0),
        (Param::EqMid1Frequency, 600.0),
        (Param::EqMid1Gain, -12.0),
        (Param::EqMid1Q, 2.0),
        (Param::EqHighFrequency, 1_000.0),
        (Param::EqHighGain, -6.0),
    ];
    let values = patch(&eq).values;
    let drawn = view::equalised(&values, 440.0, RATE as f32);
    let heard = steady(&eq) - plain;
    assert!((drawn - heard).abs() < 0.1, "{drawn} dB for {heard}");

    let compressor = [
        (Param::CompressorOn, 1.0),
        (Param::CompressorThreshold, -30.0),
        (Param::CompressorRatio, 4.0),
        (Param::CompressorGain, 5.0),
        // So slow that it follows the peaks of the wave.
        (Param::CompressorAttack, 0.05),
        (Param::CompressorRelease, 2.0),
    ];
    let values = patch(&compressor).values;
    let peak = plain + 3.01;
    let drawn = view::compressed(&values, peak) - peak;
    let heard = steady(&compressor) - plain;
    assert!((drawn - heard).abs() < 0.3, "{drawn} dB for {heard}");

    // A soft drive keeps the sign and bends large levels more than small ones.
    let drive = [(Param::DriveOn, 1.0), (Param::DriveAmount, 20.0)];
    let values = patch(&drive).values;
    assert!(view::driven(&values, 0.02) / 0.02 > 2.0 * view::driven(&values, 0.5) / 0.5);
    assert!((view::driven(&values, 0.1) - 0.1).abs() < 1e-4);
    assert_eq!(view::driven(&values, -0.3), -view::driven(&values, 0.3));
}

/// Eight-bit sound that is not eight bits, or a rate that is not lowered.
#[test]
fn a_crusher_has_few_levels_and_holds_them() {
    let crushed = with(
        soft(),
        &[(Param::CrusherOn, 1.0), (Param::CrusherBits, 5.0), (Param::CrusherRate, 6_000.0)],
    );
    let [out, _] = play(&mut engine(&crushed), &[(0, on(48)), (0, on(55))], RATE);
    let sounding = &out[RATE / 2..];
    assert!(peak(sounding) > 0.1);
    assert!(sounding.iter().all(|x| (16.0 * x).fract().abs() < 1e-4), "stairs of a sixteenth");
    let changes: Vec<usize> =
        (1..sounding.len()).filter(|&n| sounding[n] != sounding[n - 1]).collect();
    assert!(changes.windows(2).all(|pair| (pair[1] - pair[0]) % 8 == 0), "a sample lasts eight");
}

/// The dip must be on the beat of the song, and as deep as the knob says.
#[test]
fn a_ducker_dips_on_the_beat() {
    let ducked = with(
        soft(),
        &[(Param::DuckerOn, 1.0), (Param::DuckerDepth, 1.0), (Param::SourcePartials, 1.0)],
    );
    // 120 beats a minute; the next beat is a quarter of a second away.
    let song = EventKind::Transport { bpm: 120.0, beat: 7.5 };
    let [out, _] = play(&mut engine(&ducked), &[(0, song), (0, on(69))], 2 * RATE);
    let level = |seconds: f32| {
        let from = (seconds * RATE as f32) as usize;
        rms(&out[from..from + RATE / 100])
    };
    let full = level(0.2);
    assert!(full > 0.01);
    for beat in [0.25, 0.75, 1.25] {
        assert!(level(beat - 0.02) > 0.98 * full, "before {beat} s: {}", level(beat - 0.02));
        assert!(level(beat + 0.015) < 0.03 * full, "after {beat} s: {}", level(beat + 0.015));
        assert!((0.2..0.9).contains(&(level(beat + 0.2) / full)), "it recovers");
    }
}

/// A patch whose imported response is an echo after a tenth of a second, without the dry sound.
fn echo() -> Patch {
    let mut response = vec![0.0; 4_500];
    response[4_410] = 0.5;
    let imported = Param::ConvolverResponse.info().kind.range().1;
    let settings = [
        (Param::ConvolverOn, 1.0),
        (Param::ConvolverMix, 1.0),
        (Param::ConvolverResponse, imported),
    ];
    let mut patch = with(click(), &settings);
    patch.impulse = Some(ImpulseResponse::encode(&[response], 44_100.0).unwrap());
    patch
}

/// An imported response keeps its time at every sample rate, and survives being saved.
#[test]
fn an_imported_response_sounds_in_its_own_time() {
    let saved = Patch::parse(&echo().to_toml(), "echo.toml").unwrap();
    assert_eq!(saved, echo());
    let dry = with(click(), &[(Param::ConvolverOn, 0.0)]);
    for rate in [44_100.0, 48_000.0, 96_000.0] {
        let frames = (0.2 * rate) as usize;
        let [wet, _] = play(&mut engine_at(rate, &saved), &[(0, on(60))], frames);
        let [dry, _] = play(&mut engine_at(rate, &dry), &[(0, on(60))], frames);
        let delay = (0.1 * rate) as usize;
        assert!(peak(&wet[..delay]) < 0.01 * peak(&dry), "{rate}: nothing before the echo");
        // The response is brought to full level.
        let wrong: Vec<f32> = wet[delay..].iter().zip(&dry).map(|(wet, dry)| wet - dry).collect();
        let off = rms(&wrong) / rms(&dry[..frames - delay]);
        assert!(off < 0.1, "{rate}: {off}");
    }
}

/// Repeatable: after a reset, whatever the blocks, and when other patches came between.
#[test]
fn a_convolver_renders_the_same_again() {
    let hall = with(click(), &[(Param::ConvolverOn, 1.0), (Param::ConvolverMix, 0.7)]);
    let notes = [(0, on(60)), (9_000, set(Param::ConvolverResponse, 3.0)), (12_000, on(64))];
    let mut fresh = engine(&hall);
    let expected = play(&mut fresh, &notes, RATE / 2);
    fresh.reset();
    assert!(play(&mut fresh, &notes, RATE / 2) == expected);
    let mut blocks = [1, 31, 32, 33, 500, 7].into_iter().cycle();
    assert!(play_in_blocks(&mut engine(&hall), &notes, RATE / 2, &mut blocks) == expected);
    let mut other = engine(&echo());
    play(&mut other, &notes, RATE / 4);
    for patch in [&soft(), &echo(), &hall] {
        other.set_patch(0, patch);
    }
    other.reset();
    assert!(play(&mut other, &notes, RATE / 2) == expected);
}

/// The hall of a patch rings out when another hall is loaded; nothing clicks.
#[test]
fn a_convolver_rings_out_after_its_patch() {
    let hall = with(click(), &[(Param::ConvolverOn, 1.0), (Param::ConvolverMix, 1.0)]);
    let mut engine = engine(&hall);
    let [before, _] = play(&mut engine, &[(0, on(60))], RATE / 2);
    engine.set_patch(0, &with(hall, &[(Param::ConvolverResponse, 0.0)]));
    let [tail, _] = play(&mut engine, &[], RATE / 2);
    assert!(rms(&tail[..4_800]) > 0.3 * rms(&before[RATE / 2 - 4_800..]));
    assert!(steepest(&tail[..4_800]) < 1.6 * steepest(&before[RATE / 4..]));
    let mut seconds = 0;
    while !engine.is_silent() {
        play(&mut engine, &[], RATE);
        seconds += 1;
        assert!(seconds < 10, "the hall ends");
    }
}
