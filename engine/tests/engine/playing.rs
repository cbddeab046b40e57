//! Keys, pedals, wheels and voice modes.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::{
    Engine, EngineConfig, Event, EventKind, Expression, Patch, PitchSettings, Playable,
};

fn sounding_after(patch: &Patch, events: &[(usize, EventKind)], frames: usize) -> usize {
    let mut engine = engine(patch);
    play(&mut engine, events, frames);
    engine.counters().voices
}

#[test]
fn a_note_starts_on_its_sample_after_the_latency() {
    for start in [0, 1, 31, 32, 100, 1_234] {
        let mut engine = engine(&soft());
        let [out, _] = play(&mut engine, &[(start, on(69))], 4_800);
        let first = out.iter().position(|&x| x != 0.0).unwrap();
        // Level and phase both start at zero, so the first sound is a sample later.
        assert_eq!(first, start + engine.latency() + 1, "start {start}");
    }
}

#[test]
fn notes_are_in_tune_at_every_rate() {
    for rate in [8_000.0, 44_100.0, 96_000.0, 192_000.0] {
        let mut engine = engine_at(rate, &soft());
        let frames = (rate * 0.5) as usize;
        let [out, _] = play(&mut engine, &[(0, on(69))], frames);
        let measured = pitch(&out[frames / 4..]) * rate / RATE as f32;
        assert!((measured - 440.0).abs() < 0.5, "{measured} Hz at {rate}");
    }
}

#[test]
fn velocity_makes_louder() {
    let level = |velocity| {
        let note = EventKind::NoteOn { key: 60, velocity };
        rms(&play(&mut engine(&soft()), &[(0, note)], 9_600)[0])
    };
    assert!(level(1.0) > 1.5 * level(0.5) && level(0.5) > 1.1 * level(0.1));
}

/// Ticks without events are computed together; voices may end in any of them.
#[test]
fn voices_that_end_in_one_block_free_all_their_clouds() {
    let mut patch = soft();
    patch.values.set(Param::UnisonVoices, 3.0);
    let mut engine = engine(&patch);
    let keys = 40..60u8;
    let starts = keys.clone().map(|key| (0, on(key)));
    // Each is released 32 frames after the one before, the highest voice first.
    let ends = keys.rev().enumerate().map(|(index, key)| (4_800 + 32 * index, off(key)));
    play(&mut engine, &starts.chain(ends).collect::<Vec<_>>(), 48_000);
    assert_eq!((engine.counters().voices, engine.counters().clouds), (0, 0));
}

#[test]
fn the_sustain_pedal_holds_until_it_is_lifted() {
    let pedal = [(0, cc(64, 1.0)), (10, on(60)), (1_000, off(60))];
    assert_eq!(sounding_after(&soft(), &pedal, 24_000), 1);
    let lifted = [pedal.as_slice(), &[(2_000, cc(64, 0.0))]].concat();
    assert_eq!(sounding_after(&soft(), &lifted, 24_000), 0);
}

#[test]
fn sostenuto_holds_only_what_was_down() {
    let events =
        [(0, on(60)), (100, cc(66, 1.0)), (200, on(64)), (1_000, off(60)), (1_000, off(64))];
    assert_eq!(sounding_after(&soft(), &events, 24_000), 1);
    let lifted = [events.as_slice(), &[(2_000, cc(66, 0.0))]].concat();
    assert_eq!(sounding_after(&soft(), &lifted, 24_000), 0);
}

#[test]
fn all_notes_off_respects_the_pedal_and_reset_lifts_it() {
    let held = [(0, cc(64, 1.0)), (0, on(60)), (500, EventKind::AllNotesOff)];
    assert_eq!(sounding_after(&soft(), &held, 24_000), 1);
    let reset = [held.as_slice(), &[(1_000, cc(121, 0.0))]].concat();
    assert_eq!(sounding_after(&soft(), &reset, 24_000), 0);
    assert_eq!(sounding_after(&soft(), &[(0, on(60)), (500, cc(123, 0.0))], 24_000), 0);
}

