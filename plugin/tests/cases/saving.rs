//! States: bit-equal when good, harmless when not.

use crate::audio_thread::Playing;
use crate::host::*;
use myriad_engine::params::Param;
use std::io::{Read, Write};

/// A stream that moves a few bytes at a time.
struct Slow<T>(T, usize);

impl<T: Read> Read for Slow<T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

impl<T: Write> Write for Slow<T> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.0.write(&buffer[..buffer.len().min(self.1)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A plugin with every parameter somewhere.
fn random(seed: u64) -> Host {
    let mut host = Host::new();
    let mut rng = Rng(seed);
    let bypass = host.id("Bypass");
    let params = host.params();
    let set = |info: &Info| {
        (info.id != bypass).then(|| HostEvent::Set(info.id, rng.unit() * info.range.end()))
    };
    let events: Vec<HostEvent> = params.iter().filter_map(set).collect();
    host.flush(&events);
    host
}

fn melody() -> Vec<(usize, HostEvent)> {
    vec![(0, on(48)), (3_000, on(60)), (6_000, off(48)), (7_000, on(67))]
}

#[test]
fn a_restored_state_is_bit_equal() {
    for seed in 1..=20 {
        let mut saved = random(seed);
        let state = saved.save();
        let expected = saved.play(&blocks(256, 12_000), &melody());
        let mut restored = random(seed + 100);
        assert!(restored.load(&*state));
        assert_eq!(restored.values(), saved.values());
        assert_eq!(restored.play(&blocks(256, 12_000), &melody()), expected, "seed {seed}");
        assert_eq!(restored.save(), state, "and is saved the same");
    }
}

#[test]
fn factory_patches_round_trip_through_a_project_bit_for_bit() {
    // Values that no knob's way stands for exactly come back from the patch itself.
    for patch in myriad_engine::factory::patches() {
        let state = state_of(patch);
        let mut host = Host::new();
        assert!(host.load(&*with_length(&state)));
        let sound = host.play(&blocks(512, 9_600), &melody()).sound;
        let mut engine =
            myriad_engine::Engine::new(&myriad_engine::EngineConfig::default()).unwrap();
        engine.set_patch(0, patch);
        let mut expected = [vec![0.0; 9_600], vec![0.0; 9_600]];
        let [left, right] = &mut expected;
        engine.render(&notes(), left, right);
        assert!(sound == expected, "{} differs from the engine", patch.name);
        let again = host.save();
        let mut second = Host::new();
        assert!(second.load(&*again));
        assert!(second.play(&blocks(512, 9_600), &melody()).sound == expected, "{}", patch.name);
    }
}

/// Projects that were saved before the factory library got its touch, and kits were there: they play the
/// patches of then, whose renders the engine's tests keep.
#[test]
fn saved_projects_keep_their_sound() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["felt-grand", "solo-violin"] {
        let read = |file: String| std::fs::read_to_string(folder.join(file)).unwrap();
        let state = read(format!("tests/saved/{name}.json"));
        let patch = read(format!("../engine/tests/saved/{name}.toml"));
        let patch = myriad_engine::Patch::parse(&patch, name).unwrap();
        let mut host = Host::new();
        assert!(host.load(&*with_length(&state)));
        let sound = host.play(&blocks(512, 9_600), &melody()).sound;
        let mut engine =
            myriad_engine::Engine::new(&myriad_engine::EngineConfig::default()).unwrap();
        engine.set_patch(0, &patch);
        let mut expected = [vec![0.0; 9_600], vec![0.0; 9_600]];
        let [left, right] = &mut expected;
        engine.render(&notes(), left, right);
        assert!(peak(&sound[0]) > 0.01 && sound == expected, "{name}");
    }
}

/// [`melody`] as the engine's events.
fn notes() -> Vec<myriad_engine::Event> {
    use myriad_engine::{Event, EventKind};
    let on = |frame, key| Event { frame, part: 0, kind: EventKind::NoteOn { key, velocity: 0.8 } };
    let off = EventKind::NoteOff { key: 48, velocity: 0.5 };
    let off = Event { frame: 6_000, part: 0, kind: off };
    vec![on(0, 48), on(3_000, 60), off, on(7_000, 67)]
}

/// A state as a host would have saved it with this patch loaded.
fn state_of(patch: &myriad_engine::Patch) -> String {
    use myriad_engine::params::{Kind, Param};
    let mut params = serde_json::Map::new();
    for &param in Param::ALL {
        let (row, value) = (param.info(), patch.values[param]);
        let saved = match row.kind {
            Kind::Number { .. } => serde_json::json!({ "f32": row.kind.to_scale(value) }),
            _ => serde_json::json!({ "i32": value as i32 }),
        };
        params.insert(row.id.into(), saved);
    }
    let fields = serde_json::json!({ "format": "1", "patch": patch.to_toml() });
    serde_json::json!({ "version": "0.1.0", "params": params, "fields": fields }).to_string()
}

#[test]
fn a_state_loaded_while_notes_sound_takes_over_and_keeps_its_values() {
    let mut host = random(5);
    let state = host.save();
    let expected = host.play(&blocks(256, 4_800), &melody());
    let mut other = random(6);
    other.play(&blocks(256, 4_800), &melody());
    assert!(other.load(&*state));
    assert_eq!(other.play(&blocks(256, 4_800), &melody()), expected);
}

#[test]
fn states_are_read_and_written_in_small_pieces() {
    let mut host = random(9);
    let state = host.save();
    let mut slow = Slow(Vec::new(), 23);
    host.save_to(&mut slow);
    assert_eq!(slow.0, state);
    let mut restored = Host::new();
    assert!(restored.load(Slow(&*state, 17)));
    assert_eq!(restored.save(), state);
}

#[test]
fn the_state_is_versioned_and_readable() {
    let state: serde_json::Value = serde_json::from_slice(&Host::new().save()[8..]).unwrap();
    assert_eq!(state["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(state["fields"]["format"], "1");
    assert!(state["fields"]["patch"].as_str().unwrap().contains("name = \"Init\""));
}

#[test]
fn corrupt_states_are_survived() {
    let mut rng = Rng(11);
    let good = random(2).save();
    let mut host = Host::new();
    assert!(!host.load(&b""[..]), "an empty state is refused");
    let mut taken = 0;
    for round in 0..600 {
        let mut state = match round % 3 {
            // Noise; a good state with bytes changed; a good state cut short or doubled.
            0 => (0..rng.below(3_000)).map(|_| rng.below(256) as u8).collect(),
            1 => {
                let mut state = good.clone();
                for _ in 0..=rng.below(20) {
                    let at = rng.below(state.len());
                    state[at] = rng.below(256) as u8;
                }
                state
            }
            _ => good[..rng.below(good.len())].to_vec(),
        };
        if round % 7 == 0 {
            state.extend_from_slice(&good);
        }
        taken += usize::from(host.load(&*state));
        if round % 50 == 0 {
            host.play(&blocks(256, 1_024), &[(0, on(60))]);
        }
    }
    assert!(taken < 500, "{taken} of 600 were taken");
    assert!(host.load(&*good) && host.save() == good, "and a good state still loads");
}

#[test]
fn invalid_json_states_play_and_save() {
    let nonsense = [
        r#"{"params":{},"fields":{}}"#,
        r#"{"params":{"amp.level":{"f32":1e30},"source.table":{"i32":-2147483648}},"fields":{}}"#,
        r#"{"params":{"amp.level":{"bool":true},"x":{"string":"y"}},"fields":{"patch":"format = 9"}}"#,
        r#"{"version":"99","params":{"bypass":{"f32":0.5}},"fields":{"format":"77","ui":"{"}}"#,
        r#"{"params":{},"fields":{"patch":"format = 2\nname = \"a\"\n[amp]\nlevel = 1e99"}}"#,
    ];
    for state in nonsense {
        let mut host = random(4);
        assert!(host.load(&*with_length(state)), "{state}");
        let sound = host.play(&blocks(512, 4_800), &[(0, on(60))]).sound;
        assert!(peak(&sound[0]) > 0.0, "{state}");
        let saved = host.save();
        let mut again = Host::new();
        assert!(again.load(&*saved) && again.save() == saved);
    }
}

#[test]
fn states_are_saved_and_loaded_while_the_audio_thread_runs() {
    let states: Vec<Vec<u8>> = (1..=5).map(|seed| random(seed).save()).collect();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let blocks = || playing.heard.lock().unwrap().blocks;
    for state in states.iter().cycle().take(40) {
        let before = blocks();
        assert!(host.load(&**state));
        assert_eq!(host.save(), *state, "what is loaded is there at once");
        // The audio thread goes on in between.
        while blocks() == before {
            std::thread::yield_now();
        }
    }
    playing.end(&mut host);
}

/// A project is opened and played with a hardware knob, its editor never seen, and saved again.
#[test]
fn a_learnt_controller_moves_the_hosts_knob_before_any_editor_was_open() {
    let mut host = Host::new();
    let fields = serde_json::json!({ "controllers": "20 = filter.cutoff\n20 = filter.type" });
    let state = serde_json::json!({ "version": "0", "params": {}, "fields": fields });
    assert!(host.load(&*with_length(&state.to_string())));
    let [cutoff, kind] = ["Filter Cutoff", "Filter"].map(|name| host.id(name));
    host.play(&[512, 512], &[(100, HostEvent::Midi([0xB0, 20, 127]))]);
    let moved = [host.value(cutoff), host.value(kind)];
    let (_, last_kind) = Param::FilterType.info().kind.range();
    assert_eq!(moved, [1.0, f64::from(last_kind)]);
    let mut again = Host::new();
    assert!(again.load(&*host.save()));
    assert_eq!([again.value(cutoff), again.value(kind)], moved);
    assert_eq!(again.play(&[4_096], &[(0, on(60))]), host.play(&[4_096], &[(0, on(60))]));
}
