//! What the threads of an instance know of each other: changes and keys on their way to the audio
//! thread, and what the audio thread shows to an editor.

use crate::controllers::Controllers;
use crate::meters::Meters;
use crate::synth::{PART, RendererState, Renders, SynthHandle};
use crossbeam_queue::ArrayQueue;
use myriad_engine::modulation::Route;
use myriad_engine::{BoundedEvents, Event, EventKind, Patch, Playable, Snapshot};
use myriad_live::stream::{Control, StreamError};
use nice_plug_egui::RepaintNotifier;
use parking_lot::Mutex;
use ringbuf::{HeapCons, HeapProd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What the audio thread is to play from now on. It puts what it played before in its place, so
/// that nothing is freed there.
#[derive(Default)]
pub(crate) struct Change {
    pub(crate) patch: Option<Box<Playable>>,
    /// Other routes for the patch that plays.
    pub(crate) routes: Option<Vec<Route>>,
}

/// Shared by the host's threads, the audio thread and an editor.
pub struct Shared {
    /// The patch as it was loaded; knobs moved since are not in it. Never locked by the audio
    /// thread. Whoever sends changes holds it, so that they are sent in order.
    patch: Mutex<Arc<Patch>>,
    /// What is to change. Only one waits: later ones are added to it.
    to_audio: ArrayQueue<Change>,
    /// What the audio thread is done with, to be freed elsewhere.
    from_audio: ArrayQueue<Change>,
    /// What is played on the editor's keyboard.
    hands: Mutex<BoundedEvents<HeapProd<Event>>>,
    /// The other end, until the audio thread has it.
    played: Mutex<Option<HeapCons<Event>>>,
    /// What there is to do with the sound from other threads, while the host has the instance
    /// activated.
    synth_handle: Mutex<Option<SynthHandle>>,
    /// Why the patch that was loaded last may not sound as it should; empty if it does.
    trouble: Mutex<String>,
    /// Who is to render, from the next activation on.
    renders: Mutex<Renders>,
    /// Which MIDI controllers move which parameters.
    pub controllers: Controllers,
    /// Whether an editor is open.
    watched: AtomicBool,
    /// Makes the editor draw anew.
    pub(crate) repaint: RepaintNotifier,
    /// What an editor remembers between sessions, as it likes.
    ui: Mutex<String>,
    /// What is going on, for meters.
    pub meters: Meters,
}

/// Every change that the audio thread takes was put there after the returned ones were freed; so a
/// few places never run out.
const RETURNED: usize = 8;

/// Keys that may wait for the audio thread.
const HANDS: usize = 256;

impl Shared {
    pub(crate) fn new() -> Self {
        let (hands, played) = BoundedEvents::ring(HANDS);
        Self {
            patch: Mutex::default(),
            to_audio: ArrayQueue::new(1),
            from_audio: ArrayQueue::new(RETURNED),
            hands: Mutex::new(hands),
            played: Mutex::new(Some(played)),
            synth_handle: Mutex::new(None),
            trouble: Mutex::default(),
            renders: Mutex::default(),
            controllers: Controllers::new(),
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

    /// Plays another patch from now on. An editor also moves the knobs there, so that
    /// the host knows. Not for the audio thread.
    pub fn load(&self, patch: Patch) {
        let mut current = self.patch.lock();
        let playable = Playable::new(patch.clone());
        let complete = playable.clone().complete().map(drop);
        let told = self.in_stream(|stream| stream.play(PART, playable.clone()));
        self.send(|change| {
            change.patch = Some(Box::new(playable));
            change.routes = None;
        });
        self.report(complete.map_err(StreamError::from).and(told), true);
        *current = Arc::new(patch);
        self.repaint.request_repaint();
    }

    /// Changes the patch's routes while notes go on. Not for the audio thread.
    pub fn set_routes(&self, routes: Vec<Route>) {
        let mut current = self.patch.lock();
        self.send(|change| match &mut change.patch {
            // One that nobody has played yet.
            Some(patch) => patch.routes_mut().clone_from(&routes),
            None => change.routes = Some(routes.clone()),
        });
        let told = self.in_stream(|stream| stream.set_routes(PART, routes.clone()));
        self.report(told, false);
        Arc::make_mut(&mut current).routes = routes;
    }

    /// Changes what the patch says about itself, and nothing that is heard.
    pub fn describe(&self, patch: &Patch) {
        let mut current = self.patch.lock();
        Arc::make_mut(&mut current).describe_as(patch);
    }

    /// Adds to what waits for the audio thread.
    fn send(&self, add: impl FnOnce(&mut Change)) {
        while self.from_audio.pop().is_some() {}
        let mut change = self.to_audio.pop().unwrap_or_default();
        add(&mut change);
        // What comes back, if anything, is freed here.
        drop(self.to_audio.force_push(change));
    }

    /// Tells the stream, when one renders.
    fn in_stream(
        &self,
        tell: impl FnOnce(&Control) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let synth_handle = self.synth_handle.lock();
        let stream = synth_handle.as_ref().and_then(|b| b.stream.as_ref());
        stream.map_or(Ok(()), |stream| tell(stream))
    }

    /// Keeps what went wrong for the editor to show. What went wrong before holds until another
    /// patch is loaded.
    fn report(&self, outcome: Result<(), StreamError>, loaded: bool) {
        match outcome {
            Err(error) => *self.trouble.lock() = error.to_string(),
            Ok(()) if loaded => self.trouble.lock().clear(),
            Ok(()) => {}
        }
    }

    /// Why the patch may not sound as it should; empty if it does.
    pub fn trouble(&self) -> String {
        let is_behind = |stream: &Control| match stream.is_behind() {
            true => Err(StreamError::Busy),
            false => Ok(()),
        };
        match self.in_stream(is_behind) {
            Err(error) => error.to_string(),
            Ok(()) => self.trouble.lock().clone(),
        }
    }

    /// Takes what is to change. For the audio thread.
    pub(crate) fn take_change(&self) -> Option<Change> {
        self.to_audio.pop()
    }

    /// Hands it back to be freed. For the audio thread.
    pub(crate) fn give_back(&self, change: Change) {
        if let Err(change) = self.from_audio.push(change) {
            // There is always room (see `RETURNED`); if there were not, a leak is the lesser evil.
            std::mem::forget(change);
        }
    }

    /// Something is played in the editor.
    pub fn play(&self, kind: EventKind) {
        let event = Event { frame: 0, part: PART as u8, kind };
        if !self.hands.lock().push(event) {
            self.meters.count_refused(1);
        }
    }

    /// Where what is played in the editor comes out, for the first who asks.
    pub(crate) fn take_played(&self) -> Option<HeapCons<Event>> {
        self.played.lock().take()
    }

    /// Whether somebody watches what sounds.
    pub fn is_watched(&self) -> bool {
        self.watched.load(Relaxed)
    }

    /// Somebody begins to watch what sounds, or does not any more.
    pub fn watch(&self, watched: bool) {
        let synth_handle = self.synth_handle.lock();
        self.watched.store(watched, Relaxed);
        if let Some(snapshots) = synth_handle.as_ref().and_then(|b| b.snapshots.as_ref()) {
            snapshots.watch(watched.then_some(PART));
        }
    }

    /// Something else makes the sound now. It was built to play the patch `built`, which may have
    /// taken seconds: what was loaded since then is played as well.
    pub(crate) fn set_synth_handle(&self, synth_handle: SynthHandle, built: &Arc<Patch>) {
        // Held until it is in place, so that what is loaded later finds it.
        let current = self.patch.lock();
        if let Some(snapshots) = &synth_handle.snapshots {
            snapshots.watch(self.is_watched().then_some(PART));
        }
        *self.synth_handle.lock() = Some(synth_handle);
        if !Arc::ptr_eq(&current, built) {
            let playable = Playable::new(Patch::clone(&current));
            let told = self.in_stream(|stream| stream.play(PART, playable));
            self.report(told, false);
        }
    }

    /// Nothing makes the sound now.
    pub(crate) fn clear_synth_handle(&self) {
        *self.synth_handle.lock() = None;
    }

    /// Copies the latest snapshot of what sounds.
    pub fn look(&self, into: &mut Snapshot) {
        if let Some(synth_handle) = &mut *self.synth_handle.lock()
            && let Some(snapshots) = &mut synth_handle.snapshots
        {
            snapshots.look(into);
        }
    }

    /// Who renders, and why; empty while the host has the instance deactivated.
    pub fn renderer(&self) -> RendererState {
        let synth_handle = self.synth_handle.lock();
        let ask = |synth_handle: &SynthHandle| (synth_handle.renderer)();
        synth_handle.as_ref().map(ask).unwrap_or_default()
    }

    /// Who is to render.
    pub fn renders(&self) -> Renders {
        *self.renders.lock()
    }

    /// Lets somebody else render, from the next activation on: latency changes with it, so hosts
    /// are asked for a restart.
    pub fn set_renders(&self, renders: Renders) {
        *self.renders.lock() = renders;
    }

    /// What an editor remembers.
    pub fn ui(&self) -> String {
        self.ui.lock().clone()
    }

    /// Remembers something for an editor; it is saved with the project.
    pub fn set_ui(&self, ui: String) {
        *self.ui.lock() = ui;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{Synth, Terms, tests::gpu};

    /// A stream that cannot play a patch must not leave the editor showing one sound while another
    /// plays, without a word.
    #[test]
    fn what_keeps_a_patch_from_being_played_is_said() {
        let shared = Shared::new();
        let terms =
            Terms { sample_rate: 48_000.0, max_block: 512, offline: true, renders: Renders::Gpu };
        let patch = shared.patch();
        let (_synth, synth_handle) = Synth::new(&terms, &patch, &*gpu(&Arc::default())).unwrap();
        let stream = synth_handle.stream.clone().unwrap();
        shared.set_synth_handle(synth_handle, &patch);
        shared.load(Patch::new());
        assert_eq!(shared.trouble(), "");
        stream.stop();
        shared.load(Patch::new());
        assert_eq!(shared.trouble(), StreamError::Stopped.to_string());
        shared.clear_synth_handle();
        shared.load(Patch::new());
        assert_eq!(shared.trouble(), "");
    }
}
