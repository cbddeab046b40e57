//! Devices that behave badly, in virtual time: odd block sizes, late blocks, other sample rates.

use super::*;
use crate::device::cpal_device::Speaker;
use crate::device::handoff::CallbackHandoff;
use crate::midi::gesture::GestureQueue;
use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Engine, EngineConfig, EventKind, Patch};
use myriad_live::stream::{self, Control, RenderSide, StreamConfig};
use ringbuf::HeapRb;
use ringbuf::traits::Split;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

const RATE: u32 = 48_000;

/// One partial with a constant envelope.
const SINE: &str =
    "format = 2\nname = 'Sine'\n[source]\npartials = 1\n[env1]\nattack = 0.0\nsustain = 1.0\n";

fn sine() -> Patch {
    Patch::parse(SINE, "sine").unwrap()
}

fn on(key: u8) -> EventKind {
    EventKind::NoteOn { key, velocity: 0.8 }
}

/// A callback whose render side runs only when the test steps it.
struct Harness {
    control: Control,
    render: RenderSide,
    callback: Box<AudioCallback>,
    gestures: GestureQueue,
    recorded: HeapCons<[f32; 2]>,
}

impl Harness {
    fn new(depth: usize) -> Self {
        let config = StreamConfig { depth, ..StreamConfig::default() };
        let renderer = Box::new(CpuRenderer::new(1));
        let (control, audio, mut render) = stream::build(&config, renderer).unwrap();
        control.set_patch(0, sine()).unwrap();
        render.step();
        let (tap, _) = HeapRb::new(1).split();
        let (record_ring, recorded) = HeapRb::new(20 * RATE as usize).split();
        let (gestures, receiver) = GestureQueue::new();
        Self {
            control,
            render,
            callback: Box::new(AudioCallback::new(audio, RATE, receiver, tap, Some(record_ring))),
            gestures,
            recorded,
        }
    }

    fn event(frame: u32, kind: EventKind) -> Event {
        Event { frame, part: 0, kind }
    }
}

/// The largest deviation from a sine of that frequency.
fn roughness(sound: &[f32], frequency: f64, rate: u32) -> f64 {
    let k = 2.0 * (std::f64::consts::TAU * frequency / f64::from(rate)).cos();
    let bend = |x: &[f32]| (f64::from(x[0]) - k * f64::from(x[1]) + f64::from(x[2])).abs();
    sound.windows(3).map(bend).fold(0.0, f64::max)
}

/// Numbers that repeat from run to run.
fn random(state: &mut u32, most: u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) % most
}

/// Block sizes do not change the sound, of the device or of the recording.
#[test]
fn blocks_of_any_size_give_what_the_engine_renders() {
    const FRAMES: usize = 150_000;
    let depth = 8_192;
    let mut engine = Engine::new(&EngineConfig::default()).unwrap();
    engine.set_patch(0, &sine());
    let (mut left, mut right) = (vec![0.0; FRAMES], vec![0.0; FRAMES]);
    engine.render(&[Harness::event(1_000, on(69))], &mut left, &mut right);

    let mut harness = Harness::new(depth);
    let handoff = Arc::<CallbackHandoff>::default();
    let mut speaker = Speaker::new(Arc::clone(&handoff), 0, 2);
    let (mut heard, mut state, mut sent) = (Vec::new(), 7, false);
    while heard.len() < 2 * FRAMES {
        let most = [1, 2, 33, 64, 441, 4_097, 8_192][random(&mut state, 7) as usize];
        let frames = 1 + random(&mut state, most) as usize;
        let at = heard.len() / 2;
        if !sent && at + frames > 1_000 {
            harness.callback.push(Harness::event((1_000 - at) as u32, on(69)));
            sent = true;
        }
        handoff.put(harness.callback);
        let mut block = vec![f32::NAN; 2 * frames];
        speaker.fill(&mut block);
        heard.extend(block);
        harness.callback = handoff.take().unwrap();
        harness.render.step();
    }
    assert_eq!(harness.control.status().underruns, 0);
    let heard_left: Vec<f32> = heard.iter().step_by(2).copied().collect();
    assert!(heard_left[..depth].iter().all(|sample| *sample == 0.0));
    assert_eq!(heard_left[depth..FRAMES], left[..FRAMES - depth]);
    let recorded: Vec<f32> = harness.recorded.pop_iter().map(|frame| frame[0]).collect();
    assert_eq!(recorded, heard_left);
}

