//! `myriad render`: its files and its errors.

use crate::harness::{Folder, samples};
use crate::midi;
use std::time::{Duration, Instant};

#[test]
fn a_song_alone_is_enough() {
    let folder = Folder::new();
    folder.put("song.mid", midi::trio());
    let run = folder.succeed("render song.mid");
    assert_eq!(folder.files(), ["song.mid", "song.wav"]);
    assert_eq!(run.stderr, "");
    for words in ["song.wav", "48 kHz, 24-bit", "dBFS", "LUFS", "voices", "x real time"] {
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
    let spec = hound::WavReader::open(folder.path("song.wav")).unwrap().spec();
    assert_eq!((spec.channels, spec.sample_rate, spec.bits_per_sample), (2, 48_000, 24));
}

#[test]
fn json_has_the_parts_and_measurements() {
    let folder = Folder::new();
    folder.put("song.mid", midi::trio());
    let patches = folder.succeed("patches --json").json();
    let (first, second) = (&patches[0]["name"], &patches[1]["name"]);
    let all = first.as_str().unwrap();
    let bass = second.as_str().unwrap();
    let report =
        folder.succeed(&format!("render song.mid -p '{all}' -p '2={bass}' --json -q")).json();
    let parts = report["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    assert_eq!((&parts[0]["patch"], &parts[1]["patch"]), (first, second));
    assert_eq!((&parts[1]["channel"], &parts[1]["track"]), (&2.into(), &"Bass".into()));
    assert!(report["seconds"].as_f64().unwrap() >= 0.5);
    assert!(report["peak_dbfs"].as_f64().unwrap() <= 0.0);
    assert!(report["voices_peak"].as_u64().unwrap() >= 2);
    assert!(report["realtime_factor"].as_f64().unwrap() > 0.0);
}

#[test]
fn json_has_the_renderer_and_the_reason() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    let render = |options: &str| {
        let run = folder.succeed(&format!("render song.mid --json {options}"));
        assert_eq!(run.stderr, "");
        run.json()["renderer"].clone()
    };
    let forced = render("--renderer cpu");
    assert_eq!((&forced["using"], &forced["why"]), (&"cpu".into(), &"asked for".into()));
    // No machine has that many GPUs.
    let without = render("--device 99");
    assert_eq!(without["using"], "cpu");
    assert!(without["why"].as_str().unwrap().starts_with("no "));
}

#[test]
fn a_track_named_after_a_patch_is_played_by_it() {
    let folder = Folder::new();
    let patches = folder.succeed("patches --json").json();
    let name = patches[3]["name"].as_str().unwrap();
    let track = name.to_lowercase();
    folder.put("song.mid", midi::song(&[(&track, &[(4, 60, 0, 2400)])]));
    let report = folder.succeed("render song.mid --json").json();
    assert_eq!(report["parts"][0]["patch"], name);
}

/// Producers align renders with recordings to the sample.
#[test]
fn notes_start_on_their_exact_sample() {
    let folder = Folder::new();
    let onset = |start: u32| {
        folder.put("song.mid", midi::song(&[("", &[(0, 69, start, 4800)])]));
        folder.succeed("render song.mid --bits 32f --tail 0 -q");
        let [left, right] = samples(&folder.path("song.wav"));
        assert_eq!(left.len() as u32, start + 4800);
        left.iter().zip(&right).position(|(l, r)| *l != 0.0 || *r != 0.0).unwrap() as u32
    };
    // Some sounds begin with a sample that is exactly zero.
    let delay = onset(0);
    assert!(delay <= 2, "{delay}");
    for start in [1, 31, 32, 33, 1000, 1024, 24_001] {
        assert_eq!(onset(start), start + delay);
    }
}

#[test]
fn stems_add_up_to_the_mix() {
    let folder = Folder::new();
    folder.put("song.mid", midi::trio());
    folder.succeed("render song.mid -o mix.wav --stems --bits 32f");
    let files = ["mix-bass.wav", "mix-drums.wav", "mix-lead.wav", "mix.wav", "song.mid"];
    assert_eq!(folder.files(), files);
    let mix = samples(&folder.path("mix.wav"));
    let stems = files[..3].iter().map(|name| samples(&folder.path(name))).collect::<Vec<_>>();
    for channel in 0..2 {
        for (n, &sample) in mix[channel].iter().enumerate() {
            let sum: f32 = stems.iter().map(|stem| stem[channel][n]).sum();
            assert!((sum - sample).abs() < 1e-5, "frame {n}: {sum} {sample}");
        }
    }
    for stem in &stems {
        assert!(stem[0].iter().any(|sample| sample.abs() > 1e-3), "a stem is silent");
    }
}

#[test]
fn renders_repeat_bit_for_bit() {
    let folder = Folder::new();
    folder.put("song.mid", midi::trio());
    let bytes = |threads: &str, bits: &str| {
        let options = format!("--threads {threads} --bits {bits}");
        folder.succeed(&format!("render song.mid -q {options}"));
        std::fs::read(folder.path("song.wav")).unwrap()
    };
    for bits in ["16", "32f"] {
        assert!(bytes("1", bits) == bytes("1", bits), "{bits}");
        assert!(bytes("1", bits) == bytes("2", bits), "{bits}: threads change the sound");
    }
}

#[test]
fn every_sample_rate_and_format_is_written() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    for rate in ["8000", "11025", "44100", "96000", "192000"] {
        for (bits, count) in [("16", 16), ("24", 24), ("32f", 32)] {
            folder.succeed(&format!("render song.mid -r {rate} -b {bits} -t 0 -q"));
            let wav = hound::WavReader::open(folder.path("song.wav")).unwrap();
            assert_eq!(wav.spec().sample_rate.to_string(), rate);
            assert_eq!(wav.spec().bits_per_sample, count);
            let expected = 0.1 * f64::from(wav.spec().sample_rate);
            assert!((f64::from(wav.duration()) - expected).abs() <= 1.0);
        }
    }
}

