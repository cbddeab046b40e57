//! The audio thread: it allocates nothing while patches change.

use super::*;
use crate::synth::RenderTarget;
use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use myriad_engine::modulation::Drawing;
use myriad_engine::{Patch, Snapshot, factory};
use nice_plug::context::process::SendEventError;
use nice_plug::midi::{PluginNoteEvent, VoiceID};
use std::collections::VecDeque;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

/// A host with scripted events.
struct Script {
    transport: Transport,
    events: VecDeque<NoteEvent<()>>,
    ended: usize,
}

impl Script {
    fn new(events: impl IntoIterator<Item = NoteEvent<()>>) -> Self {
        Self { transport: Transport::new(48_000.0), events: events.into_iter().collect(), ended: 0 }
    }
}

impl ProcessContext<Myriad> for Script {
    fn plugin_api(&self) -> PluginApi {
        PluginApi::Clap
    }
    fn execute_background(&self, _task: Task) {}
    fn execute_gui(&self, _task: Task) {}
    fn transport(&self) -> &Transport {
        &self.transport
    }
    fn next_event(&mut self) -> Option<PluginNoteEvent<Myriad>> {
        self.events.pop_front()
    }
    fn try_send_event(
        &mut self,
        _event: PluginNoteEvent<Myriad>,
    ) -> Result<(), (PluginNoteEvent<Myriad>, SendEventError)> {
        self.ended += 1;
        Ok(())
    }
    fn set_latency_samples(&self, _samples: u32) {}
    fn request_restart(&self) {}
    fn set_current_voice_capacity(&self, _capacity: u32) {}
}

fn on(key: u8) -> NoteEvent<()> {
    NoteEvent::NoteOn {
        timing: 0,
        voice_id: VoiceID::ID(key.into()),
        channel: Channel::Number(0),
        key: Key::Number(key),
        velocity: 0.8,
    }
}

fn wheel(value: f32) -> NoteEvent<()> {
    NoteEvent::MidiCC { timing: 0, channel: 0, cc: 1, value }
}

fn config(sample_rate: f32) -> SynthConfig {
    SynthConfig {
        sample_rate,
        max_block: 512,
        offline: false,
        render_target: RenderTarget::Cpu,
        outputs: 0,
    }
}

fn player() -> (Arc<MyriadParams>, Player) {
    let params = Arc::new(MyriadParams::new());
    let mut player = Player::new(params.clone());
    assert_eq!(player.prepare(&config(48_000.0)), Some(64));
    player.reset();
    (params, player)
}

#[test]
fn nothing_is_allocated_while_patches_notes_and_knobs_change() {
    let (params, mut player) = player();
    let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
    params.shared.controllers.learn(Some(Param::Macro1));
    for (round, patch) in factory::patches().iter().cycle().take(40).enumerate() {
        params.shared.load(patch.clone());
        // A host moves knobs between blocks.
        params.knob(Param::FilterCutoff).set_position(round as f32 / 40.0);
        // The editor is open for every second patch, and plays notes and changes routes.
        params.shared.watch(round % 2 == 0);
        let (key, velocity) = (72, 0.5);
        params.shared.play(EventKind::NoteOn { key, velocity });
        if round % 3 == 0 {
            params.shared.set_routes(patch.routes[1..].to_vec());
        }
        if round % 4 == 1 {
            params.shared.set_drawn(&factory::patches()[round]);
        }
        let mut script = Script::new((40..71).map(on).chain([wheel(0.3)]));
        script.transport.tempo = Some(100.0 + round as f64);
        assert_no_alloc(|| {
            for _ in 0..4 {
                player.process(&mut left, &mut right, &mut script);
            }
            if round % 10 == 9 {
                player.reset();
            }
        });
    }
    assert!(params.shared.meters.take_peaks()[0] > 0.0);
}

#[test]
fn a_loaded_patch_plays_before_the_host_moves_its_knobs() {
    let patch = factory::patches()[0].clone();
    let (params, mut player) = player();
    params.shared.load(patch.clone());
    let mut sound = [vec![0.0; 4_800], vec![0.0; 4_800]];
    let [left, right] = &mut sound;
    player.process(left, right, &mut Script::new([on(60)]));

    let mut expected = [vec![0.0; 4_800], vec![0.0; 4_800]];
    let [left, right] = &mut expected;
    let (mut synth, _) = make_synth(&config(48_000.0), &patch, &any_gpu).unwrap();
    let mut queue = Queue::new(1);
    queue.push(0, EventKind::NoteOn { key: 60, velocity: 0.8 });
    synth.render(queue.events(), left, right);
    assert_eq!(sound, expected);
}