/// A mono device gets both channels, further channels are silent, integers are rounded.
#[test]
fn channels_and_formats_are_converted() {
    for channels in [1, 2, 6] {
        let mut harness = Harness::new(256);
        harness.callback.push(Harness::event(0, on(69)));
        let handoff = Arc::<CallbackHandoff>::default();
        let mut speaker = Speaker::new(Arc::clone(&handoff), 0, channels);
        handoff.put(harness.callback);
        let mut loudest = vec![0i16; channels];
        for _ in 0..40 {
            let mut block = vec![1i16; 256 * channels];
            speaker.fill(&mut block);
            for frame in block.chunks(channels) {
                for (loudest, sample) in loudest.iter_mut().zip(frame) {
                    *loudest = (*loudest).max(sample.saturating_abs());
                }
            }
            harness.render.step();
        }
        assert!(loudest[..channels.min(2)].iter().all(|peak| *peak > 1_000), "{loudest:?}");
        assert!(loudest[channels.min(2)..].iter().all(|peak| *peak == 0), "{loudest:?}");
    }
    // A device that is not the active one gets silence and consumes no frames.
    let mut harness = Harness::new(256);
    harness.callback.push(Harness::event(0, on(69)));
    let handoff = Arc::<CallbackHandoff>::default();
    handoff.set_active(1);
    handoff.put(harness.callback);
    let mut inactive = Speaker::new(Arc::clone(&handoff), 0, 2);
    let mut block = [0.7f32; 64];
    inactive.fill(&mut block);
    assert_eq!((block, harness.control.time()), ([0.0; 64], 0));
    // An empty handoff gives silence, not what the buffer held before.
    let mut speaker = Speaker::new(Arc::<CallbackHandoff>::default(), 0, 2);
    let mut block = [0.7f32; 64];
    speaker.fill(&mut block);
    assert_eq!(block, [0.0; 64]);
}

/// A render thread that stalls causes a fade, never a click, and time goes on.
#[test]
fn stalls_fade_and_keep_time() {
    let mut harness = Harness::new(96);
    harness.callback.push(Harness::event(0, on(69)));
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    let (mut heard, mut state) = (Vec::new(), 3);
    for block in 0..4_000 {
        harness.callback.fill(&mut left, &mut right);
        heard.extend(left);
        let stalls = block > 200 && random(&mut state, 40) == 0;
        if stalls {
            // For so many blocks nothing is rendered.
            for _ in 0..1 + random(&mut state, 12) {
                harness.callback.fill(&mut left, &mut right);
                heard.extend(left);
            }
        }
        harness.render.step();
    }
    let status = harness.control.status();
    assert!(status.underruns > 20, "{}", status.underruns);
    assert_eq!(status.frames_asked as usize, heard.len());
    // The limit allows the slope of a fade of 256 frames.
    let rough = roughness(&heard[8_192..], 440.0, RATE);
    assert!(rough < 1e-3, "{rough}");
}

/// A device with another sample rate, while a note sounds, is in tune, and clean after the fade.
#[test]
fn a_device_of_another_rate_is_in_tune() {
    let mut harness = Harness::new(2_048);
    harness.callback.push(Harness::event(0, on(69)));
    for device_rate in [44_100, 48_000, 96_000, 22_050] {
        let audio = harness.control.connect(4_096).unwrap();
        harness.callback.move_to(audio, device_rate);
        let mut heard = Vec::new();
        let mut state = 11;
        while heard.len() < device_rate as usize {
            let frames = 1 + random(&mut state, 700) as usize;
            let (mut left, mut right) = (vec![f32::NAN; frames], vec![f32::NAN; frames]);
            harness.render.step();
            harness.callback.fill(&mut left, &mut right);
            heard.extend(left);
        }
        let settled = &heard[heard.len() / 2..];
        let rough = roughness(settled, 440.0, device_rate);
        assert!(rough < 2e-5, "{rough} at {device_rate}");
        let peak = settled.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        assert!(peak > 0.05, "{peak} at {device_rate}");
        assert_eq!(harness.control.status().underruns, 0, "{device_rate}");
    }
}

