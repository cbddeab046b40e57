//! Takes survive a full disk and a killed program.

use crate::harness::{Folder, ended, signal, wait_until};
use crate::midi;
use std::path::Path;

/// The frames that a WAV file has by its header; 0 when it cannot be read.
fn frames(path: &Path) -> u32 {
    hound::WavReader::open(path).map_or(0, |wav| wav.duration())
}

/// Reads all samples, so that a header that promises too much is noticed.
fn assert_playable(path: &Path, at_least: usize) {
    let mut wav = hound::WavReader::open(path).unwrap();
    let samples: Vec<i32> = wav.samples().map(Result::unwrap).collect();
    assert!(samples.len() >= 2 * at_least, "{} of {at_least} frames", samples.len() / 2);
    assert!(samples.iter().any(|sample| sample.abs() > 1 << 12), "silence");
}

#[test]
fn a_full_disk_keeps_what_fits() {
    const ROOM: usize = 500 * 1024;
    let folder = Folder::new();
    let line = "play --demo --host clock --renderer cpu --record take.wav --plain";
    let child = folder.spawn_with_little_room(line, ROOM);
    // It gets its name when no more fits; playing goes on.
    wait_until("the end of the recording", || folder.path("take.wav").exists());
    signal("INT", &child);
    let run = ended(child, line);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("myriad: take.wav: "), "{}", run.stderr);
    assert!(run.stderr.contains("; its first 0:01.778 are kept"), "{}", run.stderr);
    assert!(run.stdout.contains("recorded to take.wav"), "{}", run.stdout);
    assert_eq!(folder.files(), ["take.wav"]);
    // All but the last frame, which is not whole.
    assert_playable(&folder.path("take.wav"), (ROOM - 68) / 6);
}

#[test]
fn the_take_of_a_killed_session_is_recovered() {
    let folder = Folder::new();
    let mut child =
        folder.spawn("play --host clock --renderer cpu --load 4x8 --record take.wav --json");
    let unfinished = folder.path("take.myriad-unfinished.wav");
    wait_until("a second of sound", || frames(&unfinished) >= 48_000);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.files(), ["take.myriad-unfinished.wav"]);
    assert_playable(&unfinished, 48_000);
    let run = folder.succeed("play --host clock --renderer cpu --for 0.1");
    assert!(run.stderr.contains("take.recovered.wav"), "{}", run.stderr);
    assert_eq!(folder.files(), ["take.recovered.wav"]);
    assert_playable(&folder.path("take.recovered.wav"), 48_000);
}

#[test]
fn the_stems_of_a_killed_render_are_recovered() {
    let folder = Folder::new();
    let notes: Vec<midi::Note> = (0..2000).map(|n| (0, 60, n * 48_000, 40_000)).collect();
    folder.put("song.mid", midi::song(&[("Lead", &notes)])).put("beep.mid", midi::beep());
    let mut child = folder.spawn("render song.mid --stems");
    let names = ["song-lead", "song"];
    let path = |name: &str, end: &str| folder.path(&format!("{name}.{end}.wav"));
    for name in names {
        wait_until(name, || frames(&path(name, "myriad-unfinished")) >= 48_000);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let run = folder.succeed("render beep.mid");
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    for name in names {
        assert!(!path(name, "myriad-unfinished").exists());
        assert_playable(&path(name, "recovered"), 48_000);
    }
}
