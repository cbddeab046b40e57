//! The audio side never allocates or frees, whatever happens: either inside aborts this test.
//! Nor does the render side, while it only renders.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod lockstep;

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Engine, EngineConfig, Event, EventKind};
use myriad_live::supervised::{SupervisedRenderer, wall_clock};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

fn many_events() -> Vec<Event> {
    let event = |i: u32| Event {
        frame: i,
        part: 0,
        kind: match i % 6 {
            0 | 1 => on((30 + i) as u8),
            2 => off((30 + i - 2) as u8),
            3 => EventKind::PitchBend(0.3),
            4 => EventKind::Param { param: Param::ALL[i as usize % Param::ALL.len()], value: 0.5 },
            _ => cc(64, (i % 2) as f32),
        },
    };
    (0..64).map(event).collect()
}

#[test]
fn neither_side_allocates_for_any_block_size() {
    let mut stream = Lockstep::new(8_192, &soft());
    let events = many_events();
    let (mut left, mut right) = (vec![0.0; 16_384], vec![0.0; 16_384]);
    let sizes = [1, 64, 17, 480, 8_192, 3, 16_384, 64, 64, 1];
    assert_no_alloc(|| {
        for size in sizes.into_iter().cycle().take(200) {
            let block = ..size;
            stream.audio.process(&events, &mut left[block], &mut right[block]);
            stream.render.step();
        }
    });
    assert!(stream.control.status().underruns > 0, "16,384 are too many");
}

#[test]
fn nothing_is_allocated_when_frames_are_missing_or_events_flood() {
    let mut stream = Lockstep::new(96, &soft());
    let events = many_events();
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    assert_no_alloc(|| {
        for round in 0..2_000 {
            stream.audio.process(&events, &mut left, &mut right);
            // Long enough for the queue of events to overflow, again and again.
            if round % 400 < 200 {
                stream.render.step();
            }
        }
    });
    let status = stream.control.status();
    assert!(status.underruns > 2 && status.events_refused > 100, "{status:?}");
}

/// What goes to the render side comes back to be dropped: the render side drops nothing.
#[test]
fn the_render_side_runs_commands_without_allocating() {
    let mut stream = Lockstep::new(96, &soft());
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    for round in 0..20 {
        stream.control.set_patch(0, sine()).unwrap();
        stream.control.send(0, on(60 + round));
        if round % 5 == 4 {
            stream.audio = stream.control.connect(96).unwrap();
        }
        assert_no_alloc(|| {
            for _ in 0..20 {
                stream.audio.process(&[], &mut left, &mut right);
                stream.render.step();
            }
        });
    }
    assert!(peak(&left) > 0.0);
}

/// Nor does sending blocks to the thread of a GPU, and fetching their sound.
#[test]
fn rendering_through_a_watched_thread_never_allocates() {
    let gpu =
        Arc::new(|| -> Box<dyn myriad_engine::render::Renderer> { Box::new(CpuRenderer::new(1)) });
    let renderer = SupervisedRenderer::new(gpu, CpuRenderer::new(1))
        .with_load_shedding(RATE as f32, wall_clock());
    let report = renderer.report();
    let mut engine = Engine::with_renderer(&EngineConfig::default(), Box::new(renderer)).unwrap();
    let events: Vec<Event> =
        (40..60).map(|key| Event { frame: 7, part: 0, kind: on(key) }).collect();
    let (mut left, mut right) = (vec![0.0; 4_096], vec![0.0; 4_096]);
    // The first time that it sleeps a thread allocates what it is woken by.
    engine.render(&events, &mut left, &mut right);
    std::thread::sleep(std::time::Duration::from_millis(10));
    engine.render(&[], &mut left, &mut right);
    assert_no_alloc(|| {
        for _ in 0..16 {
            engine.render(&events, &mut left, &mut right);
        }
    });
    assert!(report.lock().unwrap().on_gpu);
}
