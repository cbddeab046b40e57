//! Patches, renderers, sample rates and devices change while notes sound: nothing clicks, and
//! what can go on goes on.

use crate::lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::EventKind;
use myriad_engine::params::Param;
use myriad_engine::render::CpuRenderer;
use myriad_live::fault::{Fault, FaultRenderer, Faults};
use myriad_live::stream::{StreamError, StreamStatus};
use std::sync::Arc;

const CHORD: [(usize, EventKind); 3] = [(10, on(40)), (500, on(47)), (901, on(52))];

/// Half a second of a chord, then `change`, then another half; the steepest step around the change
/// is compared with the sound's own. Returns the stream and the levels before and after.
fn check(name: &str, change: impl Fn(&mut Lockstep)) -> (Lockstep, [f32; 2]) {
    const MOMENT: usize = 24_000;
    let mut stream = Lockstep::new(96, &soft());
    stream.play_64(&CHORD, MOMENT);
    change(&mut stream);
    stream.play_64(&[], MOMENT);
    let side = &stream.heard[0];
    let (before, after) = (&side[12_000..MOMENT], &side[MOMENT + 12_000..]);
    let own = steepest(before).max(steepest(after));
    let during = steepest(&side[MOMENT - 100..MOMENT + 12_000]);
    assert!(
        during <= 1.6 * own,
        "{name}: a step of {during}, where {own} is its own"
    );
    let levels = [rms(before), rms(after)];
    (stream, levels)
}

fn status(stream: &Lockstep) -> StreamStatus {
    stream.control.status()
}

#[test]
fn a_patch_changes_softly() {
    let mut other = soft();
    other.values.set(Param::SourceTable, 3.0);
    let (stream, levels) = check("patch", |stream| {
        stream.control.set_patch(0, other.clone()).unwrap();
    });
    assert_eq!((levels[1], status(&stream).engine.voices), (0.0, 0));
    // Parts that do not exist are nobody's problem.
    stream.control.set_patch(9, soft()).unwrap();
}

#[test]
fn a_renderer_changes_and_the_chord_goes_on() {
    let (mut stream, levels) = check("renderer", |stream| {
        let other = Box::new(CpuRenderer::new(2));
        stream.control.set_renderer(other).unwrap();
    });
    assert!((levels[1] / levels[0] - 1.0).abs() < 0.1, "{levels:?}");
    assert_eq!(status(&stream).engine.voices, 3);
    // As often as one likes, and in the middle of the last change.
    for _ in 0..200 {
        let other = Box::new(CpuRenderer::new(1));
        match stream.control.set_renderer(other) {
            Ok(()) => {}
            Err(StreamError::Busy) => stream.play_64(&[], 4_096),
            Err(error) => panic!("{error}"),
        }
        stream.play_64(&[], 64);
    }
    let changes = &stream.heard[0][48_000..];
    let own = steepest(&stream.heard[0][12_000..24_000]);
    assert!(steepest(changes) <= 1.6 * own);
}

#[test]
fn a_renderer_that_has_failed_is_replaced() {
    let faults: Arc<Faults> = Arc::default();
    let mut stream = Lockstep::new(96, &soft());
    let cpu = Box::new(CpuRenderer::new(1));
    let faulty = Box::new(FaultRenderer::new(cpu, Arc::clone(&faults)));
    stream.control.set_renderer(faulty).unwrap();
    stream.play_64(&CHORD, 12_000);
    faults.set(Fault::Fail);
    stream.play_64(&[], 6_400);
    assert!(status(&stream).engine.renders_failed > 0);
    stream
        .control
        .set_renderer(Box::new(CpuRenderer::new(1)))
        .unwrap();
    stream.play_64(&[], 12_000);
    assert!(rms(&stream.heard[0][24_000..]) > 0.01);
    // One that cannot be prepared is refused, and the last one plays on.
    let cpu = Box::new(CpuRenderer::new(1));
    let refused = stream
        .control
        .set_renderer(Box::new(FaultRenderer::new(cpu, faults)));
    assert!(matches!(refused, Err(StreamError::Renderer(_))));
}

#[test]
fn another_sample_rate_fades_and_held_keys_go_on() {
    let (stream, levels) = check("rate", |stream| {
        stream.control.set_sample_rate(96_000.0).unwrap();
    });
    assert!((levels[1] / levels[0] - 1.0).abs() < 0.2, "{levels:?}");
    assert_eq!(status(&stream).engine.voices, 3);
    // Twice the frames a second: half the pitch as frames count it.
    let tone = pitch(&stream.heard[0][32_000..]);
    let keys = [40.0, 47.0, 52.0].map(|key| hertz(key) / 2.0);
    assert!(keys.iter().any(|key| (key - tone).abs() < 1.0), "{tone}");
    assert_eq!(stream.control.sample_rate(), 96_000.0);
    for rate in [0.0, 100.0, 1e7, f32::NAN] {
        assert!(stream.control.set_sample_rate(rate).is_err());
    }
}

