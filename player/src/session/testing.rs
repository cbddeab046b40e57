//! What soak tests do with a session: read every frame, send events at exact times, inject faults.

use super::Session;
use myriad_engine::{EngineConfig, EventKind, Patch};
use myriad_live::stream::LogEntry;
use ringbuf::traits::Consumer;
use std::sync::PoisonError;
use std::time::Instant;

impl Session {
    /// Plays a block in virtual time and renders the next one.
    pub fn step(&mut self) {
        self.step_unrendered();
        if let Some(render) = &mut self.render {
            render.step();
        }
    }

    /// The same while the render side is stalled.
    pub fn step_unrendered(&mut self) {
        self.device_manager.step();
    }

    /// Appends the frames that were played since the last call.
    pub fn hear_frames(&mut self, frames: &mut Vec<[f32; 2]>) {
        if let Some(listener) = &mut self.listener {
            frames.extend(listener.pop_iter());
        }
    }

    /// Frames that were lost because the ring buffer of [`hear_frames`](Self::hear_frames) was full.
    pub fn unheard(&self) -> u64 {
        let unheard = &self.counters.unrecorded;
        unheard.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Appends what the engine was given since the last call. Returns false when entries are missing.
    pub fn read_log(&self, entries: &mut Vec<LogEntry>) -> bool {
        self.control.read_log(entries)
    }

    /// What an engine must be built for to render the same as that of the session.
    pub fn engine_config(&self) -> EngineConfig {
        self.control.engine_config()
    }

    /// The stream's time in frames.
    pub fn time(&self) -> u64 {
        self.control.time()
    }

    /// The time of its first frame.
    pub fn stream_started(&self) -> Instant {
        self.control.started()
    }

    /// Frames of the stream from an event to its sound.
    pub fn stream_latency(&self) -> u64 {
        self.control.latency() as u64
    }

    /// Sends an event at a frame of the stream. Returns whether there was room in the queue.
    pub fn plan(&self, time: u64, part: u8, kind: EventKind) -> bool {
        self.control.send_at(time, part, kind)
    }

    pub fn set_patch_of(&mut self, part: u8, patch: Patch) {
        if let Err(error) = self.control.set_patch(usize::from(part), patch) {
            self.news.push(error.to_string());
        }
    }

    /// Publishes what a soak test has found so far as metrics.
    pub fn tell_findings(&mut self, findings: Vec<(&'static str, usize)>) {
        if let Some(observer) = &mut self.observer {
            observer.findings(findings);
        }
    }

    /// Simulates a MIDI message.
    pub fn midi(&self, bytes: &[u8]) {
        let mut channels = self.simulated.lock().unwrap_or_else(PoisonError::into_inner);
        self.router.hear(&mut channels, bytes, |part, kind| self.gestures.play(part, kind));
    }

    /// Destroys the GPU's context.
    pub fn lose_gpu(&self) {
        self.renderer.lose_gpu();
    }

    /// Simulates the loss of the device.
    pub fn unplug(&mut self) {
        let mut news = self.device_manager.unplug(&self.control);
        self.news.append(&mut news);
    }
}
