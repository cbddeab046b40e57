//! What tests of endurance do with a session: every frame, exact times, and faults on purpose.

use super::Session;
use myriad_engine::{EventKind, Patch};
use ringbuf::traits::Consumer;
use std::time::Instant;

impl Session {
    /// Lets a device without a time of its own play a block, and has the next one rendered.
    pub fn step(&mut self) {
        self.step_unrendered();
        if let Some(render) = &mut self.render {
            render.step();
        }
    }

    /// The same while the render side is kept from its work.
    pub fn step_unrendered(&mut self) {
        self.device_manager.step();
    }

    /// Appends all frames that were played since the last time to `frames`.
    pub fn hear_frames(&mut self, frames: &mut Vec<[f32; 2]>) {
        if let Some(listener) = &mut self.listener {
            frames.extend(listener.pop_iter());
        }
    }

    /// Frames that were played before those who listen had room for them.
    pub fn unheard(&self) -> u64 {
        let unheard = &self.counters.unrecorded;
        unheard.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The stream's time in frames.
    pub fn time(&self) -> u64 {
        self.control.time()
    }

    /// When its first frame was.
    pub fn stream_started(&self) -> Instant {
        self.control.started()
    }

    /// Frames of the stream from an event to its sound.
    pub fn stream_latency(&self) -> u64 {
        self.control.latency() as u64
    }

    /// Something happens to a part at a frame of the stream. Returns whether there was room.
    pub fn plan(&self, time: u64, part: u8, kind: EventKind) -> bool {
        self.control.send_at(time, part, kind)
    }

    /// Another patch for a part, as soon as possible.
    pub fn set_patch_of(&mut self, part: u8, patch: Patch) {
        if let Err(error) = self.control.set_patch(usize::from(part), patch) {
            self.news.push(error.to_string());
        }
    }

    /// What a soak has found so far, for those who read figures.
    pub fn tell_findings(&mut self, findings: Vec<(&'static str, usize)>) {
        if let Some(observer) = &mut self.observer {
            observer.findings(findings);
        }
    }

    /// A MIDI message arrives.
    pub fn midi(&self, bytes: &[u8]) {
        self.router
            .hear(bytes, |part, kind| self.gestures.play(part, kind));
    }

    /// Has the GPU lose its context for real.
    pub fn lose_gpu(&self) {
        self.renderer.lose_gpu();
    }

    /// Takes the device away, as if it were unplugged.
    pub fn unplug(&mut self) {
        let mut news = self.device_manager.unplug(&self.control);
        self.news.append(&mut news);
    }
}
