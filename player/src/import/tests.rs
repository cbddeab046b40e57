//! Known sounds through the analysis and the engine, compared with the original.

use super::recording::analyse;
use super::sound::{self, Sound};
use super::*;
use myriad_conformance::{in_blocks, relative_db};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, EventKind};

const RATE: usize = 48_000;

fn sound(seconds: f64, wave: impl Fn(f64) -> f64) -> Sound {
    let frames = (seconds * RATE as f64) as usize;
    let samples = (0..frames).map(|i| wave(i as f64 / RATE as f64) as f32);
    Sound { rate: RATE as f64, samples: samples.collect(), cycle: None }
}

/// Harmonics of `hertz(t)`, whose integral is `turns`, falling by `slope`.
fn harmonics(turns: f64, count: i32, slope: f64) -> f64 {
    let partial = |n: i32| {
        let n = f64::from(n);
        (std::f64::consts::TAU * (n * turns + 0.13 * n * n)).sin() * n.powf(-slope)
    };
    0.2 * (1..=count).map(partial).sum::<f64>()
}

/// Plays the imported patch at the pitch of its recording, without noise.
fn played(imported: &Imported, frames: usize) -> Vec<f32> {
    let mut patch = imported.patch.clone();
    let key = patch.tracks[0].as_ref().unwrap().key();
    let off = key - key.round();
    patch.values.set(Param::PitchTune, off);
    patch.values.set(Param::ShapeBandwidth, 0.0);
    patch.values.set(Param::SourceLoop, 0.0);
    let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, &patch);
    let note = EventKind::NoteOn { key: key.round() as u8, velocity: 1.0 };
    let latency = engine.latency();
    let [left, _] = in_blocks(
        &[(0, note)],
        frames + latency,
        |_| 256,
        |now, l, r| {
            engine.render(now, l, r);
        },
    );
    left[latency..].to_vec()
}

/// Signal-to-noise ratio of `heard` against `recorded` in decibels, at the best gain.
fn snr(recorded: &[f32], heard: &[f32]) -> f64 {
    let product =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum() };
    let gain = (product(recorded, heard) / product(heard, heard)) as f32;
    let off: Vec<f32> = recorded.iter().zip(heard).map(|(a, b)| a - gain * b).collect();
    -relative_db(&off, recorded)
}

/// Through analysis, file and engine: the SNR between two times.
fn round_trip(sound: &Sound, from: f64, to: f64) -> f64 {
    let mut imported = recording::import(sound, None, "test").unwrap();
    imported.patch = Patch::parse(&imported.patch.to_toml(), "test.toml").unwrap();
    let trimmed = sound.trimmed().unwrap();
    let heard = played(&imported, trimmed.samples.len());
    let [from, to] = [from, to].map(|time| (time * RATE as f64) as usize);
    snr(&trimmed.samples[from..to], &heard[from..to])
}

#[test]
fn sustained_tones_come_back() {
    for hertz in [65.3, 220.0, 441.7, 1_234.5] {
        let tone = sound(1.5, |t| harmonics(hertz * t, 30.min((20_000.0 / hertz) as i32), 1.0));
        let db = round_trip(&tone, 0.1, 1.4);
        println!("{hertz} Hz: {db:.1} dB");
        assert!(db > 25.0, "{hertz} Hz: {db:.1} dB");
    }
}

#[test]
fn vibrato_and_swells_come_back() {
    let turns = |t: f64| {
        330.0
            * (t - 0.012 / (5.5 * std::f64::consts::TAU) * (5.5 * std::f64::consts::TAU * t).cos())
    };
    let tone = sound(1.5, |t| (0.6 + 0.4 * (9.0 * t).sin()) * harmonics(turns(t), 20, 1.2));
    let db = round_trip(&tone, 0.1, 1.4);
    println!("vibrato: {db:.1} dB");
    assert!(db > 20.0, "{db:.1} dB");
}