#[test]
fn pedals_controllers_and_parameters_survive_a_sample_rate() {
    let mut stream = Lockstep::new(96, &soft());
    let level = EventKind::Param {
        param: Param::AmpLevel,
        value: -30.0,
    };
    let events = [(0, level), (0, cc(64, 1.0)), (0, on(60)), (9_600, off(60))];
    stream.play_64(&events, 19_200);
    let before = rms(&stream.heard[0][12_000..]);
    stream.control.set_sample_rate(44_100.0).unwrap();
    stream.play_64(&[], 4_800);
    stream.control.send(0, on(60));
    stream.play_64(&[], 19_200);
    let after = rms(&stream.heard[0][32_000..]);
    assert!((after / before - 1.0).abs() < 0.1, "{before} {after}");
    stream.control.send(0, off(60));
    stream.play_64(&[], 9_600);
    assert_eq!(status(&stream).engine.voices, 1, "the pedal still holds it");
}

#[test]
fn another_device_takes_over_and_the_chord_goes_on() {
    let mut stream = Lockstep::new(96, &soft());
    stream.play_64(&CHORD, 24_000);
    let before = rms(&stream.heard[0][12_000..]);
    let time = stream.control.time();
    // The device is gone. Another one, with larger blocks, takes its place.
    let new = stream.control.connect(512).unwrap();
    let old = std::mem::replace(&mut stream.audio, new);
    stream.render.step();
    assert_eq!(stream.audio.latency(), 512 + 64);
    assert_eq!((stream.audio.time(), stream.control.time()), (time, time));
    drop(old);
    stream.heard.iter_mut().for_each(Vec::clear);
    stream.play(&[], 24_000, &mut std::iter::repeat(480));
    let side = &stream.heard[0];
    assert!((rms(&side[12_000..]) / before - 1.0).abs() < 0.05);
    assert!(steepest(side) <= 1.6 * steepest(&side[12_000..]));
    assert_eq!(status(&stream).underruns, 0);
}

#[test]
fn the_old_device_fades_when_another_has_taken_over() {
    let mut stream = Lockstep::new(96, &sine());
    stream.play_64(&[(0, on(69))], 24_000);
    let _new = stream.control.connect(96).unwrap();
    stream.play_64(&[], 6_400);
    let side = &stream.heard[0];
    assert!(roughness(&side[12_000..], hertz(69.0)) < CLICK);
    assert_eq!(peak(&side[25_000..]), 0.0);
    assert_eq!(status(&stream).underruns, 0, "nothing was lost");
}

#[test]
fn a_rate_and_a_device_may_change_while_no_device_asks() {
    let mut stream = Lockstep::new(96, &soft());
    stream.play_64(&CHORD, 24_000);
    stream.control.set_sample_rate(44_100.0).unwrap();
    stream.render.step();
    stream.control.set_patch(0, soft()).unwrap();
    stream.control.set_sample_rate(32_000.0).unwrap();
    stream.audio = stream.control.connect(64).unwrap();
    stream.control.send(0, on(60));
    stream.render.step();
    stream.play_64(&[], 24_000);
    let tone = pitch(&stream.heard[0][30_000..]) * 32_000.0 / RATE as f32;
    assert!((tone - hertz(60.0)).abs() < 1.0, "{tone}");
}

#[test]
fn stopping_fades_and_then_all_is_silent() {
    let (stream, levels) = check("stop", |stream| stream.control.stop());
    assert_eq!(levels[1], 0.0);
    assert!(stream.render.has_ended());
    assert_eq!(status(&stream).underruns, 0, "silence is no underrun");
    let refused = stream.control.set_patch(0, soft());
    assert!(matches!(refused, Err(StreamError::Stopped)));
}

#[test]
fn wishes_are_refused_and_not_lost_when_nobody_follows_them() {
    let mut stream = Lockstep::new(96, &soft());
    let wish = |stream: &Lockstep| stream.control.set_patch(0, sine());
    let granted = (0..1_000).take_while(|_| wish(&stream).is_ok()).count();
    assert_eq!(granted, 64);
    assert!(matches!(wish(&stream), Err(StreamError::Busy)));
    stream.play_64(&[(0, on(60))], 6_400);
    assert!(wish(&stream).is_ok());
}

/// A host that resets a plugin hears its next song from the very beginning.
#[test]
fn a_restart_is_the_beginning_with_the_same_latency() {
    let patch = myriad_engine::factory::find("Aurora").unwrap();
    let events = [(0, on(48)), (700, on(55))];
    let mut fresh = Lockstep::new(96, patch);
    fresh.play_64(&events, 9_600);

    let mut played = Lockstep::new(96, patch);
    played.play(
        &[(0, on(60)), (90, on(36))],
        5_001,
        &mut [7, 64, 33].into_iter().cycle(),
    );
    // Some of it has not been rendered yet, and more is asked for before the other side looks.
    played.ask(&[], 64);
    played.audio.restart(0, &patch.values);
    let start = played.heard[0].len();
    let later = events.map(|(time, kind)| (start + time, kind));
    played.ask(&later, 64);
    played.render.step();
    played.play_64(&later, 9_600 - 64);
    for (fresh, played) in fresh.heard.iter().zip(&played.heard) {
        assert!(
            played[start..] == fresh[..],
            "as if nothing had been before"
        );
    }
    assert_eq!(played.audio.underruns(), 0);
}
