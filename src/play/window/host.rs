//! The player as the editor sees it.

use super::Desk;
use myriad_editor::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{Glimpse, GlimpseReceiver, Patch};
use std::sync::Arc;

/// The share by which the load that is shown follows the load that is.
const FOLLOW: f32 = 0.2;
/// Quarter notes per minute that the engine counts when no song says otherwise.
const BPM: f32 = 120.0;

/// What the editor talks to.
pub(super) struct PlayerHost {
    desk: Arc<Desk>,
    glimpses: Option<GlimpseReceiver>,
    load: f32,
}

impl PlayerHost {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Self {
            glimpses: desk.with(|session| session.watch()),
            desk,
            load: 0.0,
        }
    }
}

impl EditorHost for PlayerHost {
    fn value(&self, param: Param) -> f32 {
        self.desk.with(|session| session.value(param))
    }

    // Nobody but us owns the knobs: there is nobody to tell of gestures.
    fn begin(&mut self, _: Param) {}

    fn set(&mut self, param: Param, value: f32) {
        self.desk.with(|session| session.turn(param, value));
    }

    fn end(&mut self, _: Param) {}

    fn patch(&self) -> Arc<Patch> {
        self.desk.with(|session| session.patch().clone())
    }

    fn load(&mut self, patch: Patch) {
        self.desk.with(|session| session.set_patch(patch));
    }

    fn set_routes(&mut self, routes: Vec<Route>) {
        self.desk.with(|session| session.set_routes(routes));
    }

    fn describe(&mut self, patch: &Patch) {
        self.desk.with(|session| session.describe(patch));
    }

    fn glimpse(&mut self, into: &mut Glimpse) {
        if let Some(glimpses) = &mut self.glimpses {
            glimpses.look(into);
        }
    }

    fn status(&mut self) -> Status {
        let load = &mut self.load;
        self.desk.with(|session| {
            let status = session.status();
            let renderer = session.renderer_report();
            *load += FOLLOW * (status.load - *load);
            Status {
                peaks: session.take_peaks(),
                counters: status.engine,
                renderer: renderer.using.to_uppercase(),
                stands_in: renderer.using == "cpu" && renderer.failover.lost_because.is_some(),
                why: renderer.why,
                load: Some(*load),
                underruns: status.underruns + session.outlet().xruns(),
                bpm: BPM,
            }
        })
    }

    fn note_on(&mut self, key: u8, velocity: f32) {
        self.desk.with(|session| session.press(key, velocity));
    }

    fn note_off(&mut self, key: u8) {
        self.desk.with(|session| session.release(key));
    }

    fn panic(&mut self) {
        self.desk.with(|session| session.panic());
    }

    fn can_learn(&self) -> bool {
        true
    }

    fn learn(&mut self, param: Option<Param>) {
        self.desk.with(|session| session.learn(param));
    }

    fn learning(&self) -> Option<Param> {
        self.desk.with(|session| session.learning())
    }

    fn controller(&self, param: Param) -> Option<u8> {
        self.desk.with(|session| session.controller_of(param))
    }

    fn forget(&mut self, param: Param) {
        self.desk.with(|session| session.forget(param));
    }
}
