//! The editor of the real plugin, in a window of a CLAP host, on a display without a screen.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]
#![allow(unreachable_pub, reason = "what the host offers is for the other files")]

mod audio_thread;
#[allow(dead_code, reason = "the other tests use the rest of it")]
mod host;
mod windows;
