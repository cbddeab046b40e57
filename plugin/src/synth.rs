//! What makes the sound: the one place that knows how it is rendered.
//!
//! On the processor it is rendered inside the host's call ([`InCallback`]), with no more latency than
//! the engine has by itself. On a GPU it is rendered beside the call ([`Threaded`]), by a
//! thread that keeps frames ready; that latency is known when the host activates the instance, and
//! changes at no other time.

mod in_callback;
mod pace;
mod threaded;

use in_callback::InCallback;
use myriad_engine::modulation::Route;
use myriad_engine::simd::Level;
use myriad_engine::{
    Counters, EngineConfig, EngineError, Event, Patch, Playable, SnapshotReceiver, Values,
};
use myriad_live::stream::{Control, StreamError};
use std::sync::Arc;
use threaded::Threaded;
pub(crate) use threaded::{MakeGpu, real_gpu};

/// The most notes at once.
pub const VOICES: usize = 256;

/// An instance has one part.
pub(crate) const PART: usize = 0;

/// Who is asked to render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renders {
    /// The processor, inside the host's call.
    #[default]
    Processor,
    /// An NVIDIA GPU, beside it.
    Gpu,
}

impl Renders {
    /// All of them, with what they are called, and how a project writes them.
    pub const ALL: [(Renders, &'static str, &'static str); 2] =
        [(Renders::Processor, "CPU", "cpu"), (Renders::Gpu, "GPU", "cuda")];
}

/// What the host says before there is sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub(crate) sample_rate: f32,
    /// The most frames that it will ask for at once.
    pub(crate) max_block: usize,
    /// Whether nobody listens while it plays.
    pub(crate) offline: bool,
    pub(crate) renders: Renders,
}

/// Who renders now, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RendererState {
    /// In a word.
    pub name: String,
    /// In a sentence.
    pub why: String,
    /// Whether it stands in for what was asked for.
    pub stands_in: bool,
}

/// What an editor has to do with the sound, from another thread than the audio thread.
pub(crate) struct SynthHandle {
    pub(crate) snapshots: Option<SnapshotReceiver>,
    /// The stream, when it is rendered beside the call: patches and routes go there.
    pub(crate) stream: Option<Arc<Control>>,
    /// Asks who renders.
    pub(crate) renderer: Box<dyn Fn() -> RendererState + Send>,
}

/// The sound of one instance, on certain terms.
pub(crate) enum Synth {
    InCallback(Box<InCallback>),
    Threaded(Box<Threaded>),
}

impl Synth {
    /// Plays `patch`. A GPU that cannot be had is stood in for by the processor. Allocates, and
    /// may take a while; not for the audio thread.
    pub(crate) fn new(
        terms: &Terms,
        patch: &Patch,
        gpu: &MakeGpu,
    ) -> Result<(Synth, SynthHandle), EngineError> {
        let mut why = "it answers at once".to_owned();
        if terms.renders == Renders::Gpu {
            match Threaded::new(terms, patch, gpu) {
                Ok((threaded, synth_handle)) => {
                    return Ok((Synth::Threaded(Box::new(threaded)), synth_handle));
                }
                Err(StreamError::Engine(error @ EngineError::SampleRate(_))) => return Err(error),
                Err(error) => why = error.to_string(),
            }
        }
        let (in_callback, snapshots) = InCallback::new(terms, patch)?;
        let state = RendererState {
            name: "CPU".into(),
            why: format!("{}, {why}", Level::best().name()),
            stands_in: terms.renders == Renders::Gpu,
        };
        let synth_handle = SynthHandle {
            snapshots: Some(snapshots),
            stream: None,
            renderer: Box::new(move || state.clone()),
        };
        Ok((Synth::InCallback(Box::new(in_callback)), synth_handle))
    }

    /// Whether it can go on under these terms.
    pub(crate) fn suits(&self, terms: &Terms) -> bool {
        match self {
            // A GPU that could not be had is asked for again.
            Synth::InCallback(synth) => {
                synth.sample_rate() == terms.sample_rate && terms.renders == Renders::Processor
            }
            Synth::Threaded(synth) => synth.terms() == terms,
        }
    }

    pub(crate) fn sample_rate(&self) -> f32 {
        match self {
            Synth::InCallback(synth) => synth.sample_rate(),
            Synth::Threaded(synth) => synth.terms().sample_rate,
        }
    }

    /// Frames by which the sound lags behind its events.
    pub(crate) fn latency(&self) -> u32 {
        match self {
            Synth::InCallback(synth) => synth.latency(),
            Synth::Threaded(synth) => synth.latency(),
        }
    }

    /// Changes to another patch, and leaves the one before in its place.
    pub(crate) fn exchange_patch(&mut self, patch: &mut Playable) {
        match self {
            Synth::InCallback(synth) => synth.exchange_patch(patch),
            // The stream has been told by whoever sent the patch.
            Synth::Threaded(_) => {}
        }
    }

    /// Changes to other routes, and leaves those before in their place.
    pub(crate) fn swap_routes(&mut self, routes: &mut Vec<Route>) {
        match self {
            Synth::InCallback(synth) => synth.swap_routes(routes),
            Synth::Threaded(_) => {}
        }
    }

    /// Back to the first sample, with these values.
    pub(crate) fn reset(&mut self, values: &Values) {
        match self {
            Synth::InCallback(synth) => synth.reset(values),
            Synth::Threaded(synth) => synth.reset(values),
        }
    }

    pub(crate) fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        match self {
            Synth::InCallback(synth) => synth.render(events, left, right),
            Synth::Threaded(synth) => synth.render(events, left, right),
        }
    }

    /// The keys that sound or are about to, a bit each.
    pub(crate) fn keys(&self) -> u128 {
        match self {
            Synth::InCallback(synth) => synth.keys(),
            Synth::Threaded(synth) => synth.keys(),
        }
    }

    /// Frames until all would be silent, when every key is let go now; none when that would never
    /// be.
    pub(crate) fn tail(&self) -> Option<usize> {
        match self {
            Synth::InCallback(synth) => synth.tail(),
            Synth::Threaded(synth) => synth.tail(),
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Synth::InCallback(synth) => synth.is_silent(),
            Synth::Threaded(synth) => synth.is_silent(),
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        match self {
            Synth::InCallback(synth) => synth.counters(),
            Synth::Threaded(synth) => synth.counters(),
        }
    }

    /// The share of its time that rendering takes, and underruns, where another thread renders.
    pub(crate) fn load(&self) -> Option<(f32, u64)> {
        match self {
            Synth::InCallback(_) => None,
            Synth::Threaded(synth) => Some(synth.load()),
        }
    }
}

/// What the engine of an instance is built for.
fn engine_config(sample_rate: f32) -> EngineConfig {
    EngineConfig { sample_rate, voices: VOICES, ..EngineConfig::default() }
}

#[cfg(test)]
pub(crate) mod tests;
