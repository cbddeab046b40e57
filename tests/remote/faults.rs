//! The other process fails, dies, hangs, or is another program.

use crate::harness::*;
use myriad_conformance::testing::{RATE, on, play, rms, soft, steepest};
use myriad_engine::render::{Buses, CpuRenderer, RenderError, Renderer};
use myriad_kernels::remote::{RemoteFailure, RemoteRenderer, SUBCOMMAND};
use myriad_live::supervised::{MakeGpuRenderer, SupervisedRenderer};
use rustix::process::Signal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_process_that_is_killed_is_an_error_and_can_be_replaced() {
    let _alone = alone();
    let mut renderer = prepared();
    let mut buses = Buses::new(CAPACITY.buses);
    for _ in 0..3 {
        renderer.render(&block(true), &mut buses).unwrap();
        let process = renderer.process_id().unwrap();
        signal(process, Signal::KILL);
        let lost = RenderError::from(RemoteFailure::Killed { signal: 9 });
        assert_eq!(renderer.render(&block(false), &mut buses), Err(lost));
        // Every call fails at once until a new process is prepared.
        assert_eq!(renderer.submit(&block(false)), Err(lost));
        assert_eq!(state(process), None, "the process was reaped");
        renderer.prepare(CAPACITY).unwrap();
    }
    renderer.render(&block(true), &mut buses).unwrap();
}

#[test]
fn a_chord_survives_the_loss_of_its_process() {
    let _alone = alone();
    let process = Arc::new(AtomicU32::new(0));
    let noted = Arc::clone(&process);
    let make: MakeGpuRenderer =
        Arc::new(move |_| Some(Box::new(Watched { inner: remote(), process: Arc::clone(&noted) })));
    let supervised = SupervisedRenderer::new(make, CpuRenderer::new(1));
    let report = supervised.report();
    let report = || report.lock().unwrap().clone();
    let mut engine = engine_on(Box::new(supervised), &soft());
    assert!(report().on_gpu);
    let chord = [(0, on(45)), (0, on(52)), (0, on(57))];
    let before = play(&mut engine, &chord, RATE)[0].clone();
    let first = process.load(Ordering::Relaxed);
    signal(first, Signal::KILL);
    let mut after = Vec::new();
    let start = Instant::now();
    while report().returns == 0 {
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", report());
        after.extend(play(&mut engine, &[], 1_024)[0].iter());
        std::thread::sleep(Duration::from_millis(1));
    }
    after.extend(play(&mut engine, &[], RATE / 2)[0].iter());
    assert_eq!((report().losses, report().returns), (1, 1));
    assert!(report().lost_because.unwrap().contains("signal 9"));
    let second = process.load(Ordering::Relaxed);
    assert!(second != first && state(first).is_none());
    // The chord still sounds, and there is no click.
    let level = rms(&before[RATE / 2..]);
    assert!(rms(&after[after.len() - RATE / 2..]) > 0.5 * level);
    let own = steepest(&before[RATE / 2..]).max(steepest(&after[after.len() - RATE / 4..]));
    let all = [&before[RATE / 2..], &after].concat();
    assert!(steepest(&all) <= 1.6 * own, "{} of {own}", steepest(&all));
    drop(engine);
    eventually("the process ends with the engine", || state(second).is_none());
}

#[test]
fn a_process_that_hangs_is_late_and_can_be_dropped() {
    let _alone = alone();
    let deadline = Duration::from_millis(1_500);
    let mut renderer = prepared_with_deadline(deadline);
    let mut buses = Buses::new(CAPACITY.buses);
    renderer.render(&block(true), &mut buses).unwrap();
    let process = renderer.process_id().unwrap();
    signal(process, Signal::STOP);
    let late = Err(RenderError::Late { milliseconds: 1_500 });
    let start = Instant::now();
    assert_eq!(renderer.render(&block(false), &mut buses), late);
    assert!(start.elapsed() >= deadline);
    assert_eq!(renderer.submit(&block(false)), late.map(|_| ()));
    drop(renderer);
    eventually("a process that hangs is ended", || state(process).is_none());
}

#[test]
fn other_programs_are_refused_with_a_reason() {
    let _alone = alone();
    let refused = |mut renderer: RemoteRenderer| {
        let error = renderer.prepare(CAPACITY).unwrap_err().to_string();
        assert_eq!(renderer.submit(&block(true)), Err(RenderError::NotPrepared));
        assert!(renderer.process_id().is_none());
        println!("{error}");
        error
    };
    assert!(refused(any("/no/such/program", &[])).contains("/no/such/program"));
    assert!(refused(any("true", &[])).contains("ended with code 0"));
    let fails = ["-c", "echo no GPU >&2; exit 3"];
    assert!(refused(any("sh", &fails)).contains("code 3 (no GPU)"));
    // Answers with another protocol.
    let garbage = ["-c", "printf 0123456789abcdef >&0; exec sleep 1000"];
    assert!(refused(any("sh", &garbage)).contains("not make sense"));
    assert!(refused(any(program(), &[SUBCOMMAND, "abacus"])).contains("abacus"));
    let short = Duration::from_millis(100);
    let silent = of("sleep".as_ref(), &["1000"], short, short);
    assert!(refused(silent).contains("within 100 ms"));
}

#[test]
fn a_missing_gpu_is_refused_with_its_own_message() {
    let _alone = alone();
    // No machine has that many GPUs.
    let mut renderer = RemoteRenderer::cuda(program(), 4_096);
    let said = renderer.prepare(CAPACITY).unwrap_err().to_string();
    assert!(said.contains("no NVIDIA driver") || said.contains("no CUDA device 4096"), "{said}");
}

#[test]
fn an_unprepared_renderer_refuses() {
    let _alone = alone();
    let mut renderer = any(program(), &[SUBCOMMAND, "cpu"]);
    let mut buses = Buses::new(CAPACITY.buses);
    renderer.reset();
    assert_eq!(renderer.submit(&block(true)), Err(RenderError::NotPrepared));
    assert_eq!(renderer.collect(&mut buses), Err(RenderError::NotPrepared));
    renderer.prepare(CAPACITY).unwrap();
    assert_eq!(renderer.render(&block(true), &mut buses), Ok(8 * 20));
}
