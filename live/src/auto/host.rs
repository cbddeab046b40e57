//! What control costs the host, whoever renders: notes with envelopes, LFOs, routes and unison, through an engine whose
//! renderer does nothing.

use crate::supervised::Load;
use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::render::{
    Buses, Capacity, PrepareError, Remedy, RenderError, Renderer, TICK, VoiceBlock,
};
use myriad_engine::{Engine, EngineConfig, EngineError, Event, EventKind, Patch};
use std::sync::Arc;
use std::time::Duration;

/// The host's time of a block: `fixed`, and the cost of each cloud in each tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostCost {
    /// Seconds of a block in which nothing sounds.
    pub fixed: f64,
    /// Seconds of a cloud in a tick.
    pub per_cloud: f64,
}

impl HostCost {
    /// Seconds that a block takes.
    pub fn seconds(&self, load: Load) -> f64 {
        self.fixed + self.per_cloud * (load.clouds * load.ticks) as f64
    }

    /// Whether a machine can have these numbers.
    pub fn is_sane(&self) -> bool {
        [self.fixed, self.per_cloud].iter().all(|part| part.is_finite() && *part >= 0.0)
    }
}

/// Notes, unison copies of each, and ticks of the blocks that are measured.
const NOTES: usize = 96;
const COPIES: usize = 7;
const TICKS: usize = 4;

/// Repetitions. The median counts, so that short disturbances do not.
const TIMES: usize = 31;

/// Measures control on so many threads.
///
/// # Errors
/// When memory or threads are refused.
pub(super) fn measure(
    threads: usize,
    clock: &dyn Fn() -> Duration,
) -> Result<HostCost, PrepareError> {
    let config =
        EngineConfig { voices: NOTES, clouds: NOTES * COPIES, threads, ..EngineConfig::default() };
    let mut engine = Engine::with_renderer(&config, Box::new(Unrendered(None))).map_err(
        |error| match error {
            EngineError::Renderer(error) => error,
            other => PrepareError::Device { remedy: Remedy::Nothing, source: Box::new(other) },
        },
    )?;
    engine.set_patch(0, &patch());
    let silent = median_block(&mut engine, clock);
    let (mut left, mut right) = ([0.0; TICKS * TICK], [0.0; TICKS * TICK]);
    let chord: Vec<Event> = (0..NOTES as u8)
        .map(|note| Event {
            frame: 0,
            part: 0,
            kind: EventKind::NoteOn { key: 12 + note, velocity: 0.8 },
        })
        .collect();
    engine.render(&chord, &mut left, &mut right);
    let sounding = median_block(&mut engine, clock);
    let cloud_ticks = (engine.counters().clouds.max(1) * TICKS) as f64;
    Ok(HostCost { fixed: silent, per_cloud: (sounding - silent).max(0.0) / cloud_ticks })
}

fn median_block(engine: &mut Engine, clock: &dyn Fn() -> Duration) -> f64 {
    let (mut left, mut right) = ([0.0; TICKS * TICK], [0.0; TICKS * TICK]);
    let mut times = [0.0; TIMES];
    for time in &mut times {
        let start = clock();
        engine.render(&[], &mut left, &mut right);
        *time = clock().saturating_sub(start).as_secs_f64();
    }
    times.sort_by(f64::total_cmp);
    times[TIMES / 2]
}

/// A patch as most are: two envelopes, two LFOs, a filter, unison.
fn patch() -> Patch {
    let mut patch = Patch::new();
    for (param, value) in [
        (Param::VoiceLimit, NOTES as f32),
        (Param::UnisonVoices, COPIES as f32),
        (Param::UnisonDetune, 15.0),
        (Param::UnisonSpread, 1.0),
        (Param::FilterType, 2.0), // Low, four poles.
        (Param::Env1Sustain, 1.0),
    ] {
        patch.values.set(param, value);
    }
    let route = |source, target, amount| Route {
        source,
        via: None,
        target,
        amount,
        curve: RouteCurve::Linear,
    };
    patch.routes = vec![
        route(Source::Lfo1, Param::PitchTune, 0.1),
        route(Source::Lfo2, Param::FilterCutoff, 0.5),
        route(Source::Env2, Param::FilterCutoff, 1.0),
        route(Source::Random, Param::AmpPan, 0.3),
    ];
    patch
}

/// A renderer that takes blocks and gives silence.
struct Unrendered(Option<Arc<VoiceBlock>>);

impl Renderer for Unrendered {
    fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
        Ok(())
    }

    fn reset(&mut self) {
        self.0 = None;
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.0 = Some(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        buses.clear();
        self.0.take().map(|_| 0).ok_or(RenderError::OutOfTurn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// All notes sound, or less would be measured than is reported.
    #[test]
    fn control_of_every_copy_is_measured() {
        let start = Instant::now();
        let cost = measure(1, &|| start.elapsed()).expect("one thread can be had");
        assert!(cost.is_sane() && cost.per_cloud > 0.0, "{cost:?}");
        let mut engine = Engine::with_renderer(
            &EngineConfig { voices: NOTES, clouds: NOTES * COPIES, ..EngineConfig::default() },
            Box::new(Unrendered(None)),
        )
        .expect("a small engine");
        engine.set_patch(0, &patch());
        for key in 12..12 + NOTES as u8 {
            let kind = EventKind::NoteOn { key, velocity: 0.8 };
            engine.render(&[Event { frame: 0, part: 0, kind }], &mut [0.0; 64], &mut [0.0; 64]);
        }
        assert_eq!(engine.counters().clouds, NOTES * COPIES);
        assert_eq!(engine.counters().renders_failed, 0);
    }
}
