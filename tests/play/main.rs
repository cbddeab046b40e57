//! `myriad play` with real audio servers: a JACK server without a sound card, real MIDI, capture.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests are tests too"
)]

mod catcher;
mod feeder;
mod jack;
mod player;
mod pulse;
mod restart;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the plugin's tests use all of it"
)]
#[path = "../../plugin/tests/window/screen.rs"]
mod screen;
mod server;
mod soak;
mod terminal;
mod window;
mod without_sound;
