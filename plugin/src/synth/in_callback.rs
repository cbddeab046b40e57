//! Rendering on the CPU, inside the host's callback.

use super::{PART, RenderTarget, Synth, SynthConfig, engine_config};
use myriad_engine::modulation::Route;
use myriad_engine::{
    Counters, Engine, EngineError, Event, Patch, Playable, SnapshotReceiver, SnapshotSender,
    Values, snapshots,
};

/// An engine, and its snapshots for the editor.
pub(super) struct InCallback {
    engine: Engine,
    snapshots: SnapshotSender,
}

impl InCallback {
    pub(super) fn new(
        config: &SynthConfig,
        patch: &Patch,
    ) -> Result<(InCallback, SnapshotReceiver), EngineError> {
        let mut engine = Engine::new(&engine_config(config.sample_rate))?;
        engine.set_patch(PART, patch);
        let (snapshots, receiver) = snapshots();
        Ok((InCallback { engine, snapshots }, receiver))
    }
}

impl Synth for InCallback {
    /// A GPU that was not available is tried again.
    fn suits(&self, config: &SynthConfig) -> bool {
        self.sample_rate() == config.sample_rate && config.render_target == RenderTarget::Cpu
    }

    fn is_threaded(&self) -> bool {
        false
    }

    fn sample_rate(&self) -> f32 {
        self.engine.config().sample_rate
    }

    fn latency(&self) -> u32 {
        self.engine.latency() as u32
    }

    fn exchange_patch(&mut self, patch: &mut Playable) {
        self.engine.exchange_patch(PART, patch);
    }

    fn swap_routes(&mut self, routes: &mut Vec<Route>) {
        self.engine.swap_routes(PART, routes);
    }

    fn reset(&mut self, values: &Values) {
        self.engine.set_values(PART, values);
        self.engine.reset();
    }

    fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        self.engine.render(events, left, right);
        self.snapshots.show(&self.engine, left.len());
    }

    fn keys(&self) -> u128 {
        self.engine.keys(PART)
    }

    fn tail(&self) -> Option<usize> {
        self.engine.tail()
    }

    fn is_silent(&self) -> bool {
        self.engine.is_silent()
    }

    fn counters(&self) -> Counters {
        self.engine.counters()
    }
}
