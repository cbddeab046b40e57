//! The state that the threads of an instance share: patches and keys on their way to the audio
//! thread, and what the editor shows.

use crate::controllers::Controllers;
use crate::macro_names::MacroNames;
use crate::meters::Meters;
use crate::settings;
use crate::synth::{PART, RenderTarget, RendererState, SynthHandle};
use crossbeam_queue::ArrayQueue;
use myriad_engine::modulation::Route;
use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::{
    BoundedEvents, Event, EventKind, InstanceSettings, Patch, PitchSettings, Playable, Snapshot,
};
use myriad_live::stream::{Control, StreamError};
use nice_plug_egui::RepaintNotifier;
use parking_lot::Mutex;
use ringbuf::{HeapCons, HeapProd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// A new patch or routes for the audio thread. It swaps them with the old ones, so that it frees
/// nothing.
#[derive(Default)]
pub(crate) struct Change {
    pub(crate) patch: Option<Box<Playable>>,
    /// Other routes for the current patch.
    pub(crate) routes: Option<Vec<Route>>,
    /// A patch with other drawn waveforms and tables for the current one.
    pub(crate) drawn: Option<Box<Playable>>,
    /// Other pitch settings of the instance.
    pub(crate) pitch: Option<Box<PitchSettings>>,
}

/// Shared by the host's threads, the audio thread and the editor.
pub struct Shared {
    /// The patch as it was loaded, without knobs that were moved since. Never locked by the audio
    /// thread. A thread that sends a change holds the lock, so that changes are sent in order.
    patch: Mutex<Arc<Patch>>,
    /// The next change. A later change is merged into one that still waits.
    to_audio: ArrayQueue<Change>,
    /// Memory that the audio thread returns, to be freed elsewhere.
    from_audio: ArrayQueue<Change>,
    /// Events of the editor's keyboard.
    keyboard: Mutex<BoundedEvents<HeapProd<Event>>>,
    /// The consumer's end, until the audio thread takes it.
    keyboard_events: Mutex<Option<HeapCons<Event>>>,
    /// The handle of the synthesizer, while the host has the instance activated.
    handle: Mutex<Option<SynthHandle>>,
    /// Why the last patch was not loaded completely; empty if it was.
    patch_error: Mutex<String>,
    /// The chosen renderer, from the next activation on.
    render_target: Mutex<RenderTarget>,
    /// Tuning, bend range and MPE. A thread that sends a change holds the lock.
    settings: Mutex<InstanceSettings>,
    /// MPE when it is on, as a number, for the audio thread.
    mpe_when_on: AtomicU32,
    /// Which MIDI controllers move which parameters.
    pub controllers: Controllers,
    /// The names of the patch's macros, for the host.
    pub(crate) macro_names: MacroNames,
    /// Whether an editor is open.
    watched: AtomicBool,
    /// Makes the editor repaint.
    pub(crate) repaint: RepaintNotifier,
    /// The editor's own state, saved with the project.
    ui: Mutex<String>,
    /// Meters.
    pub meters: Meters,
}

/// Capacity of the return queue. It is emptied before every change is sent, so it never fills.
const RETURNED: usize = 8;

/// Capacity of the queue of the editor's keyboard.
const KEYBOARD_QUEUE: usize = 256;

impl Shared {
    pub(crate) fn new() -> Self {
        let (keyboard, keyboard_events) = BoundedEvents::ring(KEYBOARD_QUEUE);
        let settings = settings::read("");
        Self {
            patch: Mutex::default(),
            to_audio: ArrayQueue::new(1),
            from_audio: ArrayQueue::new(RETURNED),
            keyboard: Mutex::new(keyboard),
            keyboard_events: Mutex::new(Some(keyboard_events)),
            handle: Mutex::new(None),
            patch_error: Mutex::default(),
            render_target: Mutex::default(),
            settings: Mutex::new(settings.clone()),
            mpe_when_on: AtomicU32::new(settings.mpe.to_bits()),
            controllers: Controllers::new(),
            macro_names: MacroNames::default(),
            watched: AtomicBool::new(false),
            repaint: RepaintNotifier::new(),
            ui: Mutex::default(),
            meters: Meters::default(),
        }
    }

    /// The patch as it was loaded.
    pub fn patch(&self) -> Arc<Patch> {
        self.patch.lock().clone()
    }

    /// Changes the patch. An editor also moves the host's knobs to its values. Not for the audio
    /// thread.
    pub fn load(&self, patch: Patch) {
        let mut current = self.patch.lock();
        let mut playable = Playable::new(patch.clone());
        if let Some(sample_rate) = self.handle.lock().as_ref().map(|handle| handle.sample_rate) {
            playable = playable.prepared(sample_rate);
        }
        let complete = playable.clone().complete().map(drop);
        let sent = self.in_stream(|stream| stream.play(PART, playable.clone()));
        self.send(|change| {
            change.patch = Some(Box::new(playable));
            change.routes = None;
            change.drawn = None;
        });
        self.report(complete.map_err(StreamError::from).and(sent), true);
        let patch = Arc::new(patch);
        *current = patch.clone();
        drop(current);
        self.macro_names.set(&patch.macro_names);
        self.repaint.request_repaint();
    }

    /// Changes the patch's routes, also for notes that sound. Not for the audio thread.
    pub fn set_routes(&self, routes: Vec<Route>) {
        let mut current = self.patch.lock();
        self.send(|change| match &mut change.patch {
            // A patch that the audio thread has not taken yet.
            Some(patch) => patch.routes_mut().clone_from(&routes),
            None => change.routes = Some(routes.clone()),
        });
        let sent = self.in_stream(|stream| stream.set_routes(PART, routes.clone()));
        self.report(sent, false);
        Arc::make_mut(&mut current).routes = routes;
    }

    /// Changes the drawn waveforms and tables to those of `patch`, also for notes that sound. Not for the audio
    /// thread.
    pub fn set_drawn(&self, patch: &Patch) {
        let mut current = self.patch.lock();
        let mut drawn = Box::new(Playable::drawn(patch));
        let complete = Playable::clone(&drawn).complete().map(drop);
        let sent = self.in_stream(|stream| stream.set_drawn(PART, Playable::clone(&drawn)));
        self.send(|change| match &mut change.patch {
            // A patch that the audio thread has not taken yet.
            Some(waiting) => waiting.swap_drawn(&mut drawn),
            None => change.drawn = Some(drawn),
        });
        self.report(complete.map_err(StreamError::from).and(sent), true);
        Arc::make_mut(&mut current).copy_drawn(patch);
    }

    /// The settings of the instance; their MPE zone is the one when MPE is on.
    pub fn settings(&self) -> InstanceSettings {
        self.settings.lock().clone()
    }

    /// Changes them, also for notes that sound. Not for the audio thread.
    pub fn set_settings(&self, mut new: InstanceSettings) {
        let mut settings = self.settings.lock();
        if new.mpe.zone == MpeZone::Off {
            new.mpe.zone = settings.mpe.zone;
        }
        if new.pitch() != settings.pitch() {
            let pitch = new.pitch();
            let sent = self.in_stream(|stream| stream.set_pitch(pitch));
            self.send(|change| change.pitch = Some(Box::new(pitch)));
            self.report(sent, false);
        }
        self.mpe_when_on.store(new.mpe.to_bits(), Relaxed);
        *settings = new;
    }

    /// MPE when its parameter is on. For any thread.
    pub(crate) fn mpe_when_on(&self) -> MpeSettings {
        MpeSettings::from_bits(self.mpe_when_on.load(Relaxed))
    }

    /// Changes the description of the patch, and nothing that is heard.
    pub fn describe(&self, patch: &Patch) {
        let mut current = self.patch.lock();
        Arc::make_mut(&mut current).describe_as(patch);
        drop(current);
        self.macro_names.set(&patch.macro_names);
    }

    /// Adds to the change that waits for the audio thread.
    fn send(&self, add: impl FnOnce(&mut Change)) {
        while self.from_audio.pop().is_some() {}
        let mut change = self.to_audio.pop().unwrap_or_default();
        add(&mut change);
        // A change that is replaced is freed here.
        drop(self.to_audio.force_push(change));
    }

    /// Calls `tell` with the stream, when a thread renders.
    fn in_stream(
        &self,
        tell: impl FnOnce(&Control) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        self.with_stream(tell).unwrap_or(Ok(()))
    }

    /// Calls `read` with the stream, when a thread renders. Not for the audio thread.
    pub(crate) fn with_stream<T>(&self, read: impl FnOnce(&Control) -> T) -> Option<T> {
        let handle = self.handle.lock();
        let stream = handle.as_ref().and_then(|handle| handle.stream.as_ref());
        stream.map(|stream| read(stream))
    }

    /// Keeps an error for the editor to show, until another patch is loaded.
    fn report(&self, outcome: Result<(), StreamError>, loaded: bool) {
        match outcome {
            Err(error) => *self.patch_error.lock() = error.to_string(),
            Ok(()) if loaded => self.patch_error.lock().clear(),
            Ok(()) => {}
        }
    }

    /// Why the patch does not sound as it should; empty if it does.
    pub fn patch_error(&self) -> String {
        let is_behind = |stream: &Control| match stream.is_behind() {
            true => Err(StreamError::Busy),
            false => Ok(()),
        };
        match self.in_stream(is_behind) {
            Err(error) => error.to_string(),
            Ok(()) => self.patch_error.lock().clone(),
        }
    }

    /// Takes the next change. For the audio thread.
    pub(crate) fn take_change(&self) -> Option<Change> {
        self.to_audio.pop()
    }

    /// Returns it to be freed. For the audio thread.
    pub(crate) fn give_back(&self, change: Change) {
        if let Err(change) = self.from_audio.push(change) {
            // There is always room (see `RETURNED`). Otherwise a leak is better than freeing here.
            std::mem::forget(change);
        }
    }

    /// Plays an event of the editor's keyboard.
    pub fn play(&self, kind: EventKind) {
        let event = Event { frame: 0, part: PART as u8, kind };
        if !self.keyboard.lock().push(event) {
            self.meters.count_refused(1);
        }
    }

    /// The consumer's end of the editor's keyboard; none after the first call.
    pub(crate) fn take_keyboard(&self) -> Option<HeapCons<Event>> {
        self.keyboard_events.lock().take()
    }

    /// Whether an editor is open.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Relaxed)
    }

    /// Sets whether an editor is open.
    pub fn watch(&self, watched: bool) {
        let handle = self.handle.lock();
        self.watched.store(watched, Relaxed);
        if let Some(snapshots) = handle.as_ref().and_then(|handle| handle.snapshots.as_ref()) {
            snapshots.watch(watched.then_some(PART));
        }
    }

    /// Sets the handle of a new synthesizer. It was built with the patch `built`, which may have taken
    /// seconds: a patch that was loaded since then is sent to it.
    pub(crate) fn set_synth_handle(&self, handle: SynthHandle, built: &Arc<Patch>) {
        // Locked until the handle is set, so that a later `load` finds it.
        let current = self.patch.lock();
        if let Some(snapshots) = &handle.snapshots {
            snapshots.watch(self.is_watched().then_some(PART));
        }
        // A patch that was loaded before the sample rate was known.
        if let Some(mut change) = self.to_audio.pop() {
            let prepare = |patch: Box<Playable>| Box::new(patch.prepared(handle.sample_rate));
            change.patch = change.patch.map(prepare);
            drop(self.to_audio.force_push(change));
        }
        *self.handle.lock() = Some(handle);
        if !Arc::ptr_eq(&current, built) {
            let playable = Playable::new(Patch::clone(&current));
            let sent = self.in_stream(|stream| stream.play(PART, playable));
            self.report(sent, false);
        }
        drop(current);
        let pitch = self.settings.lock().pitch();
        let sent = self.in_stream(|stream| stream.set_pitch(pitch));
        self.report(sent, false);
    }

    /// Removes the handle before the synthesizer is dropped.
    pub(crate) fn clear_synth_handle(&self) {
        *self.handle.lock() = None;
    }

    /// Copies the latest snapshot of what sounds.
    pub fn look(&self, into: &mut Snapshot) {
        if let Some(handle) = &mut *self.handle.lock()
            && let Some(snapshots) = &mut handle.snapshots
        {
            snapshots.look(into);
        }
    }

    /// Frames per second; zero while the instance is deactivated.
    pub(crate) fn sample_rate(&self) -> f32 {
        self.handle.lock().as_ref().map_or(0.0, |handle| handle.sample_rate)
    }

    /// The renderer in use, and why; empty while the instance is deactivated.
    pub fn renderer(&self) -> RendererState {
        let handle = self.handle.lock();
        let renderer = handle.as_ref().map(|handle| (handle.renderer)());
        renderer.unwrap_or_default()
    }

    /// The chosen renderer.
    pub fn render_target(&self) -> RenderTarget {
        *self.render_target.lock()
    }

    /// Chooses a renderer from the next activation on. The latency changes with it, so the editor asks
    /// the host for a restart.
    pub fn set_render_target(&self, render_target: RenderTarget) {
        *self.render_target.lock() = render_target;
    }

    /// The editor's own state.
    pub fn ui(&self) -> String {
        self.ui.lock().clone()
    }

    /// Sets the editor's own state, which is saved with the project.
    pub fn set_ui(&self, ui: String) {
        *self.ui.lock() = ui;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{SynthConfig, make_synth, tests::gpu};

    /// The editor must not show one patch while another one plays, without an error.
    #[test]
    fn an_error_of_loading_a_patch_is_reported() {
        let shared = Shared::new();
        let config = SynthConfig {
            sample_rate: 48_000.0,
            max_block: 512,
            offline: true,
            render_target: RenderTarget::Gpu,
            outputs: 0,
        };
        let patch = shared.patch();
        let (_synth, handle) = make_synth(&config, &patch, &*gpu(&Arc::default())).unwrap();
        let stream = handle.stream.clone().unwrap();
        shared.set_synth_handle(handle, &patch);
        shared.load(Patch::new());
        assert_eq!(shared.patch_error(), "");
        stream.stop();
        shared.load(Patch::new());
        assert_eq!(shared.patch_error(), StreamError::Stopped.to_string());
        shared.clear_synth_handle();
        shared.load(Patch::new());
        assert_eq!(shared.patch_error(), "");
    }
}
