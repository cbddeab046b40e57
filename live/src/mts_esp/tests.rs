//! The client against a library that the test builds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use super::*;
use crate::stream::{self, StreamConfig};
use myriad_conformance::testing::{RATE, hertz, pitch};
use myriad_engine::EventKind;
use myriad_engine::render::CpuRenderer;
use std::process::Command;

/// Builds the stand-in for MTS-ESP's library in a folder.
fn build(folder: &Path) -> PathBuf {
    let library = folder.join("libMTS.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/mts-esp/master.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", source, "-lm", "-o"]).arg(&library);
    assert!(compiler.status().unwrap().success());
    library
}

/// The test's own access to it.
struct Master(Library);

impl Master {
    fn new(path: &Path) -> Self {
        // SAFETY: the library was built by this test.
        Self(unsafe { Library::new(path) }.unwrap())
    }

    fn set(&self, a4: f64) {
        // SAFETY: the function has this type.
        unsafe { self.0.get::<unsafe extern "C" fn(f64)>("test_set").unwrap()(a4) }
    }

    fn filter(&self, key: i32) {
        // SAFETY: the function has this type.
        unsafe { self.0.get::<unsafe extern "C" fn(i32)>("test_filter").unwrap()(key) }
    }

    fn clients(&self) -> i32 {
        // SAFETY: the function has this type.
        unsafe { self.0.get::<unsafe extern "C" fn() -> i32>("test_clients").unwrap()() }
    }
}

#[test]
fn a_master_is_followed_as_long_as_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    assert!(MtsClient::open_at(&folder.path().join("none.so")).is_none());
    std::fs::write(folder.path().join("text.so"), "no library").unwrap();
    assert!(MtsClient::open_at(&folder.path().join("text.so")).is_none());
    let path = build(folder.path());
    let mut client = MtsClient::open_at(&path).unwrap();
    let master = Master::new(&path);
    assert_eq!(master.clients(), 1);
    assert_eq!(client.poll(), None, "no master");
    master.set(432.0);
    let a = 69.0 + 12.0 * (432.0_f32 / 440.0).log2();
    let tuning = client.poll().unwrap().unwrap();
    assert!((tuning.pitch(69.0) - a).abs() < 1e-4 && !tuning.is_silent(60));
    assert_eq!(client.poll(), None, "nothing new");
    master.filter(60);
    assert!(client.poll().unwrap().unwrap().is_silent(60));
    master.set(0.0);
    assert_eq!(client.poll(), Some(None), "the master has gone");
    drop(client);
    assert_eq!(master.clients(), 0);
}

/// A stream's held note moves with the master, and back when it goes.
#[test]
fn a_held_note_of_a_stream_follows() {
    let folder = tempfile::tempdir().unwrap();
    let path = build(folder.path());
    let config = StreamConfig { depth: 512, ..StreamConfig::default() };
    let (control, mut audio, mut render) =
        stream::build(&config, Box::new(CpuRenderer::new(1))).unwrap();
    render.follow(MtsClient::open_at(&path));
    let master = Master::new(&path);
    let patch = "format = 3\nname = \"Sine\"\n[source]\npartials = 1\n[env1]\nsustain = 1.0\n";
    let patch = myriad_engine::Patch::parse(patch, "test").unwrap();
    control.set_patch(0, patch).unwrap();
    let mut play = |seconds: usize| {
        let mut sound = Vec::new();
        for _ in 0..seconds * RATE / 256 {
            render.step();
            let (mut left, mut right) = ([0.0; 256], [0.0; 256]);
            audio.process(&[], &mut left, &mut right);
            sound.extend(left);
        }
        pitch(&sound[sound.len() - (1 << 14)..])
    };
    control.send(0, EventKind::NoteOn { key: 69, velocity: 1.0 });
    for (a4, expected) in [(0.0, hertz(69.0)), (415.0, 415.0), (466.0, 466.0), (0.0, 440.0)] {
        master.set(a4);
        let got = play(1);
        assert!((got / expected - 1.0).abs() < 1e-3, "{got} Hz, not {expected}");
    }
}
