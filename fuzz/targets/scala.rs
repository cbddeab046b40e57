//! Any text as a Scala scale and a keyboard map, with a 0 between them: an error, or finite pitches.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_engine::Tuning;

fuzz_target!(|text: &str| {
    let (scale, map) = match text.split_once('\0') {
        Some((scale, map)) => (scale, Some(map)),
        None => (text, None),
    };
    if let Ok(tuning) = Tuning::read(scale, map) {
        assert!((0..128).all(|key| tuning.pitch(key as f32).is_finite()));
    }
});
