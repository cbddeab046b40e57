//! Whole blocks through the engine: events, modulation on the host, the renderer, the limiter.

use super::candidate::Candidate;
use super::figure::{Percentiles, median};
use super::grid::below_one;
use super::rounds::{Pace, Plan, ROUNDS, in_rounds, period, timed};
use super::scenario;
use myriad_engine::render::{
    Buses, Capacity, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use myriad_engine::{Counters, Engine, Workers};
use myriad_player::failure::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const TICKS: usize = 2;
const FRAMES: usize = TICKS * TICK;
const VOICES: usize = 1_024;
const PARTIALS: usize = 64;

/// How an engine plays with one renderer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Played {
    pub renderer: String,
    pub frames: usize,
    pub pace: Pace,
    /// Voices that sounded, as the engine counts them.
    pub voices: usize,
    /// Unison copies of each.
    #[serde(default = "one")]
    pub copies: usize,
    /// Partials that sounded, of all voices.
    pub partials: usize,
    /// Microseconds of the whole block.
    pub block: Percentiles,
    /// Those of the host: all but the renderer.
    pub host: Percentiles,
}

fn one() -> usize {
    1
}

/// From where on playing with CUDA is quicker than with a CPU renderer: whole blocks, back to back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlayedCrossover {
    /// The CPU renderer.
    pub than: String,
    /// From how many partials in all, interpolated; none when not even at the most.
    pub from_partials: Option<f64>,
    /// The loads that were played.
    pub loads: Vec<PlayedRatio>,
}

/// A load, and the time that CUDA takes for it relative to the CPU renderer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlayedRatio {
    pub voices: usize,
    pub partials: usize,
    pub ratio: f64,
}

/// Voices whose crossover is looked for, each with the most copies.
const CROSSOVER_VOICES: [usize; 6] = [1, 4, 16, 64, 256, 1_024];

/// Unison copies of each voice, case by case.
const COPIES: [usize; 2] = [1, 7];

/// An engine whose renderer is timed.
struct Player {
    id: &'static str,
    voices: usize,
    copies: usize,
    engine: Engine,
    spent: Arc<AtomicU64>,
}

impl Player {
    fn new(candidate: &Candidate, voices: usize, copies: usize) -> Result<Self, Failure> {
        let spent = Arc::new(AtomicU64::new(0));
        let renderer = Timed { inner: candidate.renderer(), spent: Arc::clone(&spent) };
        let engine = scenario::holding(voices, copies, PARTIALS, Box::new(renderer));
        let engine = engine.map_err(Failure::failed)?;
        let player = Self { id: candidate.id(), voices, copies, engine, spent };
        player.verify()?;
        Ok(player)
    }

    /// Fails unless all voices sound: nothing else may be measured.
    fn verify(&self) -> Result<Counters, Failure> {
        let counters = self.engine.counters();
        let as_asked = counters.voices == self.voices
            && counters.partials >= self.voices * self.copies * PARTIALS * 9 / 10
            && counters.notes_dropped + counters.events_dropped + counters.renders_failed == 0;
        match as_asked {
            true => Ok(counters),
            false => Err(Failure::failed(format!(
                "bench: {} × {} × {PARTIALS} partials should sound with {}, but: {counters:?}",
                self.voices, self.copies, self.id
            ))),
        }
    }

    /// Plays for `length`. Returns the seconds of whole blocks, and of the host's part of them.
    fn play(&mut self, pace: Pace, length: Duration) -> Result<[Vec<f64>; 2], Failure> {
        let (mut left, mut right) = ([0.0; FRAMES], [0.0; FRAMES]);
        let mut host = Vec::new();
        let blocks = pace.run(period(TICKS), length, || {
            self.spent.store(0, Ordering::Relaxed);
            let (seconds, ()) = timed(|| self.engine.render(&[], &mut left, &mut right));
            host.push(seconds - self.spent.load(Ordering::Relaxed) as f64 * 1e-9);
            Ok(seconds)
        })?;
        Ok([blocks, host])
    }

