//! Atomics for lock-free protocols: those of the standard library, or loom's under `--cfg loom`.
//!
//! Loom runs a model (`mod model` beside each protocol, `tests/models/run`) in every order of its
//! threads' steps, and has every load return every value that the memory model allows. It treats
//! `SeqCst` on a load or store as `AcqRel`, so protocols that need one order of all accesses use fences.

#[cfg(loom)]
pub(crate) use loom::sync::atomic;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic;
