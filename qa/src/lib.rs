//! Myriad under test: what QA runs for hours, what a user runs once, and what a monitor asks for.

#![allow(missing_docs, reason = "a library of this workspace's programs alone")]

pub mod bench;
pub mod doctor;
pub mod metrics;
pub mod selftest;
pub mod soak;
pub mod stall_probe;
