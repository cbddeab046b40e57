//! Frames that come too late: no click, no delay, and an honest account of it.
//!
//! The sound is a sine, and the detector of clicks is [`roughness`]: see there.

use crate::lockstep::*;
use myriad_conformance::in_blocks;
use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::patch::KeyZone;
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, OUTPUTS, Patch, factory};
use myriad_live::fault::simulated_gpu;
use myriad_live::stream::{self, Cause, StreamConfig, Underrun};
use myriad_live::supervised::{Clock, Preference, SupervisedRenderer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A steady note, and then `missed` blocks of 64 for which nothing is rendered, and then a second
/// in which all is well again.
fn underrun_of(depth: usize, missed: usize) -> (Lockstep, Vec<Underrun>) {
    let mut stream = Lockstep::new(depth, &sine());
    stream.play_64(&[(0, on(69))], RATE / 2);
    (0..missed).for_each(|_| stream.ask(&[], 64));
    stream.render.step();
    stream.play_64(&[], RATE);
    let underruns = stream.control.underruns();
    (stream, underruns)
}

#[test]
fn missing_frames_are_concealed_without_a_click() {
    for depth in [64, 96, 128] {
        // As many as are ready are not missed.
        for missed in [1, 2, 3, 4, 8, 40, 1_000].map(|more| depth / 64 + more) {
            let (stream, underruns) = underrun_of(depth, missed);
            for side in &stream.heard {
                assert!(side.iter().all(|x| x.is_finite() && x.abs() <= 1.0));
                let worst = roughness(&side[RATE / 4..], hertz(69.0));
                assert!(worst < CLICK, "depth {depth}, {missed} missed: {worst}");
                let before = rms(&side[RATE / 4..RATE / 2]);
                let after = rms(&side[side.len() - RATE / 4..]);
                assert!((after / before - 1.0).abs() < 0.01, "the note goes on");
            }
            assert_eq!(underruns.len(), 1, "{underruns:?}");
            assert_eq!(stream.control.status().underruns, 1);
        }
    }
}

#[test]
fn the_click_detector_detects_a_cut() {
    let mut stream = Lockstep::new(96, &sine());
    stream.play_64(&[(0, on(69))], RATE);
    let sound = &mut stream.heard[0][RATE / 4..];
    assert!(roughness(sound, hertz(69.0)) < 1e-5);
    // Ten milliseconds lost, in the middle, as a naive player would.
    sound[9_000..9_480].fill(0.0);
    assert!(roughness(sound, hertz(69.0)) > CLICK);
}

#[test]
fn missing_frames_of_rich_sounds_are_concealed_without_a_click() {
    let sustained =
        factory::patches().iter().filter(|patch| patch.values[Param::Env1Sustain] > 0.5);
    for patch in sustained {
        let name = &patch.name;
        let mut stream = Lockstep::new(96, patch);
        let chord = [(0, on(45)), (0, on(52)), (0, on(57))];
        stream.play_64(&chord, 2 * RATE);
        (0..20).for_each(|_| stream.ask(&[], 64));
        stream.render.step();
        stream.play_64(&[], RATE);
        for side in &stream.heard {
            let own = steepest(&side[RATE..2 * RATE]).max(steepest(&side[side.len() - RATE / 2..]));
            let step = steepest(&side[2 * RATE - 100..]);
            assert!(step <= 1.6 * own, "{name}: a step of {step}, where {own} is its own");
        }
    }
}

#[test]
fn an_underrun_fades_out_and_in_within_the_fade_time() {
    let (stream, underruns) = underrun_of(96, 40);
    let Underrun { at_frame, frames, ring_depth, block, .. } = underruns[0];
    // 32 frames were left over after the first block that was not rendered for.
    assert_eq!((ring_depth, block), (32, 64));
    let broke_off = at_frame as usize;
    assert_eq!(broke_off, RATE / 2 + 96);
    // One look of the render side is enough: the next block is heard again.
    let back = broke_off + frames as usize;
    assert_eq!(back, RATE / 2 + 40 * 64);
    let side = &stream.heard[0];
    assert!(side[broke_off + 256..back].iter().all(|&x| x == 0.0));
    assert!(rms(&side[back + 256..back + 1_256]) > 0.9 * rms(&side[RATE / 4..RATE / 2]));
}

#[test]
fn latency_is_constant_after_an_underrun() {
    let mut stream = Lockstep::new(96, &sine());
    let note = |at: usize| [(at, on(69)), (at + 4_000, EventKind::AllSoundOff)];
    stream.play_64(&note(1_000), 10_000);
    (0..37).for_each(|_| stream.ask(&[], 61));
    stream.render.step();
    let start = stream.heard[0].len();
    stream.play_64(&note(start + 1_000), 10_000);
    // Ticks do not fall on the same frames any more, so only the start can be compared: it is
    // where the engine alone has it, whatever was lost.
    let onset = |from: usize| {
        let sound = stream.heard[0][from..].iter();
        sound.take_while(|&&x| x == 0.0).count()
    };
    assert_eq!(onset(500) - 500, onset(start + 500) - 500);
    let status = stream.control.status();
    assert_eq!(status.frames_asked, status.frames_rendered + status.frames_skipped);
    assert!(status.frames_skipped > 0);
}

#[test]
fn events_during_an_underrun_are_played() {
    let mut stream = Lockstep::new(96, &sine());
    stream.play_64(&[(0, on(60)), (0, on(64))], 9_600);
    // A key goes up and another down without a render step.
    let lost = [(9_700, off(60)), (9_800, off(64)), (9_900, on(72))];
    (0..20).for_each(|_| stream.ask(&lost, 64));
    stream.render.step();
    stream.play_64(&[], RATE);
    let status = stream.control.status();
    assert_eq!(status.engine.voices, 1);
    assert!((pitch(&stream.heard[0][24_000..56_000]) - hertz(72.0)).abs() < 0.5);
    assert_eq!(status.events_late, 3);
}

#[test]
fn one_step_recovers_from_any_underrun() {
    for missed in [3, 30, 3_000] {
        let (stream, underruns) = underrun_of(96, missed);
        // From the first missing frame, 96 after the last that was rendered for, until the first
        // block after the render side looked again.
        assert_eq!(underruns[0].frames, 64 * missed as u64 - 96);
        assert_eq!(stream.control.status().fill, 96);
    }
}

#[test]
fn repeated_underruns_are_concealed() {
    let mut stream = Lockstep::new(96, &sine());
    stream.play_64(&[(0, on(69))], RATE / 2);
    // Now and then three blocks, sometimes before the last fade is over.
    for round in 0..200usize {
        stream.play_64(&[], 64 * (1 + round * 7 % 13));
        (0..3).for_each(|_| stream.ask(&[], 64));
        stream.render.step();
    }
    stream.play_64(&[], RATE / 2);
    let worst = roughness(&stream.heard[0][RATE / 4..], hertz(69.0));
    assert!(worst < CLICK, "{worst}");
    assert_eq!(stream.control.underruns().len(), 200);
}

#[test]
fn an_underrun_of_a_block_larger_than_the_depth_has_that_cause() {
    let mut stream = Lockstep::new(96, &sine());
    stream.play_64(&[(0, on(69))], RATE);
    stream.ask(&[], 512);
    stream.render.step();
    stream.play_64(&[], RATE);
    let underruns = stream.control.underruns();
    assert_eq!(underruns[0].cause, Cause::LargeBlock);
    assert_eq!((underruns[0].block, underruns[0].ring_depth), (512, 96));
    let worst = roughness(&stream.heard[0][RATE / 4..], hertz(69.0));
    assert!(worst < CLICK, "{worst}");
}

#[test]
fn an_underrun_at_the_start_has_that_cause() {
    let mut stream = Lockstep::new(96, &sine());
    (0..3).for_each(|_| stream.ask(&[(0, on(69))], 64));
    stream.render.step();
    stream.play_64(&[], 6_400);
    assert_eq!(stream.control.underruns()[0].cause, Cause::Start);
}

#[test]
fn no_note_hangs_after_a_flood_of_events() {
    let mut stream = Lockstep::new(StreamConfig::depth_for(64), &soft());
    // A hundred times more than the queue holds, most of them keys that go down.
    let mut flood = Vec::new();
    for i in 0..10_000u32 {
        flood.push((0, on((i % 128) as u8)));
        flood.push((0, cc(64, 1.0)));
    }
    for key in 0..128 {
        flood.push((0, off(key)));
    }
    flood.push((0, cc(64, 0.0)));
    for _ in 0..8 {
        let start = stream.heard[0].len();
        let now: Vec<_> = flood.iter().map(|&(_, kind)| (start, kind)).collect();
        stream.ask(&now, 64);
        stream.render.step();
    }
    let status = stream.control.status();
    assert!(status.events_refused > 50_000, "{status:?}");
    stream.play_64(&[], RATE);
    let status = stream.control.status();
    assert_eq!(status.engine.voices, 0, "every key was let go: {status:?}");
    assert_eq!(status.engine.events_dropped, 0);
    assert_eq!(peak(&stream.heard[0][RATE / 2..]), 0.0);
}

#[test]
fn no_note_hangs_when_its_note_off_is_dropped() {
    let mut stream = Lockstep::new(96, &soft());
    stream.play_64(&[(0, on(60)), (0, cc(64, 1.0))], 6_400);
    // Nothing but ends, more than there is room for, without a render step.
    let flood: Vec<_> = (0..20_000).map(|i| (6_400, off(i as u8 % 30))).collect();
    stream.ask(&flood, 64);
    stream.ask(&[(6_464, off(60))], 64);
    assert!(stream.control.status().events_refused > 10_000);
    stream.render.step();
    stream.play_64(&[], RATE);
    assert_eq!(stream.control.status().engine.voices, 0);
}

/// The end of a note is lost while its beginning still waits to be rendered.
#[test]
fn no_note_hangs_when_its_note_off_is_dropped_before_its_note_on_is_rendered() {
    let mut stream = Lockstep::new(96, &soft());
    stream.play_64(&[], 6_400);
    // Without a render step: the wheel fills the queue, a key goes down in its midst and up at its end.
    let mut flood = vec![(6_400, EventKind::PitchBend(0.1)); 6_000];
    flood.push((6_400, on(60)));
    flood.extend(vec![(6_400, EventKind::PitchBend(0.0)); 6_000]);
    flood.extend(vec![(6_400, off(61)); 6_000]);
    flood.push((6_400, off(60)));
    stream.ask(&flood, 64);
    stream.render.step();
    stream.play_64(&[], RATE);
    let status = stream.control.status();
    assert!(status.events_refused > 9_000, "{status:?}");
    assert_eq!(status.engine.voices, 0, "the key was let go: {status:?}");
}

#[test]
fn no_note_hangs_after_a_flood_from_the_control_side() {
    let mut stream = Lockstep::new(96, &soft());
    stream.control.send(0, on(60));
    while stream.control.send(0, cc(1, 0.5)) {}
    assert!(!stream.control.has_room());
    assert!(!stream.control.send(0, off(60)));
    stream.play_64(&[], RATE);
    let status = stream.control.status();
    assert_eq!((status.engine.voices, status.events_refused), (0, 2));
    assert!(stream.control.has_room());
}

/// A sine on output 3, all of it: the main output is silent.
#[test]
fn other_outputs_are_late_by_the_same_time_and_concealed_too() {
    let mut kit = Patch::new();
    kit.key_zones = vec![KeyZone { note: 69, output: 3, ..KeyZone::new(69, sine()) }];
    let engine = EngineConfig { outputs: 0b100, ..EngineConfig::default() };
    let config = StreamConfig { engine, ..config(96) };
    let cpu = Box::new(CpuRenderer::new(1));
    let (control, mut audio, mut render) = stream::build(&config, cpu).unwrap();
    control.set_patch(0, kit.clone()).unwrap();
    render.step();
    let mut heard = vec![Vec::new(); OUTPUTS];
    let mut ask = |block: usize, renders: bool| {
        let note = [Event { frame: 0, part: 0, kind: on(69) }];
        let (mut left, mut right) = ([f32::NAN; 64], [f32::NAN; 64]);
        audio.process(if block == 0 { &note } else { &[] }, &mut left, &mut right);
        assert!(left.iter().chain(&right).all(|x| *x == 0.0), "nothing on the main output");
        for (output, heard) in heard.iter_mut().enumerate() {
            let [left, right] = audio.output(output);
            assert_eq!((left.len(), right.len()), (64, 64));
            heard.extend_from_slice(left);
        }
        if renders {
            render.step();
        }
    };
    (0..300).for_each(|block| ask(block, true));
    // The same as an engine by itself, later by the depth.
    let mut alone = Engine::new(&engine).unwrap();
    alone.set_patch(0, &kit);
    let note = [Event { frame: 0, part: 0, kind: on(69) }];
    alone.render(&note, &mut [0.0; 300 * 64], &mut [0.0; 300 * 64]);
    let expected = alone.output(2)[0];
    assert!(peak(expected) > 0.01);
    // Then nothing is rendered for a while.
    (300..340).for_each(|block| ask(block, false));
    (340..700).for_each(|block| ask(block, true));
    let sound = &heard[2];
    assert_eq!(sound[..96], [0.0; 96]);
    assert_eq!(sound[96..300 * 64], expected[..300 * 64 - 96]);
    assert!(rms(&sound[sound.len() - 9_600..]) > 0.5 * rms(&sound[9_600..19_200]), "it goes on");
    let worst = roughness(&sound[9_600..], hertz(69.0));
    assert!(worst < CLICK, "{worst}");
    assert!(heard[0].iter().chain(&heard[7]).all(|x| *x == 0.0));
}

/// On a machine that takes a second for every block. In real time it leaves out partials; while the audio side waits, as for a
/// freewheeling server or a bounce, it takes its time.
#[test]
fn nothing_is_left_out_of_sound_that_is_waited_for() {
    let rich = with(soft(), &[(Param::SourcePartials, 512.0)]);
    let seconds = AtomicU64::new(0);
    let clock: Clock = Arc::new(move || Duration::from_secs(seconds.fetch_add(1, Relaxed)));
    let renderer = SupervisedRenderer::new(simulated_gpu(1, &Arc::default()), CpuRenderer::new(1))
        .with_policy(Box::new(|_| Ok(Box::new(|_| Preference::Cpu))))
        .with_load_shedding(RATE as f32, clock);
    let report = renderer.report();
    let (control, mut audio, mut render) = stream::build(&config(96), Box::new(renderer)).unwrap();
    control.set_patch(0, rich.clone()).unwrap();
    render.step();
    // A note in real time, and one while the audio side waits.
    let events = [(0, on(33)), (RATE / 2, off(33)), (RATE, on(40)), (RATE + RATE / 2, off(40))];
    let [mut time, frames] = [0, 2 * RATE];
    let heard = in_blocks(
        &events,
        frames,
        |_| 64,
        |now, left, right| {
            match time < RATE {
                true => audio.process(now, left, right),
                false => audio.process_waiting(now, left, right, Duration::from_mins(5)),
            }
            render.step();
            time += left.len();
        },
    );
    let report = report.lock().unwrap();
    assert!(report.most_partials_shed > 100 && report.partials_shed == 0, "{report:?}");
    let expected = play(&mut engine(&rich), &events, frames);
    for (heard, expected) in heard.iter().zip(&expected) {
        assert!(heard[96..RATE] != expected[..RATE - 96], "the first note is thinned");
        assert!(heard[RATE + 96..] == expected[RATE..frames - 96]);
    }
}
