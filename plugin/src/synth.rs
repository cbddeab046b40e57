//! The synthesizer of an instance: the one place that knows how it is rendered.
//!
//! On the CPU it is rendered inside the host's callback ([`InCallback`]), with the engine's latency
//! only. On a GPU it is rendered by a thread of its own ([`Threaded`]), which keeps frames ready. That
//! latency is known when the host activates the instance, and changes at no other time.

mod in_callback;
mod pace;
mod service_program;
mod threaded;

use in_callback::InCallback;
use myriad_engine::modulation::Route;
use myriad_engine::simd::Level;
use myriad_engine::{
    Counters, EngineConfig, EngineError, Event, Patch, PitchSettings, Playable, SnapshotReceiver,
    Values,
};
use myriad_live::stream::{Control, StreamError};
use std::sync::Arc;
use threaded::Threaded;
pub(crate) use threaded::{MakeGpu, any_gpu};

/// The most notes at once.
pub const VOICES: usize = 256;

/// An instance has one part.
pub(crate) const PART: usize = 0;

/// What the user has chosen to render on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderTarget {
    /// The CPU, inside the host's callback.
    #[default]
    Cpu,
    /// An NVIDIA GPU, on a thread of its own.
    Gpu,
    /// The same way, but the render service simulates the GPU by the CPU. For tests on machines without a GPU: a
    /// project may name it, no menu does.
    StandInService,
}

impl RenderTarget {
    /// What a user can choose, with names.
    pub const CHOICES: [(RenderTarget, &'static str); 2] =
        [(RenderTarget::Cpu, "CPU"), (RenderTarget::Gpu, "GPU")];

    /// How projects write all targets.
    pub(crate) const WORDS: [(RenderTarget, &'static str); 3] = [
        (RenderTarget::Cpu, "cpu"),
        (RenderTarget::Gpu, "cuda"),
        (RenderTarget::StandInService, "stand-in-service"),
    ];
}

/// What a synthesizer is built for; the host says it when it activates the instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SynthConfig {
    pub(crate) sample_rate: f32,
    /// The most frames of a callback.
    pub(crate) max_block: usize,
    /// Whether the host bounces, so that a callback may wait.
    pub(crate) offline: bool,
    pub(crate) render_target: RenderTarget,
    /// The outputs besides the main one that are open, a bit each.
    pub(crate) outputs: u8,
}

/// The renderer in use, for the editor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RendererState {
    /// CPU, GPU, or the stand-in for a GPU.
    pub name: String,
    /// The reason, in a sentence.
    pub why: String,
    /// Whether it replaces the renderer that was chosen.
    pub stands_in: bool,
    /// How often a GPU was lost since the host activated the instance.
    pub losses: u64,
}

/// Access to the synthesizer from threads other than the audio thread.
pub(crate) struct SynthHandle {
    pub(crate) snapshots: Option<SnapshotReceiver>,
    /// The stream, when a thread renders: patches and routes are sent to it.
    pub(crate) stream: Option<Arc<Control>>,
    /// Reads the state of the renderer.
    pub(crate) renderer: Box<dyn Fn() -> RendererState + Send>,
    /// Impulse responses are prepared for it.
    pub(crate) sample_rate: f32,
}

/// The synthesizer of one instance. Its methods are for the audio thread.
pub(crate) trait Synth: Send {
    /// Whether it can go on with this configuration.
    fn suits(&self, config: &SynthConfig) -> bool;

    /// Whether it is dropped when the host deactivates the instance, to free its GPU.
    fn is_threaded(&self) -> bool;

    fn sample_rate(&self) -> f32;

    /// Frames from an event to its sound.
    fn latency(&self) -> u32;

    /// Swaps the patch with `patch`. With a stream, [`Control`] has got the patch already.
    fn exchange_patch(&mut self, _patch: &mut Playable) {}

    /// Swaps the routes with `routes`. With a stream, [`Control`] has got them already.
    fn swap_routes(&mut self, _routes: &mut Vec<Route>) {}

    /// Swaps drawn waveforms and tables with those of `patch`. With a stream, [`Control`] has got them already.
    fn exchange_drawn(&mut self, _patch: &mut Playable) {}

    /// Changes tuning and bend range. With a stream, [`Control`] has got them already.
    fn set_pitch(&mut self, _settings: &PitchSettings) {}

    /// Starts again from the first sample, with these values.
    fn reset(&mut self, values: &Values);

    fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]);

    /// What the last block sent to an output besides the main one, from 0; empty if it is not open.
    fn output(&self, _output: usize) -> [&[f32]; 2] {
        [&[], &[]]
    }

    /// The keys that sound or are about to, a bit each.
    fn keys(&self) -> u128;

    /// Frames until silence if every key is released now; none if it never ends.
    fn tail(&self) -> Option<usize>;

    fn is_silent(&self) -> bool;

    fn counters(&self) -> Counters;

    /// The share of its time that rendering takes, and underruns, when a thread renders.
    fn load(&self) -> Option<(f32, u64)> {
        None
    }

    #[cfg(test)]
    fn set_clock(&mut self, _now: fn() -> std::time::Instant) {}
}

/// Makes a synthesizer that plays `patch`. The CPU replaces a GPU that is not available. Allocates,
/// and may take seconds; not for the audio thread.
pub(crate) fn make_synth(
    config: &SynthConfig,
    patch: &Patch,
    gpu: &MakeGpu,
) -> Result<(Box<dyn Synth>, SynthHandle), EngineError> {
    let mut why = "it answers at once".to_owned();
    if config.render_target != RenderTarget::Cpu {
        match Threaded::new(config, patch, gpu) {
            Ok((synth, handle)) => return Ok((Box::new(synth), handle)),
            Err(StreamError::Engine(error @ EngineError::SampleRate(_))) => return Err(error),
            Err(error) => why = error.to_string(),
        }
    }
    let (synth, snapshots) = InCallback::new(config, patch)?;
    let state = RendererState {
        name: "CPU".into(),
        why: format!("{}, {why}", Level::best().name()),
        stands_in: config.render_target != RenderTarget::Cpu,
        losses: 0,
    };
    let handle = SynthHandle {
        snapshots: Some(snapshots),
        stream: None,
        renderer: Box::new(move || state.clone()),
        sample_rate: config.sample_rate,
    };
    Ok((Box::new(synth), handle))
}

fn engine_config(sample_rate: f32) -> EngineConfig {
    EngineConfig {
        sample_rate,
        voices: VOICES,
        clouds: EngineConfig::MOST_LIVE_CLOUDS,
        ..EngineConfig::default()
    }
}

#[cfg(test)]
pub(crate) mod tests;
