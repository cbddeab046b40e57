//! Rendering on a thread, with a CPU renderer that simulates the GPU.

use super::threaded::purpose;
use super::*;
use myriad_engine::factory;
use myriad_engine::params::Param;
use myriad_engine::{Engine, EventKind};
use myriad_live::fault::{Fault, Faults, simulated_gpu};
use myriad_live::{RendererChoice, RendererKind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const RATE: f32 = 48_000.0;

/// A CPU renderer that simulates the GPU, with faults.
pub(crate) fn gpu(faults: &Arc<Faults>) -> Box<MakeGpu> {
    let make = simulated_gpu(1, faults);
    Box::new(move |_| {
        let choice = RendererChoice {
            kind: RendererKind::Cuda,
            device: None,
            threads: 1,
            // Without deadlines, because the machine may be busy.
            purpose: purpose(true, RATE),
            recalibrate: false,
            service: None,
        };
        choice.make_with(make.clone())
    })
}

fn config(max_block: usize, offline: bool) -> SynthConfig {
    SynthConfig {
        sample_rate: RATE,
        max_block,
        offline,
        render_target: RenderTarget::Gpu,
        outputs: 0,
    }
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

/// The engine's output for a chord.
fn expected(patch: &Patch, frames: usize) -> Vec<f32> {
    let mut engine = Engine::new(&engine_config(RATE)).unwrap();
    engine.set_patch(PART, patch);
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render(&[on(0, 45), on(0, 52)], &mut left, &mut right);
    left
}

/// Plays the chord in blocks.
fn play(synth: &mut dyn Synth, sizes: &[usize], frames: usize) -> Vec<f32> {
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

/// Whether `heard` is silence for `latency` frames and then `expected`.
fn is_late_by(heard: &[f32], latency: usize, expected: &[f32]) -> bool {
    let (silence, sound) = heard.split_at(latency);
    silence.iter().all(|x| *x == 0.0) && sound == &expected[..sound.len()]
}

/// A clock that stands still: the host is always ahead of it, and rendering takes no time.
fn frozen_clock() -> Instant {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    *START
}

#[test]
fn a_bounce_equals_the_engine_output_even_if_the_host_does_not_announce_it() {
    let patch = &factory::find("Aurora").unwrap();
    let expected = expected(patch, 48_000);
    for (offline, sizes) in
        [(true, &[512][..]), (true, &[1, 100, 512, 37]), (false, &[512]), (false, &[64, 512, 300])]
    {
        let (mut synth, _) =
            make_synth(&config(512, offline), patch, &*gpu(&Arc::default())).unwrap();
        assert!(synth.is_threaded());
        synth.set_clock(frozen_clock);
        // Twice, with a reset in between.
        for round in 0..2 {
            let heard = play(&mut *synth, sizes, 40_000);
            // The expected output contains the engine's own latency.
            let depth = synth.latency() as usize - 64;
            synth.reset(&patch.values);
            let exact = is_late_by(&heard, depth, &expected);
            assert!(exact, "{offline} {sizes:?}, round {round}");
        }
    }
}

#[test]
fn latency_follows_from_the_block_size() {
    let latency = |block| {
        let (synth, _) =
            make_synth(&config(block, false), &Patch::new(), &*gpu(&Arc::default())).unwrap();
        synth.latency()
    };
    assert_eq!(latency(512), 512 + 256 + 1_024 + 64);
    assert_eq!(latency(64), 64 + 32 + 128 + 64);
}

#[test]
fn the_cpu_replaces_a_lost_gpu_while_a_chord_sounds_until_it_returns() {
    let patch = &factory::find("Aurora").unwrap();
    let faults = Arc::new(Faults::default());
    let (mut synth, handle) = make_synth(&config(512, true), patch, &*gpu(&faults)).unwrap();
    assert_eq!((handle.renderer)().name, "GPU");
    let latency = synth.latency();
    play(&mut *synth, &[512], 48_000);
    let steady = |sound: &[f32]| sound.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let mut before = vec![0.0; 9_600];
    synth.render(&[], &mut before, &mut [0.0; 9_600]);
    faults.set(Fault::Fail);
    let mut after = vec![0.0; 48_000];
    for chunk in after.chunks_mut(512) {
        let frames = chunk.len();
        synth.render(&[], chunk, &mut vec![0.0; frames]);
    }
    let state = (handle.renderer)();
    assert!(state.stands_in && state.name == "CPU", "{state:?}");
    assert!(state.why.contains("lost"), "{state:?}");
    assert_eq!(synth.latency(), latency);
    for (index, part) in after.chunks(4_800).enumerate() {
        assert!(steady(part) > 0.2 * steady(&before), "silence at {index}");
    }
    // The GPU returns.
    faults.set(Fault::None);
    let give_up = Instant::now() + Duration::from_secs(30);
    while (handle.renderer)().stands_in {
        assert!(Instant::now() < give_up, "{:?}", (handle.renderer)());
        synth.render(&[], &mut [0.0; 512], &mut [0.0; 512]);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_cpu_replaces_a_gpu_that_cannot_be_prepared() {
    let faults = Arc::new(Faults::default());
    faults.set(Fault::Fail);
    let patch = Patch::new();
    let (mut synth, handle) = make_synth(&config(512, false), &patch, &*gpu(&faults)).unwrap();
    assert_eq!(synth.latency(), 64);
    assert!((handle.renderer)().stands_in);
    let heard = play(&mut *synth, &[512], 4_800);
    assert_eq!(heard, expected(&patch, heard.len()));
    // The GPU is tried again when the host activates the instance again.
    assert!(!synth.suits(&config(512, false)));
}

/// A host stops calling an instance that is silent, and stops modulating a note that has ended.
#[test]
fn a_stream_reports_sounding_keys_and_the_end_of_its_reverb() {
    let mut patch = Patch::new();
    patch.values.set(Param::ReverbOn, 1.0);
    patch.values.set(Param::ReverbDecay, 0.5);
    let (mut synth, _) = make_synth(&config(512, true), &patch, &*gpu(&Arc::default())).unwrap();
    let mut next = |events: &[Event]| {
        let mut left = [0.0; 512];
        synth.render(events, &mut left, &mut [0.0; 512]);
        (synth.keys(), synth.is_silent(), synth.tail(), left)
    };
    assert!(next(&[]).1, "nothing has been played");
    // Released at once: the render thread has not rendered it yet.
    let (keys, silent, ..) = next(&[on(0, 60), off(1, 60), on(2, 100)]);
    assert_eq!((keys, silent), (1 << 60 | 1 << 100, false));
    let mut blocks = 0;
    while next(&[]).0 != 1 << 100 {
        blocks += 1;
        assert!(blocks < 100, "a released key ends");
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
        assert!(heard.len() < tail, "silent after the tail");
    }
    let last = heard.iter().rposition(|x| x.abs() > 1e-6).unwrap();
    assert!(last > last_key + 4_800, "the reverb outlasts the key");
}

#[test]
fn patches_and_routes_reach_a_stream_and_its_snapshots() {
    let (mut synth, mut handle) =
        make_synth(&config(512, true), &Patch::new(), &*gpu(&Arc::default())).unwrap();
    let patch = &factory::find("Aurora").unwrap();
    let stream = handle.stream.as_ref().unwrap();
    stream.set_patch(PART, patch.clone()).unwrap();
    stream.set_routes(PART, patch.routes[1..].to_vec()).unwrap();
    let snapshots = handle.snapshots.as_mut().unwrap();
    snapshots.watch(Some(PART));
    synth.reset(&patch.values);
    let heard = play(&mut *synth, &[512], 24_000);
    let mut other = patch.clone();
    other.routes.remove(0);
    let depth = synth.latency() as usize - 64;
    assert!(is_late_by(&heard, depth, &expected(&other, 48_000)));
    let mut seen = myriad_engine::Snapshot::new();
    snapshots.look(&mut seen);
    assert!(seen.sounding && !synth.is_silent());
    assert_eq!(synth.counters().voices, 2);
}

/// Pads on outputs of their own are heard there also when a thread renders.
#[test]
fn outputs_are_those_of_the_callback() {
    let zones = "[[key_zone]]\nkeys = 45\noutput = 3\n[[key_zone]]\nkeys = 52\n";
    let kit = Patch::parse(&format!("format = 3\nname = \"Two\"\n{zones}"), "two").unwrap();
    let config = SynthConfig { outputs: u8::MAX, ..config(512, true) };
    let on_cpu = SynthConfig { render_target: RenderTarget::Cpu, ..config };
    let outputs = |config: &SynthConfig| {
        let (mut synth, _) = make_synth(config, &kit, &*gpu(&Arc::default())).unwrap();
        let later = synth.latency() as usize - 64;
        let mut heard = vec![Vec::new(); 9];
        for block in 0..20 {
            let chord = [on(0, 45), on(100, 52)];
            let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
            synth.render(if block == 0 { &chord } else { &[] }, &mut left, &mut right);
            heard[0].extend(left);
            (1..9).for_each(|output| heard[output].extend(synth.output(output - 1)[0]));
        }
        heard.iter_mut().for_each(|heard| drop(heard.drain(..later)));
        heard
    };
    let (threaded, in_callback) = (outputs(&config), outputs(&on_cpu));
    for (output, (threaded, in_callback)) in threaded.iter().zip(&in_callback).enumerate() {
        assert_eq!(threaded[..], in_callback[..threaded.len()], "output {output}");
        let sounds = threaded.iter().any(|x| x.abs() > 0.01);
        assert_eq!(sounds, [0, 3].contains(&output), "output {output}");
    }
}
