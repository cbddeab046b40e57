//! Patches and devices change while notes sound: nothing clicks, and
//! what can go on goes on.

use crate::lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::modulation::{Drawing, Point, Source};
use myriad_engine::params::Param;
use myriad_engine::{EventKind, Playable};
use myriad_live::stream::{StreamError, StreamStatus};

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
    assert!(during <= 1.6 * own, "{name}: a step of {during}, where {own} is its own");
    let levels = [rms(before), rms(after)];
    (stream, levels)
}

fn status(stream: &Lockstep) -> StreamStatus {
    stream.control.status()
}

#[test]
fn a_patch_change_does_not_click() {
    let mut other = soft();
    other.values.set(Param::SourceTable, 3.0);
    let (stream, levels) = check("patch", |stream| {
        stream.control.set_patch(0, other.clone()).unwrap();
    });
    assert_eq!((levels[1], status(&stream).engine.voices), (0.0, 0));
    // Parts that do not exist are ignored.
    stream.control.set_patch(9, soft()).unwrap();
}

#[test]
fn a_chord_continues_on_another_device() {
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
fn the_old_device_fades_out_when_it_is_replaced() {
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
fn stop_fades_out_to_silence() {
    let (stream, levels) = check("stop", |stream| stream.control.stop());
    assert_eq!(levels[1], 0.0);
    assert!(stream.render.has_ended());
    assert_eq!(status(&stream).underruns, 0, "silence is no underrun");
    let refused = stream.control.set_patch(0, soft());
    assert!(matches!(refused, Err(StreamError::Stopped)));
}

/// After a blocked render thread goes on, the last patch plays with its last routes.
#[test]
fn the_newest_patch_and_routes_win_when_the_queue_is_full() {
    let mut last = soft();
    last.values.set(Param::AmpLevel, -20.0);
    let mut stream = Lockstep::new(96, &sine());
    for _ in 0..1_000 {
        stream.control.set_patch(0, sine()).unwrap();
        stream.control.set_routes(0, Vec::new()).unwrap();
    }
    assert!(stream.control.is_behind());
    stream.control.set_patch(0, last.clone()).unwrap();
    stream.control.set_routes(0, Vec::new()).unwrap();
    stream.render.step();
    // Without the maintenance thread, this call does its work.
    stream.control.underruns();
    assert!(!stream.control.is_behind());
    stream.render.step();
    stream.play_64(&[(0, on(60))], 9_600);
    last.routes.clear();
    let mut expected = Lockstep::new(96, &last);
    expected.play_64(&[(0, on(60))], 9_600);
    assert!(stream.heard == expected.heard);
}

/// The same for what is drawn: it belongs to the patch before it, and routes do not replace it.
#[test]
fn the_newest_drawing_wins_when_the_queue_is_full() {
    let mut last = soft();
    last.values.set(Param::Lfo1Shape, 9.0); // Drawn.
    last.routes.push(route(Source::Lfo1, Param::AmpLevel, 12.0));
    let mut drawn = last.clone();
    drawn.drawings[0] = Drawing::from_points(&[Point::new(0.2, -1.0), Point::new(0.3, 0.5)]);
    let mut stream = Lockstep::new(96, &sine());
    for _ in 0..500 {
        stream.control.set_patch(0, sine()).unwrap();
        stream.control.set_drawn(0, Playable::drawn(&last)).unwrap();
    }
    assert!(stream.control.is_behind());
    stream.control.set_patch(0, last.clone()).unwrap();
    stream.control.set_drawn(0, Playable::drawn(&drawn)).unwrap();
    stream.control.set_routes(0, last.routes.clone()).unwrap();
    stream.render.step();
    stream.control.underruns();
    assert!(!stream.control.is_behind());
    stream.render.step();
    stream.play_64(&[(0, on(60))], 9_600);
    let mut expected = Lockstep::new(96, &drawn);
    expected.play_64(&[(0, on(60))], 9_600);
    assert!(stream.heard == expected.heard);
}

/// After a host has reset the plugin, it sounds like a new one.
#[test]
fn a_restart_equals_a_new_stream() {
    let patch = &myriad_engine::factory::find("Aurora").unwrap();
    let events = [(0, on(48)), (700, on(55))];
    let mut fresh = Lockstep::new(96, patch);
    fresh.play_64(&events, 9_600);

    let mut played = Lockstep::new(96, patch);
    played.play(&[(0, on(60)), (90, on(36))], 5_001, &mut [7, 64, 33].into_iter().cycle());
    // Some of it has not been rendered yet, and more is asked for before the other side looks.
    played.ask(&[], 64);
    played.audio.restart(0, &patch.values);
    let start = played.heard[0].len();
    let later = events.map(|(time, kind)| (start + time, kind));
    played.ask(&later, 64);
    played.render.step();
    played.play_64(&later, 9_600 - 64);
    for (fresh, played) in fresh.heard.iter().zip(&played.heard) {
        assert!(played[start..] == fresh[..], "as if nothing had been before");
    }
    assert_eq!(played.audio.underruns(), 0);
}

/// After many resets while the render thread is blocked, the last one counts.
#[test]
fn the_newest_of_many_restarts_wins() {
    let mut patch = soft();
    let events = [(0, on(48))];
    let mut played = Lockstep::new(96, &patch);
    played.play_64(&[(0, on(60))], 6_400);
    for level in 0..20 {
        patch.values.set(Param::AmpLevel, -(level as f32));
        played.ask(&[], 64);
        played.audio.restart(0, &patch.values);
    }
    let start = played.heard[0].len();
    let later = events.map(|(time, kind)| (start + time, kind));
    played.ask(&later, 64);
    played.render.step();
    played.play_64(&later, 9_600 - 64);
    let mut fresh = Lockstep::new(96, &patch);
    fresh.play_64(&events, 9_600);
    assert!(played.heard[0][start..] == fresh.heard[0][..]);
}
