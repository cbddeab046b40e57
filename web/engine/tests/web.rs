//! The page's engine: the built modules against native code, its border, and the list of its files.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use libtest_mimic::{Arguments, Completion, Trial};
use myriad_engine::factory;
use myriad_engine::simd::Level;
use myriad_web_engine::{Catalogue, Instrument, MAX_FRAMES, Message};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

const RATE: f32 = 48_000.0;
const BLOCK: usize = 128;
/// Blocks of a comparison, and the one that releases the keys.
const BLOCKS: usize = 200;
const RELEASE: usize = 140;
const KEYS: [u8; 3] = [48, 55, 64];

fn main() {
    let trials = vec![
        Trial::ignorable_test("the_built_module_sounds_as_native_code_does", parity),
        trial("rendering_and_metering_never_allocate", rendering_and_metering_never_allocate),
        trial("broken_messages_are_ignored", broken_messages_are_ignored),
        trial("an_mpe_channel_bends_its_own_note", an_mpe_channel_bends_its_own_note),
        trial("a_patch_is_shared_as_its_knobs_are_set", a_patch_is_shared_as_its_knobs_are_set),
        trial("what_cannot_be_answered_says_why", what_cannot_be_answered_says_why),
        trial("every_file_is_kept_for_use_offline", every_file_is_kept_for_use_offline),
        // A measurement, which `web/tests/run` prints beside those of the browser.
        trial("native_speed", native_speed).with_ignored_flag(true),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(name: &'static str, run: fn()) -> Trial {
    Trial::test(name, move || {
        run();
        Ok(())
    })
}

fn message(kind: u32, channel: u32, number: u32, value: f32) -> Message {
    Message { head: kind | channel << 8 | number << 16, value, frame: 0 }
}

fn note_on(key: u8) -> Message {
    message(1, 0, key.into(), 0.8)
}

fn note_off(key: u8) -> Message {
    message(2, 0, key.into(), 0.5)
}

/// A block after these messages, left and right one after the other.
fn block(instrument: &mut Instrument, messages: &[Message]) -> [Vec<f32>; 2] {
    instrument.messages_mut()[..messages.len()].copy_from_slice(messages);
    let audio = instrument.render(messages.len(), BLOCK);
    audio.each_ref().map(|side| side[..BLOCK].to_vec())
}

/// Left and right of a chord, block by block, as `web/tests/render.mjs` plays it.
fn chord(patch: &str) -> Vec<f32> {
    let mut instrument = Instrument::with_level(RATE, Level::Baseline).unwrap();
    assert!(instrument.set_patch(patch));
    let mut out = Vec::new();
    for number in 0..BLOCKS {
        let messages = match number {
            0 => KEYS.map(note_on).to_vec(),
            RELEASE => KEYS.map(note_off).to_vec(),
            _ => Vec::new(),
        };
        out.extend(block(&mut instrument, &messages).concat());
    }
    out
}

/// Whoever opens the page would hear another synthesizer, or an old one.
fn parity() -> Result<Completion, libtest_mimic::Failed> {
    if Command::new("node").arg("--version").output().is_err() {
        return Ok(Completion::ignored_with("needs node"));
    }
    // All of them take a minute: `make web-test`.
    let step = if std::env::var_os("MYRIAD_ALL_PATCHES").is_some() { 1 } else { 17 };
    let patches = || factory::patches().iter().step_by(step);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut node = Command::new("node")
        .arg(root.join("tests/render.mjs"))
        .arg(root.join("built/engine.wasm.gz"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let texts: Vec<String> = patches().map(|patch| patch.to_toml()).collect();
    let mut input = node.stdin.take().ok_or("no input")?;
    input.write_all(texts.join("\0").as_bytes())?;
    drop(input);
    let mut played = Vec::new();
    node.stdout.take().ok_or("no output")?.read_to_end(&mut played)?;
    assert!(node.wait()?.success());
    let played: Vec<f32> =
        played.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let frames = 2 * BLOCK * BLOCKS;
    assert_eq!(played.len(), frames * texts.len());
    let (mut equal, mut worst, mut different) = (0, f32::NEG_INFINITY, Vec::new());
    for ((patch, text), played) in patches().zip(&texts).zip(played.chunks(frames)) {
        let native = chord(text);
        let difference = native.iter().zip(played).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let decibels = 20.0 * difference.log10();
        if decibels >= -110.0 {
            different.push(format!("{}: {decibels:.1} dBFS", patch.name));
        }
        assert!(native.iter().any(|sample| sample.abs() > 1e-3), "{} is silent", patch.name);
        equal += usize::from(difference == 0.0);
        worst = worst.max(decibels);
    }
    assert!(different.is_empty(), "{}; run web/build", different.join(", "));
    println!("{equal} of {} patches are bit-equal, the worst is {worst} dBFS off", texts.len());
    Ok(Completion::Completed)
}

/// An audio thread of a browser has two milliseconds for a block.
fn rendering_and_metering_never_allocate() {
    let mut instrument = Instrument::new(RATE).unwrap();
    assert!(instrument.set_patch(&factory::find("Aurora").unwrap().to_toml()));
    for (slot, key) in instrument.messages_mut().iter_mut().zip(36..68) {
        *slot = note_on(key);
    }
    let mut points = 0.0;
    assert_no_alloc(|| {
        instrument.render(32, BLOCK);
        for _ in 0..200 {
            instrument.render(0, BLOCK);
            let meters = instrument.meters();
            points = meters[13];
        }
        // Longer than there is room for.
        instrument.render(usize::MAX, MAX_FRAMES + 1);
    });
    assert!(points > 100.0, "{points} points");
}

fn broken_messages_are_ignored() {
    let mut instrument = Instrument::new(RATE).unwrap();
    let broken = [
        message(0, 0, 60, 1.0),
        message(9, 0, 60, 1.0),
        message(7, 0, 60_000, 0.0),
        message(1, 0, 60, f32::NAN),
        Message { head: u32::MAX, value: f32::INFINITY, frame: u32::MAX },
    ];
    for _ in 0..4 {
        let [left, _] = block(&mut instrument, &broken);
        assert!(left.iter().all(|sample| *sample == 0.0));
    }
    // Nor is a text that is no patch; the old one plays on.
    assert!(!instrument.set_patch("loud = true"));
    let note = Message { frame: u32::MAX, ..note_on(60) };
    let mut heard = block(&mut instrument, &[note]).concat();
    for _ in 0..20 {
        heard.extend(block(&mut instrument, &[]).concat());
    }
    assert!(heard.iter().any(|sample| sample.abs() > 0.01));
}

fn an_mpe_channel_bends_its_own_note() {
    const PATCH: &str = "format = 3\nname = \"Sine\"\n[source]\npartials = 1\n";
    /// Upward zero crossings of a tenth of a second.
    fn crossings(bend: Option<Message>) -> usize {
        let mut instrument = Instrument::new(RATE).unwrap();
        assert!(instrument.set_patch(PATCH));
        let announce = [(101, 0.0), (100, 6.0), (6, 15.0)]
            .map(|(cc, value): (u32, f32)| message(6, 0, cc, value / 127.0));
        block(&mut instrument, &announce);
        let note = message(1, 3, 69, 0.8);
        block(&mut instrument, &[note]);
        block(&mut instrument, &bend.map_or(Vec::new(), |bend| vec![bend]));
        let mut sound = Vec::new();
        for _ in 0..90 {
            sound.extend_from_slice(&block(&mut instrument, &[])[0]);
        }
        let settled = &sound[sound.len() - 4_800..];
        settled.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count()
    }
    assert_eq!(crossings(None), 44);
    // A quarter of the default range of 48 semitones: an octave.
    assert_eq!(crossings(Some(message(3, 3, 0, 0.25))), 88);
    assert_eq!(crossings(Some(message(3, 4, 0, 0.25))), 44);
}

fn a_patch_is_shared_as_its_knobs_are_set() {
    let mut catalogue = Catalogue::default();
    assert!(catalogue.answer("open aurora").contains("\"name\":\"Aurora\""));
    assert_eq!(catalogue.answer("set filter.cutoff 1500"), "\"1.50 kHz\"");
    let toml = catalogue.answer("toml");
    assert!(toml.contains("cutoff = 1500"), "{toml}");
    let text = "read name = \"A \\\"b\\\"\"\nformat = 3\n";
    assert!(catalogue.answer(text).contains(r#""name":"A \"b\"""#));
}

fn what_cannot_be_answered_says_why() {
    let mut catalogue = Catalogue::default();
    for (question, reason) in [
        ("open Nothing", "Nothing"),
        ("file Nothing", "Nothing"),
        ("read [", "1"),
        ("set no.such 1", "no.such"),
        ("set filter.cutoff loud", "loud"),
        ("", "no such question"),
    ] {
        let answer = catalogue.answer(question);
        assert!(answer.starts_with("{\"error\"") && answer.contains(reason), "{answer}");
    }
}

/// Partials that native code holds in the load of `web/tests/speed.mjs`, by level.
fn native_speed() {
    const PATCH: &str = include_str!("../../tests/moving.toml");
    const NOTES: std::ops::Range<u8> = 4..16;
    let mut playing: Vec<(Level, Instrument, Vec<f64>)> = Level::available()
        .into_iter()
        .map(|level| {
            let mut instrument = Instrument::with_level(RATE, level).unwrap();
            assert!(instrument.set_patch(PATCH));
            let notes: Vec<Message> = NOTES.map(note_on).collect();
            block(&mut instrument, &notes);
            (level, instrument, Vec::new())
        })
        .collect();
    // In turns, so that whatever else the machine does disturbs all of them alike.
    for _ in 0..2_000 {
        for (_, instrument, times) in &mut playing {
            let start = std::time::Instant::now();
            instrument.render(0, BLOCK);
            times.push(start.elapsed().as_secs_f64());
        }
    }
    for (level, mut instrument, mut times) in playing {
        times.sort_by(f64::total_cmp);
        let partials = f64::from(instrument.meters()[3]);
        let held = |share: f64| {
            let seconds = times[(share * times.len() as f64) as usize];
            partials * (BLOCK as f64 / f64::from(RATE)) / seconds
        };
        let (undisturbed, median) = (held(0.01), held(0.5));
        println!(
            "native, {}: {undisturbed:.0} partials undisturbed, {median:.0} at the median",
            level.name()
        );
    }
}

/// A file that is missing from the worker's list would be missing without a network, and the page with it.
fn every_file_is_kept_for_use_offline() {
    let worker = std::str::from_utf8(myriad_web::file("service-worker.js").unwrap().bytes).unwrap();
    for file in myriad_web::FILES.iter().filter(|file| file.path != "service-worker.js") {
        let name = if file.path == "index.html" { "./" } else { file.path };
        assert!(worker.contains(&format!("\"{name}\"")), "{}", file.path);
    }
    assert_eq!(myriad_web::file("").unwrap().path, "index.html");
    assert!(myriad_web::file("../Cargo.toml").is_none());
}
