//! `myriad inspect` and `myriad demo`.

use crate::harness::Folder;
use hound::{SampleFormat, WavSpec, WavWriter};

fn sine(folder: &Folder, name: &str, channels: u16, bits: u16, format: SampleFormat) {
    let spec =
        WavSpec { channels, sample_rate: 48_000, bits_per_sample: bits, sample_format: format };
    let mut wav = WavWriter::create(folder.path(name), spec).unwrap();
    for n in 0..48_000 {
        let value = 0.5 * (std::f32::consts::TAU * 997.0 * n as f32 / 48_000.0).sin();
        for _ in 0..channels {
            match format {
                SampleFormat::Float => wav.write_sample(value).unwrap(),
                SampleFormat::Int => {
                    let scale = (1i64 << (bits - 1)) as f32;
                    wav.write_sample((value * scale) as i32).unwrap();
                }
            }
        }
    }
    wav.finalize().unwrap();
}

#[test]
fn all_formats_give_the_same_measurements() {
    let folder = Folder::new();
    for (name, channels, bits, format) in [
        ("a.wav", 1, 16, SampleFormat::Int),
        ("b.wav", 2, 24, SampleFormat::Int),
        ("c.wav", 2, 32, SampleFormat::Float),
        ("d.wav", 6, 32, SampleFormat::Int),
        ("e.wav", 2, 8, SampleFormat::Int),
    ] {
        sine(&folder, name, channels, bits, format);
        let found = folder.succeed(&format!("inspect {name} --json --no-picture")).json();
        assert_eq!(found["frames"], 48_000, "{name}");
        assert!((found["peak_dbfs"].as_f64().unwrap() + 6.02).abs() < 0.1, "{found}");
        assert!((found["loudness_lufs"].as_f64().unwrap() + 6.0).abs() < 0.5, "{found}");
    }
}

/// Silence and a file that cannot be played are not the same.
#[test]
fn samples_that_are_not_numbers_are_counted() {
    let folder = Folder::new();
    let spec = WavSpec {
        channels: 2,
        sample_rate: 8_000,
        bits_per_sample: 32,
        sample_format: SampleFormat::Float,
    };
    let file = |name: &str, wave: &dyn Fn(usize) -> f32| {
        let mut wav = WavWriter::create(folder.path(name), spec).unwrap();
        (0..16_000).for_each(|n| wav.write_sample(wave(n)).unwrap());
        wav.finalize().unwrap();
    };
    file("nan.wav", &|_| f32::NAN);
    file("few.wav", &|n| if [9_001, 12_000].contains(&n) { f32::INFINITY } else { 0.25 });
    file("good.wav", &|_| 0.25);
    let inspect = |name: &str| folder.run(&format!("inspect {name} --no-picture --json"));
    let run = inspect("nan.wav");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("nan.wav: 16000 samples are not numbers"), "{}", run.stderr);
    let run = inspect("few.wav");
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1));
    let places =
        "2 samples are not numbers (NaN or infinite), from 0:00.563 (frame 4500) to 0:00.750";
    assert!(run.stderr.contains(places), "{}", run.stderr);
    let found = &run.json()["not_numbers"];
    assert_eq!((&found["samples"], &found["last_frame"]), (&2.into(), &6_000.into()));
    assert!(inspect("good.wav").json()["not_numbers"].is_null());
    assert_eq!(inspect("good.wav").code, Some(0));
}

/// Of what cannot be read, the reason is told.
#[test]
fn files_of_other_programs() {
    let folder = Folder::new();
    sine(&folder, "mono.wav", 1, 32, SampleFormat::Float);
    let wave = std::fs::read(folder.path("mono.wav")).unwrap();
    // The same samples as 64-bit floats, behind the shorter format chunk.
    let samples: Vec<u8> = wave[68..]
        .chunks_exact(4)
        .flat_map(|x| f64::from(f32::from_le_bytes(x.try_into().unwrap())).to_le_bytes())
        .collect();
    let header = |tag: u16, bytes: u16, length: usize| {
        let words = |words: &[u16]| words.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let numbers = |x: &[u32]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        [
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0",
            &words(&[tag, 1])[..],
            &numbers(&[48_000, 48_000 * u32::from(bytes)]),
            &words(&[bytes, 8 * bytes]),
            b"data",
            &numbers(&[length as u32]),
        ]
        .concat()
    };
    folder.put("double.wav", [header(3, 8, samples.len()), samples].concat());
    let found = folder.succeed("inspect double.wav --json --no-picture").json();
    assert_eq!(found["format"], "64-bit float");
    assert!((found["peak_dbfs"].as_f64().unwrap() + 6.02).abs() < 0.1, "{found}");
    folder.succeed("import double.wav -o double.toml");
    folder.put("alaw.wav", [header(6, 1, 100), vec![0x55; 100]].concat());
    for command in ["inspect", "import"] {
        folder.fail(&format!("{command} alaw.wav"), 1, "alaw.wav: holds A-law samples; only ");
    }
}

#[test]
fn the_picture_is_a_png_file() {
    let folder = Folder::new();
    sine(&folder, "tone.wav", 2, 16, SampleFormat::Int);
    let text = folder.succeed("inspect tone.wav").stdout;
    assert!(text.contains("tone.png") && text.contains("LUFS"));
    assert_eq!(folder.files(), ["tone.png", "tone.wav"]);
    let file = std::io::BufReader::new(std::fs::File::open(folder.path("tone.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert!(pixels.iter().any(|&value| value > 200), "the picture is dark");
}

#[test]
fn the_demo_is_rendered_without_an_audio_device() {
    let folder = Folder::new();
    let run = folder.succeed("demo");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    for words in ["demo.wav", "length", "peak", "LUFS", "demo.png"] {
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
    assert_eq!(folder.files(), ["demo.png", "demo.wav"]);
}
