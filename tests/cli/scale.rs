//! `--scale` and `--keyboard`: Scala files, valid and invalid.

use crate::harness::{Folder, ended, samples};
use crate::midi;

/// One partial, so that the pitch can be measured by zero crossings.
const SINE: &str =
    "format = 3\nname = \"Sine\"\n[source]\npartials = 1\n[env1]\nattack = 0.0\nsustain = 1.0\n";

/// Two steps an octave.
const TRITONES: &str = "! comment\nTritones\n 2\n!\n 600.0\n 2/1\n";

/// The pitch of a rendered key, in Hertz.
fn pitch(folder: &Folder, key: u8, options: &str) -> f32 {
    folder.put("sine.toml", SINE);
    folder.put("song.mid", midi::song(&[("", &[(0, key, 0, 48_000)])]));
    folder.succeed(&format!("render song.mid -p sine.toml -q --bits 32f --tail 0 {options}"));
    let [left, _] = samples(&folder.path("song.wav"));
    frequency(&left)
}

/// The pitch of a sine, in Hertz, by its median period: an underrun lengthens only the period that
/// it falls into.
fn frequency(sound: &[f32]) -> f32 {
    let start = sound.iter().position(|x| x.abs() > 1e-3).unwrap();
    let middle = &sound[start + 4_800..start + 38_400];
    let rises = |pair: &[f32]| pair[0] < 0.0 && pair[1] >= 0.0;
    // Between two samples a sine is nearly a straight line.
    let crossing = |at: usize| at as f32 - middle[at] / (middle[at] - middle[at - 1]);
    let crossings: Vec<f32> =
        (1..middle.len()).filter(|&at| rises(&middle[at - 1..=at])).map(crossing).collect();
    let mut periods: Vec<f32> = crossings.windows(2).map(|pair| pair[1] - pair[0]).collect();
    periods.sort_unstable_by(f32::total_cmp);
    48_000.0 / periods[periods.len() / 2]
}

fn assert_near(got: f32, wanted: f32) {
    assert!((got / wanted - 1.0).abs() < 1e-3, "{got} Hz, not {wanted}");
}

#[test]
fn a_scale_and_its_keyboard_tune_the_keys() {
    let folder = Folder::new();
    assert_near(pitch(&folder, 69, ""), 440.0);
    folder.put("tritones.scl", TRITONES);
    // Middle C stays, and two keys further is its octave.
    let scale = "--scale tritones.scl";
    assert_near(pitch(&folder, 60, scale), 261.63);
    assert_near(pitch(&folder, 62, scale), 523.25);
    // A at 432 Hz is the scale's first note, and every key a degree.
    folder.put("a.kbm", "0\n0\n127\n69\n69\n432.0\n2\n");
    let both = "--scale tritones.scl --keyboard a.kbm";
    assert_near(pitch(&folder, 69, both), 432.0);
    assert_near(pitch(&folder, 67, both), 216.0);
    // A built-in scale by its name, and one of the patch, over which the option wins.
    assert_near(pitch(&folder, 64, "--scale pythagorean"), 261.6256 * 81.0 / 64.0);
    folder.put("tuned.toml", format!("{SINE}[tuning]\nname = \"just intonation\"\n"));
    let tuned = "-p 1=tuned.toml";
    assert_near(pitch(&folder, 64, tuned), 261.6256 * 1.25);
    assert_near(pitch(&folder, 69, &format!("{tuned} {both}")), 432.0);
}

#[test]
fn a_scale_is_played_live_too() {
    let folder = Folder::new();
    folder.put("sine.toml", SINE).put("tritones.scl", TRITONES);
    folder.put("song.mid", midi::song(&[("", &[(0, 62, 0, 48_000)])]));
    folder.succeed(
        "play song.mid --host clock --rate 48000 --plain --patch sine.toml --record take.wav \
         --scale tritones.scl",
    );
    let mut take = hound::WavReader::open(folder.path("take.wav")).unwrap();
    let left = take.samples::<i32>().step_by(2);
    let left: Vec<f32> = left.map(|x| x.unwrap() as f32 / 8_388_608.0).collect();
    assert_near(frequency(&left), 523.25);
}

