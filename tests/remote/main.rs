//! A renderer in a process of its own: its output is the same, and its faults stay in that process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod equality;
mod faults;
mod harness;
mod leaks;
mod tables;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;
