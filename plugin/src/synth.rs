//! What makes the sound: the one place that knows how it is rendered.
//!
//! Today the engine renders on the CPU, inside the host's call. A render thread with a graphics
//! card behind it belongs here too: `latency` then grows by the depth of its ring, which a host
//! learns when it activates the instance, and at no other time.

use myriad_engine::modulation::Route;
use myriad_engine::simd::Level;
use myriad_engine::{
    Counters, Engine, EngineConfig, EngineError, Event, GlimpseReceiver, GlimpseSender, Patch,
    Values, glimpses,
};

/// The most notes at once.
pub const VOICES: usize = 256;

/// An instance has one part.
pub(crate) const PART: usize = 0;

/// The sound of one instance, for one sample rate.
pub(crate) struct Synth {
    engine: Engine,
    glimpses: GlimpseSender,
}

impl Synth {
    /// Plays `patch`, and shows what sounds. Allocates; not for the audio thread.
    pub(crate) fn new(
        sample_rate: f32,
        patch: &Patch,
    ) -> Result<(Synth, GlimpseReceiver), EngineError> {
        let config = EngineConfig {
            sample_rate,
            voices: VOICES,
            ..EngineConfig::default()
        };
        let mut engine = Engine::new(&config)?;
        engine.set_patch(PART, patch);
        let (glimpses, receiver) = glimpses();
        Ok((Synth { engine, glimpses }, receiver))
    }

    pub(crate) fn sample_rate(&self) -> f32 {
        self.engine.config().sample_rate
    }

    /// Frames by which the sound lags behind its events.
    pub(crate) fn latency(&self) -> u32 {
        self.engine.latency() as u32
    }

    /// What renders, in words.
    pub(crate) fn renderer(&self) -> String {
        format!("CPU, {}", Level::best().name())
    }

    /// Changes to another patch, and leaves the one before in its place.
    pub(crate) fn exchange_patch(&mut self, patch: &mut Patch) {
        self.engine.exchange_patch(PART, patch);
    }

    /// Changes to other routes, and leaves those before in their place.
    pub(crate) fn swap_routes(&mut self, routes: &mut Vec<Route>) {
        self.engine.swap_routes(PART, routes);
    }

    /// Back to the first sample, with these values.
    pub(crate) fn reset(&mut self, values: &Values) {
        self.engine.set_values(PART, values);
        self.engine.reset();
    }

    pub(crate) fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        self.engine.render(events, left, right);
        self.glimpses.show(&self.engine, left.len());
    }

    pub(crate) fn is_sounding(&self, key: u8) -> bool {
        self.engine.is_sounding(PART, key)
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.engine.is_silent()
    }

    pub(crate) fn counters(&self) -> Counters {
        self.engine.counters()
    }
}
