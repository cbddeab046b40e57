//! Starting up: how long a renderer takes until its first block, and its memory.

use super::candidate::Candidate;
use super::figure::Figure;
use super::load::{Load, Loaded};
use super::machine::Gpu;
use super::rounds::timed;
use myriad_engine::render::{CpuRenderer, PrepareError, Renderer};
use myriad_kernels::cuda::{CudaCounters, CudaRenderer};
use myriad_player::failure::Failure;
use serde::{Deserialize, Serialize};

/// Ticks of the first block.
const TICKS: usize = 2;

/// How often a renderer is started again.
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

/// Starts a candidate for the first time. This also shows whether it can be used at all.
pub(super) fn first(candidate: &Candidate) -> Result<(Start, Option<Gpu>), PrepareError> {
    match *candidate {
        Candidate::Cpu { threads } => {
            let make = || Box::new(CpuRenderer::new(threads));
            first_of(candidate, make, |_| None)
        }
        Candidate::Cuda { device, options } => {
            let make = || Box::new(CudaRenderer::with_options(device, options));
            first_of(candidate, make, CudaRenderer::counters)
        }
    }
}

fn first_of<R: Renderer>(
    candidate: &Candidate,
    make: impl Fn() -> Box<R>,
    counters: fn(&R) -> Option<&CudaCounters>,
) -> Result<(Start, Option<Gpu>), PrepareError> {
    let (seconds, loaded) = timed(|| Loaded::new(make(), Load::USUAL, Load::USUAL_SLOTS));
    let mut loaded = loaded?;
    // If the first block fails, so do the measured ones, which report why.
    let first_block = loaded.next(TICKS).unwrap_or_default();
    let counters = counters(&loaded.renderer);
    let start = Start {
        renderer: candidate.id().to_owned(),
        prepare_ms: 1e3 * seconds,
        prepare_again_ms: None,
        first_block_us: 1e6 * first_block,
        device_bytes: counters.map(|counters| counters.device_bytes),
        pinned_bytes: counters.map(|counters| counters.pinned_bytes),
        code: counters.map(|counters| counters.code.to_owned()),
    };
    Ok((start, counters.map(Gpu::new)))
}

/// Starts a candidate some more times.
pub(super) fn again(candidate: &Candidate, start: &mut Start) -> Result<(), Failure> {
    let mut times = Vec::new();
    for _ in 0..AGAIN {
        let make = || Loaded::new(candidate.renderer(), Load::USUAL, Load::USUAL_SLOTS);
        let (seconds, loaded) = timed(make);
        loaded.map_err(Failure::failed)?;
        times.push(1e3 * seconds);
    }
    start.prepare_again_ms = Figure::of_rounds(&times);
    Ok(())
}
