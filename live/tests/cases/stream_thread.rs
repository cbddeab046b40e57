//! A stream with its real render thread.
//!
//! Test machines stall threads for many milliseconds, so these tests do not assert that deadlines are
//! kept, but what holds when one is missed.

use crate::lockstep::*;
use myriad_conformance::in_blocks;
use myriad_conformance::testing::*;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, Due, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{Event, factory};
use myriad_live::fault::Fault;
use myriad_live::stream::{self, AudioSide, Control};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_mins(5);

fn started(depth: usize) -> (Control, AudioSide) {
    let cpu = Box::new(CpuRenderer::new(1));
    let (control, audio) = stream::start(&config(depth), cpu).unwrap();
    control.set_patch(0, sine()).unwrap();
    (control, audio)
}

/// A device paced by the clock, on this thread, for so many blocks of 64.
fn device(audio: &mut AudioSide, events: &[(u64, Event)], blocks: u64) -> Vec<f32> {
    let mut heard = vec![0.0; 64 * blocks as usize];
    let mut right = [0.0; 64];
    let start = Instant::now();
    for (block, left) in heard.chunks_mut(64).enumerate() {
        let now = events.iter().filter(|(at, _)| *at == block as u64);
        let now: Vec<Event> = now.map(|(_, event)| *event).collect();
        audio.process(&now, left, &mut right);
        let next = start + Duration::from_secs_f64((block + 1) as f64 * 64.0 / RATE as f64);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    heard
}

fn note(key: u8) -> Event {
    Event { frame: 0, part: 0, kind: on(key) }
}

#[test]
fn a_paced_device_gets_no_click_and_all_frames_are_counted() {
    let (control, mut audio) = started(96);
    let heard = device(&mut audio, &[(20, note(69))], 2_000);
    let underruns = control.underruns();
    let status = control.status();
    println!(
        "load p50 {:.4}, p99 {:.4}; slow blocks {}, raised priority: {}, underruns: {underruns:?}",
        status.render_time.quantile(0.5),
        status.render_time.quantile(0.99),
        status.slow_blocks,
        status.raised_priority
    );
    // The attack is over after a hundredth of a second.
    let worst = roughness(&heard[20 * 64 + 160 + 1_000..], hertz(69.0));
    assert!(worst < CLICK, "{worst} with {underruns:?}");
    assert_eq!(status.frames_asked, 2_000 * 64);
    // What was missed is skipped when the render thread runs again, which a busy machine may delay.
    let behind = || {
        let status = control.status();
        status.frames_asked - status.frames_rendered - status.frames_skipped
    };
    let began = Instant::now();
    while behind() > 96 && began.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    assert!(behind() <= 96, "{:?}", control.status());
    assert!(status.render_time.total() > 0);
}

/// Remembers when the sound of blocks is needed, and the time at which it was told.
struct DueRecorder {
    inner: CpuRenderer,
    told: Arc<Mutex<Vec<(Due, Instant)>>>,
}

impl Renderer for DueRecorder {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.inner.prepare(capacity)
    }
    fn reset(&mut self) {
        self.inner.reset();
    }
    fn set_due(&mut self, due: Due) {
        self.told.lock().unwrap().push((due, Instant::now()));
    }
    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.inner.submit(block)
    }
    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.inner.collect(buses)
    }
}

/// A GPU that stands still is waited for no longer than that.
#[test]
fn blocks_are_due_before_the_frames_that_are_ready_are_heard() {
    let told = Arc::<Mutex<Vec<(Due, Instant)>>>::default();
    let renderer = DueRecorder { inner: CpuRenderer::new(1), told: Arc::clone(&told) };
    const DEPTH: usize = 4_096;
    let (control, mut audio) = stream::start(&config(DEPTH), Box::new(renderer)).unwrap();
    device(&mut audio, &[], 100);
    let mut played = std::mem::take(&mut *told.lock().unwrap());
    // The thread may not have noticed the first callback when it renders.
    let noticed = played.iter().position(|(due, _)| *due != Due::InRealTime);
    played.drain(..noticed.unwrap());
    // All that can be ready, and the block that has just been asked for.
    let lasts = Duration::from_secs_f64((DEPTH + 64) as f64 / RATE as f64);
    for (due, at) in played {
        assert!(matches!(due, Due::By(due) if due <= at + lasts), "{due:?}");
    }
    // More than is ready.
    let [mut left, mut right] = [[0.0; 2 * DEPTH]; 2];
    audio.process_waiting(&[], &mut left, &mut right, TIMEOUT);
    assert_eq!(told.lock().unwrap().last().unwrap().0, Due::Whenever);
    drop(control);
}

#[test]
fn process_waiting_matches_engine_output() {
    const FRAMES: usize = 10 * RATE;
    let patch = &factory::find("Aurora").unwrap();
    let events = [(0, on(45)), (50_003, on(52)), (200_017, off(45))];
    let expected = play(&mut engine(patch), &events, FRAMES);
    let (control, mut audio) = started(96);
    control.set_patch(0, patch.clone()).unwrap();
    // Faster than real time, in blocks larger and smaller than the stream is deep.
    let mut sizes = [512, 64, 8_192, 1, 1_000].into_iter().cycle();
    let next = |_| sizes.next().unwrap();
    let heard = in_blocks(&events, FRAMES, next, |now, left, right| {
        audio.process_waiting(now, left, right, TIMEOUT);
    });
    for (heard, expected) in heard.iter().zip(&expected) {
        assert!(heard[96..] == expected[..FRAMES - 96]);
    }
    assert_eq!(control.status().underruns, 0);
}

