//! The plugin's implementation of the editor's host.

use crate::params::{MyriadParams, value_at};
use crate::synth::RenderTarget;
use myriad_editor::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::params::{COUNT, Param};
use myriad_engine::{EventKind, InstanceSettings, Patch, Snapshot};
use myriad_measure::Output;
use nice_plug::context::gui::GuiContext;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the editor shows a pending edit before it shows the host's position again.
const EDIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A host that asks for no block for this long does not play.
const PAUSE: Duration = Duration::from_millis(400);

/// A move of a knob by the user that the host has not applied yet.
#[derive(Clone, Copy)]
struct PendingEdit {
    position: f32,
    /// The position before.
    before: f32,
    when: Instant,
}

/// The plugin as the editor's host.
pub(super) struct PluginHost {
    params: Arc<MyriadParams>,
    gui: GuiContext,
    pending: [Option<PendingEdit>; COUNT],
    /// A change of the MPE switch that the host has not applied yet, and when it was made.
    pending_mpe: Option<(bool, Instant)>,
    /// Blocks that the host has pending for, and when that number last grew.
    blocks: u64,
    grew: Instant,
}

impl PluginHost {
    pub(super) fn new(params: Arc<MyriadParams>, gui: GuiContext) -> Self {
        Self {
            params,
            gui,
            pending: [None; COUNT],
            pending_mpe: None,
            blocks: 0,
            grew: Instant::now(),
        }
    }

    /// Whether the host plays, and so applies edits by itself.
    fn plays(&mut self) -> bool {
        let blocks = self.params.shared.meters.blocks();
        if blocks != self.blocks {
            (self.blocks, self.grew) = (blocks, Instant::now());
        }
        self.grew.elapsed() < PAUSE
    }

    /// Applies pending edits when the host does not play (stopped, bypassed, or only showing the
    /// editor): it would save the old positions.
    fn apply_pending(&mut self) {
        if self.plays() {
            return;
        }
        for (&param, pending) in Param::ALL.iter().zip(&mut self.pending) {
            let knob = self.params.knob(param);
            if let Some(pending) = pending.take()
                && pending.before == knob.position()
            {
                knob.set_position(pending.position);
            }
        }
        if let Some((on, _)) = self.pending_mpe.take() {
            self.params.set_mpe(on);
        }
    }

    /// The MPE switch as the user has put it, until the host follows.
    fn pending_mpe(&self) -> Option<bool> {
        let recent = self.pending_mpe.filter(|(_, when)| when.elapsed() < EDIT_TIMEOUT);
        recent.map(|(on, _)| on)
    }

    /// The position of a knob, with a pending edit.
    fn position(&self, param: Param) -> f32 {
        let position = self.params.knob(param).position();
        match self.pending[param as usize] {
            Some(pending)
                if pending.before == position && pending.when.elapsed() < EDIT_TIMEOUT =>
            {
                pending.position
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
        self.pending[param as usize] =
            Some(PendingEdit { position, before: knob.position(), when: Instant::now() });
        knob.put(&self.gui, position);
        self.apply_pending();
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

    fn set_drawn(&mut self, patch: &Patch) {
        self.params.shared.set_drawn(patch);
    }

    fn describe(&mut self, patch: &Patch) {
        self.params.shared.describe(patch);
    }

    fn settings(&self) -> InstanceSettings {
        let mpe = self.params.mpe_settings();
        let zone = match self.pending_mpe() {
            Some(true) => self.params.shared.settings().mpe.zone,
            Some(false) => MpeZone::Off,
            None => mpe.zone,
        };
        InstanceSettings { mpe: MpeSettings { zone, ..mpe }, ..self.params.shared.settings() }
    }

    fn set_settings(&mut self, settings: InstanceSettings) {
        let mpe = settings.mpe.zone != MpeZone::Off;
        if mpe != (self.settings().mpe.zone != MpeZone::Off) {
            self.pending_mpe = Some((mpe, Instant::now()));
            self.params.put_mpe(&self.gui, mpe);
        }
        self.params.shared.set_settings(settings);
        self.apply_pending();
    }

    fn mts_scale(&self) -> Option<String> {
        myriad_live::mts_esp::master_scale()
    }

    fn snapshot(&mut self, into: &mut Snapshot) {
        self.params.shared.look(into);
    }

    fn output(&mut self, into: &mut Output) {
        let shared = &self.params.shared;
        shared.meters.output.read(into);
        into.sample_rate = shared.sample_rate();
    }

    fn status(&mut self) -> Status {
        self.apply_pending();
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
            trouble: shared.patch_error(),
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
        let chosen = self.params.shared.render_target();
        let choice = |(render_target, name)| (name, render_target == chosen);
        RenderTarget::CHOICES.map(choice).into()
    }

    fn choose_renderer(&mut self, index: usize) {
        if let Some(&(render_target, _)) = RenderTarget::CHOICES.get(index) {
            self.params.shared.set_render_target(render_target);
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
