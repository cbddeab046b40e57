//! Rendering on the processor, inside the host's call.

use super::{PART, Terms, engine_config};
use myriad_engine::modulation::Route;
use myriad_engine::{
    Counters, Engine, EngineError, Event, Patch, Playable, SnapshotReceiver, SnapshotSender,
    Values, snapshots,
};

/// An engine, and who watches it.
pub(crate) struct InCallback {
    engine: Engine,
    snapshots: SnapshotSender,
}

impl InCallback {
    pub(super) fn new(
        terms: &Terms,
        patch: &Patch,
    ) -> Result<(InCallback, SnapshotReceiver), EngineError> {
        let mut engine = Engine::new(&engine_config(terms.sample_rate))?;
        engine.set_patch(PART, patch);
        let (snapshots, receiver) = snapshots();
        Ok((InCallback { engine, snapshots }, receiver))
    }

    pub(super) fn sample_rate(&self) -> f32 {
        self.engine.config().sample_rate
    }

    pub(super) fn latency(&self) -> u32 {
        self.engine.latency() as u32
    }

    pub(super) fn exchange_patch(&mut self, patch: &mut Playable) {
        self.engine.exchange_patch(PART, patch);
    }

    pub(super) fn swap_routes(&mut self, routes: &mut Vec<Route>) {
        self.engine.swap_routes(PART, routes);
    }

    pub(super) fn reset(&mut self, values: &Values) {
        self.engine.set_values(PART, values);
        self.engine.reset();
    }

    pub(super) fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        self.engine.render(events, left, right);
        self.snapshots.show(&self.engine, left.len());
    }

    pub(super) fn keys(&self) -> u128 {
        self.engine.keys(PART)
    }

    pub(super) fn tail(&self) -> Option<usize> {
        self.engine.tail()
    }

    pub(super) fn is_silent(&self) -> bool {
        self.engine.is_silent()
    }

    pub(super) fn counters(&self) -> Counters {
        self.engine.counters()
    }
}