#[test]
fn a_stiff_string_comes_back_with_its_attack() {
    let partial = |n: f64, t: f64| {
        let hertz = 147.0 * n * (1.0 + 0.0004 * n * n).sqrt();
        (std::f64::consts::TAU * hertz * t).sin() * (-t * (1.0 + 0.4 * n)).exp() / n
    };
    let tone = sound(1.5, |t| 0.2 * (1..=25).map(|n| partial(f64::from(n), t)).sum::<f64>());
    let (all, attack) = (round_trip(&tone, 0.05, 1.0), round_trip(&tone, 0.003, 0.05));
    println!("string: {all:.1} dB, its attack {attack:.1} dB");
    assert!(all > 20.0 && attack > 10.0, "{all:.1} dB, {attack:.1} dB");
}

#[test]
fn the_residual_becomes_noise() {
    let mut state = 1_u32;
    let mut hiss = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state) / f64::from(u32::MAX) - 0.5
    };
    let mut noisy = sound(1.0, |t| harmonics(300.0 * t, 10, 1.0));
    let clean = analyse(&noisy, 300.0).snr();
    noisy.samples.iter_mut().for_each(|x| *x += (0.05 * hiss()) as f32);
    let with_noise = analyse(&noisy, 300.0).snr();
    println!("clean {clean:.1} dB, noisy {with_noise:.1} dB");
    assert!(clean > 40.0 && (10.0..32.0).contains(&with_noise));
    let imported = recording::import(&noisy, None, "noisy").unwrap();
    assert!(imported.patch.values[Param::ShapeBandwidth] > 0.0);
}

#[test]
fn wavetables_come_back_at_every_frame() {
    // From a saw to a square in eight cycles.
    let cycle = |k: usize, i: usize| {
        let t = i as f64 / 2_048.0;
        let partial = |n: i32| {
            let share = if n % 2 == 0 { 1.0 - k as f64 / 7.0 } else { 1.0 };
            share * (std::f64::consts::TAU * f64::from(n) * t).sin() / f64::from(n)
        };
        (1..=40).map(partial).sum::<f64>()
    };
    let samples = (0..8).flat_map(|k| (0..2_048).map(move |i| 0.3 * cycle(k, i) as f32));
    let table = Sound { rate: 48_000.0, samples: samples.collect(), cycle: None };
    let imported = wavetable::import(&table, None, "waves").unwrap();
    assert_eq!(imported.patch.values[Param::SourcePartials], 40.0);
    for (position, k) in [(0.0, 0), (1.0, 7)] {
        let mut at = wavetable::import(&table, None, "waves").unwrap();
        at.patch.values.set(Param::SourcePosition, position);
        // A cycle at 48 kHz is 23.4 Hz; it is heard at 110.
        let heard = played(&at, RATE);
        let wave = sound(1.0, |t| {
            let index = (110.0 * t).fract() * 2_048.0;
            cycle(k, index as usize)
                + (cycle(k, index as usize + 1) - cycle(k, index as usize)) * index.fract()
        });
        let db = snr(&wave.samples[4_800..40_000], &heard[4_800..40_000]);
        println!("frame {k}: {db:.1} dB");
        assert!(db > 25.0, "frame {k}: {db:.1} dB");
    }
    for (cycle, works) in [(Some(2_048), true), (Some(600), true), (Some(3), false)] {
        assert_eq!(wavetable::import(&table, cycle, "waves").is_ok(), works);
    }
}

#[test]
fn errors_have_messages() {
    let said = |result: Result<Imported, ImportError>| result.err().unwrap().to_string();
    let silence = sound(1.0, |_| 0.0);
    assert_eq!(said(recording::import(&silence, None, "")), "nothing but silence");
    let click = sound(0.01, |t| (3_000.0 * t).sin());
    assert!(said(recording::import(&click, None, "")).starts_with("too short"));
    let mut state = 1_u32;
    let hiss = sound(1.0, |_| 0.0);
    let hiss = Sound {
        samples: hiss
            .samples
            .iter()
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect(),
        ..hiss
    };
    assert!(said(recording::import(&hiss, None, "")).starts_with("no pitch"));
}

#[test]
fn a_declared_cycle_length_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waves.wav");
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&path, spec).unwrap();
    (0..1_024).for_each(|i| writer.write_sample((i % 512) as i16).unwrap());
    writer.finalize().unwrap();
    assert_eq!(sound::read(&path).unwrap().cycle, None);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(b"clm \x0c\0\0\0<!>512 10000");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(sound::read(&path).unwrap().cycle, Some(512));
}
