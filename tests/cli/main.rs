//! The program as users call it: real processes and files.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

mod arguments;
mod bench;
mod damage;
mod doctor;
#[cfg(target_os = "linux")]
mod faults;
mod harness;
mod import;
mod inspect;
mod manual;
mod midi;
#[cfg(unix)]
mod packaging;
mod patches;
#[cfg(unix)]
mod recording;
#[cfg(target_os = "linux")]
mod released;
mod render;
mod scale;
mod soak;
#[cfg(target_os = "linux")]
mod without_alsa;
