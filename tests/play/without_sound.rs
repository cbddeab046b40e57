//! The clock as a device: loads, metrics, recordings, endings.

use crate::player::{Player, SINE};
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn a_load_is_held_and_measured() {
    let args = "--host clock --load 32x16 --buffer 128 --renderer cpu";
    let mut player = Player::start(args, &[]);
    player.wait_for("the load", |line| line["voices"] == 32);
    let status = player.status();
    assert_eq!(status["partials"], 32 * 16, "{status}");
    assert_eq!(status["block"], 128, "{status}");
    assert!(status["latency"].as_u64() >= Some(128), "{status}");
    assert_eq!(player.interrupt(), Some(0));
}

/// Metrics are served while it plays, and the trace is a time line that viewers read.
#[test]
fn metrics_are_served_and_stages_traced() {
    let args = "--host clock --load 4x8 --renderer cpu --metrics 0 --trace trace.json";
    let mut player = Player::start(args, &[]);
    let has_url = |line: &serde_json::Value| {
        line["text"].as_str().is_some_and(|text| text.contains("http://"))
    };
    player.wait_for("the address of the metrics", has_url);
    let notice = player.log.iter().find(|line| has_url(line)).unwrap().clone();
    let (_, address) = notice["text"].as_str().unwrap().split_once("http://").unwrap();
    let address = address.trim_end_matches("/metrics").to_owned();
    player.wait_for("the load", |line| line["voices"] == 4);
    let served = || {
        let mut client = TcpStream::connect(&address).unwrap();
        client.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        text
    };
    while !served().contains("\nmyriad_voices 4\n") {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(served().contains("myriad_render_time_ratio_bucket{le=\"+Inf\"}"));
    assert_eq!(player.interrupt(), Some(0));
    let trace = std::fs::read_to_string(player.path("trace.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&trace).unwrap();
    let spans = trace["traceEvents"].as_array().unwrap();
    for name in ["batch", "events", "modulation", "submit", "collect", "mix"] {
        let span = spans.iter().find(|span| span["name"] == name).unwrap();
        assert!(span["dur"].as_f64().unwrap() > 0.0, "{span}");
    }
    // The stages of a batch lie within it.
    let range = |span: &serde_json::Value| {
        let start = span["ts"].as_f64().unwrap();
        (start, start + span["dur"].as_f64().unwrap())
    };
    let batches: Vec<_> = spans.iter().filter(|span| span["name"] == "batch").map(range).collect();
    let within = |span: &serde_json::Value| {
        let (start, end) = range(span);
        let at = batches.partition_point(|batch| batch.0 <= start + 0.01);
        at > 0 && end <= batches[at - 1].1 + 0.01
    };
    let mut mixes = spans.iter().filter(|span| span["name"] == "mix").skip(5).take(100);
    assert!(mixes.all(within));
}

/// A song is played to its end in real time, and the recording has all of it.
#[test]
fn a_song_is_played_recorded_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let song = folder.path().join("song.mid");
    std::fs::write(&song, song_bytes()).unwrap();
    let song = song.display();
    let args = format!("{song} --host clock --patch sine.toml --record take.wav");
    let mut player = Player::start(&args, &[("sine.toml", SINE)]);
    assert_eq!(player.exit(), Some(0));
    let end = player.log.last().unwrap().clone();
    assert_eq!(end["event"], "end");
    assert_eq!(end["recorded_frames"], end["frames"], "{end}");
    let mut wav = hound::WavReader::open(player.path("take.wav")).unwrap();
    let left: Vec<i32> = wav.samples::<i32>().map(Result::unwrap).step_by(2).collect();
    let loud = |sample: &i32| sample.abs() > 1 << 18;
    let first = left.iter().position(loud).unwrap();
    let last = left.iter().rposition(loud).unwrap();
    // Two notes of half a second each.
    let seconds = (last - first) as f64 / 48_000.0;
    assert!((seconds - 1.0).abs() < 0.1, "{seconds}");
}

/// A MIDI file with two notes, at 120 beats a minute.
fn song_bytes() -> Vec<u8> {
    let track = [
        &[0, 0x90, 69, 100][..],
        &[96, 0x80, 69, 0],
        &[0, 0x90, 72, 100],
        &[96, 0x80, 72, 0],
        &[0, 0xFF, 0x2F, 0],
    ]
    .concat();
    let mut bytes = b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk".to_vec();
    bytes.extend((track.len() as u32).to_be_bytes());
    bytes.extend(track);
    bytes
}

#[test]
fn the_player_ends_after_the_given_time() {
    let mut player = Player::start("--host clock --for 1.5", &[]);
    assert_eq!(player.exit(), Some(0));
    let statuses = player.log.iter().filter(|line| line["event"] == "status");
    assert_eq!(statuses.count(), 1);
    // No PulseAudio server runs here: exit code 1.
    let mut player = Player::start("--host pulse --for 1", &[]);
    assert_eq!(player.exit(), Some(1));
    assert!(player.log.is_empty());
}
