//! The session as the host of the editor.

use super::SharedSession;
use myriad_editor::{EditorHost, Status};
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{InstanceSettings, Patch, Snapshot, SnapshotReceiver};
use myriad_measure::Output;
use myriad_player::song::Song;
use std::path::Path;
use std::sync::Arc;

/// Smoothing of the displayed load, at each frame.
const FOLLOW: f32 = 0.2;
/// The engine's default tempo.
const BPM: f32 = 120.0;

pub(super) struct PlayerHost {
    session: Arc<SharedSession>,
    snapshots: Option<SnapshotReceiver>,
    load: f32,
}

impl PlayerHost {
    pub(super) fn new(session: Arc<SharedSession>) -> Self {
        Self { snapshots: session.with(|session| session.watch()), session, load: 0.0 }
    }
}

impl EditorHost for PlayerHost {
    fn value(&self, param: Param) -> f32 {
        self.session.with(|session| session.value(param))
    }

    // No host records automation here, so gestures need no begin and end.
    fn begin(&mut self, _: Param) {}

    fn set(&mut self, param: Param, value: f32) {
        self.session.with(|session| session.turn(param, value));
    }

    fn end(&mut self, _: Param) {}

    fn patch(&self) -> Arc<Patch> {
        self.session.with(|session| session.patch().clone())
    }

    fn load(&mut self, patch: Patch) {
        self.session.with(|session| session.set_patch(patch));
    }

    fn set_routes(&mut self, routes: Vec<Route>) {
        self.session.with(|session| session.set_routes(routes));
    }

    fn set_drawn(&mut self, patch: &Patch) {
        self.session.with(|session| session.set_drawn(patch));
    }

    fn describe(&mut self, patch: &Patch) {
        self.session.with(|session| session.describe(patch));
    }

    fn settings(&self) -> InstanceSettings {
        self.session.with(|session| session.settings().clone())
    }

    fn set_settings(&mut self, settings: InstanceSettings) {
        self.session.with(|session| session.set_settings(settings));
    }

    fn mts_scale(&self) -> Option<String> {
        myriad_live::mts_esp::master_scale()
    }

    fn snapshot(&mut self, into: &mut Snapshot) {
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.look(into);
        }
    }

    fn output(&mut self, into: &mut Output) {
        self.session.with(|session| session.monitor().output(into));
    }

    fn status(&mut self) -> Status {
        let load = &mut self.load;
        self.session.with(|session| {
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
        self.session.with(|session| session.press(key, velocity));
    }

    fn note_off(&mut self, key: u8) {
        self.session.with(|session| session.release(key));
    }

    fn panic(&mut self) {
        self.session.with(|session| session.panic());
    }

    fn can_learn(&self) -> bool {
        true
    }

    fn learn(&mut self, param: Option<Param>) {
        self.session.with(|session| session.learn(param));
    }

    fn learning(&self) -> Option<Param> {
        self.session.with(|session| session.learning())
    }

    fn controller(&self, param: Param) -> Option<u8> {
        self.session.with(|session| session.controller_of(param))
    }

    fn play_song(&mut self, file: &Path) -> Result<String, String> {
        let song = Song::load(file).map_err(|error| error.to_string())?;
        let text = format!("Plays {:.1} s with this sound, without drums.", song.seconds);
        self.session.with(|session| session.play_along(&song));
        Ok(text)
    }

    fn forget(&mut self, param: Param) {
        self.session.with(|session| session.forget(param));
    }
}
