//! Known sounds through the analysis and the engine, compared with the original.

use super::recording::analyse;
use super::*;
use myriad_conformance::{in_blocks, relative_db};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, EventKind};

const RATE: usize = 48_000;

fn sound(seconds: f64, wave: impl Fn(f64) -> f64) -> Sound {
    let frames = (seconds * RATE as f64) as usize;
    let samples = (0..frames).map(|i| wave(i as f64 / RATE as f64) as f32);
    Sound { rate: RATE as f64, samples: samples.collect(), cycle: None, channel_power: 1.0 }
}

/// Harmonics of `hertz(t)`, whose integral is `turns`, falling by `slope`.
fn harmonics(turns: f64, count: i32, slope: f64) -> f64 {
    let partial = |n: i32| {
        let n = f64::from(n);
        (std::f64::consts::TAU * (n * turns + 0.13 * n * n)).sin() * n.powf(-slope)
    };
    0.2 * (1..=count).map(partial).sum::<f64>()
}

fn imported(sound: &Sound, name: &str) -> Result<Imported, ImportError> {
    recording::import(sound, None, None, name, &Progress::default())
}

/// Plays the imported patch at the pitch of its recording, without noise.
fn played(imported: &Imported, frames: usize) -> Vec<f32> {
    played_at(imported, frames, 1.0)
}

fn played_at(imported: &Imported, frames: usize, velocity: f32) -> Vec<f32> {
    let mut patch = imported.patch.clone();
    let key = patch.tracks[0].as_ref().unwrap().key();
    let off = key - key.round();
    patch.values.set(Param::PitchTune, off);
    patch.values.set(Param::ShapeBandwidth, 0.0);
    patch.values.set(Param::SourceLoop, 0.0);
    let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, &patch);
    let note = EventKind::NoteOn { key: key.round() as u8, velocity };
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
    let mut imported = imported(sound, "test").unwrap();
    imported.patch = Patch::parse(&imported.patch.to_toml(), "test.toml").unwrap();
    let trimmed = sound.part(sound.audible().unwrap());
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
    let clean = analyse(&noisy, 300.0, &Progress::default()).unwrap().snr();
    noisy.samples.iter_mut().for_each(|x| *x += (0.05 * hiss()) as f32);
    let with_noise = analyse(&noisy, 300.0, &Progress::default()).unwrap().snr();
    println!("clean {clean:.1} dB, noisy {with_noise:.1} dB");
    assert!(clean > 40.0 && (10.0..32.0).contains(&with_noise));
    let imported = imported(&noisy, "noisy").unwrap();
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
    let table =
        Sound { rate: 48_000.0, samples: samples.collect(), cycle: None, channel_power: 1.0 };
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
    assert_eq!(said(imported(&silence, "")), "nothing but silence");
    let click = sound(0.01, |t| (3_000.0 * t).sin());
    assert!(said(imported(&click, "")).starts_with("too short"));
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
    assert!(said(imported(&hiss, "")).starts_with("no pitch"));
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
    assert_eq!(read(&path, &Progress::default()).unwrap().cycle, None);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend(b"clm \x0c\0\0\0<!>512 10000");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(read(&path, &Progress::default()).unwrap().cycle, Some(512));
}

/// What is played is as loud as what was recorded, whatever its spectrum, envelope, noise and level.
#[test]
fn the_level_is_that_of_the_recording() {
    let mut state = 1_u32;
    let mut hiss = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state) / f64::from(u32::MAX) - 0.5
    };
    let mut breathy = sound(1.0, |t| 0.3 * harmonics(311.0 * t, 12, 1.5));
    breathy.samples.iter_mut().for_each(|x| *x += (0.05 * hiss()) as f32);
    let cases = [
        ("a sine", sound(1.0, |t| 0.5 * (440.0 * std::f64::consts::TAU * t).sin())),
        ("a loud saw", sound(1.0, |t| 2.0 * harmonics(110.0 * t, 60, 1.0))),
        ("a quiet tone", sound(1.0, |t| 0.01 * harmonics(220.0 * t, 20, 0.7))),
        ("a pluck", sound(2.0, |t| (-6.0 * t).exp() * harmonics(196.0 * t, 30, 1.0))),
        ("a swell", sound(1.0, |t| t * harmonics(262.0 * t, 20, 1.0))),
        ("noise", breathy),
    ];
    for (name, recorded) in cases {
        let imported = imported(&recorded, name).unwrap();
        let trimmed = recorded.part(recorded.audible().unwrap());
        let heard = played_at(&imported, trimmed.samples.len(), 100.0 / 127.0);
        let power = |x: &[f32]| x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let off = 10.0 * (power(&heard) / power(&trimmed.samples)).log10();
        println!("{name}: {off:+.2} dB");
        assert!(off.abs() < 1.0, "{name}: {off:+.2} dB");
    }
}

