//! Scenarios for measuring the whole engine: many voices, and everything in motion. Also for
//! `qa/examples/sine_bank.rs`.

use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::render::Renderer;
use myriad_engine::{Engine, EngineConfig, EngineError, Event, EventKind, Patch};
use myriad_player::machine::cores;

/// A patch in which pitch, table position, tilt and filter always move, but no partial becomes
/// silent.
pub fn moving_patch(partials: usize) -> Patch {
    let mut patch = Patch::new();
    for (param, value) in [
        (Param::SourcePartials, partials as f32),
        (Param::SourcePosition, 0.97),
        (Param::SourceScatter, 1.0),
        (Param::FilterType, 2.0), // Low, four poles.
        (Param::FilterCutoff, 9_000.0),
        (Param::Env1Sustain, 1.0),
        (Param::VoiceLimit, 1024.0),
        (Param::AmpLevel, -24.0),
        (Param::Lfo2Rate, 0.7),
        (Param::Lfo3Rate, 0.3),
        (Param::ShapeTilt, -0.5),
    ] {
        patch.values.set(param, value);
    }
    let route = |source, target, amount| Route {
        source,
        via: None,
        target,
        amount,
        curve: RouteCurve::Linear,
    };
    patch.routes = vec![
        route(Source::Lfo1, Param::PitchTune, 0.2),
        route(Source::Lfo2, Param::SourcePosition, 0.03),
        route(Source::Lfo3, Param::FilterCutoff, 0.3),
        route(Source::Lfo2, Param::ShapeTilt, 0.3),
    ];
    patch
}

/// An engine with `renderer` that holds `voices` notes of `copies` unison copies of `partials`
/// partials, all of them below Nyquist. Parts of at most 1,024 voices share the notes.
pub fn holding(
    voices: usize,
    copies: usize,
    partials: usize,
    renderer: Box<dyn Renderer>,
) -> Result<Engine, EngineError> {
    const VOICES_PER_PART: usize = 1024;
    let config = EngineConfig {
        parts: voices.div_ceil(VOICES_PER_PART),
        voices: voices.min(VOICES_PER_PART),
        clouds: voices * copies,
        // A CPU renderer has threads of its own.
        threads: cores(),
        ..EngineConfig::default()
    };
    let mut engine = Engine::with_renderer(&config, renderer)?;
    let mut patch = moving_patch(partials);
    patch.values.set(Param::UnisonVoices, copies as f32);
    patch.values.set(Param::UnisonDetune, 15.0);
    patch.values.set(Param::UnisonSpread, 1.0);
    (0..config.parts).for_each(|part| engine.set_patch(part, &patch));
    // The highest key whose top partial, bent up, stays below 20 kHz, and the octave below it.
    let top_hertz = 19_000.0 / partials as f32;
    let top_key = (69.0 + 12.0 * (top_hertz / 440.0).log2()).floor().clamp(12.0, 84.0) as u8;
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    for note in 0..voices {
        let key = top_key - (note % 12) as u8;
        let kind = EventKind::NoteOn { key, velocity: 0.8 };
        let event = Event { frame: (note % 64) as u32, part: (note / VOICES_PER_PART) as u8, kind };
        engine.render(&[event], &mut left[..1], &mut right[..1]);
    }
    // Past the attack.
    (0..100).for_each(|_| engine.render(&[], &mut left, &mut right));
    Ok(engine)
}
