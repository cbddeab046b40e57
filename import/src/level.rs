//! Sets the level of a patch to that of the recording it was made from.

use super::ImportError;
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};

/// The velocity at which the patch has the level of its recording: that of a key pressed firmly.
const VELOCITY: f32 = 100.0 / 127.0;

/// The level while it is measured, in decibels: far from the limiter.
const QUIET_DB: f32 = -24.0;

const RATE: f32 = 48_000.0;

/// Plays the patch on `key` for `seconds`, once through without loops, and sets its level so that its
/// mean square is that of the recording.
pub(super) fn match_to(
    patch: &mut Patch,
    key: f32,
    seconds: f64,
    mean_square: f64,
) -> Result<(), ImportError> {
    let mut quiet = patch.clone();
    quiet.values.set(Param::AmpLevel, QUIET_DB);
    quiet.values.set(Param::SourceLoop, 0.0);
    let played = played_mean_square(&quiet, key, seconds)?;
    if played > 0.0 {
        let off = 10.0 * (mean_square / played).log10() as f32;
        let level = Param::AmpLevel.info().clamp(QUIET_DB + off);
        patch.values.set(Param::AmpLevel, level);
    }
    Ok(())
}

/// The mean square of both sides while a key is held.
fn played_mean_square(patch: &Patch, key: f32, seconds: f64) -> Result<f64, ImportError> {
    let config = EngineConfig { sample_rate: RATE, ..EngineConfig::default() };
    let mut engine = Engine::new(&config)?;
    engine.set_patch(0, patch);
    let key = key.round().clamp(0.0, 127.0) as u8;
    let mut events =
        vec![Event { frame: 0, part: 0, kind: EventKind::NoteOn { key, velocity: VELOCITY } }];
    let frames = (seconds * f64::from(RATE)) as usize;
    let mut skip = engine.latency();
    let (mut done, mut sum) = (0, 0.0);
    while done < frames {
        let (mut left, mut right) = ([0.0; 1_024], [0.0; 1_024]);
        engine.render(&events, &mut left, &mut right);
        events.clear();
        let first = skip.min(left.len());
        skip -= first;
        let end = left.len().min(first + frames - done);
        for (left, right) in left[first..end].iter().zip(&right[first..end]) {
            sum += f64::from(left * left + right * right);
        }
        done += end - first;
    }
    Ok(sum / (2 * frames.max(1)) as f64)
}
