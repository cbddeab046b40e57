//! Tables that patches bring along while the other process runs.

use crate::harness::*;
use myriad_conformance::testing::{RATE, imported, on, play, soft};
use myriad_engine::render::CpuRenderer;
use myriad_engine::spectrum::IMPORTED_ROWS;
use myriad_engine::{Engine, Playable};
use myriad_live::supervised::{MakeGpuRenderer, SupervisedRenderer};
use rustix::process::Signal;
use std::sync::Arc;

/// Whoever imports a recording hears it, though the process was started before.
#[test]
fn a_table_that_is_imported_while_it_runs_sounds_as_it_does_here() {
    let _alone = alone();
    let engines = &mut [
        engine_on(Box::new(CpuRenderer::new(1)), &soft()),
        engine_on(Box::new(remote()), &soft()),
    ];
    let mut both = |patch: &_, key| {
        let [expected, got] = engines.each_mut().map(|engine| {
            engine.set_patch(0, patch);
            (play(engine, &[(7, on(key))], RATE / 20), engine.counters())
        });
        assert!(expected.0[0].iter().any(|&x| x.abs() > 0.01));
        assert!(expected == got);
    };
    both(&soft(), 45);
    // Notes of one patch still fade when the next one begins.
    both(&imported(&[1.0, 0.0, 0.5, 0.1], 2), 52);
    both(&imported(&[0.1, 1.0, 0.0, 0.7, 0.9], 500), 57);
    both(&soft(), 45);
}

/// A GPU that is lost, and another sound for a moment, would be too high a price.
#[test]
fn a_new_table_is_no_reason_to_change_the_renderer() {
    let _alone = alone();
    let make: MakeGpuRenderer = Arc::new(|_| Some(Box::new(remote())));
    let supervised = SupervisedRenderer::new(make, CpuRenderer::new(1));
    let report = supervised.report();
    let mut pair = engine_on(Box::new(supervised), &soft());
    let mut here = engine_on(Box::new(CpuRenderer::new(1)), &soft());
    for partial in 1..20 {
        let patch = imported(
            &(1..40)
                .map(|n| 1.0 / (n * partial) as f32)
                .collect::<Vec<_>>(),
            60,
        );
        let [expected, got] = [&mut here, &mut pair].map(|engine| {
            engine.set_patch(0, &patch);
            play(engine, &[(0, on(40 + partial as u8))], RATE / 50)
        });
        assert!(expected == got, "table {partial}");
    }
    let report = report.lock().unwrap().clone();
    assert!(report.on_gpu && report.losses == 0, "{report:?}");
}

/// Rows that are used anew hold what they should on the other side too, also for who comes later.
#[test]
fn more_tables_than_there_is_room_for_sound_as_they_do_here() {
    let _alone = alone();
    let mut here = engine_on(Box::new(CpuRenderer::new(1)), &soft());
    let mut there = [(); 2].map(|()| engine_on(Box::new(remote()), &soft()));
    let mut rows = 0;
    for table in 1..60_u8 {
        let frames = 350 + usize::from(table);
        rows += 6 + 2 * frames;
        let levels: Vec<f32> = (1..30)
            .map(|n| (table as f32 * n as f32).sin().abs())
            .collect();
        let patch = imported(&levels, frames);
        if table == 40 {
            there[1] = engine_on(Box::new(remote()), &soft());
        }
        let heard = |engine: &mut Engine| {
            engine.set_patch(0, &patch);
            engine.reset();
            play(engine, &[(0, on(30 + table))], RATE / 50)
        };
        let expected = heard(&mut here);
        assert!(heard(&mut engine_on(Box::new(CpuRenderer::new(1)), &soft())) == expected);
        for engine in &mut there {
            assert!(heard(engine) == expected, "table {table}");
        }
    }
    assert!(rows > 2 * IMPORTED_ROWS, "{rows}");
}

/// An import goes to every process, also to one that does not listen.
#[test]
fn a_process_that_hangs_holds_up_nobody_who_imports() {
    let _alone = alone();
    let renderer = prepared();
    let process = renderer.process_id().unwrap();
    signal(process, Signal::STOP);
    // Far more than waits on the way.
    let kept: Vec<Playable> = (1..5)
        .map(|n| Playable::new(imported(&[1.0, 0.1 * n as f32], 500)))
        .collect();
    drop(renderer);
    eventually("the process ends", || state(process).is_none());
    assert!(kept.into_iter().all(|patch| patch.complete().is_ok()));
}
