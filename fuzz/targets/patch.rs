//! Any text as a patch: an error, or a patch that is the same after it was written and read, and whose
//! sound is numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};

fuzz_target!(|text: &str| {
    let Ok(patch) = Patch::parse(text, "fuzz") else {
        return;
    };
    let again = Patch::parse(&patch.to_toml(), "again").expect("what was written can be read");
    assert!(patch.to_toml() == again.to_toml(), "{}\n{}", patch.to_toml(), again.to_toml());
    let config = EngineConfig { voices: 4, clouds: 64, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).expect("the configuration is valid");
    engine.set_patch(0, &patch);
    let kind = EventKind::NoteOn { key: 60, velocity: 0.8 };
    let (mut left, mut right) = ([0.0; 192], [0.0; 192]);
    engine.render(&[Event { frame: 0, part: 0, kind }], &mut left, &mut right);
    assert!(left.iter().chain(&right).all(|sample| sample.abs() <= 1.0));
});
