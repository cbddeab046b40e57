//! The level of a patch: measured on one note, and matched after a change so that no result is silent or much
//! louder than what it was made of.

use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};

/// How long the note is held.
const NOTE_SECONDS: f32 = 1.0;
/// Level is that of the loudest stretch of this length.
const WINDOW_SECONDS: f32 = 0.05;
/// Patches are measured this much quieter, so that the limiter at the output does not hide their level.
const HEADROOM_DB: f32 = -36.0;
/// What is quieter is silent.
const SILENCE_DB: f32 = -70.0;
/// A result that needs more gain than this is not used.
const MOST_GAIN_DB: f32 = 12.0;
/// Levels this close are left as they are.
const CLOSE_DB: f32 = 1.0;

/// The level of one note in decibels below full scale, effects included; `None` when it is silent or cannot
/// be measured. Takes as long as it takes to render a second.
pub(super) fn level_db(patch: &Patch) -> Option<f32> {
    let config = EngineConfig { voices: 64, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).ok()?;
    let mut quiet = patch.clone();
    quiet.values.set(Param::OutputGain, HEADROOM_DB);
    engine.set_patch(0, &quiet);
    let (key, velocity) = note(patch);
    let event = Event { frame: 0, part: 0, kind: EventKind::NoteOn { key, velocity } };
    let mut events = vec![event];
    let frames = (WINDOW_SECONDS * config.sample_rate) as usize;
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    let mut loudest = 0.0_f32;
    for _ in 0..(NOTE_SECONDS / WINDOW_SECONDS) as usize {
        engine.render(&events, &mut left, &mut right);
        events.clear();
        let power: f32 = left.iter().chain(&right).map(|x| x * x).sum();
        loudest = loudest.max(power / (2 * frames) as f32);
    }
    let db = 10.0 * loudest.log10() - HEADROOM_DB + patch.values[Param::OutputGain];
    (db.is_finite() && db > SILENCE_DB).then_some(db)
}

/// A key and a velocity that the patch answers to.
fn note(patch: &Patch) -> (u8, f32) {
    let value = |param: Param| patch.values[param];
    let key = match patch.key_zones.first() {
        Some(zone) => zone.keys[0],
        None => 60.0_f32.min(value(Param::ZoneHighKey)).max(value(Param::ZoneLowKey)) as u8,
    };
    let velocity = 0.8_f32.min(value(Param::ZoneHighVelocity)).max(value(Param::ZoneLowVelocity));
    (key, velocity)
}

/// Makes `patch` as loud as `wanted_db` by its output gain. Returns whether it can be: a patch that is silent, or
/// far too quiet, cannot.
pub(super) fn match_level(patch: &mut Patch, wanted_db: f32) -> bool {
    let Some(db) = level_db(patch) else {
        return false;
    };
    let gain = wanted_db - db;
    if gain > MOST_GAIN_DB {
        return false;
    }
    if gain.abs() > CLOSE_DB {
        patch.values.set(Param::OutputGain, patch.values[Param::OutputGain] + gain);
    }
    true
}
