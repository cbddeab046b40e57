//! Tables that are imported while the service runs.

use crate::harness::*;
use myriad_conformance::testing::{RATE, imported, on, play, soft};
use myriad_engine::render::CpuRenderer;
use myriad_engine::spectrum::IMPORTED_ROWS;
use myriad_engine::{Engine, Playable};
use myriad_kernels::service::{ServiceOptions, ServiceRenderer};
use myriad_live::supervised::watchdog::WatchdogConfig;
use myriad_live::supervised::{MakeGpuRenderer, SupervisedRenderer};
use rustix::process::Signal;
use std::sync::Arc;

#[test]
fn a_table_imported_later_is_bit_identical() {
    let _others = beside_others();
    let folder = Folder::new();
    let engines = &mut [
        engine_on(Box::new(CpuRenderer::new(1)), &soft()),
        engine_on(Box::new(folder.client()), &soft()),
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
    // Notes of one patch still fade out when the next one starts.
    both(&imported(&[1.0, 0.0, 0.5, 0.1], 2), 52);
    both(&imported(&[0.1, 1.0, 0.0, 0.7, 0.9], 500), 57);
    both(&soft(), 45);
}

#[test]
fn a_new_table_does_not_cause_failover() {
    let _others = beside_others();
    let folder = Folder::new();
    let command = folder.command();
    // A busy machine may be slow; a table that did not arrive would never be there.
    let options = ServiceOptions { deadline: TIMEOUT, ..ServiceOptions::default() };
    let make: MakeGpuRenderer =
        Arc::new(move || Box::new(ServiceRenderer::new(command.clone(), options)));
    let watchdog = WatchdogConfig { render_timeout: TIMEOUT, ..WatchdogConfig::default() };
    let supervised = SupervisedRenderer::new(make, CpuRenderer::new(1)).with_watchdog(watchdog);
    let report = supervised.report();
    let mut pair = engine_on(Box::new(supervised), &soft());
    let mut local = engine_on(Box::new(CpuRenderer::new(1)), &soft());
    for partial in 1..20 {
        let patch = imported(&(1..40).map(|n| 1.0 / (n * partial) as f32).collect::<Vec<_>>(), 60);
        let [expected, got] = [&mut local, &mut pair].map(|engine| {
            engine.set_patch(0, &patch);
            play(engine, &[(0, on(40 + partial as u8))], RATE / 50)
        });
        assert!(expected == got, "table {partial}");
    }
    let report = report.lock().unwrap().clone();
    assert!(report.on_gpu && report.losses == 0, "{report:?}");
}

/// Rows that are reused have the new content in the service too, also for a client that comes later.
#[test]
fn reused_table_rows_are_bit_identical() {
    let _others = beside_others();
    let mut local = engine_on(Box::new(CpuRenderer::new(1)), &soft());
    let folder = Folder::new();
    let mut others = [(); 2].map(|()| engine_on(Box::new(folder.client()), &soft()));
    let mut rows = 0;
    for table in 1..60_u8 {
        let frames = 350 + usize::from(table);
        rows += 6 + 2 * frames;
        let levels: Vec<f32> = (1..30).map(|n| (table as f32 * n as f32).sin().abs()).collect();
        let patch = imported(&levels, frames);
        if table == 40 {
            others[1] = engine_on(Box::new(folder.client()), &soft());
        }
        let heard = |engine: &mut Engine| {
            engine.set_patch(0, &patch);
            engine.reset();
            play(engine, &[(0, on(30 + table))], RATE / 50)
        };
        let expected = heard(&mut local);
        assert!(heard(&mut engine_on(Box::new(CpuRenderer::new(1)), &soft())) == expected);
        for engine in &mut others {
            assert!(heard(engine) == expected, "table {table}");
        }
    }
    assert!(rows > 2 * IMPORTED_ROWS, "{rows}");
}

#[test]
fn a_service_that_hangs_does_not_block_imports() {
    let _others = beside_others();
    let folder = Folder::new();
    let renderer = folder.prepared();
    let process = renderer.process_id().unwrap();
    signal(process, Signal::STOP);
    // Far more than the queue holds.
    let kept: Vec<Playable> =
        (1..5).map(|n| Playable::new(imported(&[1.0, 0.1 * n as f32], 500))).collect();
    drop(renderer);
    signal(process, Signal::KILL);
    assert!(kept.into_iter().all(|patch| patch.complete().is_ok()));
}
