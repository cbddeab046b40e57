//! Round trips: from handing a block of clouds to a renderer to mixed audio in the host's memory.

use super::candidate::{Candidate, Rig};
use super::figure::{Figure, Percentiles, median};
use super::load::{Load, Spectrum};
use super::overlap::{self, Overlap};
use super::pace::{Pace, timed};
use super::period;
use super::turns::{Plan, ROUNDS, in_turns};
use myriad_engine::render::{Buses, Capacity, TICK, VoiceBlock};
use myriad_kernels::cuda::{CudaOptions, StageTimes};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Block sizes, in ticks: 32 to 256 frames.
const TICKS: [usize; 4] = [1, 2, 4, 8];

const LOAD: Load = Load {
    clouds: 1_024,
    partials: 64,
    spectrum: Spectrum::Filtered,
};

/// As an engine for 1,024 voices prepares its renderer.
const CAPACITY: Capacity = Capacity {
    slots: 2_048,
    buses: 1,
};

/// Blocks of every turn before the first that is measured.
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
    /// Several blocks under way, where a renderer takes them.
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

/// Medians of one block's stages on a GPU, in microseconds, and what travels.
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

/// A prepared candidate, its block, and the times of every round.
struct Player {
    candidate: Candidate,
    rig: Rig,
    block: Arc<VoiceBlock>,
    buses: Buses,
    /// Blocks rendered.
    number: usize,
    rounds: Vec<Vec<f64>>,
}

impl Player {
    fn new(candidate: Candidate) -> Result<Self, Failure> {
        Ok(Self {
            candidate,
            rig: candidate.prepare(CAPACITY).map_err(Failure::failed)?,
            block: Arc::new(VoiceBlock::new(CAPACITY.slots)),
            buses: Buses::new(CAPACITY.buses),
            number: 0,
            rounds: Vec::new(),
        })
    }

    /// Renders the next block, written just before, as an engine does. Seconds of the rendering.
    fn render(&mut self, ticks: usize) -> Result<f64, Failure> {
        LOAD.fill(&mut self.block, ticks, self.number);
        self.number += 1;
        let (seconds, rendered) = timed(|| self.rig.render(&self.block, &mut self.buses));
        rendered.map(|_| seconds)
    }
}

/// Measures all block sizes, at every pace.
///
/// # Errors
/// When a renderer fails.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<RoundTrips, Failure> {
    let mut players = Vec::new();
    for candidate in candidates.iter().copied().chain(variants(candidates)) {
        players.push(Player::new(candidate)?);
    }
    let pieces = TICKS.len() * players.len() * ROUNDS;
    let bar = plan.bar("round trip", pieces * Pace::ALL.len());
    let mut rows = Vec::new();
    for ticks in TICKS {
        for pace in Pace::ALL {
            let length = match pace {
                Pace::BackToBack => plan.piece(0.06, pieces),
                Pace::Paced => plan.piece(0.45, pieces),
            };
            for player in &mut players {
                player.rounds.clear();
                // Once for graphs and caches to get used to the size.
                player.render(ticks)?;
            }
            in_turns(&mut players, &bar, |player| {
                // A GPU that has just worked for somebody else takes a moment to change over.
                for _ in 0..SETTLING {
                    player.render(ticks)?;
                }
                let times = pace.run(period(ticks), length, || player.render(ticks))?;
                player.rounds.push(times);
                Ok(())
            })?;
            rows.extend(players.iter().filter_map(|player| {
                Some(RoundTrip {
                    renderer: player.candidate.id().to_owned(),
                    frames: ticks * TICK,
                    pace,
                    microseconds: Percentiles::of_rounds(&player.rounds, period(ticks))?,
                })
            }));
        }
    }
    bar.finish_and_clear();
    drop(players);
    let mut stages = Vec::new();
    for candidate in candidates.iter().filter(|_| !interrupt::requested()) {
        if let Candidate::Cuda { device, options } = *candidate {
            stages = measure_stages(device, options)?;
        }
    }
    Ok(RoundTrips {
        voices: LOAD.clouds,
        partials: LOAD.partials,
        rows,
        stages,
        overlap: overlap::measure(candidates, plan)?,
    })
}

/// The GPU once more, in other ways than the usual one.
fn variants(candidates: &[Candidate]) -> Vec<Candidate> {
    let variant = |candidate: &Candidate| match *candidate {
        Candidate::Cpu { .. } => None,
        Candidate::Cuda { device, options } => Some(Candidate::Cuda {
            device,
            options: CudaOptions {
                graph: false,
                ..options
            },
        }),
    };
    candidates.iter().filter_map(variant).collect()
}

/// Looks into some blocks of each size. Apart from the rest, because looking takes time.
fn measure_stages(device: usize, options: CudaOptions) -> Result<Vec<Stages>, Failure> {
    const BLOCKS: usize = 300;
    let mut player = Player::new(Candidate::Cuda {
        device,
        options: CudaOptions {
            stage_times: true,
            ..options
        },
    })?;
    let mut found = Vec::new();
    for ticks in TICKS {
        let mut times: Vec<StageTimes> = Vec::new();
        for _ in 0..BLOCKS {
            player.render(ticks)?;
            times.extend(player.rig.counters().map(|counters| counters.times));
        }
        let middle = |stage: fn(&StageTimes) -> f32| {
            let each: Vec<f64> = times.iter().map(|time| f64::from(stage(time))).collect();
            median(&each).unwrap_or_default()
        };
        let counters = player.rig.counters().cloned().unwrap_or_default();
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
