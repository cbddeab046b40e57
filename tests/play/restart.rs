//! Servers that die, and what must survive them.

use crate::catcher::Catcher;
use crate::feeder::Feeder;
use crate::player::{Player, SINE};
use crate::server::Server;

/// The server is killed while a note sounds and a recording runs; the player goes on in silence,
/// says so, joins the next server, and is heard there. The recording has every frame.
#[test]
fn a_server_that_dies_is_waited_for() {
    let mut server = Server::start(48_000, 256);
    let files = [("sine.toml", SINE)];
    let args = [
        "--host",
        "jack",
        "--patch",
        "sine.toml",
        "--record",
        "take.wav",
    ];
    let mut player = Player::start(&args, &files);
    assert_eq!(player.status()["connected"], true);
    let feeder = Feeder::plug_in();
    feeder.send(feeder.now(), [0x90, 69, 100]);
    while player.status()["voices"] != 1 {}

    server.kill();
    player.note("has gone");
    let away = player.status();
    assert_eq!(away["connected"], false, "{away}");
    let later = player.status();
    assert!(frames(&later) > frames(&away), "time goes on");
    assert_eq!(later["voices"], 1, "the note is still held: {later}");
    // Closing them needs a server that answers, or none at all.
    std::mem::forget(feeder);

    server.restart();
    player.note("plays again");
    let back = player.status();
    assert_eq!(back["connected"], true, "{back}");
    assert_eq!(back["devices_lost"], 1, "{back}");
    let mut catcher = Catcher::plug_in();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while catcher.left.iter().all(|sample| sample.abs() < 0.01) {
        catcher.collect();
        assert!(
            std::time::Instant::now() < deadline,
            "the note is not heard again"
        );
    }

    assert_eq!(player.interrupt(), Some(0));
    let end = player.log.last().unwrap().clone();
    assert_eq!(end["recorded_frames"], end["frames"], "{end}");
    assert_eq!(end["unrecorded_frames"], 0, "{end}");
    let wav = hound::WavReader::open(player.path("take.wav")).unwrap();
    assert_eq!(u64::from(wav.duration()), end["frames"].as_u64().unwrap());
}

/// A server that freezes says nothing at all; that must be noticed, and nothing may hang on it.
#[test]
fn a_server_that_freezes_is_left_and_joined_again() {
    let server = Server::start(48_000, 256);
    let mut player = Player::start(&["--host", "jack"], &[]);
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
    // And again, to leave while it is frozen.
    server.signal("STOP");
    assert_eq!(player.interrupt(), Some(0));
    server.signal("CONT");
}

fn frames(status: &serde_json::Value) -> u64 {
    status["frames"].as_u64().unwrap()
}

/// Blocks of another size, asked for while a note sounds.
#[test]
fn a_period_that_changes_is_followed() {
    let _server = Server::start(48_000, 128);
    let mut player = Player::start(&["--host", "jack"], &[]);
    assert_eq!(player.status()["block"], 128);
    let feeder = Feeder::plug_in();
    let client = Server::client("conductor");
    for block in [1_024u32, 64, 2_048] {
        client.set_buffer_size(block).unwrap();
        player.wait_for("the new period", |line| line["block"] == block);
    }
    feeder.send(feeder.now(), [0x90, 69, 100]);
    while player.status()["voices"] != 1 {}
    let status = player.status();
    assert!(status["depth"].as_u64() >= Some(2_048), "{status}");
    let before = status["underruns"].clone();
    let gaps = status["xruns"].clone();
    let after = player.status();
    // Once it is prepared for the larger blocks, none of them comes up short.
    let trouble = gaps != after["xruns"];
    assert!(trouble || before == after["underruns"], "{after}");
    assert_eq!(player.interrupt(), Some(0));
}
