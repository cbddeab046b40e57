//! Rendering on the CPU, inside the host's callback.

use super::{PART, RenderTarget, Synth, SynthConfig, engine_config};
use myriad_engine::modulation::Route;
use myriad_engine::{
    Counters, Engine, EngineConfig, EngineError, Event, Patch, PitchSettings, Playable,
    SnapshotReceiver, SnapshotSender, Values, snapshots,
};
use myriad_live::mts_esp::MtsClient;

/// An engine, and its snapshots for the editor.
pub(super) struct InCallback {
    engine: Engine,
    /// Whether the host bounces. No note is lost then, however long a block takes.
    offline: bool,
    snapshots: SnapshotSender,
    /// The program that sets the tuning, where one is installed.
    mts: Option<MtsClient>,
}

impl InCallback {
    pub(super) fn new(
        config: &SynthConfig,
        patch: &Patch,
    ) -> Result<(InCallback, SnapshotReceiver), EngineError> {
        let (outputs, offline) = (config.outputs, config.offline);
        let engine_config = EngineConfig { outputs, ..engine_config(config.sample_rate) };
        let mut engine = Engine::new(&engine_config)?;
        if !offline {
            engine.set_room(EngineConfig::DEFAULT_SLOTS);
        }
        engine.set_patch(PART, patch);
        let (snapshots, receiver) = snapshots();
        Ok((InCallback { engine, offline, snapshots, mts: MtsClient::open() }, receiver))
    }
}

impl Synth for InCallback {
    /// A GPU that was not available is tried again.
    fn suits(&self, config: &SynthConfig) -> bool {
        self.sample_rate() == config.sample_rate
            && self.engine.config().outputs == config.outputs
            && self.offline == config.offline
            && config.render_target == RenderTarget::Cpu
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

    fn exchange_drawn(&mut self, patch: &mut Playable) {
        self.engine.exchange_drawn(PART, patch);
    }

    fn set_pitch(&mut self, settings: &PitchSettings) {
        self.engine.set_pitch_settings(settings);
    }

    fn reset(&mut self, values: &Values) {
        self.engine.set_values(PART, values);
        self.engine.reset();
    }

    fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        if let Some(tuning) = self.mts.as_mut().and_then(MtsClient::poll) {
            self.engine.follow_tuning(tuning.as_ref());
        }
        self.engine.render(events, left, right);
        self.snapshots.show(&self.engine, left.len());
    }

    fn output(&self, output: usize) -> [&[f32]; 2] {
        self.engine.output(output)
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