#[test]
fn the_tail_is_as_long_as_asked() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    for (tail, frames) in [("0", 4800), ("0.5", 28_800)] {
        let report = folder.succeed(&format!("render song.mid --tail {tail} --json")).json();
        assert_eq!(report["frames"], frames);
    }
    let report = folder.succeed("render song.mid --json --bits 32f").json();
    let [left, right] = samples(&folder.path("song.wav"));
    assert_eq!(report["frames"], left.len());
    let end = left.len() - 16;
    assert!(left[end..].iter().chain(&right[end..]).all(|sample| sample.abs() < 1e-3));
}

/// The error comes before the render, not after it.
#[test]
fn a_render_beyond_4_gib_is_refused_at_once() {
    let folder = Folder::new();
    // Three quarters of an hour fit at 48 kHz but not at 192 kHz in stereo floats.
    let ticks = 47 * 60 * u32::from(midi::TICKS_PER_BEAT) * 2;
    folder.put("song.mid", midi::song(&[("", &[(0, 60, ticks, 100)])]));
    let start = Instant::now();
    folder.fail("render song.mid -r 192000 -b 32f", 1, "4 GiB");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    folder.put("song.mid", midi::trio());
    folder.fail("render song.mid -o /dev/full", 1, "/dev/full: ");
    folder.succeed("render song.mid -o /dev/null -q");
}

/// An existing file survives a render that fails.
#[test]
fn an_older_file_survives_a_failure() {
    let folder = Folder::new();
    folder.put("song.mid", &midi::beep()[..30]);
    folder.put("song.wav", "precious");
    folder.fail("render song.mid", 1, "song.mid: ");
    assert_eq!(std::fs::read(folder.path("song.wav")).unwrap(), b"precious");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_files() {
    let folder = Folder::new();
    let notes: Vec<midi::Note> = (0..2000).map(|n| (0, 60, n * 48_000, 40_000)).collect();
    folder.put("song.mid", midi::song(&[("", &notes)]));
    let child = folder.spawn("render song.mid --stems");
    let start = Instant::now();
    while folder.files().len() < 3 {
        assert!(start.elapsed() < Duration::from_mins(5), "rendering does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(folder.files(), ["song.mid"]);
}
