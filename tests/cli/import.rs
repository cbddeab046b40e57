//! `myriad import`: recordings, wavetables and pictures to patches; `myriad picture`: patches to pictures.

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
        ("import click.wav --pitch 440", 1, "too short"),
        ("import click.wav --pitch 3", 2, "--pitch"),
        ("import click.wav --cycle 100", 2, "--wavetable"),
        ("import click.wav --wavetable --cycle 2", 2, "a cycle has"),
    ] {
        folder.fail(line, code, words);
    }
}

/// A grey picture with one bright row.
fn picture(folder: &Folder, name: &str) {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 20, 90);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut data = vec![0; 20 * 90];
    data[20 * 40..20 * 41].fill(255);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&data).unwrap();
    writer.finish().unwrap();
    folder.put(name, &bytes);
}

#[test]
fn a_picture_becomes_a_patch() {
    let folder = Folder::new();
    picture(&folder, "row.png");
    let run =
        folder.succeed("import row.png --seconds 2.5 --low 100 --high 1600 --key 48 --repeat");
    for part in ["20 × 90 pixels", "2.50 s", "100.0 to 1600 Hz on key 48", "1 in 20 columns"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert_eq!(folder.files(), ["row.png", "row.toml"]);
    let shown = folder.succeed("patches row.toml");
    assert!(shown.stdout.contains("row"), "{}", shown.stdout);
}

/// The picture of a patch says its own length and pitches, and becomes a patch again.
#[test]
fn what_a_patch_plays_becomes_a_picture_and_a_patch_again() {
    let folder = Folder::new();
    let run = folder.succeed("picture Tonewheel --seconds 1 --key 50 --hold 0.5 --size 50x300");
    assert!(run.stdout.contains("50 × 300 pixels"), "{}", run.stdout);
    assert_eq!(folder.files(), ["tonewheel.png"]);
    let run = folder.succeed("import tonewheel.png");
    for part in ["50 × 300 pixels", "1.00 s", "on key 50"] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    folder.succeed("picture tonewheel.toml -o again.png --seconds 0.2 --size 10x100");
}

#[test]
fn bad_pictures_are_one_line_and_leave_no_files() {
    let folder = Folder::new();
    picture(&folder, "row.png");
    let whole = std::fs::read(folder.path("row.png")).unwrap();
    folder.put("cut.png", &whole[..whole.len() / 2]);
    folder.put("bad.jpg", b"\xFF\xD8\xFF\xE0 nothing \xFF\xD9");
    wav(&folder, "reed.wav", 44_100, tone);
    let before = folder.files();
    for (line, code, words) in [
        ("import cut.png", 1, "cut.png: a PNG picture that is cut short"),
        ("import bad.jpg", 1, "bad.jpg: a damaged JPEG picture"),
        ("import row.png --seconds 0", 2, "lasts 0.05 to 120 seconds"),
        ("import row.png --low 500 --high 100", 2, "from 500 to 100"),
        ("import row.png --partials 5000", 2, "1 to 1024 partials"),
        ("import row.png --with row.png", 2, "row.png is a picture"),
        ("import row.png --wavetable", 2, "--wavetable: is for sounds"),
        ("import row.png --ink --low 20000 --high 21000 --key 1000", 2, "--key"),
        ("import reed.wav --seconds 3", 2, "reed.wav is none"),
        ("import nowhere.png", 1, "nowhere.png: No such file"),
        ("picture Nobody", 2, "Nobody"),
        ("picture Init -o x.gif", 2, "end --output in .png"),
        ("picture Init --seconds -1", 2, "seconds"),
        ("picture Init --size 3", 2, "500x2160"),
        ("picture Init --size 1x1", 2, "2 to 8192 pixels"),
        ("picture Init --low 20000 --high 21500 --key 20 -o x.png", 1, "nothing but silence"),
        ("picture Init -o nowhere/x.png --seconds 0.1 --size 9x9", 1, "nowhere/x.png"),
    ] {
        folder.fail(line, code, words);
    }
    assert_eq!(folder.files(), before);
}
