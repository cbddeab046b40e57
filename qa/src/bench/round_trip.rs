//! Round trips: from handing a block of clouds to a renderer to mixed audio in the host's memory.

use super::candidate::Candidate;
use super::figure::{Figure, Percentiles, median};
use super::load::{Load, Loaded};
use super::overlap::{self, Overlap};
use super::rounds::{Pace, Plan, ROUNDS, in_rounds, period};
use myriad_engine::render::TICK;
use myriad_kernels::cuda::{CudaOptions, CudaRenderer, StageTimes};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};

/// Block sizes, in ticks: 32 to 256 frames.
const TICKS: [usize; 4] = [1, 2, 4, 8];

/// Blocks of every round before the first that is measured.
const SETTLING: usize = 8;

/// All round trips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RoundTrips {
    pub voices: usize,
    /// Of a voice.
    pub partials: usize,
    pub rows: Vec<RoundTrip>,
    /// Where the time goes on a GPU.
    pub stages: Vec<Stages>,
    /// Several blocks in flight, where a renderer takes them.
    pub overlap: Vec<Overlap>,
}

/// How long blocks of one size take.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RoundTrip {
    pub renderer: String,
    pub frames: usize,
    pub pace: Pace,
    pub microseconds: Percentiles,
}

/// Medians of one block's stages on a GPU, in microseconds, and the bytes that are copied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stages {
    pub frames: usize,
    /// On the host: packing and submitting.
    pub submit: f64,
    /// On the host: waiting.
    pub wait: f64,
    /// On the GPU: fetching the clouds.
    pub fetch: f64,
    /// On the GPU: rendering and mixing.
    pub compute: f64,
    /// To the GPU.
    pub upload_bytes: usize,
    /// Back from it.
    pub download_bytes: usize,
}

/// Measures all block sizes, at every pace.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<RoundTrips, Failure> {
    let all: Vec<Candidate> = candidates.iter().copied().chain(without_graph(candidates)).collect();
    let prepare = |candidate: &Candidate| {
        let loaded = Loaded::new(candidate.renderer(), Load::USUAL, Load::USUAL_SLOTS);
        loaded.map_err(Failure::failed)
    };
    let mut renderers: Vec<_> = all.iter().map(prepare).collect::<Result<_, _>>()?;
    let pieces = TICKS.len() * all.len() * ROUNDS;
    let bar = plan.bar("round trip", pieces * Pace::ALL.len());
    let mut rows = Vec::new();
    for (ticks, pace) in TICKS.into_iter().flat_map(|ticks| Pace::ALL.map(|pace| (ticks, pace))) {
        let length = match pace {
            Pace::BackToBack => plan.piece(0.06, pieces),
            Pace::Paced => plan.piece(0.45, pieces),
        };
        for renderer in &mut renderers {
            // Once, so that graphs and caches have this size.
            renderer.next(ticks)?;
        }
        let rounds = in_rounds(&mut renderers, &bar, |renderer| {
            // A GPU that has just worked for another context needs some blocks to change over.
            for _ in 0..SETTLING {
                renderer.next(ticks)?;
            }
            pace.run(period(ticks), length, || renderer.next(ticks))
        })?;
        rows.extend(all.iter().zip(&rounds).filter_map(|(candidate, rounds)| {
            Some(RoundTrip {
                renderer: candidate.id().to_owned(),
                frames: ticks * TICK,
                pace,
                microseconds: Percentiles::of_rounds(rounds, period(ticks))?,
            })
        }));
    }
    bar.finish_and_clear();
    drop(renderers);
    let mut stages = Vec::new();
    for candidate in candidates.iter().filter(|_| !interrupt::requested()) {
        if let Candidate::Cuda { device, options } = *candidate {
            stages = measure_stages(device, options)?;
        }
    }
    Ok(RoundTrips {
        voices: Load::USUAL.clouds,
        partials: Load::USUAL.partials,
        rows,
        stages,
        overlap: overlap::measure(candidates, plan)?,
    })
}

/// The GPUs among `candidates`, without CUDA graphs.
fn without_graph(candidates: &[Candidate]) -> impl Iterator<Item = Candidate> {
    candidates.iter().filter_map(|candidate| match *candidate {
        Candidate::Cpu { .. } => None,
        Candidate::Cuda { device, options } => {
            let graph = false;
            let options = CudaOptions { graph, ..options };
            Some(Candidate::Cuda { device, options })
        }
    })
}

/// Measures the stages of some blocks of each size. This is a run of its own because the GPU's
/// timers take time.
fn measure_stages(device: usize, options: CudaOptions) -> Result<Vec<Stages>, Failure> {
    const BLOCKS: usize = 300;
    let options = CudaOptions { stage_times: true, ..options };
    let renderer = Box::new(CudaRenderer::with_options(device, options));
    let loaded = Loaded::new(renderer, Load::USUAL, Load::USUAL_SLOTS);
    let mut loaded = loaded.map_err(Failure::failed)?;
    let mut found = Vec::new();
    for ticks in TICKS {
        let mut times: Vec<StageTimes> = Vec::new();
        for _ in 0..BLOCKS {
            loaded.next(ticks)?;
            times.extend(loaded.renderer.counters().map(|counters| counters.times));
        }
        let middle = |stage: fn(&StageTimes) -> f32| {
            let each: Vec<f64> = times.iter().map(|time| f64::from(stage(time))).collect();
            median(&each)
        };
        let counters = loaded.renderer.counters().cloned().unwrap_or_default();
        found.push(Stages {
            frames: ticks * TICK,
            submit: middle(|times| times.submit),
            wait: middle(|times| times.wait),
            fetch: middle(|times| times.upload),
            compute: middle(|times| times.compute),
            upload_bytes: counters.upload_bytes,
            download_bytes: counters.download_bytes,
        });
    }
    Ok(found)
}

impl RoundTrips {
    /// The rows of one pace, by frames and renderer.
    pub(super) fn at(&self, pace: Pace) -> impl Iterator<Item = &RoundTrip> {
        self.rows.iter().filter(move |row| row.pace == pace)
    }

    /// How much quicker a graph makes the median block of a size, in microseconds.
    pub(super) fn graph_saves(&self, frames: usize, pace: Pace) -> Option<Figure> {
        let find = |id: &str| {
            let mut rows = self.at(pace);
            let row = rows.find(|row| row.frames == frames && row.renderer == id)?;
            Some(row.microseconds.p50)
        };
        let (with, without) = (find("cuda")?, find("cuda-no-graph")?);
        Some(Figure {
            value: without.value - with.value,
            low: without.low - with.high,
            high: without.high - with.low,
        })
    }
}
