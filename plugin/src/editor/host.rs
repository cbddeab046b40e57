//! The plugin as the editor sees it.

use crate::params::{MyriadParams, value_at};
use crate::synth::Renders;
use myriad_editor::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::params::{COUNT, Param};
use myriad_engine::{EventKind, Patch, Snapshot};
use nice_plug::context::gui::GuiContext;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the host has to put a knob where the user has: then what the host says holds again.
const PATIENCE: Duration = Duration::from_secs(1);

/// A host that asks for no block for so long does not play.
const PAUSE: Duration = Duration::from_millis(400);

/// A knob that the user has moved. The host owns it, and moves it in its own time.
#[derive(Clone, Copy)]
struct Asked {
    position: f32,
    /// Where it stood then.
    before: f32,
    when: Instant,
}

/// What the editor talks to.
pub(super) struct PluginHost {
    params: Arc<MyriadParams>,
    gui: GuiContext,
    asked: [Option<Asked>; COUNT],
    /// Blocks that the host has asked for, and when that was last seen to grow.
    blocks: u64,
    grew: Instant,
}

impl PluginHost {
    pub(super) fn new(params: Arc<MyriadParams>, gui: GuiContext) -> Self {
        Self { params, gui, asked: [None; COUNT], blocks: 0, grew: Instant::now() }
    }

    /// Whether the host plays, and so moves knobs by itself.
    fn plays(&mut self) -> bool {
        let blocks = self.params.shared.meters.blocks();
        if blocks != self.blocks {
            (self.blocks, self.grew) = (blocks, Instant::now());
        }
        self.grew.elapsed() < PAUSE
    }

    /// Puts knobs where the user has put them if the host will not: one that does not play (stopped,
    /// bypassed, or only showing the editor) would keep and save them where they were.
    fn settle(&mut self) {
        if self.plays() {
            return;
        }
        for (&param, asked) in Param::ALL.iter().zip(&mut self.asked) {
            let knob = self.params.knob(param);
            if let Some(asked) = asked.take()
                && asked.before == knob.position()
            {
                knob.stand(asked.position);
            }
        }
    }

    /// Where a knob stands, or soon will.
    fn position(&self, param: Param) -> f32 {
        let position = self.params.knob(param).position();
        match self.asked[param as usize] {
            Some(asked) if asked.before == position && asked.when.elapsed() < PATIENCE => {
                asked.position
            }
            _ => position,
        }
    }
}

impl EditorHost for PluginHost {
    fn value(&self, param: Param) -> f32 {
        let patch = self.params.shared.patch();
        value_at(param, self.position(param), patch.values[param])
    }

    fn begin(&mut self, param: Param) {
        self.params.knob(param).begin(&self.gui);
    }

    fn set(&mut self, param: Param, value: f32) {
        let knob = self.params.knob(param);
        let position = param.info().kind.to_scale(value);
        self.asked[param as usize] =
            Some(Asked { position, before: knob.position(), when: Instant::now() });
        knob.put(&self.gui, position);
        self.settle();
    }

    fn end(&mut self, param: Param) {
        self.params.knob(param).end(&self.gui);
    }

    fn patch(&self) -> Arc<Patch> {
        self.params.shared.patch()
    }

    fn load(&mut self, patch: Patch) {
        let values = patch.values.clone();
        self.params.shared.load(patch);
        for &param in Param::ALL {
            if self.position(param) != param.info().kind.to_scale(values[param]) {
                self.begin(param);
                self.set(param, values[param]);
                self.end(param);
            }
        }
    }

    fn set_routes(&mut self, routes: Vec<Route>) {
        self.params.shared.set_routes(routes);
    }

    fn describe(&mut self, patch: &Patch) {
        self.params.shared.describe(patch);
    }

    fn snapshot(&mut self, into: &mut Snapshot) {
        self.params.shared.look(into);
    }

    fn status(&mut self) -> Status {
        self.settle();
        let shared = &self.params.shared;
        let renderer = shared.renderer();
        Status {
            peaks: shared.meters.take_peaks(),
            counters: shared.meters.counters(),
            renderer: renderer.name,
            why: renderer.why,
            stands_in: renderer.stands_in,
            load: Some(shared.meters.load()),
            underruns: shared.meters.underruns(),
            bpm: shared.meters.bpm(),
            trouble: shared.trouble(),
        }
    }

    fn note_on(&mut self, key: u8, velocity: f32) {
        self.params.shared.play(EventKind::NoteOn { key, velocity });
    }

    fn note_off(&mut self, key: u8) {
        let velocity = 0.5;
        self.params.shared.play(EventKind::NoteOff { key, velocity });
    }

    fn panic(&mut self) {
        self.params.shared.play(EventKind::AllSoundOff);
    }

    fn renderers(&self) -> Vec<(&'static str, bool)> {
        let chosen = self.params.shared.renders();
        let choice = |(renders, name, _)| (name, renders == chosen);
        Renders::ALL.map(choice).into()
    }

    fn choose_renderer(&mut self, index: usize) {
        if let Some(&(renders, ..)) = Renders::ALL.get(index) {
            self.params.shared.set_renders(renders);
            self.gui.request_restart();
        }
    }

    fn can_learn(&self) -> bool {
        true
    }

    fn learn(&mut self, param: Option<Param>) {
        self.params.shared.controllers.learn(param);
    }

    fn learning(&self) -> Option<Param> {
        self.params.shared.controllers.learning()
    }

    fn controller(&self, param: Param) -> Option<u8> {
        self.params.shared.controllers.of(param)
    }

    fn forget(&mut self, param: Param) {
        self.params.shared.controllers.forget(param);
    }
}
