//! Through a JACK server: the output is what the engine renders, on the reported frame.

use crate::capture::Capture;
use crate::midi_sender::MidiSender;
use crate::player::{Player, SINE};
use crate::server::Server;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};

/// The period of the server, and the longest latency: two periods and a tick.
const PERIOD: u32 = 64;
const LONGEST: u64 = 2 * PERIOD as u64 + 32;

/// Frames of a note that are compared, and frames that its key is down.
const HEARD: usize = 6_000;
const HELD: u32 = 4_000;

/// Frames from one note to the next: a whole number of periods.
const APART: u32 = 250 * PERIOD;

/// The note as an engine renders it, from its first frame.
fn expected(patch: &Patch, rate: u32, offset: u32, key: u8, velocity: u8) -> Vec<f32> {
    let config = EngineConfig { sample_rate: rate as f32, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, patch);
    // The note has the same offset within a tick as in the server's cycles.
    let at = 10 * PERIOD + offset;
    let velocity = f32::from(velocity) / 127.0;
    let on = EventKind::NoteOn { key, velocity };
    let off = EventKind::NoteOff { key, velocity: 0.0 };
    let event = |frame, kind| Event { frame, part: 0, kind };
    let latency = engine.latency();
    let frames = at as usize + latency + HEARD;
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render(&[event(at, on), event(at + HELD, off)], &mut left, &mut right);
    left.split_off(at as usize + latency)
}

/// Every note sounds exactly `latency` frames after its message, at any offset within a cycle, and is bit
/// for bit what the engine renders.
#[test]
fn notes_match_the_engine_to_the_bit_and_frame() {
    let rate = 48_000;
    let _server = Server::start(rate, PERIOD);
    let files = [("sine.toml", SINE)];
    let mut player = Player::start("--host jack --patch sine.toml", &files);
    let status = player.status();
    assert_eq!(status["rate"], rate, "{status}");
    assert_eq!(status["engine_rate"], rate, "{status}");
    assert_eq!(status["block"], PERIOD, "{status}");
    let latency = status["latency"].as_u64().unwrap();
    assert!(latency <= LONGEST, "{latency}");
    let midi = MidiSender::connect();
    let mut capture = Capture::connect();
    let patch = Patch::parse(SINE, "sine").unwrap();
    let notes =
        [(0, 69, 127), (1, 57, 100), (17, 69, 64), (31, 45, 127), (32, 81, 90), (63, 69, 1)];
    let mut score = Vec::new();
    for (at, (offset, key, velocity)) in (APART..).step_by(APART as usize).zip(notes) {
        score.push((at + offset, [0x90, key, velocity]));
        score.push((at + offset + HELD, [0x80, key, 0]));
    }
    midi.freewheel(true);
    let begin = midi.play(score);
    for (at, (offset, key, velocity)) in (APART..).step_by(APART as usize).zip(notes) {
        let reference = expected(&patch, rate, offset, key, velocity);
        let due = begin + at + offset + latency as u32;
        let heard = capture.range(due - 2_000, due + HEARD as u32);
        let (before_due, sound) = heard.split_at(2_000);
        let silent = before_due.iter().all(|sample| *sample == 0.0);
        assert!(
            silent && sound == reference,
            "note at offset {offset}: {}",
            difference(heard, &reference, 2_000)
        );
    }
    midi.freewheel(false);
    assert_eq!(player.interrupt(), Some(0));
}

/// How the captured sound differs from the reference.
fn difference(heard: &[f32], reference: &[f32], due: usize) -> String {
    let onset = heard.iter().position(|sample| *sample != 0.0);
    let expected = reference.iter().position(|sample| *sample != 0.0).map(|place| place + due);
    let worst = heard[due..].iter().zip(reference).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    format!("begins at {onset:?} instead of {expected:?}; differs by {worst}")
}

/// A server with another sample rate than the engine's is resampled, in tune and clean.
#[test]
fn another_rate_is_resampled_in_tune() {
    let rate = 44_100;
    let _server = Server::start(rate, 128);
    let files = [("sine.toml", SINE)];
    let args = "--host jack --rate 48000 --patch sine.toml";
    let mut player = Player::start(args, &files);
    let status = player.status();
    let rates = ["rate", "engine_rate"].map(|key| status[key].as_u64());
    assert_eq!(rates, [Some(u64::from(rate)), Some(48_000)], "{status}");
    let latency = status["latency"].as_u64().unwrap() as u32;
    let midi = MidiSender::connect();
    let mut capture = Capture::connect();
    midi.freewheel(true);
    let begin = midi.play(vec![(4_000, [0x90, 69, 100]), (44_000, [0x80, 69, 0])]);
    let begin = begin + 4_000 + latency;
    let sound = capture.range(begin + 2_000, begin + 34_000);
    let w = std::f64::consts::TAU * 440.0 / f64::from(rate);
    let rough = roughness(sound, w);
    assert!(rough < 1e-4, "roughness {rough}");
    let loud = sound.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    assert!(loud > 0.05, "peak {loud}");
    midi.freewheel(false);
    assert_eq!(player.interrupt(), Some(0));
}

/// The largest deviation from a sine of that pitch; discontinuities and other pitches are large.
pub(crate) fn roughness(sound: &[f32], w: f64) -> f64 {
    let k = 2.0 * w.cos();
    let bend = |x: &[f32]| (f64::from(x[0]) - k * f64::from(x[1]) + f64::from(x[2])).abs();
    sound.windows(3).map(bend).fold(0.0, f64::max)
}

/// Program changes and malformed messages through a real MIDI port.
#[test]
fn programs_and_malformed_messages_are_handled() {
    let _server = Server::start(48_000, 256);
    let mut player = Player::start("--host jack", &[]);
    player.status();
    let midi = MidiSender::connect();
    let now = midi.now();
    midi.send(now, [0xC0, 19, 0]);
    let note = player.note("program 20");
    let patch = player.status()["patch"].clone();
    assert!(note["text"].as_str().unwrap().contains(patch.as_str().unwrap()), "{note}, {patch}");
    // A running-status fragment, an unfinished message, and a clock; then a note.
    for bytes in [[60, 1, 2], [0x90, 0xF0, 0x90], [0xF8, 0, 0]] {
        midi.send(midi.now(), bytes);
    }
    midi.send(midi.now() + 4_800, [0x90, 60, 127]);
    player.wait_for("a note", |line| line["voices"].as_u64() > Some(0));
    let status = player.status();
    assert_eq!(status["voices"], 1, "{status}");
    assert_eq!(player.interrupt(), Some(0));
}
