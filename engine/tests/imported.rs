//! Imported tables, in sessions that play more of them than there is room for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use myriad_conformance::testing::*;
use myriad_engine::dsp::hash;
use myriad_engine::params::Param;
use myriad_engine::spectrum::{IMPORTED_ROWS, Table};
use myriad_engine::tracks::{DrawnTable, Harmonic, Tracks};
use myriad_engine::{Engine, EventKind, Patch, Playable};
use std::f64::consts::TAU;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: all share the rows of the imported tables.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const PARTIALS: usize = 6;

/// Frames of eleven periods of 440 Hz.
const PERIODS: usize = 1_200;

/// Levels of harmonics, different for every table.
fn levels(table: u32) -> [f32; PARTIALS] {
    std::array::from_fn(|n| {
        let random = hash(table * 8 + n as u32);
        0.1 + (random >> 8) as f32 / (1 << 25) as f32
    })
}

/// The levels of the harmonics in the output, relative to the first.
fn heard(engine: &mut Engine) -> [f32; PARTIALS] {
    let events = [(0, EventKind::AllSoundOff), (0, on(69))];
    let [left, _] = play(engine, &events, PERIODS + 800);
    harmonics(&left[800..])
}

/// The same of a sound of [`PERIODS`] frames.
fn harmonics(sound: &[f32]) -> [f32; PARTIALS] {
    let all = amplitudes(sound);
    all.map(|x| x / all[0])
}

/// The amplitudes of the harmonics of a sound of [`PERIODS`] frames.
fn amplitudes(sound: &[f32]) -> [f32; PARTIALS] {
    let level = |n: usize| {
        let turn = TAU * 11.0 * (n + 1) as f64 / PERIODS as f64;
        let [mut re, mut im] = [0.0; 2];
        for (i, x) in sound.iter().enumerate() {
            let (sin, cos) = (turn * i as f64).sin_cos();
            re += f64::from(*x) * cos;
            im += f64::from(*x) * sin;
        }
        re.hypot(im) as f32
    };
    std::array::from_fn(level)
}

fn expect(engine: &mut Engine, table: u32) {
    let levels = levels(table);
    for (heard, level) in heard(engine).iter().zip(levels) {
        let off = db(*heard) - db(level / levels[0]);
        // Levels are stored in steps of 0.4 dB.
        assert!(off.abs() < 0.45, "table {table}: {off} dB");
    }
}

/// A session that browses thousands of wavetables plays each correctly, without more memory.
#[test]
fn thousands_of_tables_in_one_session_all_sound_right() {
    let _alone = alone();
    // Another engine uses one table all the time.
    let mut other = engine(&imported(&levels(1_000_000), 30));
    let mut session = engine(&Patch::new());
    let mut rows = 0;
    for table in 0..3_000 {
        let frames = 2 + hash(table) as usize % 30;
        rows += 6 + 2 * frames;
        let patch = imported(&levels(table), frames);
        session.set_patch(0, &patch);
        expect(&mut session, table);
        if table % 250 == 0 {
            expect(&mut other, 1_000_000);
            let again = [&mut session, &mut engine(&patch)].map(|engine| {
                engine.set_patch(0, &patch);
                engine.reset();
                play(engine, &[(0, on(50))], 2_000)
            });
            assert!(again[0] == again[1], "as in a new engine");
        }
    }
    assert!(rows > 5 * IMPORTED_ROWS, "{rows}");
    expect(&mut other, 1_000_000);
}

/// A library and an editor's history may contain any number of patches: only those that are played or
/// still fade out need rows.
#[test]
fn only_played_patches_need_rows() {
    let _alone = alone();
    let library: Vec<Patch> =
        (0..60).map(|table| imported(&levels(2_000_000 + table), 500)).collect();
    let mut engine = engine(&library[0]);
    for (table, patch) in library.iter().enumerate() {
        engine.set_patch(0, patch);
        expect(&mut engine, 2_000_000 + table as u32);
    }
}

/// A table that is drawn while a note is held is heard at once, and the note goes on. The former table keeps its rows
/// until the last cloud that reads it was rendered.
#[test]
fn a_table_is_drawn_while_a_note_sounds() {
    let _alone = alone();
    let mut engine = engine(&imported(&levels(5_000_000), 4));
    play(&mut engine, &[(0, on(69))], RATE / 10);
    for table in 5_000_001..5_000_040 {
        let mut drawn = Playable::new(imported(&levels(table), 4));
        engine.exchange_drawn(0, &mut drawn);
        assert_eq!(engine.counters().voices, 1);
        let [sound, _] = play(&mut engine, &[], PERIODS + 800);
        let levels = levels(table);
        for (heard, level) in harmonics(&sound[800..]).iter().zip(levels) {
            let off = db(*heard) - db(level / levels[0]);
            assert!(off.abs() < 0.45, "table {table}: {off} dB");
        }
    }
}