#[test]
fn process_waiting_recovers_after_an_underrun() {
    let (control, mut audio) = started(96);
    let (mut left, mut right) = ([0.0; 2_048], [0.0; 2_048]);
    // An event beyond the block counts as its last frame, also when the block is cut.
    let late = Event { frame: 5_000, ..note(69) };
    audio.process_waiting(&[late], &mut left, &mut right, TIMEOUT);
    audio.process(&[], &mut left, &mut right);
    assert_eq!(control.status().underruns, 1);
    for _ in 0..10 {
        audio.process_waiting(&[], &mut left, &mut right, TIMEOUT);
    }
    assert!(rms(&left) > 0.01, "{:?}", control.status());
    assert_eq!(control.status().underruns, 1);
}

#[test]
fn stop_fades_out_and_ends_the_thread() {
    let (control, mut audio) = started(96);
    let heard = std::thread::scope(|scope| {
        let device = scope.spawn(move || {
            let mut heard = device(&mut audio, &[(0, note(69))], 400);
            heard.extend(device(&mut audio, &[], 600));
            heard
        });
        // In the middle of what the device asks for.
        while control.status().frames_asked < 500 * 64 {
            std::thread::yield_now();
        }
        control.stop();
        control.stop();
        device.join().unwrap()
    });
    assert!(roughness(&heard[4_000..], hertz(69.0)) < CLICK);
    assert_eq!(peak(&heard[heard.len() - 6_400..]), 0.0);
    drop(control);
}

#[test]
fn stop_returns_without_a_device() {
    let began = Instant::now();
    let (control, audio) = started(96);
    control.send(0, on(60));
    drop(audio);
    control.stop();
    let (control, audio) = started(96);
    drop(control);
    drop(audio);
    assert!(began.elapsed() < TIMEOUT);
}

#[test]
fn stop_returns_when_the_renderer_hangs() {
    let (renderer, faults) = faulty();
    let (control, mut audio) = stream::start(&config(96), renderer).unwrap();
    control.set_patch(0, sine()).unwrap();
    let before = device(&mut audio, &[(0, note(69))], 300);
    faults.set(Fault::Hang);
    let hung = device(&mut audio, &[], 100);
    assert!(control.status().in_underrun);
    assert!(control.status().underruns > 0);
    assert_eq!(peak(&hung[4_800..]), 0.0, "silence, not noise");
    let both = [&before[9_600..], &hung].concat();
    assert!(roughness(&both, hertz(69.0)) < CLICK);
    // `process_waiting` times out.
    let (mut left, mut right) = ([1.0; 64], [1.0; 64]);
    audio.process_waiting(&[], &mut left, &mut right, Duration::from_millis(5));
    assert_eq!(peak(&left), 0.0);
    // Commands and events pile up, are refused in the end, and nothing blocks.
    for _ in 0..10_000 {
        let _ = control.set_patch(0, sine());
        control.send(0, on(60));
    }
    let began = Instant::now();
    control.stop();
    assert!(began.elapsed() < TIMEOUT);
    // The device may go on.
    assert_eq!(peak(&device(&mut audio, &[], 10)), 0.0);
    assert!(!control.status().running);
    // The detached thread ends, so that the test process can end.
    faults.set(Fault::None);
}

#[test]
fn a_panicking_renderer_fades_out_and_shows_in_the_status() {
    let (renderer, faults) = faulty();
    let (control, mut audio) = stream::start(&config(96), renderer).unwrap();
    control.set_patch(0, sine()).unwrap();
    let mut heard = device(&mut audio, &[(0, note(69))], 300);
    assert!(control.status().running);
    faults.set(Fault::Panic);
    heard.extend(device(&mut audio, &[], 300));
    assert!(!control.status().running);
    assert!(roughness(&heard[9_600..], hertz(69.0)) < CLICK);
    assert_eq!(peak(&heard[heard.len() - 4_800..]), 0.0);
    control.stop();
}

#[test]
fn a_stalled_renderer_is_reported_and_recovered() {
    let (renderer, faults) = faulty();
    let (control, mut audio) = stream::start(&config(96), renderer).unwrap();
    control.set_patch(0, sine()).unwrap();
    let mut heard = device(&mut audio, &[(0, note(69))], 300);
    faults.set(Fault::Hang);
    heard.extend(device(&mut audio, &[], 60));
    faults.set(Fault::None);
    // The note comes back; a machine that is busy with other tests may take a while for it.
    let began = Instant::now();
    while {
        heard.extend(device(&mut audio, &[], 600));
        rms(&heard[heard.len() - 4_800..]) < 0.01
    } {
        assert!(began.elapsed() < TIMEOUT, "{:?}", control.underruns());
    }
    let underruns = control.underruns();
    let longest = underruns.iter().max_by_key(|underrun| underrun.frames).unwrap();
    assert!(longest.frames >= 40 * 64, "{underruns:?}");
    assert!(roughness(&heard[9_600..], hertz(69.0)) < CLICK);
    // Whatever the machine did besides, the stream's time has not shifted.
    let status = control.status();
    assert_eq!(status.frames_asked, heard.len() as u64);
}
