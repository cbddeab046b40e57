//! The audio thread by itself: it allocates nothing, and patches change under it.

use super::*;
use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use myriad_engine::factory;
use nice_plug::context::process::SendEventError;
use nice_plug::midi::{PluginNoteEvent, VoiceID};
use std::collections::VecDeque;

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

/// A host that says what it is given to say.
struct Script {
    transport: Transport,
    events: VecDeque<NoteEvent<()>>,
    ended: usize,
}

impl Script {
    fn new(events: impl IntoIterator<Item = NoteEvent<()>>) -> Self {
        Self {
            transport: Transport::new(48_000.0),
            events: events.into_iter().collect(),
            ended: 0,
        }
    }
}

impl ProcessContext<Myriad> for Script {
    fn plugin_api(&self) -> PluginApi {
        PluginApi::Clap
    }
    fn execute_background(&self, (): ()) {}
    fn execute_gui(&self, (): ()) {}
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

fn player() -> (Arc<MyriadParams>, Player) {
    let params = Arc::new(MyriadParams::new());
    let mut player = Player::new(params.clone());
    assert_eq!(player.prepare(48_000.0), Some(64));
    player.reset();
    (params, player)
}

#[test]
fn nothing_is_allocated_while_patches_notes_and_knobs_change() {
    let (params, mut player) = player();
    let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
    for (round, patch) in factory::patches().iter().cycle().take(40).enumerate() {
        params.shared.load(patch.clone());
        // A host moves knobs between blocks.
        if let Knob::Way(cutoff) = params.knob(Param::FilterCutoff) {
            use nice_plug::params::InternalParamMut;
            // SAFETY: nothing else sets this parameter.
            unsafe { cutoff._internal_set_normalized_value(round as f32 / 40.0) };
        }
        let mut script = Script::new((40..72).map(on));
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
    assert!(params.shared.meters.counters().voices_stolen == 0);
    assert!(params.shared.meters.take_peaks()[0] > 0.0);
}

#[test]
fn a_loaded_patch_plays_though_its_knobs_arrive_later() {
    let patch = factory::patches()[0].clone();
    let (params, mut player) = player();
    params.shared.load(patch.clone());
    let mut sound = [vec![0.0; 4_800], vec![0.0; 4_800]];
    let [left, right] = &mut sound;
    player.process(left, right, &mut Script::new([on(60)]));

    let mut expected = [vec![0.0; 4_800], vec![0.0; 4_800]];
    let [left, right] = &mut expected;
    let mut synth = Synth::new(48_000.0, &patch).unwrap();
    let mut queue = Queue::new(1);
    queue.push(
        0,
        EventKind::NoteOn {
            key: 60,
            velocity: 0.8,
        },
    );
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
    assert_eq!(params.shared.patch(), *last);
}

#[test]
fn rates_beyond_reason_are_refused() {
    let mut player = Player::new(Arc::new(MyriadParams::new()));
    assert_eq!(player.prepare(0.0), None);
    assert_eq!(player.prepare(f32::NAN), None);
    // A host that plays all the same hears silence.
    let mut left = [1.0; 64];
    player.process(&mut left, &mut [1.0; 64], &mut Script::new([on(60)]));
    assert_eq!(left, [0.0; 64]);
}
