//! Starting up: how long until the first block, and what memory that takes.

use super::candidate::{Candidate, Rig};
use super::figure::Figure;
use super::load::{Load, Spectrum};
use super::machine::Gpu;
use super::pace::timed;
use myriad_engine::render::{Buses, Capacity, PrepareError, VoiceBlock};
use myriad_player::failure::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// As an engine for 1,024 voices prepares its renderer.
const CAPACITY: Capacity = Capacity {
    slots: 2_048,
    buses: 1,
};

const LOAD: Load = Load {
    clouds: 1_024,
    partials: 64,
    spectrum: Spectrum::Filtered,
};

const TICKS: usize = 2;

/// How often it is started again.
const AGAIN: usize = 3;

/// How a renderer started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub renderer: String,
    /// Preparing for the first time in this process, in milliseconds.
    pub prepare_ms: f64,
    /// Preparing later on.
    pub prepare_again_ms: Option<Figure>,
    /// The first block of 1,024 × 64 partials and 64 frames after that, in microseconds.
    pub first_block_us: f64,
    /// Bytes on the device; none for the CPU.
    pub device_bytes: Option<usize>,
    /// Bytes of the host's memory that the device reaches.
    pub pinned_bytes: Option<usize>,
    /// The code that the GPU runs.
    pub code: Option<String>,
}

/// Starts a candidate for the first time, which also tells whether it is there at all.
///
/// # Errors
/// When it cannot be prepared.
pub(super) fn first(candidate: &Candidate) -> Result<(Start, Option<Gpu>), PrepareError> {
    let (seconds, rig) = timed(|| candidate.prepare(CAPACITY));
    let mut rig = rig?;
    let first_block_us = 1e6 * first_block(&mut rig);
    let counters = rig.counters();
    let start = Start {
        renderer: candidate.id().to_owned(),
        prepare_ms: 1e3 * seconds,
        prepare_again_ms: None,
        first_block_us,
        device_bytes: counters.map(|counters| counters.device_bytes),
        pinned_bytes: counters.map(|counters| counters.pinned_bytes),
        code: counters.map(|counters| counters.code.to_owned()),
    };
    Ok((start, counters.map(Gpu::new)))
}

/// Seconds of the first block. Should it fail, so will all others, and they will say why.
fn first_block(rig: &mut Rig) -> f64 {
    let mut block = Arc::new(VoiceBlock::new(CAPACITY.slots));
    let mut buses = Buses::new(CAPACITY.buses);
    LOAD.fill(&mut block, TICKS, 0);
    timed(|| rig.render(&block, &mut buses)).0
}

/// Starts a candidate a few times more.
///
/// # Errors
/// When it cannot be prepared any more.
pub(super) fn again(candidate: &Candidate, start: &mut Start) -> Result<(), Failure> {
    let mut times = Vec::new();
    for _ in 0..AGAIN {
        let (seconds, rig) = timed(|| candidate.prepare(CAPACITY));
        rig.map_err(Failure::failed)?;
        times.push(1e3 * seconds);
    }
    start.prepare_again_ms = Figure::of_rounds(&times);
    Ok(())
}