#[test]
fn bend_reaches_its_range_and_midi_can_set_it() {
    let measured = |events: &[(usize, EventKind)]| {
        let out = play(&mut engine(&soft()), events, 38_400);
        pitch(&out[0][9_600..9_600 + (1 << 14)])
    };
    let two = measured(&[(0, on(60)), (0, EventKind::PitchBend(1.0))]);
    assert!((two / hertz(62.0) - 1.0).abs() < 1e-3);
    let range = [(0, cc(101, 0.0)), (0, cc(100, 0.0)), (0, cc(6, 12.0 / 127.0))];
    let events = [range.as_slice(), &[(0, on(60)), (0, EventKind::PitchBend(-1.0))]].concat();
    assert!((measured(&events) / hertz(48.0) - 1.0).abs() < 1e-3);
}

#[test]
fn expression_affects_only_its_note() {
    let pitch_of = |events: &[(usize, EventKind)]| {
        let out = play(&mut engine(&soft()), events, 38_400);
        pitch(&out[0][9_600..9_600 + (1 << 14)])
    };
    let express = |key, kind, value| EventKind::NoteExpression { key, kind, value };
    let up = [(0, on(60)), (10, express(60, Expression::Pitch, 0.5))];
    assert!((pitch_of(&up) / hertz(60.5) - 1.0).abs() < 1e-3);
    let other = [(0, on(60)), (10, express(61, Expression::Pitch, 0.5))];
    assert!((pitch_of(&other) / hertz(60.0) - 1.0).abs() < 1e-3);
    let [left, right] = play(
        &mut engine(&soft()),
        &[(0, on(60)), (10, express(60, Expression::Pan, -1.0))],
        19_200,
    );
    assert!(rms(&left[9_600..]) > 0.01 && rms(&right[9_600..]) < 1e-6);
}

#[test]
fn mono_plays_one_note_and_falls_back_to_the_key_still_down() {
    for mode in [1.0, 2.0] {
        let mut engine = engine(&with(soft(), &[(Param::VoiceMode, mode)]));
        let events = [(0, on(60)), (4_800, on(67)), (24_000, off(67))];
        let [out, _] = play(&mut engine, &events, 60_000);
        assert_eq!(engine.counters().voices, 1);
        assert!((pitch(&out[7_000..7_000 + 16_384]) / hertz(67.0) - 1.0).abs() < 1e-3);
        assert!((pitch(&out[30_000..30_000 + 16_384]) / hertz(60.0) - 1.0).abs() < 1e-3);
    }
}

#[test]
fn legato_ties_notes_and_glide_takes_its_time() {
    let legato = with(soft(), &[(Param::VoiceMode, 2.0), (Param::PitchGlide, 0.5)]);
    let [out, _] = play(&mut engine(&legato), &[(0, on(48)), (9_600, on(60))], 60_000);
    // Half-way through a glide in semitones it is half-way up.
    let middle = 9_600 + 12_000;
    let measured = pitch(&out[middle - 1_024..middle + 1_024]);
    assert!((measured / hertz(54.0) - 1.0).abs() < 0.03, "{measured} Hz");
    assert!((pitch(&out[40_000..40_000 + 16_384]) / hertz(60.0) - 1.0).abs() < 1e-3);
}

#[test]
fn stealing_takes_released_voices_first_then_the_quietest() {
    let three = with(soft(), &[(Param::VoiceLimit, 3.0), (Param::Env1Release, 5.0)]);
    let loud = |key| EventKind::NoteOn { key, velocity: 1.0 };
    let quiet = |key| EventKind::NoteOn { key, velocity: 0.2 };
    let level_at = |out: &[f32], key: f32| {
        let (levels, _) = spectrum(&out[24_000..24_000 + (1 << 15)]);
        levels[(hertz(key) / RATE as f32 * (1 << 15) as f32).round() as usize]
    };
    // 40 is released: it is stolen, though louder than 47.
    let events =
        [(0, loud(40)), (0, quiet(47)), (0, loud(54)), (4_800, off(40)), (9_600, loud(61))];
    let [out, _] = play(&mut engine(&three), &events, 60_000);
    assert!(level_at(&out, 40.0) < -90.0 && level_at(&out, 47.0) > -60.0);
    // None is released: the quiet one is stolen.
    let events = [(0, loud(40)), (0, quiet(47)), (0, loud(54)), (9_600, loud(61))];
    let mut engine = engine(&three);
    let [out, _] = play(&mut engine, &events, 60_000);
    assert!(level_at(&out, 47.0) < -90.0 && level_at(&out, 40.0) > -60.0);
    assert_eq!(engine.counters().voices_stolen, 1);
}