/// The two channels of a wide recording are mixed, and the level is still that of the file.
#[test]
fn stereo_keeps_its_level() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.wav");
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    for (name, right, share) in [("quarter turn", 0.25, 2.0), ("opposite", 0.5, 1.0)] {
        let mut writer = hound::WavWriter::create(&path, spec).unwrap();
        for n in 0..48_000 {
            let turns = 220.0 * f64::from(n) / 48_000.0;
            for turns in [turns, turns + right] {
                let sample = 0.5 * (std::f64::consts::TAU * turns).sin();
                writer.write_sample(sample as f32).unwrap();
            }
        }
        writer.finalize().unwrap();
        let sound = read(&path, &Progress::default()).unwrap();
        assert!((sound.mean_square(1.0) - 0.125).abs() < 1e-3, "{name}");
        assert!((sound.channel_power - share).abs() < 0.01, "{name}: {}", sound.channel_power);
    }
}

#[test]
fn an_import_can_be_cancelled() {
    let tone = sound(1.0, |t| harmonics(100.0 * t, 30, 1.0));
    let progress = Progress::default();
    progress.cancel();
    let outcome = import_sound(&tone, &Options::default(), "", &progress);
    assert!(matches!(outcome, Err(ImportError::Cancelled)));
}

/// A part of a sound is imported with its own pitch; outside of the sound there is nothing.
#[test]
fn a_region_is_imported_alone() {
    let tone = sound(1.0, |t| harmonics(if t < 0.5 { 200.0 * t } else { 300.0 * t }, 10, 1.0));
    let pitch = |region| {
        let options = Options {
            material: Material::Note { hertz: None },
            region: Some(region),
            ..Options::default()
        };
        let imported = import_sound(&tone, &options, "part", &Progress::default());
        imported.map(|imported| imported.recording.unwrap().hertz)
    };
    assert!((pitch([0.0, 0.45]).unwrap() - 200.0).abs() < 1.0);
    assert!((pitch([0.55, 1.0]).unwrap() - 300.0).abs() < 1.0);
    for region in [[2.0, 3.0], [0.5, 0.5], [0.9, 0.1], [-1.0, 0.0], [f64::NAN, f64::NAN]] {
        assert!(pitch(region).is_err(), "{region:?}");
    }
}

#[test]
fn wavetables_are_recognised() {
    let cycles = |count: usize, length: usize| Sound {
        rate: 44_100.0,
        samples: (0..count * length)
            .map(|i| (i % length) as f32 / length as f32 - 0.5 + 1e-3 * (i / length) as f32)
            .collect(),
        cycle: None,
        channel_power: 1.0,
    };
    assert!(wavetable::is_likely(&cycles(16, 2_048)));
    assert!(wavetable::is_likely(&cycles(1, 600)));
    assert!(!wavetable::is_likely(&cycles(200, 441)));
    let note = sound(2_048.0 * 20.0 / 48_000.0, |t| harmonics(294.0 * t, 10, 1.0));
    assert_eq!(note.samples.len() % 2_048, 0);
    assert!(!wavetable::is_likely(&note));
}

/// The same tone in every format: the same pitch, and the level of the file.
#[test]
fn every_format_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/");
    for name in ["tone.flac", "tone.aiff", "tone.ogg", "tone.mp3"] {
        let path = std::path::PathBuf::from(folder).join(name);
        let sound = read(&path, &Progress::default()).unwrap();
        assert_eq!(sound.rate, 22_050.0, "{name}");
        // Encoders of MP3 add silence at both ends.
        assert!((sound.seconds() - 0.4).abs() < 0.1, "{name}: {}", sound.seconds());
        let imported = imported(&sound, name).unwrap().recording.unwrap();
        assert!((imported.hertz - 440.0).abs() < 1.0, "{name}: {} Hz", imported.hertz);
        assert!(imported.harmonic_db > 25.0, "{name}: {} dB", imported.harmonic_db);
    }
}

/// Files of all formats with bytes changed, cut off or doubled: each is a sound or an error, and none
/// ends the thread.
#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/");
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let mut wav =
        b"RIFF\0\0\0\0WAVEclm \x0b\0\0\0<!>64 10000\0LIST\x03\0\0\0abc\0fmt \x10\0\0\0".to_vec();
    wav.extend([1, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]);
    wav.extend(b"data\0\x02\0\0");
    wav.extend((0..512).map(|i| (i * 37) as u8));
    let names = ["tone.flac", "tone.aiff", "tone.ogg", "tone.mp3"];
    let mut originals = vec![wav];
    originals.extend(names.map(|name| std::fs::read(format!("{fixtures}{name}")).unwrap()));
    let (mut read_count, mut refused) = (0, 0);
    for round in 0..60 {
        for original in &originals {
            let mut bytes = original.clone();
            for _ in 0..1 + random(8) {
                let at = random(bytes.len().min(if round % 2 == 0 { 64 } else { usize::MAX }));
                match random(4) {
                    0 => bytes[at] = 0xFF,
                    1 => bytes[at] ^= 1 << random(8),
                    2 => bytes[at] = random(256) as u8,
                    _ => bytes.truncate((at + 20).min(bytes.len())),
                }
            }
            std::fs::write(&file, &bytes).unwrap();
            let attempt = std::panic::catch_unwind(|| read(&file, &Progress::default()));
            match attempt.expect("an error, not a panic") {
                Ok(sound) => {
                    read_count += 1;
                    assert!(sound.samples.len() <= 60 * 192_000);
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().contains('\n'), "{error}");
                }
            }
        }
    }
    println!("{read_count} read, {refused} refused");
    assert!(read_count > 50 && refused > 50, "{read_count} read, {refused} refused");
}
