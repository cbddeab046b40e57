//! `myriad play` with real audio servers: a JACK server without a sound device, real MIDI, capture.
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
mod server;
mod soak;
mod terminal;
mod window;
mod without_sound;
