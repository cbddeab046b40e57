//! The preferred renderer is lost in the middle of a chord: the chord goes on, and nothing clicks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod common;

use common::*;
use myriad_engine::params::Param;
use myriad_engine::render::CpuRenderer;
use myriad_engine::render::failover::{Failover, FailoverReport, MakePreferred};
use myriad_engine::render::fault::FaultRenderer;
use myriad_engine::{Engine, EngineConfig, Patch, factory};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

struct Rig {
    engine: Engine,
    fails: Arc<AtomicBool>,
    report: Arc<Mutex<FailoverReport>>,
}

fn rig(patch: &Patch) -> Rig {
    let fails = Arc::new(AtomicBool::new(false));
    let injected = Arc::clone(&fails);
    let make: MakePreferred = Arc::new(move || {
        Box::new(FaultRenderer::new(
            Box::new(CpuRenderer::new(1)),
            Arc::clone(&injected),
        ))
    });
    let failover = Failover::new(make, CpuRenderer::new(1));
    let report = failover.report();
    let config = EngineConfig {
        sample_rate: RATE as f32,
        ..EngineConfig::default()
    };
    let mut engine = Engine::with_renderer(&config, Box::new(failover)).unwrap();
    engine.set_patch(0, patch);
    Rig {
        engine,
        fails,
        report,
    }
}

impl Rig {
    fn report(&self) -> FailoverReport {
        self.report.lock().unwrap().clone()
    }

    /// Plays on until the preferred renderer is back.
    fn until_returned(&mut self) -> Vec<f32> {
        let mut sound = Vec::new();
        for _ in 0..2_000 {
            sound.extend(play(&mut self.engine, &[], 1_024)[0].iter());
            if self.report().preferred {
                return sound;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("it never came back: {:?}", self.report());
    }
}

#[test]
fn a_chord_survives_the_loss_and_the_return_without_a_click() {
    // A soft sound, in which any click stands out, and every factory patch that sustains.
    let sustained = factory::patches()
        .iter()
        .filter(|patch| patch.values[Param::Env1Sustain] > 0.5);
    for patch in std::iter::once(&soft()).chain(sustained) {
        let mut rig = rig(patch);
        let chord = [(0, on(45)), (0, on(52)), (0, on(57))];
        let before = play(&mut rig.engine, &chord, 2 * RATE)[0].clone();
        rig.fails.store(true, Ordering::Relaxed);
        let lost = play(&mut rig.engine, &[], RATE / 2)[0].clone();
        let report = rig.report();
        assert!(
            !report.preferred && report.losses == 1,
            "{}: {report:?}",
            patch.name
        );
        assert!(report.lost_because.unwrap().contains("injected"));
        rig.fails.store(false, Ordering::Relaxed);
        let returned = rig.until_returned();
        let after = play(&mut rig.engine, &[], RATE / 2)[0].clone();
        assert_eq!(rig.report().returns, 1);
        let (level, goes_on) = (rms(&before[RATE..]), rms(&lost[RATE / 4..]));
        assert!(
            goes_on > 0.3 * level,
            "{} goes on: {goes_on} after {level}",
            patch.name
        );
        assert!(rms(&after) > 0.2 * level, "{} is still there", patch.name);
        // No step is larger than the sound's own.
        let own = steepest(&before[RATE..])
            .max(steepest(&lost[RATE / 4..]))
            .max(steepest(&after));
        let all: Vec<f32> = [&before[RATE..], &lost, &returned, &after].concat();
        let step = steepest(&all);
        assert!(
            step <= 1.6 * own,
            "{}: a step of {step}, where {own} is its own",
            patch.name
        );
    }
}

#[test]
fn a_renderer_that_cannot_be_had_is_done_without() {
    let fails = Arc::new(AtomicBool::new(true));
    let make: MakePreferred = Arc::new(move || {
        Box::new(FaultRenderer::new(
            Box::new(CpuRenderer::new(1)),
            Arc::clone(&fails),
        ))
    });
    let failover = Failover::new(make, CpuRenderer::new(1));
    let report = failover.report();
    let mut engine = Engine::with_renderer(&EngineConfig::default(), Box::new(failover)).unwrap();
    engine.set_patch(0, &soft());
    let [out, _] = play(&mut engine, &[(0, on(60))], RATE);
    assert!(rms(&out) > 0.01);
    assert!(!report.lock().unwrap().preferred);
    assert!(report.lock().unwrap().refused_because.is_some());
    assert_eq!(engine.counters().renders_failed, 0);
}

#[test]
fn without_a_fault_it_is_bit_equal_to_the_preferred_renderer() {
    let patch = factory::find("Aurora").unwrap();
    let events = [(0, on(45)), (5_000, on(52)), (20_000, off(45))];
    let plain = play(&mut engine(patch), &events, RATE);
    assert!(play(&mut rig(patch).engine, &events, RATE) == plain);
}