    /// What the rounds have shown; none without rounds.
    fn row(&self, pace: Pace, rounds: &[[Vec<f64>; 2]]) -> Result<Option<Played>, Failure> {
        let counters = self.verify()?;
        let percentiles = |part: usize| {
            let rounds: Vec<_> = rounds.iter().map(|round| round[part].clone()).collect();
            Percentiles::of_rounds(&rounds, period(TICKS))
        };
        Ok(percentiles(0).zip(percentiles(1)).map(|(block, host)| Played {
            renderer: self.id.to_owned(),
            frames: FRAMES,
            pace,
            voices: counters.voices,
            copies: self.copies,
            partials: counters.partials,
            block,
            host,
        }))
    }
}

/// A renderer that measures how long it works.
struct Timed {
    inner: Box<dyn Renderer>,
    /// Nanoseconds since it was last set to 0.
    spent: Arc<AtomicU64>,
}

impl Timed {
    fn add(&self, seconds: f64) {
        let nanoseconds = (seconds * 1e9) as u64;
        self.spent.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

impl Renderer for Timed {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.inner.prepare(capacity)
    }

    fn workers(&self) -> Option<Arc<Workers>> {
        self.inner.workers()
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        let (seconds, submitted) = timed(|| self.inner.submit(block));
        self.add(seconds);
        submitted
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let (seconds, collected) = timed(|| self.inner.collect(buses));
        self.add(seconds);
        collected
    }
}

/// Plays with every candidate, at every pace. A quick run has no unison.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<Vec<Played>, Failure> {
    let cases = if plan.is_quick() { &COPIES[..1] } else { &COPIES };
    let pieces = candidates.len() * ROUNDS * cases.len();
    let bar = plan.bar("played", pieces * Pace::ALL.len());
    let mut rows = Vec::new();
    for &copies in cases {
        let players: Result<Vec<_>, _> =
            candidates.iter().map(|candidate| Player::new(candidate, VOICES, copies)).collect();
        let mut players = players?;
        for pace in Pace::ALL {
            let length = match pace {
                Pace::BackToBack => plan.piece(0.02, pieces),
                Pace::Paced => plan.piece(0.12, pieces),
            };
            let rounds = in_rounds(&mut players, &bar, |player| player.play(pace, length))?;
            for (player, rounds) in players.iter().zip(rounds) {
                rows.extend(player.row(pace, &rounds)?);
            }
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Where playing with CUDA becomes quicker than with each CPU renderer; nothing without CUDA.
pub(super) fn crossovers(
    candidates: &[Candidate],
    plan: &Plan,
) -> Result<Vec<PlayedCrossover>, Failure> {
    let Some(cuda) = candidates.iter().position(Candidate::is_cuda) else {
        return Ok(Vec::new());
    };
    let copies = COPIES[COPIES.len() - 1];
    let pieces = candidates.len() * ROUNDS * CROSSOVER_VOICES.len();
    let (bar, length) = (plan.bar("crossover", pieces), plan.piece(0.04, pieces));
    let mut found: Vec<PlayedCrossover> = candidates
        .iter()
        .map(|candidate| PlayedCrossover {
            than: candidate.id().to_owned(),
            from_partials: None,
            loads: Vec::new(),
        })
        .collect();
    for voices in CROSSOVER_VOICES {
        let players: Result<Vec<_>, _> =
            candidates.iter().map(|candidate| Player::new(candidate, voices, copies)).collect();
        let mut players = players?;
        let rounds = in_rounds(&mut players, &bar, |player| {
            Ok(median(&player.play(Pace::BackToBack, length)?[0]))
        })?;
        // A run that was stopped has measured nothing here.
        if rounds.iter().any(Vec::is_empty) {
            break;
        }
        let times: Vec<f64> = rounds.iter().map(|rounds| median(rounds)).collect();
        for ((crossover, time), player) in found.iter_mut().zip(&times).zip(&players) {
            let partials = player.verify()?.partials;
            let ratio = times[cuda] / time;
            crossover.loads.push(PlayedRatio { voices, partials, ratio });
        }
    }
    bar.finish_and_clear();
    found.remove(cuda);
    for crossover in &mut found {
        let loads = crossover.loads.iter();
        let points: Vec<_> = loads.map(|load| (load.partials as f64, load.ratio)).collect();
        crossover.from_partials = below_one(&points);
    }
    Ok(found)
}
