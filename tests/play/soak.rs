//! Ten minutes of random notes: `make soak-jack`.

use crate::capture::Capture;
use crate::jack::roughness;
use crate::midi_sender::MidiSender;
use crate::player::{Player, SINE};
use crate::server::Server;
use std::time::{Duration, Instant};

/// Frames at both ends of a note in which its envelope changes the sine.
const EDGE: usize = 4_096;

/// A discontinuity of -60 dBFS exceeds this.
const ROUGH: f64 = 1e-3;

fn seconds() -> u64 {
    let asked = std::env::var("SOAK_SECONDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(600)
}

/// Random notes with a period of 64 frames: no frame is lost, nothing clicks, and underruns are listed
/// with their causes.
#[test]
#[ignore = "takes ten minutes; `make soak-jack`"]
fn random_notes_at_64_frames() {
    let _server = Server::start(48_000, 64);
    let files = [("sine.toml", SINE)];
    let args = "--host jack --patch sine.toml --record take.wav";
    let mut player = Player::start(args, &files);
    let latency = player.status()["latency"].as_u64().unwrap() as usize;
    let midi = MidiSender::connect();
    let mut capture = Capture::connect();
    // One note at a time, all of one pitch, so that a click is a deviation from a sine. Velocities,
    // lengths and rests are random.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |most: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as u32 % most
    };
    let w = std::f64::consts::TAU * 440.0 / 48_000.0;
    let start = Instant::now();
    let (mut notes, mut disturbed) = (0, 0);
    let mut at = midi.now() + 9_600;
    while start.elapsed() < Duration::from_secs(seconds()) {
        let length = 12_000 + random(24_000);
        let velocity = 20 + random(107) as u8;
        midi.send(at, [0x90, 69, velocity]);
        midi.send(at + length, [0x80, 69, 0]);
        notes += 1;
        // Between its ends, the note is a pure sine.
        let begin = at + latency as u32 + EDGE as u32;
        let end = at + latency as u32 + length;
        let rough = roughness(capture.range(begin, end), w);
        disturbed += usize::from(rough > ROUGH);
        at = at.wrapping_add(length + EDGE as u32 + random(24_000));
        while at.wrapping_sub(midi.now()) as i32 <= 960 {
            at = at.wrapping_add(4_800);
        }
        // Limits memory.
        capture.forget();
    }
    let status = player.status();
    assert_eq!(player.interrupt(), Some(0));
    let end = player.log.last().unwrap().clone();
    println!(
        "{notes} notes; the server skipped {} cycles, {disturbed} captured notes have a gap",
        capture.gaps
    );
    println!("{status}");
    for line in player.log.iter().filter(|line| line["event"] == "underrun") {
        println!("{line}");
    }
    println!("{end}");
    assert_eq!(end["recorded_frames"], end["frames"], "a frame is missing");
    assert_eq!(end["unrecorded_frames"], 0);
    // The capture lacks cycles that a busy server skipped. The recording has all output, underruns
    // included, and may have no clicks.
    let (places, worst) = clicks(&player.path("take.wav"), w);
    println!("recording: roughness {worst:.1e}, {} clicks", places.len());
    assert!(places.is_empty(), "clicks at frames {places:?}");
}

/// The frames of clicks in a recording of sines, and the largest deviation. The first frames of notes
/// after silence are ignored.
fn clicks(path: &std::path::Path, w: f64) -> (Vec<usize>, f64) {
    let mut wav = hound::WavReader::open(path).unwrap();
    let scale = 1.0 / f64::from(1 << 23);
    let left = wav.samples::<i32>().map(Result::unwrap).step_by(2);
    let k = 2.0 * w.cos();
    let (mut places, mut worst) = (Vec::new(), 0.0f64);
    let (mut before, mut silence, mut since_onset) = ([0.0; 2], 0, 0);
    for (frame, sample) in left.enumerate() {
        since_onset = if silence >= 64 && sample != 0 { 0 } else { since_onset + 1 };
        silence = if sample == 0 { silence + 1 } else { 0 };
        let sample = f64::from(sample) * scale;
        let rough = (sample - k * before[1] + before[0]).abs();
        before = [before[1], sample];
        if since_onset < 64 {
            continue;
        }
        worst = worst.max(rough);
        if rough > ROUGH {
            places.push(frame);
        }
    }
    (places, worst)
}
