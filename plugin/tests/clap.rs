//! The plugin in a CLAP host: what musicians do, and what validators try.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]
#![allow(unreachable_pub, reason = "what the host offers is for the other files")]

mod audio_thread;
mod cases;
mod host;
