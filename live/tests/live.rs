//! Streams and renderers that are lost. Tests that watch the allocator or forbid system calls are
//! programs of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod cases;
mod lockstep;