#[test]
fn floods_of_notes_end_in_silence() {
    let wide = [(Param::UnisonVoices, 16.0), (Param::VoiceLimit, 1024.0)];
    let mut engine = engine(&with(soft(), &wide));
    let mut events: Vec<(usize, EventKind)> = Vec::new();
    for i in 0..3_000 {
        events.push((i, on((i % 128) as u8)));
        events.push((i + 10, off((i % 128) as u8)));
    }
    events.sort_by_key(|event| event.0);
    let [left, right] = play(&mut engine, &events, 48_000);
    assert!(peak(&left).max(peak(&right)) <= 1.0);
    assert!(engine.is_silent() && engine.counters().clouds == 0);
}

#[test]
fn invalid_values_are_clamped() {
    let invalid = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -5.0];
    let mut events = vec![(0, on(60))];
    for (i, &value) in invalid.iter().enumerate() {
        let (key, velocity, bpm, beat) = (255, value, value, f64::from(value));
        let mut kinds = vec![
            EventKind::PitchBend(value),
            EventKind::ChannelPressure(value),
            EventKind::PolyPressure { key: 200, value },
            EventKind::NoteOn { key, velocity },
            EventKind::NoteOff { key, velocity },
            EventKind::Transport { bpm, beat },
        ];
        kinds.extend((0..128).map(|number| cc(number, value)));
        kinds.extend(Param::ALL.iter().map(|&param| set(param, value)));
        let express = |kind| EventKind::NoteExpression { key: 60, kind, value };
        kinds.extend(
            [Expression::Pitch, Expression::Level, Expression::Pan, Expression::Brightness]
                .map(express),
        );
        events.extend(kinds.into_iter().map(|kind| (100 * i, kind)));
    }
    let out = play(&mut engine(&soft()), &events, 9_600);
    assert!(out.iter().flatten().all(|x| x.is_finite() && x.abs() <= 1.0));
}

