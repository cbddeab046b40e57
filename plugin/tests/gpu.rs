//! A project that chooses a GPU, in its own process, because other tests check that none is touched.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]
#![allow(unreachable_pub, reason = "what the host offers is for the other files")]

#[allow(dead_code, reason = "the other tests use the rest of it")]
mod host;

use host::*;

#[test]
fn the_cpu_replaces_a_missing_gpu_that_a_project_chose() {
    let mut state: serde_json::Value = serde_json::from_slice(&Host::new().save()[8..]).unwrap();
    state["fields"]["renderer"] = "cuda".into();
    let mut host = Host::new();
    assert!(host.load(&*with_length(&state.to_string())));
    let played = host.play(&blocks(512, 9_600), &[(0, on(60))]);
    assert!(peak(&played.sound[0]) > 0.01, "it sounds");
    let saved = String::from_utf8_lossy(&host.save()).into_owned();
    assert!(saved.contains("cuda"), "and the choice is saved");
}
