//! `myriad play` with real audio servers, MIDI and terminals.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests too")]

mod capture;
mod jack;
mod midi_sender;
mod player;
mod pulse;
mod restart;
mod server;
mod soak;
mod terminal;
mod window;
mod without_sound;
