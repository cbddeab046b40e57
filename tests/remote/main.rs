//! A renderer in a process of its own: it sounds the same, and whatever happens to that process
//! happens to it alone.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod faults;
mod harness;
mod leaks;
mod sameness;
mod tables;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;
