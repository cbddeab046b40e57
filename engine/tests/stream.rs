//! A stream gives what its engine gives, exactly its latency later, whatever the block sizes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod common;

use common::*;
use myriad_engine::render::CpuRenderer;
use myriad_engine::stream::{self, AudioSide, Control, RenderSide, StreamConfig};
use myriad_engine::{Event, EventKind, factory};

fn lockstep(depth: usize) -> (Control, AudioSide, RenderSide) {
    let config = StreamConfig {
        depth,
        ..StreamConfig::default()
    };
    stream::build(&config, Box::new(CpuRenderer::new(1))).unwrap()
}

/// Plays events of part 0 at their times through a stream whose render side is always on time.
fn play_stream(
    audio: &mut AudioSide,
    render: &mut RenderSide,
    events: &[(usize, EventKind)],
    frames: usize,
    blocks: &mut dyn Iterator<Item = usize>,
) -> [Vec<f32>; 2] {
    let mut out = [vec![0.0; frames], vec![0.0; frames]];
    let mut at = 0;
    while at < frames {
        let end = (at + blocks.next().unwrap_or(64).max(1)).min(frames);
        let now: Vec<Event> = events
            .iter()
            .filter(|(time, _)| (at..end).contains(time))
            .map(|&(time, kind)| Event {
                frame: (time - at) as u32,
                part: 0,
                kind,
            })
            .collect();
        let [left, right] = &mut out;
        audio.process(&now, &mut left[at..end], &mut right[at..end]);
        render.step();
        at = end;
    }
    out
}

#[test]
fn it_is_the_engine_delayed_whatever_the_blocks() {
    const FRAMES: usize = 60_000;
    let patch = factory::find("Aurora").unwrap();
    let events = [
        (0, on(45)),
        (5_003, on(52)),
        (20_017, off(45)),
        (40_001, on(60)),
    ];
    let plain = play(&mut engine(patch), &events, FRAMES);
    let odd = [1, 2, 3, 31, 33, 64, 127, 441, 8_192, 5, 4_097, 96];
    for (depth, sizes) in [
        (96, vec![64]),
        (1, vec![1]),
        (8_192, odd.to_vec()),
        (480, vec![480]),
    ] {
        let (control, mut audio, mut render) = lockstep(depth);
        control.set_patch(0, patch.clone()).unwrap();
        render.step();
        let mut blocks = sizes.into_iter().cycle();
        let out = play_stream(&mut audio, &mut render, &events, FRAMES, &mut blocks);
        for (side, plain) in out.iter().zip(&plain) {
            assert!(side[..depth].iter().all(|&x| x == 0.0));
            assert!(side[depth..] == plain[..FRAMES - depth], "depth {depth}");
        }
        assert_eq!(audio.latency(), depth + 64);
        assert_eq!(control.status().underruns, 0);
    }
}