#[test]
fn stems_add_up_to_the_mix() {
    let config = EngineConfig { parts: 3, stems: true, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    (0..3).for_each(|part| engine.set_patch(part, &myriad_engine::factory::patches()[part]));
    // Loud enough for the limiter to act.
    let events: Vec<Event> = (0..30)
        .map(|i| Event {
            frame: 0,
            part: i % 3,
            kind: EventKind::NoteOn { key: 30 + i, velocity: 1.0 },
        })
        .collect();
    let (mut left, mut right) = (vec![0.0; 4_800], vec![0.0; 4_800]);
    engine.render(&events, &mut left, &mut right);
    for (side, mix) in [&left, &right].into_iter().enumerate() {
        for (frame, mix) in mix.iter().enumerate() {
            let sum: f32 = (0..3).map(|part| engine.stem(part)[side][frame]).sum();
            assert!((sum - mix).abs() < 1e-6);
        }
    }
    assert!(peak(&left) > 0.05);
}

#[test]
fn invalid_configurations_are_refused_with_a_reason() {
    let refused = |change: fn(&mut EngineConfig)| {
        let mut config = EngineConfig::default();
        change(&mut config);
        Engine::new(&config).err().unwrap().to_string()
    };
    assert!(refused(|config| config.sample_rate = 1.0).contains("outside 1000 to 768000"));
    assert!(refused(|config| config.sample_rate = f32::NAN).contains("sample rate"));
    assert!(refused(|config| config.parts = 0).contains("parts must be 1 to 64"));
    assert!(refused(|config| config.voices = 1 << 40).contains("voices"));
}

#[test]
fn unusual_sample_rates_play() {
    for rate in [1_234.567_8, 12_345.678, 384_000.0, 768_000.0] {
        let mut engine = engine_at(rate, &Patch::new());
        let [out, _] = play(&mut engine, &[(7, on(45)), (9, on(90))], 9_600);
        assert!(out.iter().all(|x| x.is_finite()) && peak(&out) > 0.01, "{rate}");
    }
}

#[test]
fn a_choked_note_ends_and_others_continue() {
    let events = [(0, on(60)), (0, on(64)), (4_000, EventKind::NoteChoke { key: 60 })];
    assert_eq!(sounding_after(&soft(), &events, 4_800), 1);
}

#[test]
fn a_note_can_be_modulated_alone_until_it_ends() {
    let bend = |key, offset| EventKind::NoteModulation { key, param: Param::PitchTune, offset };
    // The knob goes 48 semitones; a quarter of it is an octave.
    let mut engine = engine(&soft());
    let [out, _] =
        play(&mut engine, &[(0, on(57)), (0, bend(57, 0.25)), (0, bend(50, 0.5))], 24_000);
    let measured = pitch(&out[12_000..]);
    assert!((measured - 440.0).abs() < 0.5, "{measured}");
    // The next note of the key starts without it.
    let [out, _] = play(&mut engine, &[(0, EventKind::AllSoundOff), (2_000, on(57))], 24_000);
    let measured = pitch(&out[12_000..]);
    assert!((measured - 220.0).abs() < 0.5, "{measured}");
}

#[test]
fn swapped_patches_and_values_sound_as_set_ones() {
    let louder = with(soft(), &[(Param::AmpLevel, 0.0)]);
    let expected = play(&mut engine(&louder), &[(0, on(60))], 4_800);
    let mut swapped = engine(&Patch::new());
    let mut patch = Playable::new(louder.clone());
    swapped.exchange_patch(0, &mut patch);
    assert_eq!(*patch, Patch::new(), "the previous patch is returned");
    assert_eq!(play(&mut swapped, &[(0, on(60))], 4_800), expected);
    let mut set = engine(&soft());
    set.set_values(0, &louder.values);
    set.reset();
    assert_eq!(play(&mut set, &[(0, on(60))], 4_800), expected);
    assert_eq!([set.keys(0), set.keys(1)], [1 << 60, 0]);
}

/// Onsets in a second of output, in steps of 5 ms.
fn onsets(patch: &myriad_engine::Patch, events: &[(usize, EventKind)]) -> Vec<usize> {
    let out = play(&mut engine(patch), events, RATE);
    let levels: Vec<f32> = out[0].chunks(240).map(rms).collect();
    let rises = |w: &[f32]| w[1] > 3.0 * w[0] + 1e-3;
    let rising = levels.windows(2).enumerate().filter(|(_, w)| rises(w));
    let mut onsets: Vec<usize> = rising.map(|(at, _)| at + 1).collect();
    onsets.dedup_by(|a, b| *a - *b < 4);
    onsets
}

#[test]
fn the_arpeggiator_plays_in_time() {
    let settings = [
        (Param::ArpMode, 1.0),
        (Param::ArpRate, 1.0), // Eighths: a quarter of a second at 120.
        (Param::ArpGate, 0.5),
        (Param::Env1Attack, 0.0),
        (Param::Env1Release, 0.01),
    ];
    let mut arp = with(soft(), &settings);
    let chord = [(1_000, on(60)), (1_040, on(67)), (1_100, on(64))];
    let steps = onsets(&arp, &chord);
    assert_eq!(steps.len(), 4, "{steps:?}");
    let apart: Vec<usize> = steps.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(apart.iter().all(|step| (49..=51).contains(step)), "{apart:?}");
    // One note at a time, from below.
    let out = play(&mut engine(&arp), &chord, RATE);
    for (step, key) in [(0, 60.0), (1, 64.0), (2, 67.0), (3, 60.0)] {
        let from = step * RATE / 4 + 2_000;
        let heard = pitch(&out[0][from..from + 4_096]);
        assert!((heard / hertz(key) - 1.0).abs() < 0.03, "step {step}: {heard}");
    }
    // In a song, the second step is on the beat although the first was late.
    let song = EventKind::Transport { bpm: 120.0, beat: 7.9 };
    let late = onsets(&arp, &[(0, song), (4_800, on(60))]);
    assert!((late[1] as i64 - 60).abs() <= 1, "{late:?}");
    // It ends with the keys, unless it is held.
    let ended = onsets(&arp, &[(1_000, on(60)), (6_000, off(60))]);
    assert_eq!(ended.len(), 1);
    arp.values.set(Param::ArpHold, 1.0);
    let held = onsets(&arp, &[(1_000, on(60)), (6_000, off(60))]);
    assert_eq!(held.len(), 4);
}

/// A pattern of four eighths: loud, a rest, soft, and the soft one held on.
#[test]
fn the_arpeggiator_follows_its_pattern() {
    let settings = [
        (Param::ArpMode, 1.0),
        (Param::ArpRate, 1.0),
        (Param::ArpGate, 0.5),
        (Param::ArpPattern, 4.0),
        (Param::Step2Velocity, 0.0),
        (Param::Step3Velocity, 0.3),
        (Param::Step4Tie, 1.0),
        (Param::AmpVelocity, 1.0),
        (Param::Env1Attack, 0.0),
        (Param::Env1Release, 0.01),
    ];
    let arp = with(soft(), &settings);
    let [out, _] = play(&mut engine(&arp), &[(0, on(60)), (0, on(64))], 2 * RATE);
    // A level in the middle of the first and of the second half of every step.
    let level = |step: usize, half: usize| {
        let from = step * RATE / 4 + half * RATE / 8 + RATE / 32;
        rms(&out[from..from + RATE / 16])
    };
    for round in [0, 4] {
        let loud = level(round, 0);
        assert!(loud > 0.01 && level(round, 1) < 0.01 * loud, "the gate is a half");
        assert!(level(round + 1, 0) < 0.01 * loud, "a rest");
        let soft = level(round + 2, 0);
        assert!((0.02..0.6).contains(&(soft / loud)), "a softer step: {}", soft / loud);
        assert!(level(round + 2, 1) > 0.5 * soft, "it is held up to the next step");
        assert!(level(round + 3, 0) > 0.5 * soft, "and through it");
        assert!(level(round + 3, 1) < 0.05 * soft, "where it ends");
    }
    // Rests and ties use up no note: the soft step is the second of the chord.
    let heard = pitch(&out[RATE / 2 + 2_000..RATE / 2 + 2_000 + 4_096]);
    assert!((heard / hertz(64.0) - 1.0).abs() < 0.03, "{heard}");
    // A chance of nothing is silence; of everything, every step.
    let none: Vec<(Param, f32)> =
        (0..4).map(|step| (Param::ALL[Param::Step1Chance as usize + 4 * step], 0.0)).collect();
    let [silent, _] = play(&mut engine(&with(arp, &none)), &[(0, on(60))], RATE);
    assert_eq!(peak(&silent), 0.0);
}

#[test]
fn a_key_plays_and_releases_its_chord() {
    let chord = with(soft(), &[(Param::Chord1, 7.0), (Param::Chord2, -12.0)]);
    assert_eq!(sounding_after(&chord, &[(0, on(60))], 9_600), 3);
    assert_eq!(sounding_after(&chord, &[(0, on(60)), (9_600, off(60))], 38_400), 0);
}

#[test]
fn zones_limit_keys_and_velocities() {
    let limits =
        [(Param::ZoneLowKey, 48.0), (Param::ZoneHighKey, 59.0), (Param::ZoneHighVelocity, 0.9)];
    let zone = with(soft(), &limits);
    let keys = [(0, on(47)), (0, on(48)), (0, on(59)), (0, on(60))];
    assert_eq!(sounding_after(&zone, &keys, 9_600), 2);
    let hard = EventKind::NoteOn { key: 50, velocity: 1.0 };
    assert_eq!(sounding_after(&zone, &[(0, hard)], 9_600), 0);
}

#[test]
fn glide_modes_legato_and_rate() {
    let pitch_soon = |mode: f32, first_ends: usize, to: u8| {
        let settings =
            [(Param::PitchGlide, 1.0), (Param::PitchGlideMode, mode), (Param::SourcePartials, 1.0)];
        let glide = with(soft(), &settings);
        let events = [(0, on(60)), (first_ends, off(60)), (12_000, on(to))];
        let mut events = events.to_vec();
        events.sort_by_key(|event| event.0);
        events.push((12_001, off(60)));
        let out = play(&mut engine(&glide), &events, 48_000);
        // A fifth of a second into the glide.
        12.0 * (pitch(&out[0][19_600..23_696]) / hertz(60.0)).log2()
    };
    // There is no legato glide after the first note has ended.
    assert!((pitch_soon(2.0, 4_000, 72) - 12.0).abs() < 0.1);
    assert!(pitch_soon(2.0, 30_000, 72) < 6.0);
    // By rate, two octaves take twice as long, so both have moved equally far.
    let (one, two) = (pitch_soon(1.0, 4_000, 72), pitch_soon(1.0, 4_000, 84));
    assert!((one - two).abs() < 0.3, "{one} {two}");
    let (one, two) = (pitch_soon(0.0, 4_000, 72), pitch_soon(0.0, 4_000, 84));
    assert!(two > 1.7 * one, "{one} {two}");
}

const JUST: &str = "Just\n 7\n 9/8\n 5/4\n 4/3\n 3/2\n 5/3\n 15/8\n 2\n";

/// The pitch of a second of sound relative to `hertz`, in cents.
fn cents(out: &[f32], from: usize, hertz: f32) -> f32 {
    1_200.0 * (pitch(&out[from..from + (1 << 14)]) / hertz).log2()
}

/// The patch's scale tunes its keys; that of the instance wins; none is equal temperament.
#[test]
fn a_scale_tunes_the_keys() {
    let tune = |text: &str| format!("format = 3\nname = \"x\"\n{text}");
    let mut patch = soft();
    let parsed = myriad_engine::Patch::parse(
        &tune(&format!("[tuning]\nname = \"mine\"\nscale = \"{}\"", JUST.replace('\n', "\\n"))),
        "x",
    );
    patch.tuning = parsed.unwrap().tuning;
    let mut tuned = engine(&patch);
    let out = play(&mut tuned, &[(0, on(64))], 48_000);
    let fifth = 1.5 * hertz(60.0);
    assert!(cents(&out[0], 9_600, fifth).abs() < 2.0);
    tuned.reset();
    let pythagorean = myriad_engine::ScaleSetting::built_in("pythagorean").unwrap();
    let tuning = Some(*pythagorean.tuning());
    tuned.set_pitch_settings(&PitchSettings { tuning, ..PitchSettings::default() });
    let out = play(&mut tuned, &[(0, on(64))], 48_000);
    assert!(cents(&out[0], 9_600, 81.0 / 64.0 * hertz(60.0)).abs() < 2.0);
    tuned.reset();
    tuned.set_pitch_settings(&PitchSettings::default());
    tuned.set_patch(0, &soft());
    let out = play(&mut tuned, &[(0, on(64))], 48_000);
    assert!(cents(&out[0], 9_600, hertz(64.0)).abs() < 2.0);
}

/// Tunings of patches survive being written, and errors say where they are.
#[test]
fn a_patch_keeps_its_tuning() {
    let read = |tuning: &str| {
        let text = format!("format = 3\nname = \"x\"\n[tuning]\n{tuning}\n");
        myriad_engine::Patch::parse(&text, "x")
    };
    for tuning in [
        "name = \"Werckmeister III\"".to_owned(),
        "name = \"31 equal\"\nkeyboard = \"0\\n0\\n127\\n69\\n69\\n432.0\\n31\\n\"".to_owned(),
        format!("name = \"a \\\"b\\\"\"\nscale = \"{}\"", JUST.replace('\n', "\\n")),
    ] {
        let patch = read(&tuning).unwrap();
        assert!(patch.tuning.is_some());
        let again = myriad_engine::Patch::parse(&patch.to_toml(), "again").unwrap();
        assert_eq!(again, patch);
    }
    assert!(!read("name = \"31 equal\"").unwrap().to_toml().contains("scale"));
    for (tuning, words) in [
        ("name = \"Werkmeister III\"", "x:4: tuning.name: no built-in scale"),
        ("scale = \"x\\n1\\nhigh\"", "x:4: tuning.scale: line 3"),
        ("name = \"5 equal\"\nkeyboard = \"12\"", "x:5: tuning.keyboard: line 1"),
        ("keyboard = \"12\"", "x:4: tuning.keyboard: a keyboard map needs"),
        ("scales = \"x\"", "x:4: tuning.scales: no such key"),
        ("name = 3", "x:4: tuning.name: expected text"),
    ] {
        let error = read(tuning).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

/// A note that is held glides to its pitch in another tuning; a key without a pitch plays nothing.
#[test]
fn held_notes_follow_another_tuning() {
    let mut engine = engine(&soft());
    let at = |a: f64| {
        let hertz = std::array::from_fn(|key| a * ((key as f64 - 69.0) / 12.0).exp2());
        myriad_engine::Tuning::from_hertz(&hertz, 1 << 71)
    };
    engine.follow_tuning(Some(&at(440.0)));
    let out = play(&mut engine, &[(0, on(69))], 48_000);
    assert!(cents(&out[0], 9_600, 440.0).abs() < 2.0);
    engine.follow_tuning(Some(&at(415.0)));
    let settings = PitchSettings { tuning: Some(at(500.0)), ..PitchSettings::default() };
    engine.set_pitch_settings(&settings);
    let bent = play(&mut engine, &[], 48_000);
    assert!(cents(&bent[0], 4_800, 415.0).abs() < 2.0);
    let step = |out: &[f32]| out.windows(2).map(|x| (x[1] - x[0]).abs()).fold(0.0, f32::max);
    assert!(step(&bent[0]) < 1.1 * step(&out[0][9_600..]), "a step in the sound");
    engine.set_pitch_settings(&PitchSettings { ignores_followed: true, ..settings });
    let out = play(&mut engine, &[], 48_000);
    assert!(cents(&out[0], 4_800, 500.0).abs() < 2.0);
    engine.set_pitch_settings(&settings);
    engine.follow_tuning(None);
    let out = play(&mut engine, &[], 48_000);
    assert!(cents(&out[0], 4_800, 500.0).abs() < 2.0);
    engine.reset();
    let out = play(&mut engine, &[(0, on(71))], 9_600);
    assert_eq!(rms(&out[0]), 0.0);
}

/// The bend range of the instance wins over the patch's, and a controller's message over both.
#[test]
fn the_bend_range_of_the_instance_wins() {
    let bent = |bend_range: Option<f32>, message: bool| {
        let mut engine = engine(&with(soft(), &[(Param::PitchBend, 2.0)]));
        engine.set_pitch_settings(&PitchSettings { bend_range, ..PitchSettings::default() });
        let mut events = vec![(0, EventKind::PitchBend(1.0))];
        if message {
            let data = [(101, 0.0), (100, 0.0), (6, 7.0 / 127.0)];
            events.extend(data.map(|(cc, value)| (0, EventKind::Control { cc, value })));
        }
        events.push((0, on(57)));
        let out = play(&mut engine, &events, 48_000);
        12.0 * (pitch(&out[0][19_200..19_200 + (1 << 14)]) / hertz(57.0)).log2()
    };
    for (range, message, expected) in
        [(None, false, 2.0), (Some(12.0), false, 12.0), (None, true, 7.0), (Some(12.0), true, 7.0)]
    {
        let got = bent(range, message);
        assert!((got - expected).abs() < 0.02, "{range:?} {message}: {got}");
    }
}

/// With balance, tilt does not change the loudness.
#[test]
fn balance_keeps_tilted_sounds_as_loud() {
    let level = |tilt: f32, balance: f32| {
        let settings = [
            (Param::SourcePosition, 1.0),
            (Param::SourcePartials, 200.0),
            (Param::ShapeTilt, tilt),
            (Param::AmpLevel, -30.0),
            (Param::ShapeBalance, balance),
        ];
        let patch = with(soft(), &settings);
        let out = play(&mut engine(&patch), &[(0, on(48))], 24_000);
        db(rms(&out[0][9_600..]))
    };
    for tilt in [-6.0, 3.0, 6.0] {
        assert!((level(tilt, 1.0) - level(0.0, 1.0)).abs() < 1.5, "{tilt}");
    }
    assert!(level(6.0, 0.0) > level(0.0, 0.0) + 6.0);
}

/// With any number of copies, left and right are equally loud.
#[test]
fn unison_is_balanced() {
    for copies in 1..=16 {
        let settings = [
            (Param::UnisonVoices, copies as f32),
            (Param::UnisonSpread, 1.0),
            (Param::UnisonDetune, 60.0),
            (Param::SourceScatter, 1.0),
        ];
        let patch = with(soft(), &settings);
        let [left, right] = play(&mut engine(&patch), &[(0, on(60))], 2 * RATE);
        let lean = db(rms(&left[RATE / 2..])) - db(rms(&right[RATE / 2..]));
        assert!(lean.abs() < 2.5, "{copies} copies differ by {lean} dB");
    }
}

/// A caller may send more events than a tick can hold; its notes end all the same.
#[test]
fn a_tick_full_of_events_leaves_no_note_behind() {
    let mut engine = engine(&soft());
    let mut flood = vec![(0, cc(64, 1.0)), (0, on(60))];
    flood.extend([(0, EventKind::PitchBend(0.1)); 5_000]);
    flood.push((0, off(60)));
    flood.push((0, cc(64, 0.0)));
    play(&mut engine, &flood, RATE);
    let counters = engine.counters();
    assert_eq!((counters.voices, counters.events_dropped), (0, 908));
}
