//! How many partials a renderer holds in real time.
//!
//! The load grows until a block takes about as long as it takes to play; what is left to the
//! deadline is interpolated. "Held" is by the median block: leave room when you play.

mod bank;
mod clouds;

use super::candidate::Candidate;
use super::figure::Figure;
use super::load::Spectrum;
use super::machine::Gpu;
use super::turns::{Plan, ROUNDS, in_turns};
use bank::{CpuBank, CudaBank};
use clouds::Clouds;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Ticks of a block: 128 frames.
const TICKS: usize = 4;

/// What is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Work {
    /// Sines of fixed pitch, levels moving, and nothing else.
    Bank,
    /// The whole renderer: spectra evaluated from clouds of 1,024 partials, mixed to stereo.
    #[serde(untagged)]
    Renderer(Spectrum),
}

impl Work {
    const ALL: [Work; 4] = [
        Work::Bank,
        Work::Renderer(Spectrum::Table),
        Work::Renderer(Spectrum::Filtered),
        Work::Renderer(Spectrum::Everything),
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Work::Bank => "bank alone",
            Work::Renderer(Spectrum::Table) => "renderer: pitch, morph, gains",
            Work::Renderer(Spectrum::Filtered) => "tilt, damping, filter too",
            Work::Renderer(Spectrum::Everything) => "everything there is",
        }
    }

    /// The same as one word.
    pub(super) fn id(self) -> &'static str {
        match self {
            Work::Bank => "bank",
            Work::Renderer(Spectrum::Table) => "table",
            Work::Renderer(Spectrum::Filtered) => "filtered",
            Work::Renderer(Spectrum::Everything) => "everything",
        }
    }
}

/// What one renderer holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    pub work: Work,
    pub renderer: String,
    /// Partials in real time at 48 kHz.
    pub partials: Figure,
    /// Partials of the load at which that was measured.
    pub measured_at: usize,
    /// Whether memory is what ends at that number, before time does.
    pub memory_limited: bool,
    /// For a GPU's bank: its error against double precision, in decibels.
    pub error_db: Option<f64>,
    /// For a GPU: the share of what its FP32 units could do at their highest clock, if a partial
    /// took four instructions a frame and nothing else.
    pub share_of_limit: Option<f64>,
}

/// A load near the deadline, ready to be timed.
trait Holding {
    /// Partials held, as timed for about `length`.
    fn held(&mut self, length: Duration) -> Result<f64, Failure>;
    /// Partials of the load.
    fn load(&self) -> usize;
    /// The error of what sounds, where it is known.
    fn error_db(&self) -> Option<f64> {
        None
    }
    /// Whether memory ended the search for it.
    fn memory_limited(&self) -> bool {
        false
    }
}

/// A candidate with its load, and what it held in each round.
struct Player {
    candidate: Candidate,
    holding: Box<dyn Holding>,
    rounds: Vec<f64>,
}

/// Measures every kind of work.
///
/// # Errors
/// When a renderer fails.
pub(super) fn measure(
    candidates: &[Candidate],
    gpu: Option<&Gpu>,
    plan: &Plan,
) -> Result<Vec<Held>, Failure> {
    let pieces = Work::ALL.len() * candidates.len() * ROUNDS;
    let length = plan.piece(0.18, pieces);
    let bar = plan.bar("held", pieces);
    let mut rows = Vec::new();
    for work in Work::ALL {
        let mut players = Vec::new();
        for candidate in candidates {
            if interrupt::requested() {
                break;
            }
            players.push(Player {
                candidate: *candidate,
                holding: search(work, candidate)?,
                rounds: Vec::new(),
            });
        }
        in_turns(&mut players, &bar, |player| {
            player.rounds.push(player.holding.held(length)?);
            Ok(())
        })?;
        rows.extend(players.iter().filter_map(|player| row(work, player, gpu)));
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn search(work: Work, candidate: &Candidate) -> Result<Box<dyn Holding>, Failure> {
    Ok(match (work, candidate) {
        (Work::Bank, Candidate::Cpu { threads }) => Box::new(CpuBank::new(*threads)),
        (Work::Bank, Candidate::Cuda { device, .. }) => Box::new(CudaBank::search(*device)?),
        (Work::Renderer(spectrum), _) => Box::new(Clouds::search(candidate, spectrum)?),
    })
}

fn row(work: Work, player: &Player, gpu: Option<&Gpu>) -> Option<Held> {
    let partials = Figure::of_rounds(&player.rounds)?;
    let gpu = gpu.filter(|_| player.candidate.is_cuda());
    Some(Held {
        work,
        renderer: player.candidate.id().to_owned(),
        partials,
        measured_at: player.holding.load(),
        memory_limited: player.holding.memory_limited(),
        error_db: player.holding.error_db(),
        share_of_limit: gpu.map(|gpu| partials.value / gpu.most_partials()),
    })
}
