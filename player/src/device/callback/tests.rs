//! Devices that behave badly, in time that is a number: odd blocks, late ones, other rates.

use super::*;
use crate::device::cpal_device::Speaker;
use crate::device::handoff::CallbackHandoff;
use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Engine, EngineConfig, EventKind, Patch};
use myriad_live::stream::{self, Control, RenderSide, StreamConfig};
use ringbuf::HeapCons;
use ringbuf::HeapRb;
use ringbuf::traits::{Consumer, Split};

/// Ends the tests when something allocates where it must not.
#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

const RATE: u32 = 48_000;

/// One partial with an even envelope.
const SINE: &str =
    "format = 2\nname = 'Sine'\n[source]\npartials = 1\n[env1]\nattack = 0.0\nsustain = 1.0\n";

fn sine() -> Patch {
    Patch::parse(SINE, "sine").unwrap()
}

fn on(key: u8) -> EventKind {
    EventKind::NoteOn { key, velocity: 0.8 }
}

/// A feed whose render side works when we say.
struct Rig {
    control: Control,
    render: RenderSide,
    callback: Box<AudioCallback>,
    recorded: HeapCons<[f32; 2]>,
}

impl Rig {
    fn new(depth: usize) -> Self {
        let config = StreamConfig {
            depth,
            ..StreamConfig::default()
        };
        let renderer = Box::new(CpuRenderer::new(1));
        let (control, audio, mut render) = stream::build(&config, renderer).unwrap();
        control.set_patch(0, sine()).unwrap();
        render.step();
        let (tap, _) = HeapRb::new(1).split();
        let (record_ring, recorded) = HeapRb::new(20 * RATE as usize).split();
        let gestures = Arc::new(GestureQueue::new());
        Self {
            control,
            render,
            callback: Box::new(AudioCallback::new(
                audio,
                RATE,
                gestures,
                tap,
                Some(record_ring),
            )),
            recorded,
        }
    }

    fn event(frame: u32, kind: EventKind) -> Event {
        Event {
            frame,
            part: 0,
            kind,
        }
    }
}

/// A sine's own curvature; whatever else is in the signal stands out.
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

/// Whatever sizes a device asks for, in whatever format: it gets what the engine renders, and so
/// does the recording.
#[test]
fn blocks_of_any_size_give_what_the_engine_renders() {
    const FRAMES: usize = 150_000;
    let depth = 8_192;
    let mut engine = Engine::new(&EngineConfig::default()).unwrap();
    engine.set_patch(0, &sine());
    let (mut left, mut right) = (vec![0.0; FRAMES], vec![0.0; FRAMES]);
    engine.render(&[Rig::event(1_000, on(69))], &mut left, &mut right);

    let mut make_renderer = Rig::new(depth);
    let handoff = Arc::new(CallbackHandoff::new());
    let mut speaker = Speaker::new(Arc::clone(&handoff), 0, 2);
    let (mut heard, mut state, mut sent) = (Vec::new(), 7, false);
    while heard.len() < 2 * FRAMES {
        let most = [1, 2, 33, 64, 441, 4_097, 8_192][random(&mut state, 7) as usize];
        let frames = 1 + random(&mut state, most) as usize;
        let at = heard.len() / 2;
        if !sent && at + frames > 1_000 {
            make_renderer
                .callback
                .push(Rig::event((1_000 - at) as u32, on(69)));
            sent = true;
        }
        handoff.enter(make_renderer.callback);
        let mut block = vec![f32::NAN; 2 * frames];
        speaker.fill(&mut block);
        heard.extend(block);
        make_renderer.callback = handoff.leave().unwrap();
        make_renderer.render.step();
    }
    assert_eq!(make_renderer.control.status().underruns, 0);
    let heard_left: Vec<f32> = heard.iter().step_by(2).copied().collect();
    assert!(heard_left[..depth].iter().all(|sample| *sample == 0.0));
    assert_eq!(heard_left[depth..FRAMES], left[..FRAMES - depth]);
    let recorded: Vec<f32> = make_renderer
        .recorded
        .pop_iter()
        .map(|frame| frame[0])
        .collect();
    assert_eq!(recorded, heard_left);
}

