//! A host with its own engine and no sound device: for development, tests and pictures.

use crate::host::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{
    Engine, EngineConfig, EngineError, Event, EventKind, InstanceSettings, Patch, Playable,
    Snapshot, Values,
};
use myriad_measure::{Output, OutputTap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Plays a patch on an engine without output.
pub struct LocalHost {
    engine: Engine,
    patch: Arc<Patch>,
    values: Values,
    settings: InstanceSettings,
    events: Vec<Event>,
    peaks: [f32; 2],
    /// Rendering time and rendered frames since the last status.
    spent: [Duration; 2],
    load: f32,
    output: OutputTap,
    /// Gestures that have begun and not ended, for tests.
    pub open_gestures: usize,
}

impl LocalHost {
    /// An engine that plays `patch`.
    ///
    /// # Errors
    /// When the engine cannot be built.
    pub fn new(patch: Patch) -> Result<Self, EngineError> {
        let mut engine = Engine::new(&EngineConfig::default())?;
        engine.set_patch(0, &patch);
        Ok(Self {
            engine,
            values: patch.values.clone(),
            patch: Arc::new(patch),
            settings: InstanceSettings::default(),
            events: Vec::new(),
            peaks: [0.0; 2],
            spent: [Duration::ZERO; 2],
            load: 0.0,
            output: OutputTap::new(),
            open_gestures: 0,
        })
    }

    /// Renders `seconds` of sound.
    pub fn advance(&mut self, seconds: f32) {
        let frames = (seconds * self.engine.config().sample_rate) as usize;
        let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
        let start = Instant::now();
        self.engine.render(&self.events, &mut left, &mut right);
        self.spent[0] += start.elapsed();
        self.spent[1] += Duration::from_secs_f32(seconds);
        self.events.clear();
        self.output.write(&left, &right);
        for (peak, side) in self.peaks.iter_mut().zip([left, right]) {
            *peak = side.iter().fold(*peak, |peak, x| peak.max(x.abs()));
        }
    }

    fn send(&mut self, kind: EventKind) {
        self.events.push(Event { frame: 0, part: 0, kind });
    }
}

impl EditorHost for LocalHost {
    fn value(&self, param: Param) -> f32 {
        self.values[param]
    }

    fn begin(&mut self, _: Param) {
        self.open_gestures += 1;
    }

    fn set(&mut self, param: Param, value: f32) {
        self.values.set(param, value);
        self.send(EventKind::Param { param, value });
    }

    fn end(&mut self, _: Param) {
        self.open_gestures -= 1;
    }

    fn patch(&self) -> Arc<Patch> {
        self.patch.clone()
    }

    fn load(&mut self, patch: Patch) {
        self.engine.set_patch(0, &patch);
        self.values = patch.values.clone();
        self.patch = Arc::new(patch);
    }

    fn set_routes(&mut self, mut routes: Vec<Route>) {
        Arc::make_mut(&mut self.patch).routes.clone_from(&routes);
        self.engine.swap_routes(0, &mut routes);
    }

    fn set_drawn(&mut self, patch: &Patch) {
        Arc::make_mut(&mut self.patch).copy_drawn(patch);
        self.engine.exchange_drawn(0, &mut Playable::drawn(patch));
    }

    fn describe(&mut self, patch: &Patch) {
        Arc::make_mut(&mut self.patch).describe_as(patch);
    }

    fn settings(&self) -> InstanceSettings {
        self.settings.clone()
    }

    fn set_settings(&mut self, settings: InstanceSettings) {
        self.engine.set_pitch_settings(&settings.pitch());
        self.settings = settings;
    }

    fn snapshot(&mut self, into: &mut Snapshot) {
        self.engine.snapshot(0, into);
    }

    fn output(&mut self, into: &mut Output) {
        self.output.read(into);
        into.sample_rate = self.engine.config().sample_rate;
    }

    fn status(&mut self) -> Status {
        let [spent, passed] = std::mem::take(&mut self.spent);
        if !passed.is_zero() {
            let load = spent.as_secs_f32() / passed.as_secs_f32();
            self.load += 0.2 * (load - self.load);
        }
        Status {
            peaks: std::mem::take(&mut self.peaks),
            counters: self.engine.counters(),
            renderer: "CPU".into(),
            why: "asked for".into(),
            stands_in: false,
            load: Some(self.load),
            underruns: 0,
            bpm: 120.0,
            trouble: String::new(),
        }
    }

    fn note_on(&mut self, key: u8, velocity: f32) {
        self.send(EventKind::NoteOn { key, velocity });
    }

    fn note_off(&mut self, key: u8) {
        let velocity = 0.5;
        self.send(EventKind::NoteOff { key, velocity });
    }

    fn panic(&mut self) {
        self.send(EventKind::AllSoundOff);
    }
}