#[test]
fn the_newest_of_many_patches_wins() {
    let (params, mut player) = player();
    for patch in factory::patches() {
        params.shared.load(patch.clone());
    }
    let last = factory::patches().last().unwrap();
    player.process(&mut [0.0; 64], &mut [0.0; 64], &mut Script::new([]));
    assert_eq!(player.patch, last.values);
    assert_eq!(*params.shared.patch(), *last);
}

#[test]
fn routes_apply_to_the_last_patch() {
    let (params, mut player) = player();
    let play = |player: &mut Player| {
        player.process(&mut [0.0; 64], &mut [0.0; 64], &mut Script::new([]));
    };
    let [first, second] = [&factory::patches()[0], &factory::patches()[1]];
    // The last change counts, and routes belong to the last patch.
    params.shared.load(first.clone());
    params.shared.set_routes(Vec::new());
    params.shared.load(second.clone());
    play(&mut player);
    assert_eq!(params.shared.patch().routes, second.routes);
    params.shared.load(first.clone());
    params.shared.set_routes(second.routes.clone());
    play(&mut player);
    let mut expected = first.clone();
    expected.routes.clone_from(&second.routes);
    assert_eq!(*params.shared.patch(), expected);
    // The audio thread returns the patch that is replaced.
    params.shared.load(Patch::new());
    let mut change = params.shared.take_change().unwrap();
    let played = change.patch.as_deref_mut().unwrap();
    player.synth.as_mut().unwrap().exchange_patch(played);
    assert_eq!(**played, expected);
}

/// What is drawn belongs to the last patch, also when the audio thread has not taken that yet.
#[test]
fn drawings_apply_to_the_last_patch() {
    let (params, mut player) = player();
    let mut play = || player.process(&mut [0.0; 64], &mut [0.0; 64], &mut Script::new([]));
    let first = &factory::patches()[0];
    let mut drawn = first.clone();
    drawn.drawings[2] = Drawing::new(&[0.5, -0.5, 1.0]);
    params.shared.set_drawn(&drawn);
    params.shared.load(first.clone());
    assert!(params.shared.take_change().unwrap().drawn.is_none(), "a patch has its own");
    params.shared.load(first.clone());
    params.shared.set_drawn(&drawn);
    let change = params.shared.take_change().unwrap();
    assert_eq!(change.patch.as_deref().unwrap().drawings, drawn.drawings);
    params.shared.give_back(change);
    params.shared.set_drawn(first);
    play();
    params.shared.set_drawn(&drawn);
    assert_eq!(*params.shared.patch(), drawn);
    let change = params.shared.take_change().unwrap();
    assert_eq!(change.drawn.as_deref().unwrap().drawings, drawn.drawings);
    assert!(change.patch.is_none(), "the notes sound on");
}

#[test]
fn the_editor_keyboard_sounds_and_shows_in_the_snapshot() {
    let (params, mut player) = player();
    let (key, velocity) = (60, 0.8);
    let (mut left, mut right) = ([0.0; 4_800], [0.0; 4_800]);
    params.shared.watch(true);
    params.shared.play(EventKind::NoteOn { key, velocity });
    let mut script = Script::new([]);
    let status = player.process(&mut left, &mut right, &mut script);
    assert_eq!(status, ProcessStatus::KeepAlive, "more may be played");
    assert!(left.iter().any(|x| *x != 0.0));
    let mut seen = Snapshot::new();
    params.shared.look(&mut seen);
    assert!(seen.sounding && seen.keys == 1 << 60);
    params.shared.play(EventKind::AllSoundOff);
    player.process(&mut left, &mut right, &mut script);
    player.process(&mut left, &mut right, &mut script);
    assert_eq!(left, [0.0; 4_800]);
}

