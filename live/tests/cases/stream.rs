//! A stream gives what its engine gives, exactly its latency later, whatever the block sizes.
//! Here time is a number: render side and audio side are driven in lockstep.

use crate::lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::render::CpuRenderer;
use myriad_engine::{EventKind, Patch, TICK, factory};
use myriad_live::stream::{self, StreamConfig, StreamError};
use proptest::prelude::*;

/// What the engine alone plays.
fn plain(patch: &Patch, events: &[(usize, EventKind)], frames: usize) -> [Vec<f32>; 2] {
    play(&mut engine(patch), events, frames)
}

fn is_delayed(heard: &[Vec<f32>; 2], plain: &[Vec<f32>; 2], depth: usize) -> bool {
    heard.iter().zip(plain).all(|(heard, plain)| {
        let (silence, sound) = heard.split_at(depth);
        silence.iter().all(|&x| x == 0.0) && *sound == plain[..sound.len()]
    })
}

#[test]
fn output_is_the_engine_delayed_for_any_block_sizes() {
    const FRAMES: usize = 60_000;
    let patch = &factory::find("Aurora").unwrap();
    let events = [(0, on(45)), (5_003, on(52)), (20_017, off(45)), (40_001, on(60))];
    let plain = plain(patch, &events, FRAMES);
    let odd = [1, 2, 3, 31, 33, 64, 127, 441, 8_192, 5, 4_097, 96];
    for (depth, sizes) in [(96, vec![64]), (1, vec![1]), (480, vec![480]), (8_192, odd.to_vec())] {
        let mut stream = Lockstep::new(depth, patch);
        stream.play(&events, FRAMES, &mut sizes.into_iter().cycle());
        assert!(is_delayed(&stream.heard, &plain, depth), "depth {depth}");
        let status = stream.control.status();
        assert_eq!(stream.audio.latency(), depth + 64);
        assert_eq!(stream.control.latency(), depth + 64);
        assert_eq!((status.underruns, status.fill), (0, depth));
        // Every frame is accounted for.
        assert_eq!(status.frames_asked, FRAMES as u64);
        assert_eq!(status.frames_rendered, FRAMES as u64);
        assert_eq!(status.frames_skipped, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn output_is_the_engine_delayed_for_random_blocks_and_depths(
        blocks in prop::collection::vec(prop_oneof![1usize..40, 1usize..2_000, 1usize..=8_192], 1..40),
        spare in 0usize..300,
        times in prop::collection::vec((0usize..20_000, 30u8..90), 1..12),
    ) {
        const FRAMES: usize = 20_000;
        let depth = blocks.iter().max().unwrap() + spare;
        let mut events: Vec<_> = times.iter().map(|&(time, key)| (time, on(key))).collect();
        events.sort_by_key(|event| event.0);
        let patch = sine();
        let mut stream = Lockstep::new(depth, &patch);
        stream.play(&events, FRAMES, &mut blocks.iter().copied().cycle());
        let expected = plain(&patch, &events, FRAMES);
        if FRAMES > depth {
            prop_assert!(is_delayed(&stream.heard, &expected, depth));
        }
        prop_assert_eq!(stream.control.status().underruns, 0);
    }
}

#[test]
fn latency_of_64_frames_is_at_most_two_periods_and_a_tick() {
    let depth = StreamConfig::depth_for(64);
    let mut stream = Lockstep::new(depth, &sine());
    let at = 10_007;
    stream.play_64(&[(at, on(69))], 20_000);
    let first = stream.heard[0].iter().position(|&x| x != 0.0).unwrap();
    let quiet = plain(&sine(), &[(at, on(69))], 20_000)[0].iter().position(|&x| x != 0.0);
    // The first sample of a sine may itself be zero: what counts is where the engine has it.
    assert_eq!(first, quiet.unwrap() + depth);
    assert!(first - at <= stream.audio.latency() + 1);
    assert!(stream.audio.latency() <= 2 * 64 + TICK);
}

#[test]
fn scheduled_events_are_sample_accurate_and_in_order() {
    let events = [(1_000, on(60)), (5_003, on(64)), (9_999, off(60))];
    let mut stream = Lockstep::new(96, &soft());
    // Sent out of order, long before.
    for (time, kind) in [events[2], events[0], events[1]] {
        assert!(stream.control.send_at(time as u64, 0, kind));
    }
    stream.play_64(&[], 20_000);
    assert!(is_delayed(&stream.heard, &plain(&soft(), &events, 20_000), 96));
    assert_eq!(stream.control.status().events_late, 0);
    // The past means now, and is counted.
    stream.control.send_at(3, 0, on(70));
    stream.play_64(&[], 640);
    let status = stream.control.status();
    assert_eq!((status.events_late, status.engine.voices), (1, 2));
}

#[test]
fn a_full_schedule_refuses_events_until_there_is_room() {
    let mut stream = Lockstep::new(96, &sine());
    assert!(stream.control.send_at(4_400, 0, on(60)));
    let mut sent = 0u64;
    for _ in 0..30 {
        while stream.control.send_at(3_000 + sent / 16, 0, cc(1, 0.5)) {
            sent += 1;
        }
        stream.render.step();
        stream.play_64(&[], 64);
    }
    assert!((16_384..24_576).contains(&sent), "{sent} events waited");
    stream.play_64(&[], 6_400);
    let status = stream.control.status();
    assert_eq!((status.engine.voices, status.events_late), (1, 0));
    assert!(stream.control.send(0, off(60)), "there is room again");
}

/// A player who presses and lets go of keys at random.
fn random_player(seconds: usize) -> Vec<(usize, EventKind)> {
    let mut events = Vec::new();
    let mut state = 1u64;
    let mut random = |range: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % range
    };
    let mut time = 0;
    while time < seconds * RATE {
        let key = 40 + random(40) as u8;
        events.push((time, on(key)));
        events.push((time + 2_000 + random(20_000) as usize, off(key)));
        time += random(12_000) as usize;
    }
    events.sort_by_key(|event| event.0);
    events
}

/// Eight minutes, or as many as `VIRTUAL_MINUTES` says: an hour takes about a minute.
#[test]
fn minutes_of_random_notes_equal_the_engine_output() {
    let minutes = std::env::var("VIRTUAL_MINUTES");
    let seconds = 60 * minutes.map_or(8, |minutes| minutes.parse().unwrap());
    let events = random_player(seconds);
    let patch = sine();
    let mut reference = engine(&patch);
    let mut stream = Lockstep::new(96, &patch);
    let mut sizes = [64, 64, 1, 96, 17, 64, 33].into_iter().cycle();
    let (mut next, mut late) = (0, vec![0.0; 96]);
    for second in 0..seconds {
        let end = (second + 1) * RATE;
        let due = events[next..].partition_point(|event| event.0 < end);
        let now: Vec<_> = events[next..next + due]
            .iter()
            .map(|&(time, kind)| (time - second * RATE, kind))
            .collect();
        next += due;
        stream.heard.iter_mut().for_each(Vec::clear);
        stream.play(&now, RATE, &mut sizes);
        let [left, _] = play(&mut reference, &now, RATE);
        late.extend(left);
        assert!(stream.heard[0] == late[..RATE], "second {second}");
        late.drain(..RATE);
    }
    let status = stream.control.status();
    assert_eq!(status.frames_asked, (seconds * RATE) as u64);
    assert_eq!(status.frames_rendered, (seconds * RATE) as u64);
    assert_eq!((status.underruns, status.events_late), (0, 0));
}

#[test]
fn invalid_depths_are_refused() {
    for depth in [0, stream::MAX_DEPTH + 1] {
        let Err(error) = stream::build(&config(depth), Box::new(CpuRenderer::new(1))) else {
            panic!("depth {depth} was accepted");
        };
        assert!(matches!(error, StreamError::Depth(_)));
        assert!(error.to_string().contains("1 to 65536"), "{error}");
    }
}
