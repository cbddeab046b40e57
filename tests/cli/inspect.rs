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