#[test]
fn a_learnt_controller_moves_its_parameter_and_nothing_else() {
    let (params, mut player) = player();
    let mut process = |events: &[NoteEvent<()>]| {
        player.process(&mut [0.0; 64], &mut [0.0; 64], &mut Script::new(events.to_vec()));
        player.queue.events().iter().map(|event| event.kind).collect::<Vec<_>>()
    };
    let plain = EventKind::Control { cc: 1, value: 0.5 };
    assert_eq!(process(&[wheel(0.5)]), [plain]);
    params.shared.controllers.learn(Some(Param::Macro1));
    let moved = |value| EventKind::Param { param: Param::Macro1, value };
    assert_eq!(process(&[wheel(0.25)]), [moved(0.25)]);
    assert_eq!(process(&[wheel(0.75)]), [moved(0.75)]);
}

#[test]
fn invalid_sample_rates_are_refused() {
    let mut player = Player::new(Arc::new(MyriadParams::new()));
    assert_eq!(player.prepare(&config(0.0)), None);
    assert_eq!(player.prepare(&config(f32::NAN)), None);
    // Processing without activation is silent.
    let mut left = [1.0; 64];
    player.process(&mut left, &mut [1.0; 64], &mut Script::new([on(60)]));
    assert_eq!(left, [0.0; 64]);
}

/// The output of an instance on a GPU when `meanwhile` runs while the GPU is prepared.
fn played_on_gpu(before: &Patch, meanwhile: impl Fn(&MyriadParams) + Send + 'static) -> Vec<f32> {
    let params = Arc::new(MyriadParams::new());
    params.shared.load(before.clone());
    let mut player = Player::new(params.clone());
    let make = crate::synth::tests::gpu(&Arc::default());
    player.gpu = Box::new(move |config| {
        let made = make(config);
        meanwhile(&params);
        made
    });
    let config =
        SynthConfig { offline: true, render_target: RenderTarget::Gpu, ..config(48_000.0) };
    assert!(player.prepare(&config) > Some(64), "rendered by the GPU");
    player.reset();
    let mut script = Script::new([on(60)]);
    let (mut left, mut right) = (vec![0.0; 24_000], vec![0.0; 24_000]);
    for (left, right) in left.chunks_mut(512).zip(right.chunks_mut(512)) {
        player.process(left, right, &mut script);
    }
    left
}

/// Preparing a GPU may take seconds. A patch or route that is changed meanwhile is played.
#[test]
fn a_patch_loaded_while_the_gpu_is_prepared_is_played() {
    // With the knobs' default values, so that only tables and routes differ.
    let mut patch = factory::find("Aurora").unwrap();
    patch.values = Values::new();
    let expected = played_on_gpu(&patch, |_| {});
    let loaded = patch.clone();
    let heard = played_on_gpu(&Patch::new(), move |params| params.shared.load(loaded.clone()));
    assert_ne!(expected, played_on_gpu(&Patch::new(), |_| {}));
    assert!(heard == expected, "the patch");
    let (mut before, routes) = (patch.clone(), patch.routes.clone());
    before.routes.clear();
    let heard = played_on_gpu(&before, move |params| {
        params.shared.set_routes(routes.clone());
    });
    assert!(heard == expected, "the routes");
}

/// A host drops events beyond its capacity without an error.
#[test]
fn no_note_hangs_after_a_full_block_of_events() {
    let (params, mut player) = player();
    let mut events = vec![wheel(0.5); MAX_EVENTS];
    events[0] = on(60);
    let (mut left, mut right) = ([0.0; 4_800], [0.0; 4_800]);
    let mut script = Script::new(events);
    for _ in 0..20 {
        player.process(&mut left, &mut right, &mut script);
    }
    assert_eq!(params.shared.meters.counters().voices, 0);
    assert_eq!(params.shared.meters.counters().events_dropped, 1);
}

#[test]
fn no_note_hangs_after_a_flood_of_the_editor_keyboard() {
    let (params, mut player) = player();
    let (key, velocity) = (60, 0.8);
    params.shared.play(EventKind::NoteOn { key, velocity });
    for _ in 0..1_000 {
        params.shared.play(EventKind::PitchBend(0.1));
    }
    params.shared.play(EventKind::NoteOff { key, velocity });
    let (mut left, mut right) = ([0.0; 4_800], [0.0; 4_800]);
    for _ in 0..20 {
        player.process(&mut left, &mut right, &mut Script::new([]));
    }
    let counters = params.shared.meters.counters();
    assert_eq!((counters.voices, counters.events_dropped), (0, 746));
}