/// A patch whose harmonics are equally loud and have these pans.
fn panned(pans: [f32; PARTIALS]) -> Patch {
    let mut table = DrawnTable::copy(Table::Saw.place(), 440.0, PARTIALS, 2);
    for frame in 0..2 {
        for (harmonic, pan) in table.frame_mut(frame).iter_mut().zip(pans) {
            *harmonic = Harmonic { level: 0.5, tuning: 0.0, decay: 0.0, pan };
        }
    }
    let mut patch = imported(&[1.0; PARTIALS], 2);
    patch.tracks[0] = Some(Tracks::from_bytes(table.encode()).unwrap());
    patch
}

/// Every harmonic is where it was drawn, as loud as in the centre; with unison and a second layer too.
#[test]
fn drawn_pans_are_heard() {
    let _alone = alone();
    let pans = [0.0, -1.0, 1.0, -0.5, 0.5, 0.0];
    let levels = |patch: &Patch| {
        let mut engine = engine(patch);
        let [left, right] = play(&mut engine, &[(0, on(69))], PERIODS + 800);
        [left, right].map(|sound| amplitudes(&sound[800..]))
    };
    let centre = levels(&panned([0.0; PARTIALS]));
    assert_eq!(centre[0], centre[1]);
    let mixed = |mut patch: Patch| {
        // The second layer plays a table of its own, of which little is heard.
        patch.values.set(Param::LayerMode, 1.0);
        patch.values.set(Param::LayerBlend, 0.02);
        patch
    };
    for patch in [panned(pans), mixed(panned(pans))] {
        let [left, right] = levels(&patch);
        for (n, pan) in pans.into_iter().enumerate() {
            let share = std::f32::consts::FRAC_PI_4 * (1.0 + pan);
            let wanted = std::f32::consts::SQRT_2 * centre[0][n];
            let off = [left[n] - wanted * share.cos(), right[n] - wanted * share.sin()];
            assert!(off.iter().all(|off| off.abs() < 0.03 * wanted), "harmonic {n}: {off:?}");
        }
    }
    // Sixteen copies need as many clouds on each side; eight are played.
    let many = with(panned(pans), &[(Param::UnisonVoices, 16.0), (Param::UnisonDetune, 0.0)]);
    let mut engine = engine(&many);
    let [left, right] = play(&mut engine, &[(0, on(69))], PERIODS + 800);
    assert_eq!(engine.counters().clouds, 16);
    let [left, right] = [left, right].map(|sound| amplitudes(&sound[800..]));
    assert!(left[1] > 30.0 * right[1] && right[2] > 30.0 * left[2]);
    assert_eq!(many.most_clouds(), 2 * with(soft(), &[(Param::UnisonVoices, 16.0)]).most_clouds());
}

/// The first pan that is drawn gives a held note clouds for both sides, and the last one takes them away.
#[test]
fn pans_are_drawn_while_a_note_sounds() {
    let _alone = alone();
    let [centre, apart] = [panned([0.0; PARTIALS]), panned([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])];
    let mut engine = engine(&centre);
    play(&mut engine, &[(0, on(69))], RATE / 10);
    for (patch, clouds) in [(&apart, 2), (&centre, 1), (&apart, 2)] {
        engine.exchange_drawn(0, &mut Playable::new(patch.clone()));
        let [left, right] = play(&mut engine, &[], PERIODS + 4_800);
        assert_eq!((engine.counters().voices, engine.counters().clouds), (1, clouds));
        let [left, right] = [left, right].map(|sound| amplitudes(&sound[4_800..]));
        assert_eq!(left[0] > 30.0 * right[0] && right[1] > 30.0 * left[1], clouds == 2);
        assert_eq!(left == right, clouds == 1);
    }
}

/// A fading sound stays the same, even when other tables fill all rows.
#[test]
fn clouds_that_fade_keep_their_table() {
    let _alone = alone();
    let mut slow = imported(&[1.0, 0.0, 0.5], 500);
    slow.values.set(Param::Env1Release, 2.0);
    let silent = Patch::new();
    let fade = |meanwhile: &dyn Fn()| {
        let mut engine = engine(&slow);
        let before = play(&mut engine, &[(0, on(57))], 4_800);
        engine.set_patch(0, &silent);
        // The host pauses here.
        meanwhile();
        let [after, _] = play(&mut engine, &[], 2_400);
        assert!(peak(&after) > 0.01);
        (before, after)
    };
    let expected = fade(&|| {});
    let many = || {
        for table in 0..40 {
            let patch = imported(&levels(3_000_000 + table), 500);
            Playable::new(patch).complete().unwrap();
        }
    };
    assert!(fade(&many) == expected);
}

/// Too many at once are refused with a reason, and those that play continue.
#[test]
fn too_many_tables_are_refused() {
    let _alone = alone();
    let patches = (0..40).map(|table| imported(&levels(4_000_000 + table), 510));
    let all: Vec<Playable> =
        patches.filter_map(|patch| Playable::new(patch).complete().ok()).collect();
    assert!((5..=15).contains(&all.len()), "{}", all.len());
    let patch = imported(&levels(4_999_999), 510);
    let refused = Playable::new(patch.clone()).complete().unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");
    drop(all);
    expect(&mut engine(&patch), 4_999_999);
}
