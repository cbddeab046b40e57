//! The render service: its output is the same as that of a renderer of one's own, its clients do not
//! affect each other, and its faults stay in its process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod equality;
mod fairness;
mod faults;
mod harness;
mod leaks;
mod tables;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;
