//! The player as the editor sees it.

use super::SharedSession;
use myriad_editor::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{Patch, Snapshot, SnapshotReceiver};
use std::sync::Arc;

/// The share by which the load that is shown follows the load that is.
const FOLLOW: f32 = 0.2;
/// Quarter notes per minute that the engine counts when no song says otherwise.
const BPM: f32 = 120.0;

/// What the editor talks to.
pub(super) struct PlayerHost {
    shared_session: Arc<SharedSession>,
    snapshots: Option<SnapshotReceiver>,
    load: f32,
}

impl PlayerHost {
    pub(super) fn new(shared_session: Arc<SharedSession>) -> Self {
        Self {
            snapshots: shared_session.with(|session| session.watch()),
            shared_session,
            load: 0.0,
        }
    }
}

impl EditorHost for PlayerHost {
    fn value(&self, param: Param) -> f32 {
        self.shared_session.with(|session| session.value(param))
    }

    // Nobody but us owns the knobs: there is nobody to tell of gestures.
    fn begin(&mut self, _: Param) {}

    fn set(&mut self, param: Param, value: f32) {
        self.shared_session
            .with(|session| session.turn(param, value));
    }

    fn end(&mut self, _: Param) {}

    fn patch(&self) -> Arc<Patch> {
        self.shared_session.with(|session| session.patch().clone())
    }

    fn load(&mut self, patch: Patch) {
        self.shared_session.with(|session| session.set_patch(patch));
    }

    fn set_routes(&mut self, routes: Vec<Route>) {
        self.shared_session
            .with(|session| session.set_routes(routes));
    }

    fn describe(&mut self, patch: &Patch) {
        self.shared_session.with(|session| session.describe(patch));
    }

    fn snapshot(&mut self, into: &mut Snapshot) {
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.look(into);
        }
    }

    fn status(&mut self) -> Status {
        let load = &mut self.load;
        self.shared_session.with(|session| {
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
                underruns: status.underruns + session.device_manager().xruns(),
                bpm: BPM,
                trouble: String::new(),
            }
        })
    }

    fn note_on(&mut self, key: u8, velocity: f32) {
        self.shared_session
            .with(|session| session.press(key, velocity));
    }

    fn note_off(&mut self, key: u8) {
        self.shared_session.with(|session| session.release(key));
    }

    fn panic(&mut self) {
        self.shared_session.with(|session| session.panic());
    }

    fn can_learn(&self) -> bool {
        true
    }

    fn learn(&mut self, param: Option<Param>) {
        self.shared_session.with(|session| session.learn(param));
    }

    fn learning(&self) -> Option<Param> {
        self.shared_session.with(|session| session.learning())
    }

    fn controller(&self, param: Param) -> Option<u8> {
        self.shared_session
            .with(|session| session.controller_of(param))
    }

    fn forget(&mut self, param: Param) {
        self.shared_session.with(|session| session.forget(param));
    }
}
