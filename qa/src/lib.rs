//! Quality assurance: benchmarks, soak tests, diagnostics of a machine and of renderers, and metrics.

#![allow(missing_docs, reason = "a library of this workspace's programs alone")]

pub mod bench;
pub mod doctor;
pub mod metrics;
mod plot;
pub mod selftest;
pub mod soak;
pub mod stall_probe;
