//! The server as visitors find it: real connections on the loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on may panic")]

#[path = "cases/mod.rs"]
mod cases;