/// Live playing follows an MTS-ESP master, whose library the environment names here; rendering does not.
#[cfg(target_os = "linux")]
#[test]
fn an_mts_esp_master_is_followed_live() {
    let folder = Folder::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mts-esp/master.c");
    let library = folder.path("libMTS.so");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", source, "-lm", "-o"]).arg(&library);
    assert!(compiler.status().unwrap().success());
    folder.put("sine.toml", SINE).put("tritones.scl", TRITONES);
    folder.put("song.mid", midi::song(&[("", &[(0, 69, 0, 48_000)])]));
    let line = "play song.mid --host clock --rate 48000 --plain --patch sine.toml \
                --record take.wav --scale tritones.scl";
    let variables = [("MYRIAD_MTS_ESP_LIBRARY", library.into()), ("MTS_TEST_A4", "415".into())];
    let run = ended(folder.spawn_with(line, &variables), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut take = hound::WavReader::open(folder.path("take.wav")).unwrap();
    let left = take.samples::<i32>().step_by(2);
    let left: Vec<f32> = left.map(|x| x.unwrap() as f32 / 8_388_608.0).collect();
    assert_near(frequency(&left), 415.0);
}

/// An error names the file, the line and the problem.
#[test]
fn invalid_scales_are_one_line() {
    let folder = Folder::new();
    folder.put("song.mid", midi::song(&[("", &[(0, 69, 0, 4_800)])]));
    folder.put("good.scl", TRITONES);
    for (name, text, words) in [
        ("empty.scl", "", "empty.scl:1: the number of notes"),
        ("words.scl", "A scale\nmany\n", "words.scl:2: \"many\""),
        ("short.scl", "A scale\n3\n3/2\n", "short.scl:3: 1 notes of 3"),
        ("zero.scl", "A scale\n0\n", "zero.scl:2: 0 notes"),
        ("note.scl", "A scale\n1\nfifth\n", "note.scl:3: \"fifth\""),
        ("silly.scl", "A scale\n1\n3/0\n", "silly.scl:3: \"3/0\""),
    ] {
        folder.put(name, text);
        folder.fail(&format!("render song.mid --scale {name}"), 1, words);
        folder.fail(&format!("play --host clock --scale {name}"), 1, words);
    }
    for (name, text, words) in [
        ("empty.kbm", "", "empty.kbm:1: the size of the map"),
        ("cut.kbm", "12\n0\n127\n60\n", "cut.kbm:4: the reference key"),
        ("hertz.kbm", "0\n0\n127\n60\n69\nloud\n12\n", "hertz.kbm:6: \"loud\""),
        ("huge.kbm", "9999\n0\n127\n60\n69\n440\n12\n", "huge.kbm:1: a map of 9999"),
    ] {
        folder.put(name, text);
        let line = format!("render song.mid --scale good.scl --keyboard {name}");
        folder.fail(&line, 1, words);
    }
    folder.put("bytes.scl", [0xff, 0xfe, 0x00, 0x80]);
    folder.fail("render song.mid --scale bytes.scl", 1, "bytes.scl");
    folder.fail("render song.mid --scale none.scl", 1, "none.scl");
    folder.fail("render song.mid --keyboard a.kbm", 2, "--scale");
    folder.fail("render song.mid --bend-range 97", 2, "0..=96");
    folder.fail("play --host clock --mpe-channels 4", 2, "--mpe");
    folder.fail("play --host clock --mpe=middle", 2, "lower");
}

/// Scala's own archive is in Latin-1.
#[test]
fn scales_in_latin_1_are_read() {
    let folder = Folder::new();
    folder.put("tritones.scl", TRITONES.replace("Tritones", "Fr\u{e9}d\u{e9}ric").as_bytes());
    let expected = pitch(&folder, 71, "--scale tritones.scl");
    let latin_1: Vec<u8> =
        TRITONES.replace("Tritones", "Fr\u{e9}d\u{e9}ric").chars().map(|c| c as u8).collect();
    folder.put("latin.scl", latin_1);
    assert_eq!(pitch(&folder, 71, "--scale latin.scl"), expected);
}
