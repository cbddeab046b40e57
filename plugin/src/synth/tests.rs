//! Rendering beside the call, with a processor that plays the GPU.

use super::threaded::purpose;
use super::*;
use myriad_engine::factory;
use myriad_engine::params::Param;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::{Engine, EventKind};
use myriad_live::fault::{Fault, FaultRenderer, Faults};
use myriad_live::supervised::{GpuLocation, MakeGpuRenderer};
use myriad_live::{RendererChoice, RendererKind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const RATE: f32 = 48_000.0;

/// A CPU renderer that plays the GPU: two blocks at once, and it fails when told.
pub(crate) fn gpu(faults: &Arc<Faults>) -> Box<MakeGpu> {
    let faults = Arc::clone(faults);
    let make: MakeGpuRenderer = Arc::new(move |location| {
        let cpu = Box::new(CpuRenderer::new(1));
        let gpu = FaultRenderer::new(cpu, Arc::clone(&faults));
        (location == GpuLocation::InProcess).then(|| -> Box<dyn Renderer> { Box::new(gpu) })
    });
    Box::new(move |_| {
        let choice = RendererChoice {
            kind: RendererKind::Cuda,
            device: 0,
            threads: 1,
            // Nobody listens: this machine may be busy with other things.
            purpose: purpose(true, RATE),
            recalibrate: false,
            server: None,
        };
        choice.make_with(make.clone())
    })
}

fn terms(max_block: usize, offline: bool) -> Terms {
    Terms { sample_rate: RATE, max_block, offline, renders: Renders::Gpu }
}

fn on(frame: u32, key: u8) -> Event {
    let velocity = 0.8;
    let kind = EventKind::NoteOn { key, velocity };
    Event { frame, part: PART as u8, kind }
}

fn off(frame: u32, key: u8) -> Event {
    let velocity = 0.5;
    Event { kind: EventKind::NoteOff { key, velocity }, ..on(frame, key) }
}

/// What an engine plays of a chord.
fn expected(patch: &Patch, frames: usize) -> Vec<f32> {
    let mut engine = Engine::new(&engine_config(RATE)).unwrap();
    engine.set_patch(PART, patch);
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render(&[on(0, 45), on(0, 52)], &mut left, &mut right);
    left
}

/// Plays the chord in blocks.
fn play(synth: &mut Synth, sizes: &[usize], frames: usize) -> Vec<f32> {
    let mut heard = Vec::new();
    for &size in sizes.iter().cycle() {
        if heard.len() >= frames {
            break;
        }
        let chord = [on(0, 45), on(0, 52)];
        let events = if heard.is_empty() { &chord[..] } else { &[] };
        let (mut left, mut right) = (vec![0.0; size], vec![0.0; size]);
        synth.render(events, &mut left, &mut right);
        heard.extend(left);
    }
    heard
}

/// The beginning is silence, for as long as the latency says, and then the engine's own sound.
fn is_late_by(heard: &[f32], latency: usize, expected: &[f32]) -> bool {
    let (silence, sound) = heard.split_at(latency);
    silence.iter().all(|x| *x == 0.0) && sound == &expected[..sound.len()]
}

/// A clock that stands still: a host that asks for block after block is ever further ahead of it, and
/// a machine that is held up takes no time.
fn standing_still() -> Instant {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    *START
}

#[test]
fn a_bounce_loses_nothing_whether_or_not_the_host_says_that_it_is_one() {
    let patch = factory::find("Aurora").unwrap();
    let expected = expected(patch, 48_000);
    for (offline, sizes) in
        [(true, &[512][..]), (true, &[1, 100, 512, 37]), (false, &[512]), (false, &[64, 512, 300])]
    {
        let (mut synth, _) =
            Synth::new(&terms(512, offline), patch, &*gpu(&Arc::default())).unwrap();
        let Synth::Threaded(threaded) = &mut synth else {
            panic!("it is rendered in the call");
        };
        threaded.set_clock(standing_still);
        // Twice: a reset is the beginning.
        for round in 0..2 {
            let heard = play(&mut synth, sizes, 40_000);
            // The engine's own latency is in what is expected.
            let depth = synth.latency() as usize - 64;
            synth.reset(&patch.values);
            let exact = is_late_by(&heard, depth, &expected);
            assert!(exact, "{offline} {sizes:?}, round {round}");
        }
    }
}

#[test]
fn latency_is_known_at_once_and_follows_from_the_terms() {
    let latency = |block| {
        let (synth, _) =
            Synth::new(&terms(block, false), &Patch::new(), &*gpu(&Arc::default())).unwrap();
        synth.latency()
    };
    assert_eq!(latency(512), 512 + 256 + 1_024 + 64);
    assert_eq!(latency(64), 64 + 32 + 128 + 64);
}

#[test]
fn a_gpu_that_is_lost_is_stood_in_for_while_the_chord_goes_on() {
    let patch = factory::find("Aurora").unwrap();
    let faults = Arc::new(Faults::default());
    let (mut synth, synth_handle) = Synth::new(&terms(512, true), patch, &*gpu(&faults)).unwrap();
    assert_eq!((synth_handle.renderer)().name, "GPU");
    let latency = synth.latency();
    play(&mut synth, &[512], 48_000);
    let steady = |sound: &[f32]| sound.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let mut before = vec![0.0; 9_600];
    synth.render(&[], &mut before, &mut [0.0; 9_600]);
    faults.set(Fault::Fail);
    let mut after = vec![0.0; 48_000];
    for chunk in after.chunks_mut(512) {
        let frames = chunk.len();
        synth.render(&[], chunk, &mut vec![0.0; frames]);
    }
    let state = (synth_handle.renderer)();
    assert!(state.stands_in && state.name == "CPU", "{state:?}");
    assert!(state.why.contains("lost"), "{state:?}");
    assert_eq!(synth.latency(), latency);
    for (index, part) in after.chunks(4_800).enumerate() {
        assert!(steady(part) > 0.2 * steady(&before), "silence at {index}");
    }
    // And it comes back.
    faults.set(Fault::None);
    let give_up = Instant::now() + Duration::from_secs(30);
    while (synth_handle.renderer)().stands_in {
        assert!(Instant::now() < give_up, "{:?}", (synth_handle.renderer)());
        synth.render(&[], &mut [0.0; 512], &mut [0.0; 512]);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_gpu_that_cannot_be_had_is_stood_in_for_from_the_beginning() {
    let faults = Arc::new(Faults::default());
    faults.set(Fault::Fail);
    let patch = Patch::new();
    let (mut synth, synth_handle) = Synth::new(&terms(512, false), &patch, &*gpu(&faults)).unwrap();
    assert_eq!(synth.latency(), 64);
    assert!((synth_handle.renderer)().stands_in);
    let heard = play(&mut synth, &[512], 4_800);
    assert_eq!(heard, expected(&patch, heard.len()));
    // It is asked for again when the host activates the instance anew.
    assert!(!synth.suits(&terms(512, false)));
}

/// A host stops calling an instance that is silent, and stops modulating a note that has ended.
#[test]
fn a_stream_says_which_keys_sound_and_when_its_room_is_quiet() {
    let mut patch = Patch::new();
    patch.values.set(Param::ReverbOn, 1.0);
    patch.values.set(Param::ReverbDecay, 0.5);
    let (mut synth, _) = Synth::new(&terms(512, true), &patch, &*gpu(&Arc::default())).unwrap();
    let mut next = |events: &[Event]| {
        let mut left = [0.0; 512];
        synth.render(events, &mut left, &mut [0.0; 512]);
        (synth.keys(), synth.is_silent(), synth.tail(), left)
    };
    assert!(next(&[]).1, "nothing has been played");
    // Let go at once: the other thread has not heard of it yet.
    let (keys, silent, ..) = next(&[on(0, 60), off(1, 60), on(2, 100)]);
    assert_eq!((keys, silent), (1 << 60 | 1 << 100, false));
    let mut blocks = 0;
    while next(&[]).0 != 1 << 100 {
        blocks += 1;
        assert!(blocks < 100, "a key that was let go ends");
    }
    let tail = next(&[off(0, 100)]).2.unwrap();
    let mut heard = Vec::new();
    let mut last_key = 0;
    loop {
        let (keys, silent, _, left) = next(&[]);
        heard.extend(left);
        if keys != 0 {
            last_key = heard.len();
        }
        if silent {
            break;
        }
        assert!(heard.len() < tail, "silent when it said so");
    }
    let last = heard.iter().rposition(|x| x.abs() > 1e-6).unwrap();
    assert!(last > last_key + 4_800, "the room outlives the key");
}

#[test]
fn patches_and_routes_reach_a_stream_and_it_is_seen() {
    let (mut synth, mut synth_handle) =
        Synth::new(&terms(512, true), &Patch::new(), &*gpu(&Arc::default())).unwrap();
    let patch = factory::find("Aurora").unwrap();
    let stream = synth_handle.stream.as_ref().unwrap();
    stream.set_patch(PART, patch.clone()).unwrap();
    stream.set_routes(PART, patch.routes[1..].to_vec()).unwrap();
    let snapshots = synth_handle.snapshots.as_mut().unwrap();
    snapshots.watch(Some(PART));
    synth.reset(&patch.values);
    let heard = play(&mut synth, &[512], 24_000);
    let mut other = patch.clone();
    other.routes.remove(0);
    let depth = synth.latency() as usize - 64;
    assert!(is_late_by(&heard, depth, &expected(&other, 48_000)));
    let mut seen = myriad_engine::Snapshot::new();
    snapshots.look(&mut seen);
    assert!(seen.sounding && !synth.is_silent());
    assert_eq!(synth.counters().voices, 2);
}