/// A mono device hears both sides, further channels stay silent, integers are rounded right.
#[test]
fn devices_have_their_own_channels_and_formats() {
    for channels in [1, 2, 6] {
        let mut make_renderer = Rig::new(256);
        make_renderer.callback.push(Rig::event(0, on(69)));
        let handoff = Arc::new(CallbackHandoff::new());
        let mut speaker = Speaker::new(Arc::clone(&handoff), 0, channels);
        handoff.enter(make_renderer.callback);
        let mut loudest = vec![0i16; channels];
        for _ in 0..40 {
            let mut block = vec![1i16; 256 * channels];
            speaker.fill(&mut block);
            for frame in block.chunks(channels) {
                for (loudest, sample) in loudest.iter_mut().zip(frame) {
                    *loudest = (*loudest).max(sample.saturating_abs());
                }
            }
            make_renderer.render.step();
        }
        assert!(
            loudest[..channels.min(2)].iter().all(|peak| *peak > 1_000),
            "{loudest:?}"
        );
        assert!(
            loudest[channels.min(2)..].iter().all(|peak| *peak == 0),
            "{loudest:?}"
        );
    }
    // Not admitted, though there is a feed: silence, and nothing is taken away.
    let mut make_renderer = Rig::new(256);
    make_renderer.callback.push(Rig::event(0, on(69)));
    let handoff = Arc::new(CallbackHandoff::new());
    handoff.admit(1);
    handoff.enter(make_renderer.callback);
    let mut stranger = Speaker::new(Arc::clone(&handoff), 0, 2);
    let mut block = [0.7f32; 64];
    stranger.fill(&mut block);
    assert_eq!((block, make_renderer.control.time()), ([0.0; 64], 0));
    // Nobody on stage: silence, not what was there before.
    let mut speaker = Speaker::new(Arc::new(CallbackHandoff::new()), 0, 2);
    let mut block = [0.7f32; 64];
    speaker.fill(&mut block);
    assert_eq!(block, [0.0; 64]);
}

/// A render thread that stalls is heard as a fade, never as a click, and time goes on.
#[test]
fn stalls_fade_and_keep_time() {
    let mut make_renderer = Rig::new(96);
    make_renderer.callback.push(Rig::event(0, on(69)));
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    let (mut heard, mut state) = (Vec::new(), 3);
    for block in 0..4_000 {
        make_renderer.callback.fill(&mut left, &mut right);
        heard.extend(left);
        let stalls = block > 200 && random(&mut state, 40) == 0;
        if stalls {
            // For so many blocks nothing is rendered.
            for _ in 0..1 + random(&mut state, 12) {
                make_renderer.callback.fill(&mut left, &mut right);
                heard.extend(left);
            }
        }
        make_renderer.render.step();
    }
    let status = make_renderer.control.status();
    assert!(status.underruns > 20, "{}", status.underruns);
    assert_eq!(status.frames_asked as usize, heard.len());
    // The same as for a clean sine, but for the slope of a fade of 256 frames.
    let rough = roughness(&heard[8_192..], 440.0, RATE);
    assert!(rough < 1e-3, "{rough}");
}

