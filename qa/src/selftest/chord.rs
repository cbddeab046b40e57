//! A chord whose renderer fails while it sounds: it must go on without a click, and the renderer must
//! be used again where that is possible.

use myriad_conformance::steepest;
use myriad_engine::params::Param;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};
use myriad_live::fault::{Fault, FaultRenderer, Faults};
use myriad_live::supervised::{FailoverReport, MakeGpuRenderer, SupervisedRenderer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

const RATE: usize = 48_000;

/// How long a GPU may take until it can be used again.
const PATIENCE: Duration = Duration::from_secs(20);

/// A step may be so much larger than the largest of the chord itself.
const OWN_STEPS: f32 = 1.6;

/// Plays a chord with the first renderer, has it fail, and checks the sound. Then `again` makes the
/// renderer that replaces it.
pub(super) fn check<R: Renderer + 'static>(
    first: impl Fn(Arc<Faults>) -> FaultRenderer<R> + Send + Sync + 'static,
    again: MakeGpuRenderer,
) -> Result<String, String> {
    let faults: Arc<Faults> = Arc::default();
    let its_faults = Arc::clone(&faults);
    let is_first = AtomicBool::new(true);
    let make: MakeGpuRenderer = Arc::new(move || match is_first.swap(false, Ordering::Relaxed) {
        true => Box::new(first(Arc::clone(&its_faults))),
        false => again(),
    });
    let mut rig = Rig::new(make)?;
    let before = rig.play(true, RATE);
    faults.set_once(Fault::Fail);
    let lost = rig.play(false, RATE / 2);
    let report = rig.report();
    let Some(reason) = report.lost_because else {
        return Err("the failure went unnoticed".into());
    };
    let (returned, outcome) = rig.until_returned();
    let after = rig.play(false, RATE / 2);
    let own = [&before[RATE / 2..], &lost[RATE / 4..], &after[RATE / 4..]]
        .into_iter()
        .fold(0.0f32, |own, sound| own.max(steepest(sound)));
    let all = [&before[RATE / 2..], &lost, &returned, &after].concat();
    let step = steepest(&all) / own;
    let measured = format!("{reason}; steps at most {step:.2} of its own; {outcome}");
    match own > 0.0 && step <= OWN_STEPS && rig.engine.counters().renders_failed == 0 {
        true => Ok(measured),
        false => Err(measured),
    }
}

/// An engine that plays a steady sound, in which any click stands out.
struct Rig {
    engine: Engine,
    report: Arc<Mutex<FailoverReport>>,
}

impl Rig {
    fn new(make: MakeGpuRenderer) -> Result<Self, String> {
        let renderer = SupervisedRenderer::new(make, CpuRenderer::new(1)).require_gpu();
        let report = renderer.report();
        let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
        let mut engine = Engine::with_renderer(&config, Box::new(renderer))
            .map_err(|error| error.to_string())?;
        let mut patch = Patch::new();
        for (param, value) in [
            (Param::SourcePartials, 8.0),
            (Param::SourcePosition, 0.3),
            (Param::Env1Attack, 0.01),
            (Param::Env1Sustain, 1.0),
        ] {
            patch.values.set(param, value);
        }
        engine.set_patch(0, &patch);
        Ok(Self { engine, report })
    }

    fn report(&self) -> FailoverReport {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.clone()
    }

    /// Plays on, starting the chord first if `chord`. Returns the left channel.
    fn play(&mut self, chord: bool, frames: usize) -> Vec<f32> {
        let notes = [45, 52, 57].map(|key| Event {
            frame: 0,
            part: 0,
            kind: EventKind::NoteOn { key, velocity: 0.8 },
        });
        let events: &[Event] = if chord { &notes } else { &[] };
        let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
        self.engine.render(events, &mut left, &mut right);
        left
    }

    /// Plays until the renderer is used again or never will be. Returns the sound and the outcome.
    fn until_returned(&mut self) -> (Vec<f32>, String) {
        let start = Instant::now();
        let mut sound = Vec::new();
        loop {
            sound.extend(self.play(false, 1_024));
            let report = self.report();
            let waited = start.elapsed();
            if report.on_gpu {
                return (sound, format!("back after {} ms", waited.as_millis()));
            }
            if let Some(refused) = report.refused_because {
                return (sound, refused);
            }
            if waited > PATIENCE {
                return (sound, format!("not back after {} s", PATIENCE.as_secs()));
            }
            // About real time.
            sleep(Duration::from_millis(20));
        }
    }
}
