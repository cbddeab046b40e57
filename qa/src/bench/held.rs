//! How many partials a renderer holds in real time.
//!
//! The load grows until a block takes about as long as it sounds; the rest up to the deadline is
//! interpolated. The median block counts, so live play needs some room.

mod clouds;

use super::RATE;
use super::candidate::Candidate;
use super::figure::{Figure, median};
use super::load::Spectrum;
use super::machine::Gpu;
use super::rounds::{Plan, ROUNDS, in_rounds, period, timed};
use super::table::partials;
use clouds::Clouds;
use myriad_engine::render::TICK;
use myriad_engine::render::cpu::benchmark::{BankAlone, PARTIALS};
use myriad_engine::simd::Level;
use myriad_kernels::cuda::benchmark::BankAlone as CudaBankAlone;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

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

    /// Its name in JSON.
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
    /// Whether memory, not time, limits that number.
    pub memory_limited: bool,
    /// For a GPU's bank: its error against double precision, in decibels.
    pub error_db: Option<f64>,
    /// For a GPU: the share of what its FP32 units could do at their highest clock, if a partial
    /// took four instructions a frame and nothing else.
    pub share_of_limit: Option<f64>,
}

impl Held {
    /// The partials, and why there are not more if that is not time.
    pub(super) fn label(&self) -> String {
        let why = if self.memory_limited { " (memory)" } else { "" };
        partials(self.partials.value) + why
    }
}

/// A load near the deadline.
struct Holding {
    /// Renders for about the given time. Returns the partials that can be held.
    measure: Box<dyn FnMut(Duration) -> Result<f64, Failure>>,
    /// Partials of the load.
    partials: usize,
    /// The error of the output, where it is known.
    error_db: Option<f64>,
    /// Whether memory ended the search for the load.
    memory_limited: bool,
}

/// Measures every kind of work.
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
        let mut loads = Vec::new();
        for candidate in candidates {
            if interrupt::requested() {
                break;
            }
            loads.push(match (work, candidate) {
                (Work::Bank, Candidate::Cpu { threads }) => cpu_bank(*threads),
                (Work::Bank, Candidate::Cuda { device, .. }) => cuda_bank(*device)?,
                (Work::Renderer(spectrum), _) => Clouds::search(candidate, spectrum)?,
            });
        }
        let rounds = in_rounds(&mut loads, &bar, |load| (load.measure)(length))?;
        for ((candidate, load), rounds) in candidates.iter().zip(&loads).zip(&rounds) {
            let gpu = gpu.filter(|_| candidate.is_cuda());
            rows.extend(Figure::of_rounds(rounds).map(|partials| Held {
                work,
                renderer: candidate.id().to_owned(),
                partials,
                measured_at: load.partials,
                memory_limited: load.memory_limited,
                error_db: load.error_db,
                share_of_limit: gpu.map(|gpu| partials.value / gpu.most_partials()),
            }));
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// The bank alone on cores. Every thread has a bank of its own; their sum counts.
fn cpu_bank(threads: usize) -> Holding {
    const FIRST_TICKS: usize = 1_000;
    let partials = threads * PARTIALS;
    // The seconds that all threads need for `ticks` ticks each.
    let time = move |ticks: usize| {
        let seeding = true;
        let work = BankAlone { ticks, seeding };
        let (seconds, ()) = timed(|| {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(move || Level::best().dispatch(work));
                }
                Level::best().dispatch(work);
            });
        });
        seconds
    };
    Holding {
        measure: Box::new(move |length| {
            // One long run, so that starting the threads does not count.
            let ticks = FIRST_TICKS as f64 * length.as_secs_f64() / time(FIRST_TICKS);
            let ticks = (ticks as usize).max(FIRST_TICKS);
            let sounding = (ticks * TICK) as f64 / RATE;
            Ok(partials as f64 * sounding / time(ticks))
        }),
        partials,
        error_db: None,
        memory_limited: false,
    }
}

/// The bank alone on a GPU, with about as many partials as it can render in time.
fn cuda_bank(device: usize) -> Result<Holding, Failure> {
    const FIRST: usize = 8 << 20;
    let new = |partials| CudaBankAlone::new(device, partials, TICKS);
    let held = |bank: &CudaBankAlone, seconds: f64| {
        bank.partials() as f64 * period(TICKS).as_secs_f64() / seconds
    };
    let mut bank = new(FIRST).map_err(Failure::failed)?;
    // Twice, because a larger bank may be more efficient than the first.
    for _ in 0..2 {
        let seconds = bank.render().map_err(Failure::failed)?;
        match new(held(&bank, seconds) as usize) {
            Ok(larger) => bank = larger,
            // There is no room for it. A smaller bank shows the speed as well.
            Err(_) => break,
        }
    }
    Ok(Holding {
        partials: bank.partials(),
        error_db: Some(bank.error_db()),
        memory_limited: false,
        measure: Box::new(move |length| {
            let start = Instant::now();
            let mut times = Vec::new();
            while times.is_empty() || (start.elapsed() < length && !interrupt::requested()) {
                times.push(bank.render().map_err(Failure::failed)?);
            }
            Ok(held(&bank, median(&times)))
        }),
    })
}