/// Another device with another rate, while a note sounds: in tune at once, and after the fade
/// clean.
#[test]
fn a_device_of_another_rate_is_in_tune() {
    let mut make_renderer = Rig::new(2_048);
    make_renderer.callback.push(Rig::event(0, on(69)));
    for device_rate in [44_100, 48_000, 96_000, 22_050] {
        let audio = make_renderer.control.connect(4_096).unwrap();
        make_renderer.callback.move_to(audio, device_rate);
        let mut heard = Vec::new();
        let mut state = 11;
        while heard.len() < device_rate as usize {
            let frames = 1 + random(&mut state, 700) as usize;
            let (mut left, mut right) = (vec![f32::NAN; frames], vec![f32::NAN; frames]);
            make_renderer.render.step();
            make_renderer.callback.fill(&mut left, &mut right);
            heard.extend(left);
        }
        let settled = &heard[heard.len() / 2..];
        let rough = roughness(settled, 440.0, device_rate);
        assert!(rough < 2e-5, "{rough} at {device_rate}");
        let peak = settled
            .iter()
            .fold(0.0f32, |peak, sample| peak.max(sample.abs()));
        assert!(peak > 0.05, "{peak} at {device_rate}");
        assert_eq!(make_renderer.control.status().underruns, 0, "{device_rate}");
    }
}

/// Events of a resampled block reach the engine at the frame they belong to, none twice, none
/// lost.
#[test]
fn events_survive_the_resampler() {
    let mut make_renderer = Rig::new(4_096);
    let audio = make_renderer.control.connect(4_096).unwrap();
    make_renderer.callback.move_to(audio, 44_100);
    let mut state = 5;
    for _ in 0..400 {
        let frames = 1 + random(&mut state, 100);
        // Down and up in the same block: whoever loses one of them is heard for ever.
        make_renderer
            .callback
            .push(Rig::event(random(&mut state, frames), on(60)));
        let off = EventKind::NoteOff {
            key: 60,
            velocity: 0.0,
        };
        make_renderer.callback.push(Rig::event(frames - 1, off));
        let (mut left, mut right) = (vec![0.0; frames as usize], vec![0.0; frames as usize]);
        make_renderer.render.step();
        make_renderer.callback.fill(&mut left, &mut right);
    }
    let (mut left, mut right) = (vec![0.0; 2_048], vec![0.0; 2_048]);
    for _ in 0..60 {
        make_renderer.render.step();
        make_renderer.callback.fill(&mut left, &mut right);
    }
    let status = make_renderer.control.status();
    assert_eq!((status.engine.voices, status.events_refused), (0, 0));
}

/// What hands do between two blocks sounds a block later, at the same distance.
#[test]
fn gestures_keep_their_distance() {
    let mut make_renderer = Rig::new(8_192);
    let gestures = Arc::clone(&make_renderer.callback.gestures);
    let (mut left, mut right) = (vec![0.0; 4_800], vec![0.0; 4_800]);
    make_renderer.callback.fill(&mut left, &mut right);
    let began = make_renderer.callback.last_block.unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    gestures.play(0, on(60));
    let pressed = began.elapsed();
    make_renderer.callback.pick_up_gestures(4_800);
    let frame = make_renderer.callback.events[0].frame;
    let latest = (pressed.as_secs_f64() * f64::from(RATE)) as u32;
    assert!(
        (960..=latest.min(4_799)).contains(&frame),
        "{frame} of {latest}"
    );
}

/// The whole callback, with events and gestures, with a resampler and without: no allocation.
#[test]
fn callbacks_never_allocate() {
    for device_rate in [RATE, 44_100] {
        let mut make_renderer = Rig::new(2_048);
        let gestures = Arc::clone(&make_renderer.callback.gestures);
        make_renderer.callback.set_device_rate(device_rate);
        let handoff = Arc::new(CallbackHandoff::new());
        let mut speaker = Speaker::new(Arc::clone(&handoff), 0, 2);
        let mut block = vec![0i16; 2 * 1_024];
        let mut state = 13;
        handoff.enter(make_renderer.callback);
        for index in 0..300u32 {
            gestures.play(0, on(40 + (index % 40) as u8));
            let frames = 1 + random(&mut state, 1_024) as usize;
            assert_no_alloc(|| {
                handoff.perform(0, |callback| callback.push(Rig::event(0, on(60))));
                speaker.fill(&mut block[..2 * frames]);
            });
            make_renderer.render.step();
        }
        assert_eq!(make_renderer.control.status().underruns, 0);
    }
}
