//! `myriad import`: recordings and wavetables to patches.

use crate::harness::Folder;
use hound::{SampleFormat, WavSpec, WavWriter};

fn wav(folder: &Folder, name: &str, frames: usize, wave: impl Fn(usize) -> f32) {
    let spec = WavSpec {
        channels: 1,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: SampleFormat::Int,
    };
    let mut wav = WavWriter::create(folder.path(name), spec).unwrap();
    for n in 0..frames {
        wav.write_sample((wave(n) * 32_767.0) as i16).unwrap();
    }
    wav.finalize().unwrap();
}

/// Four harmonics at 294 Hz.
fn tone(n: usize) -> f32 {
    let turns = 294.0 * n as f32 / 44_100.0;
    let partial = |k: i32| (std::f32::consts::TAU * k as f32 * turns).sin() / k as f32;
    0.3 * (1..=4).map(partial).sum::<f32>()
}

#[test]
fn a_recording_becomes_a_patch() {
    let folder = Folder::new();
    wav(&folder, "reed.wav", 44_100, tone);
    let run = folder.succeed("import reed.wav");
    assert!(run.stdout.contains("key 62.0"), "{}", run.stdout);
    assert_eq!(folder.files(), ["reed.toml", "reed.wav"]);
    let shown = folder.succeed("patches reed.toml");
    assert!(shown.stdout.contains("reed"), "{}", shown.stdout);
}

#[test]
fn a_second_recording_becomes_the_second_layer() {
    let folder = Folder::new();
    wav(&folder, "reed.wav", 44_100, tone);
    wav(&folder, "buzz.wav", 44_100, |n| (n % 200) as f32 / 400.0 - 0.25);
    let run = folder.succeed("import reed.wav --with buzz.wav");
    assert!(run.stdout.contains("220.5"), "{}", run.stdout);
    let patch = std::fs::read_to_string(folder.path("reed.toml")).unwrap();
    for part in ["mode = \"morph\"", "\ntracks = ", "\nlayer = ", "Blend"] {
        assert!(patch.contains(part), "{part}");
    }
    folder.succeed("import reed.wav --with buzz.wav --layer mix");
    assert!(std::fs::read_to_string(folder.path("reed.toml")).unwrap().contains("mode = \"mix\""));
    folder.fail("import reed.wav --layer mix", 2, "--with");
}

#[test]
fn a_wavetable_becomes_a_patch() {
    let folder = Folder::new();
    wav(&folder, "saws.wav", 4 * 2_048, |n| (n % 2_048) as f32 / 2_048.0 - 0.5);
    let run = folder.succeed("import saws.wav --wavetable -o s.toml --name Saws");
    assert!(run.stdout.contains("4 of 2048 samples"), "{}", run.stdout);
    let shown = folder.succeed("patches s.toml");
    assert!(shown.stdout.contains("Saws"), "{}", shown.stdout);
}

#[test]
fn an_impulse_response_becomes_part_of_a_patch() {
    let folder = Folder::new();
    wav(&folder, "church.wav", 22_050, |n| (n % 7) as f32 * 0.1 * (-(n as f32) / 4_000.0).exp());
    let run = folder.succeed("import church.wav --impulse");
    assert!(run.stdout.contains("mono"), "{}", run.stdout);
    folder.succeed("import church.wav --impulse --patch Aurora -o wide.toml");
    let patch = std::fs::read_to_string(folder.path("wide.toml")).unwrap();
    for part in ["name = \"Aurora\"", "[convolver]", "response = \"imported\"", "\nimpulse = "] {
        assert!(patch.contains(part), "{part}");
    }
    let shown = folder.succeed("patches wide.toml");
    assert!(shown.stdout.contains("Aurora"), "{}", shown.stdout);
    folder.fail("import church.wav --patch Aurora", 2, "--impulse");
    folder.fail("import church.wav --impulse --patch Nobody", 2, "Nobody");
}

#[test]
fn errors_are_one_line_and_leave_no_files() {
    let folder = Folder::new();
    folder.put("noise.wav", b"RIFF garbage");
    wav(&folder, "silence.wav", 44_100, |_| 0.0);
    wav(&folder, "click.wav", 100, tone);
    for (line, code, words) in [
        ("import nowhere.wav", 1, "nowhere.wav: No such file"),
        ("import noise.wav", 1, "noise.wav: "),
        ("import silence.wav", 1, "nothing but silence"),
        ("import click.wav", 1, "too short"),
        ("import click.wav --pitch 3", 2, "--pitch"),
        ("import click.wav --cycle 100", 2, "--wavetable"),
        ("import click.wav --wavetable --cycle 2", 2, "a cycle has"),
    ] {
        folder.fail(line, code, words);
    }
}
