//! Servers that die, freeze or change their period.

use crate::capture::Capture;
use crate::midi_sender::MidiSender;
use crate::player::{Player, SINE};
use crate::server::{Server, accepted};
use jack::ProcessScope;
use myriad_player::device::jack_client::{ActiveClient, Cycle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// The server is killed while a note sounds and a recording runs. The player goes on in silence, says
/// so, joins the next server and sounds there. The recording has every frame.
#[test]
fn the_player_rejoins_a_server_that_died() {
    let mut server = Server::start(48_000, 256);
    let files = [("sine.toml", SINE)];
    let args = "--host jack --patch sine.toml --record take.wav";
    let mut player = Player::start(args, &files);
    assert_eq!(player.status()["connected"], true);
    let midi = MidiSender::connect();
    hold_note(&mut player, &midi);

    server.kill();
    player.note("has gone");
    let away = player.status();
    assert_eq!(away["connected"], false, "{away}");
    let later = player.status();
    assert!(frames(&later) > frames(&away), "time goes on");
    assert_eq!(later["voices"], 1, "the note is still held: {later}");
    // Closing the client would wait for the dead server.
    std::mem::forget(midi);

    server.restart();
    player.note("plays again");
    let back = player.status();
    assert_eq!(back["connected"], true, "{back}");
    assert_eq!(back["devices_lost"], 1, "{back}");
    let mut capture = Capture::connect();
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(5);
    while capture.left.iter().all(|sample| sample.abs() < 0.01) {
        capture.collect();
        assert!(std::time::Instant::now() < deadline, "the note does not sound again");
    }

    assert_eq!(player.interrupt(), Some(0));
    let end = player.log.last().unwrap().clone();
    assert_eq!(end["recorded_frames"], end["frames"], "{end}");
    assert_eq!(end["unrecorded_frames"], 0, "{end}");
    let wav = hound::WavReader::open(player.path("take.wav")).unwrap();
    assert_eq!(u64::from(wav.duration()), end["frames"].as_u64().unwrap());
}

/// A frozen server reports nothing; the player must notice, and must not hang.
#[test]
fn the_player_leaves_a_frozen_server_and_rejoins_it() {
    let server = Server::start(48_000, 256);
    let mut player = Player::start("--host jack", &[]);
    assert_eq!(player.status()["connected"], true);
    server.signal("STOP");
    player.note("stopped asking");
    let away = player.status();
    let later = player.status();
    assert_eq!(later["connected"], false, "{later}");
    assert!(frames(&later) > frames(&away), "time goes on");
    server.signal("CONT");
    player.note("plays again");
    assert_eq!(player.status()["connected"], true);
    // The player can quit while the server is frozen.
    server.signal("STOP");
    assert_eq!(player.interrupt(), Some(0));
    server.signal("CONT");
}

/// Plays a note until the player has it. A server skips a client that is late, on a busy machine, and with it the
/// messages of that cycle.
fn hold_note(player: &mut Player, midi: &MidiSender) {
    while player.status()["voices"] != 1 {
        if player.status()["voices"] == 0 {
            midi.send(midi.now(), [0x90, 69, 100]);
        }
    }
}

fn frames(status: &serde_json::Value) -> u64 {
    status["frames"].as_u64().unwrap()
}

/// The server changes its period.
#[test]
fn a_period_that_changes_is_followed() {
    let _server = Server::start(48_000, 128);
    let mut player = Player::start("--host jack", &[]);
    let first = player.status();
    assert_eq!(first["block"], 128);
    let midi = MidiSender::connect();
    let client = Server::client("period");
    for block in [1_024u32, 64, 2_048] {
        client.set_buffer_size(block).unwrap();
        player.wait_for("the new period", |line| line["block"] == block);
    }
    hold_note(&mut player, &midi);
    let status = player.status();
    assert!(status["depth"].as_u64() >= Some(2_048), "{status}");
    let before = status["underruns"].clone();
    let gaps = status["xruns"].clone();
    let after = player.status();
    // Prepared for the larger blocks, the stream has no underruns.
    let trouble = gaps != after["xruns"];
    assert!(trouble || before == after["underruns"], "{after}");
    // Small blocks have the low latency again that they had at first.
    client.set_buffer_size(128).unwrap();
    player.wait_for("the first depth", |line| {
        line["block"] == 128 && line["depth"] == first["depth"]
    });
    assert_eq!(player.interrupt(), Some(0));
}

/// A cycle that takes longer than the server waits, as on a busy machine.
struct LongCycle {
    begun: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Cycle for LongCycle {
    fn run(&mut self, _: &ProcessScope) {
        if !self.begun.swap(true, Relaxed) {
            std::thread::sleep(Duration::from_millis(300));
            self.ended.store(true, Relaxed);
        }
    }
}

/// JACK cancels the thread of a client that is closed. Within a cycle that would end the process.
#[test]
fn a_client_is_closed_during_a_cycle() {
    let _server = Server::start(48_000, 256);
    let (active, begun, ended) = accepted(|| {
        // Of this client: one that was refused may have had a cycle.
        let [begun, ended] = std::array::from_fn(|_| Arc::new(AtomicBool::new(false)));
        let cycle = LongCycle { begun: Arc::clone(&begun), ended: Arc::clone(&ended) };
        let client = Server::client("long-cycle");
        Ok((ActiveClient::activate(client, cycle, Arc::default())?, begun, ended))
    });
    while !begun.load(Relaxed) {
        std::thread::yield_now();
    }
    drop(active);
    assert!(ended.load(Relaxed), "the cycle was cancelled");
}
