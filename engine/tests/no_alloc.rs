//! `render`, and the calls of editors while it plays, never allocate: an allocation aborts this test.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::{Event, EventKind, Playable, Snapshot, factory};

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

#[test]
fn rendering_never_allocates() {
    let effects = with_all_effects(soft());
    let pattern = with(
        soft(),
        &[
            (Param::ArpMode, 1.0),
            (Param::ArpPattern, 3.0),
            (Param::Step2Tie, 1.0),
            (Param::Step3Chance, 0.5),
        ],
    );
    for patch in factory::patches().iter().chain([&effects, &pattern]) {
        let mut engine = engine(patch);
        let mut other = Playable::new(imported(&[0.5, 0.2], 4));
        let mut drawn = Playable::new(imported(&[0.1, 0.4, 0.3], 5));
        let mut events = Vec::new();
        for i in 0..64u32 {
            let kind = match i % 8 {
                0..=3 => on((30 + i) as u8),
                4 => off((30 + i - 4) as u8),
                5 => EventKind::PitchBend(0.3),
                6 => EventKind::Param { param: Param::ALL[i as usize], value: 0.5 },
                _ => cc(64, (i % 2) as f32),
            };
            events.push(Event { frame: i * 5, part: 0, kind });
        }
        let (mut left, mut right) = (vec![0.0; 4_096], vec![0.0; 4_096]);
        let mut snapshot = Snapshot::new();
        let mut routes = patch.routes.clone();
        assert_no_alloc(|| {
            for _ in 0..8 {
                engine.render(&events, &mut left, &mut right);
                engine.render(&[], &mut left[..17], &mut right[..17]);
                engine.snapshot(0, &mut snapshot);
                engine.swap_routes(0, &mut routes);
                engine.exchange_drawn(0, &mut drawn);
                engine.exchange_patch(0, &mut other);
            }
            engine.reset();
            engine.render(&events, &mut left, &mut right);
        });
    }
}
