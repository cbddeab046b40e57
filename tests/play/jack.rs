//! Through a JACK server: the output is what the engine renders, on the reported frame.

use crate::capture::Capture;
use crate::midi_sender::MidiSender;
use crate::player::{Player, SINE};
use crate::server::Server;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};
use std::time::Duration;

/// The period of the server, and the longest latency: two periods and a tick.
const PERIOD: u32 = 64;
const LONGEST: u64 = 2 * PERIOD as u64 + 32;

/// Frames of a note that are compared, and frames that its key is down.
const HEARD: usize = 6_000;
const HELD: u32 = 4_000;

/// Sample rates of the server. The tests are about exactness, not speed: on a machine that is too busy
/// for the first rate, they run at a lower one.
const RATES: [u32; 3] = [48_000, 16_000, 8_000];

/// Runs `exact` with one server after the other until one had no xruns.
fn undisturbed(period: u32, rates: [u32; 3], exact: impl Fn(u32) -> bool) {
    let succeeded = rates.into_iter().any(|rate| {
        let _server = Server::start(rate, period);
        exact(rate)
    });
    assert!(
        succeeded,
        "the machine is too busy for a note without xruns"
    );
}

/// The note as an engine renders it, from its first frame.
fn expected(patch: &Patch, rate: u32, offset: u32, key: u8, velocity: u8) -> Vec<f32> {
    let config = EngineConfig {
        sample_rate: rate as f32,
        ..EngineConfig::default()
    };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, patch);
    // The note has the same offset within a tick as in the server's cycles.
    let at = 10 * PERIOD + offset;
    let velocity = f32::from(velocity) / 127.0;
    let on = EventKind::NoteOn { key, velocity };
    let off = EventKind::NoteOff { key, velocity: 0.0 };
    let event = |frame, kind| Event {
        frame,
        part: 0,
        kind,
    };
    let latency = engine.latency();
    let frames = at as usize + latency + HEARD;
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render(
        &[event(at, on), event(at + HELD, off)],
        &mut left,
        &mut right,
    );
    left.split_off(at as usize + latency)
}

/// Every note sounds exactly `latency` frames after its message, at any offset within a cycle, and is bit
/// for bit what the engine renders.
#[test]
fn notes_match_the_engine_to_the_bit_and_frame() {
    undisturbed(PERIOD, RATES, notes_are_exact);
}

/// Returns false when the machine was too busy.
fn notes_are_exact(rate: u32) -> bool {
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
    let notes = [
        (0, 69, 127),
        (1, 57, 100),
        (17, 69, 64),
        (31, 45, 127),
        (32, 81, 90),
        (63, 69, 1),
    ];
    for (offset, key, velocity) in notes {
        let reference = expected(&patch, rate, offset, key, velocity);
        // A note that was disturbed by an underrun or xrun is played again.
        let exact = (0..20).any(|_| {
            let before = player.status();
            let cycle = midi.now().next_multiple_of(PERIOD) + 20 * PERIOD;
            let at = cycle + offset;
            midi.send(at, [0x90, key, velocity]);
            midi.send(at + HELD, [0x80, key, 0]);
            let due = at + latency as u32;
            let heard = capture.range(due - 2_000, due + HEARD as u32).to_vec();
            let (before_due, sound) = heard.split_at(2_000);
            let silent = before_due.iter().all(|sample| *sample == 0.0);
            if silent && sound == reference {
                return true;
            }
            let after = player.status();
            let trouble = ["underruns", "xruns"]
                .iter()
                .any(|key| before[key] != after[key]);
            assert!(
                trouble || capture.gaps > 0,
                "note at offset {offset}: {}",
                difference(&heard, &reference, 2_000)
            );
            capture.gaps = 0;
            false
        });
        if !exact {
            return false;
        }
    }
    assert_eq!(player.interrupt(), Some(0));
    true
}

/// How the captured sound differs from the reference.
fn difference(heard: &[f32], reference: &[f32], due: usize) -> String {
    let onset = heard.iter().position(|sample| *sample != 0.0);
    let expected = reference
        .iter()
        .position(|sample| *sample != 0.0)
        .map(|place| place + due);
    let worst = heard[due..]
        .iter()
        .zip(reference)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    format!("begins at {onset:?} instead of {expected:?}; differs by {worst}")
}

/// A server with another sample rate than the engine's is resampled, in tune and clean.
#[test]
fn another_rate_is_resampled_in_tune() {
    undisturbed(128, [44_100, 22_050, 11_025], resampling_is_clean);
}

/// Returns false when the machine was too busy.
fn resampling_is_clean(rate: u32) -> bool {
    let files = [("sine.toml", SINE)];
    let args = "--host jack --rate 48000 --patch sine.toml";
    let mut player = Player::start(args, &files);
    let status = player.status();
    let rates = ["rate", "engine_rate"].map(|key| status[key].as_u64());
    assert_eq!(rates, [Some(u64::from(rate)), Some(48_000)], "{status}");
    let latency = status["latency"].as_u64().unwrap() as u32;
    let midi = MidiSender::connect();
    let mut capture = Capture::connect();
    (0..20).any(|_| {
        let before = player.status();
        let at = midi.now() + 4_000;
        midi.send(at, [0x90, 69, 100]);
        midi.send(at + 40_000, [0x80, 69, 0]);
        let begin = at + latency;
        let sound = capture.range(begin + 2_000, begin + 34_000).to_vec();
        let w = std::f64::consts::TAU * 440.0 / f64::from(rate);
        let rough = roughness(&sound, w);
        let after = player.status();
        let trouble = ["underruns", "xruns"]
            .iter()
            .any(|key| before[key] != after[key]);
        let gaps = std::mem::take(&mut capture.gaps);
        assert!(trouble || gaps > 0 || rough < 1e-4, "roughness {rough}");
        let loud = sound
            .iter()
            .fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        assert!(trouble || gaps > 0 || loud > 0.05, "peak {loud}");
        rough < 1e-4
    })
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
    assert!(
        note["text"]
            .as_str()
            .unwrap()
            .contains(patch.as_str().unwrap()),
        "{note}, {patch}"
    );
    // A running-status fragment, an unfinished message, and a clock; then a note.
    for bytes in [[60, 1, 2], [0x90, 0xF0, 0x90], [0xF8, 0, 0]] {
        midi.send(midi.now(), bytes);
    }
    midi.send(midi.now() + 4_800, [0x90, 60, 127]);
    std::thread::sleep(Duration::from_millis(200));
    let status = player.status();
    assert_eq!(status["voices"], 1, "{status}");
    assert_eq!(player.interrupt(), Some(0));
}
