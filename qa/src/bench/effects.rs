//! What each effect of a rack costs: a held note with the effect, less the same note without.

use super::RATE;
use super::figure::{Figure, median};
use super::rounds::{Pace, Plan, ROUNDS, in_rounds, period, timed};
use super::table::Table;
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, TICK};
use myriad_player::failure::Failure;
use serde::{Deserialize, Serialize};

/// The cost of one effect, as shares of a core.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EffectCost {
    pub effect: String,
    /// Of the mean tick.
    pub mean: Figure,
    /// Of the tick that 1 of 100 exceeds: some effects work more in some ticks than in others.
    pub p99: Figure,
}

/// A note that sounds through one effect, or through none.
struct Held {
    engine: Engine,
    effect: Option<&'static str>,
}

impl Held {
    fn new(effect: Option<Param>) -> Result<Self, Failure> {
        let config =
            EngineConfig { sample_rate: RATE as f32, threads: 1, ..EngineConfig::default() };
        let mut engine = Engine::new(&config).map_err(Failure::failed)?;
        let mut patch = Patch::new();
        patch.values.set(Param::Env1Sustain, 1.0);
        if let Some(effect) = effect {
            patch.values.set(effect, 1.0);
        }
        engine.set_patch(0, &patch);
        let kind = EventKind::NoteOn { key: 60, velocity: 0.8 };
        let event = Event { frame: 0, part: 0, kind };
        engine.render(&[event], &mut [0.0; TICK], &mut [0.0; TICK]);
        Ok(Self { engine, effect: effect.map(|switch| switch.info().group()) })
    }

    /// Seconds of a tick.
    fn next(&mut self) -> f64 {
        let (mut left, mut right) = ([0.0; TICK], [0.0; TICK]);
        timed(|| self.engine.render(&[], &mut left, &mut right)).0
    }
}

/// The switches of all effects: every group that has one and an order.
fn switches() -> impl Iterator<Item = Param> {
    let has_order = |group: &str| Param::by_id(&format!("{group}.place")).is_some();
    let all = Param::ALL.iter().copied();
    all.filter(move |param| param.info().key() == "on" && has_order(param.info().group()))
}

/// Measures every effect with its default settings, on one core.
pub(super) fn measure(plan: &Plan) -> Result<Vec<EffectCost>, Failure> {
    let subjects: Result<Vec<Held>, Failure> =
        std::iter::once(None).chain(switches().map(Some)).map(Held::new).collect();
    let mut subjects = subjects?;
    let pieces = subjects.len() * ROUNDS;
    let bar = plan.bar("effects", pieces);
    let length = plan.piece(0.2, pieces);
    let rounds = in_rounds(&mut subjects, &bar, |held| {
        // Past the fade that switches an effect on, and caches filled again.
        for _ in 0..100 {
            held.next();
        }
        let mut times = Pace::BackToBack.run(period(1), length, || Ok(held.next()))?;
        times.sort_by(f64::total_cmp);
        let rank = (0.99 * times.len() as f64) as usize;
        let worst = times.get(rank).copied().unwrap_or_default();
        // Without the ticks in which the machine did something else.
        let usual = &times[..=rank.min(times.len().saturating_sub(1))];
        Ok([usual.iter().sum::<f64>() / usual.len() as f64, worst])
    })?;
    bar.finish_and_clear();
    let Some((none, rounds)) = rounds.split_first() else {
        return Ok(Vec::new());
    };
    let base = |which: usize| median(&none.iter().map(|round| round[which]).collect::<Vec<_>>());
    let base = [base(0), base(1)];
    let tick = period(1).as_secs_f64();
    let share = |rounds: &[[f64; 2]], which: usize| {
        let each: Vec<f64> =
            rounds.iter().map(|round| (round[which] - base[which]) / tick).collect();
        Figure::of_rounds(&each)
    };
    let effects = subjects[1..].iter().filter_map(|held| held.effect);
    let costs = effects.zip(rounds).filter_map(|(effect, rounds)| {
        let (mean, p99) = (share(rounds, 0)?, share(rounds, 1)?);
        Some(EffectCost { effect: effect.to_owned(), mean, p99 })
    });
    Ok(costs.collect())
}

/// The costs as a table.
pub(super) fn table(rows: &[EffectCost]) -> Table {
    let title = "Effects, each with its default settings: share of one core";
    let mut table = Table::new(title, 1, "effect|mean|from|to|99% of ticks");
    let percent = |share: f64| format!("{:.2}%", 100.0 * share);
    for EffectCost { effect, mean, p99 } in rows {
        let [value, low, high] = [mean.value, mean.low, mean.high].map(percent);
        table.row([effect.clone(), value, low, high, percent(p99.value)]);
    }
    table
}
