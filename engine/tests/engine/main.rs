//! Tests of the engine's output. Tests that check the allocator, or fill the tables that all engines
//! share, are separate programs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod aliasing;
mod bands;
mod blocks;
mod clicks;
mod effects;
mod golden;
mod kits;
mod layers;
mod movement;
mod patches;
mod playing;
mod shaping;
mod strikes;
