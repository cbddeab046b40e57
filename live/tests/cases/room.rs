//! A GPU that is prepared for few slots gets more when they are needed, and nothing clicks.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::{Engine, EngineConfig, EventKind, Patch, ThreadPolicy};
use myriad_live::fault::{Fault, Faults, simulated_gpu};
use myriad_live::stream::{Control, LogEntry, Room, StreamConfig, build};
use myriad_live::supervised::watchdog::WatchdogConfig;
use myriad_live::supervised::{FailoverReport, MakeGpuRenderer, SupervisedRenderer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Slots at first: a page.
const FIRST: usize = 64;

/// Longer than any machine is only busy.
const WATCHDOG: WatchdogConfig = WatchdogConfig {
    thread_policy: ThreadPolicy::Normal,
    prepare_timeout: Duration::from_mins(5),
    render_timeout: Duration::from_mins(5),
};

/// Sixteen clouds a note.
fn wide() -> Patch {
    let patch = with(soft(), &[(Param::UnisonVoices, 16.0), (Param::UnisonDetune, 8.0)]);
    with(patch, &[(Param::VoiceLimit, 64.0)])
}

struct Fixture {
    engine: Engine,
    report: Arc<Mutex<FailoverReport>>,
}

impl Fixture {
    fn new(gpu: MakeGpuRenderer) -> Self {
        let mut renderer =
            SupervisedRenderer::new(gpu, CpuRenderer::new(1)).with_watchdog(WATCHDOG);
        renderer.begin_with(FIRST);
        let report = renderer.report();
        let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
        let mut engine = Engine::with_renderer(&config, Box::new(renderer)).unwrap();
        engine.set_patch(0, &wide());
        assert_eq!(engine.renderer_room(), FIRST);
        Self { engine, report }
    }

    /// Plays as a stream does, which gives the engine the room that there is.
    fn play(&mut self, events: &[(usize, EventKind)], frames: usize) -> Vec<f32> {
        let mut sound = Vec::new();
        for first in (0..frames).step_by(1_024) {
            self.engine.set_room(self.engine.renderer_room());
            let now = events.iter().filter(|event| (first..first + 1_024).contains(&event.0));
            let now: Vec<_> = now.map(|&(frame, kind)| (frame - first, kind)).collect();
            let frames = 1_024.min(frames - first);
            let [left, _] =
                play_in_blocks(&mut self.engine, &now, frames, &mut std::iter::repeat(1_024));
            sound.extend(left);
        }
        sound
    }

    /// Plays on until there is room for so many slots.
    fn until(&mut self, room: usize) -> Vec<f32> {
        let mut sound = Vec::new();
        for _ in 0..5_000 {
            sound.extend(self.play(&[], 1_024));
            if self.engine.renderer_room() >= room {
                return sound;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("there is no room for {room}: {:?}", self.report());
    }

    fn report(&self) -> FailoverReport {
        self.report.lock().unwrap().clone()
    }
}

/// How far two sounds differ, beside the level of the first.
fn difference(expected: &[f32], sound: &[f32]) -> f32 {
    let error: Vec<f32> = expected.iter().zip(sound).map(|(a, b)| a - b).collect();
    rms(&error) / rms(expected)
}

#[test]
fn a_gpu_gets_more_room_and_the_sound_goes_on() {
    let mut fixture = Fixture::new(simulated_gpu(1, &Arc::default()));
    let chord = [(0, on(45)), (0, on(52)), (0, on(57))];
    let mut sound = fixture.play(&chord, RATE);
    sound.extend(fixture.until(4 * FIRST));
    let first_part = sound.len();
    // More than there was room for at first.
    let more = [(first_part, on(61)), (first_part, on(64)), (first_part, on(69))];
    sound.extend(fixture.play(&more.map(|(_, kind)| (0, kind)), RATE));
    let counters = fixture.engine.counters();
    assert_eq!((counters.clouds, counters.notes_dropped), (6 * 16, 0));
    let report = fixture.report();
    assert_eq!((counters.renders_failed, report.losses), (0, 0), "{report:?}");
    assert!(report.on_gpu);
    // As if there had been room from the start: harmonics go on in phase.
    let events = [&chord[..], &more].concat();
    let [undisturbed, _] = play(&mut engine(&wide()), &events, sound.len());
    let difference = difference(&undisturbed[RATE / 2..], &sound[RATE / 2..]);
    assert!(difference < 0.01, "{difference}");
    assert!(steepest(&sound) < 1.05 * steepest(&undisturbed));
}

#[test]
fn where_there_is_no_room_for_more_the_gpu_plays_on() {
    let failing: Arc<Faults> = Arc::default();
    failing.set(Fault::Fail);
    let (works, fails) = (simulated_gpu(1, &Arc::default()), simulated_gpu(1, &failing));
    let made = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&made);
    let gpu: MakeGpuRenderer = Arc::new(move || match count.fetch_add(1, Ordering::Relaxed) {
        0 => works(),
        _ => fails(),
    });
    let mut fixture = Fixture::new(gpu);
    let keys = [45, 52, 57, 61, 64, 69];
    let sound = fixture.play(&keys.map(|key| (0, on(key))), RATE);
    while made.load(Ordering::Relaxed) < 2 {
        fixture.play(&[], 1_024);
    }
    fixture.play(&[], RATE);
    assert_eq!(fixture.engine.renderer_room(), FIRST);
    let counters = fixture.engine.counters();
    assert!(counters.clouds <= FIRST && counters.clouds >= 48, "{counters:?}");
    assert_eq!((counters.renders_failed, fixture.report().losses), (0, 0));
    assert!(fixture.report().on_gpu && rms(&sound) > 0.01);
}

/// Live, a stream begins with the room of an engine of the default configuration, for its engine and on the GPU.
#[test]
fn a_stream_begins_with_little_room_of_much() {
    let renderer = SupervisedRenderer::new(simulated_gpu(1, &Arc::default()), CpuRenderer::new(1));
    let engine = EngineConfig { clouds: EngineConfig::MOST_LIVE_CLOUDS, ..EngineConfig::default() };
    let config =
        StreamConfig { engine, room: Room::Measured, log: true, ..StreamConfig::default() };
    let renderer = Box::new(renderer.with_watchdog(WATCHDOG));
    let (control, mut audio, mut render) = build(&config, renderer).unwrap();
    control.set_patch(0, wide()).unwrap();
    let [mut left, mut right] = [[0.0; 256]; 2];
    for _ in 0..3 {
        audio.process(&[], &mut left, &mut right);
        render.step();
    }
    assert_eq!(rooms(&control), [EngineConfig::DEFAULT_SLOTS]);
}

/// On the processor, which has all room at once.
#[test]
fn a_stream_has_all_room_while_the_audio_side_waits() {
    let config = StreamConfig { room: Room::Measured, log: true, ..StreamConfig::default() };
    let (control, mut audio, mut render) = build(&config, Box::new(CpuRenderer::new(1))).unwrap();
    render.step();
    let [mut left, mut right] = [[0.0; 64]; 2];
    for waits in [false, true, false] {
        match waits {
            false => audio.process(&[], &mut left, &mut right),
            true => audio.process_waiting(&[], &mut left, &mut right, Duration::from_mins(5)),
        }
        render.step();
    }
    let live = EngineConfig::DEFAULT_SLOTS;
    assert_eq!(rooms(&control), [live, usize::MAX, live]);
}

/// How much room the engine had, one after the other.
fn rooms(control: &Control) -> Vec<usize> {
    let mut entries = Vec::new();
    assert!(control.read_log(&mut entries));
    let rooms = entries.iter().filter_map(|entry| match entry {
        LogEntry::Room { slots } => Some(*slots),
        _ => None,
    });
    rooms.collect()
}
