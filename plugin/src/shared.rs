//! What the threads of an instance know of each other: the patch on its way to the audio thread,
//! and what the audio thread shows to an editor.

use crossbeam_queue::ArrayQueue;
use myriad_engine::{Counters, Patch};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Shared by the host's threads, the audio thread and an editor.
pub struct Shared {
    /// The patch as it was loaded; knobs moved since are not in it. Never locked by the audio
    /// thread.
    patch: Mutex<Patch>,
    /// The next patch to play. Only the newest counts.
    to_audio: ArrayQueue<Box<Patch>>,
    /// Patches that the audio thread is done with, to be freed elsewhere.
    from_audio: ArrayQueue<Box<Patch>>,
    /// What an editor remembers between sessions, as it likes.
    ui: Mutex<String>,
    /// What renders, in words.
    renderer: Mutex<String>,
    /// What is going on, for meters.
    pub meters: Meters,
}

/// Every patch that the audio thread takes was put there after the returned ones were freed; so a
/// few places never run out.
const RETURNED: usize = 8;

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            patch: Mutex::new(Patch::new()),
            to_audio: ArrayQueue::new(1),
            from_audio: ArrayQueue::new(RETURNED),
            ui: Mutex::new(String::new()),
            renderer: Mutex::new(String::new()),
            meters: Meters::default(),
        }
    }

    /// The patch as it was loaded.
    pub fn patch(&self) -> Patch {
        self.patch.lock().clone()
    }

    /// Plays another patch from now on. An editor also moves the knobs there (see
    /// [`crate::params::Knob::as_ptr`]), so that the host knows. Not for the audio thread.
    pub fn load(&self, patch: Patch) {
        while self.from_audio.pop().is_some() {}
        // What was waiting and never played comes back and is freed here.
        drop(self.to_audio.force_push(Box::new(patch.clone())));
        *self.patch.lock() = patch;
    }

    /// What an editor remembers.
    pub fn ui(&self) -> String {
        self.ui.lock().clone()
    }

    /// Remembers something for an editor; it is saved with the project.
    pub fn set_ui(&self, ui: String) {
        *self.ui.lock() = ui;
    }

    /// What renders, in words; empty before the host has activated the instance.
    pub fn renderer(&self) -> String {
        self.renderer.lock().clone()
    }

    pub(crate) fn set_renderer(&self, renderer: String) {
        *self.renderer.lock() = renderer;
    }

    /// Takes the newest patch, if there is one. For the audio thread.
    pub(crate) fn take_patch(&self) -> Option<Box<Patch>> {
        self.to_audio.pop()
    }

    /// Hands a patch back to be freed. For the audio thread.
    pub(crate) fn give_back(&self, patch: Box<Patch>) {
        if let Err(patch) = self.from_audio.push(patch) {
            // There is always room (see `RETURNED`); if there were not, a leak is the lesser evil.
            std::mem::forget(patch);
        }
    }
}

/// What the audio thread shows. Written once a block, read whenever an editor draws.
#[derive(Default)]
pub struct Meters {
    /// Bits of the highest levels since they were last read; positive floats sort as integers.
    peaks: [AtomicU32; 2],
    voices: AtomicU32,
    clouds: AtomicU32,
    partials: AtomicU32,
    voices_stolen: AtomicU64,
    notes_dropped: AtomicU64,
    events_dropped: AtomicU64,
    renders_failed: AtomicU64,
}

impl Meters {
    /// The highest levels, left and right, since this was last asked.
    pub fn take_peaks(&self) -> [f32; 2] {
        let take = |peak: &AtomicU32| f32::from_bits(peak.swap(0, Relaxed));
        [take(&self.peaks[0]), take(&self.peaks[1])]
    }

    /// What the engine is doing.
    pub fn counters(&self) -> Counters {
        Counters {
            voices: self.voices.load(Relaxed) as usize,
            clouds: self.clouds.load(Relaxed) as usize,
            partials: self.partials.load(Relaxed) as usize,
            voices_stolen: self.voices_stolen.load(Relaxed),
            notes_dropped: self.notes_dropped.load(Relaxed),
            events_dropped: self.events_dropped.load(Relaxed),
            renders_failed: self.renders_failed.load(Relaxed),
        }
    }

    pub(crate) fn show(&self, left: &[f32], right: &[f32], counters: &Counters) {
        for (peak, channel) in self.peaks.iter().zip([left, right]) {
            let highest = channel.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
            peak.fetch_max(highest.to_bits(), Relaxed);
        }
        self.voices.store(counters.voices as u32, Relaxed);
        self.clouds.store(counters.clouds as u32, Relaxed);
        self.partials.store(counters.partials as u32, Relaxed);
        self.voices_stolen.store(counters.voices_stolen, Relaxed);
        self.notes_dropped.store(counters.notes_dropped, Relaxed);
        self.events_dropped.store(counters.events_dropped, Relaxed);
        self.renders_failed.store(counters.renders_failed, Relaxed);
    }
}