/// Resampling neither loses nor repeats events.
#[test]
fn events_survive_the_resampler() {
    let mut harness = Harness::new(4_096);
    let audio = harness.control.connect(4_096).unwrap();
    harness.callback.move_to(audio, 44_100);
    let mut state = 5;
    for _ in 0..400 {
        let frames = 1 + random(&mut state, 100);
        // On and off in the same block: a lost note-off would leave a voice sounding.
        harness.callback.push(Harness::event(random(&mut state, frames), on(60)));
        let off = EventKind::NoteOff { key: 60, velocity: 0.0 };
        harness.callback.push(Harness::event(frames - 1, off));
        let (mut left, mut right) = (vec![0.0; frames as usize], vec![0.0; frames as usize]);
        harness.render.step();
        harness.callback.fill(&mut left, &mut right);
    }
    let (mut left, mut right) = (vec![0.0; 2_048], vec![0.0; 2_048]);
    for _ in 0..60 {
        harness.render.step();
        harness.callback.fill(&mut left, &mut right);
    }
    let status = harness.control.status();
    assert_eq!((status.engine.voices, status.events_refused), (0, 0));
}

/// A gesture between two blocks sounds a block later, at the same offset.
#[test]
fn gestures_keep_their_offset_within_a_block() {
    let mut harness = Harness::new(8_192);
    let (mut left, mut right) = (vec![0.0; 4_800], vec![0.0; 4_800]);
    harness.callback.fill(&mut left, &mut right);
    let began = harness.callback.last_block.unwrap();
    for (millis, key) in [(20, 60), (99, 61), (5_000, 62)] {
        harness.gestures.play_at(began + Duration::from_millis(millis), 0, on(key));
    }
    harness.callback.pick_up_gestures(4_800);
    let frames: Vec<u32> =
        harness.callback.events.store().iter().map(|event| event.frame).collect();
    assert_eq!(frames, [960, 4_752, 4_799]);
}

/// The whole callback, with events and gestures, with a resampler and without: no allocation.
#[test]
fn callbacks_never_allocate() {
    for device_rate in [RATE, 44_100] {
        let mut harness = Harness::new(2_048);
        harness.callback.set_device_rate(device_rate);
        let handoff = Arc::<CallbackHandoff>::default();
        let mut speaker = Speaker::new(Arc::clone(&handoff), 0, 2);
        let mut block = vec![0i16; 2 * 1_024];
        let mut state = 13;
        handoff.put(harness.callback);
        for index in 0..300u32 {
            harness.gestures.play(0, on(40 + (index % 40) as u8));
            let frames = 1 + random(&mut state, 1_024) as usize;
            assert_no_alloc(|| {
                handoff.with_callback(0, |callback| callback.push(Harness::event(0, on(60))));
                speaker.fill(&mut block[..2 * frames]);
            });
            harness.render.step();
        }
        assert_eq!(harness.control.status().underruns, 0);
    }
}

/// When queues overflow, notes that were started are still released.
#[test]
fn a_flood_of_gestures_leaves_no_note_behind() {
    let off = |key| EventKind::NoteOff { key, velocity: 0.5 };
    let mut harness = Harness::new(2_048);
    let (mut left, mut right) = (vec![0.0; 512], vec![0.0; 512]);
    harness.gestures.play(0, on(60));
    for index in 0..20_000u32 {
        let wheel = EventKind::PitchBend((index % 2) as f32);
        harness.gestures.play(0, wheel);
        harness.callback.push(Harness::event(0, if index == 9 { on(64) } else { wheel }));
    }
    harness.gestures.play(0, off(60));
    harness.callback.push(Harness::event(0, off(64)));
    for _ in 0..400 {
        harness.callback.fill(&mut left, &mut right);
        harness.render.step();
    }
    assert_eq!(harness.control.status().engine.voices, 0);
    assert!(harness.gestures.lost() > 10_000);
    let refused = harness.callback.counters.events_refused.load(Ordering::Relaxed);
    assert!(refused > 10_000);
}
