//! The shortest way to a sound: an engine with one patch, and notes that start at once.

use crate::engine::{Engine, EngineConfig, EngineError};
use crate::event::{Event, EventKind};
use crate::params::Param;
use crate::patch::{Patch, factory};

/// Events that may be queued between two calls of [`Synth::render`] without allocating.
const QUEUE: usize = 1_024;

/// An instrument that plays one patch. Events take effect at the start of the next block; use
/// [`Engine`] for events on exact frames, several parts, other renderers or other threads.
pub struct Synth {
    engine: Engine,
    events: Vec<Event>,
}

impl Synth {
    /// An instrument that plays the first factory patch at `sample_rate` frames a second.
    ///
    /// # Errors
    /// When the rate is outside 1,000 to 768,000.
    pub fn new(sample_rate: f32) -> Result<Self, EngineError> {
        let config = EngineConfig { sample_rate, ..EngineConfig::default() };
        let mut synth = Self { engine: Engine::new(&config)?, events: Vec::with_capacity(QUEUE) };
        synth.set_patch(&factory::patches()[0]);
        Ok(synth)
    }

    /// Plays another patch from now on. Notes that sound crossfade. Allocates.
    pub fn set_patch(&mut self, patch: &Patch) {
        self.engine.set_patch(0, patch);
    }

    /// Presses a key, 0 to 127 with 60 as middle C, with a velocity from 0 to 1.
    pub fn note_on(&mut self, key: u8, velocity: f32) {
        self.send(EventKind::NoteOn { key, velocity });
    }

    /// Releases a key.
    pub fn note_off(&mut self, key: u8) {
        self.send(EventKind::NoteOff { key, velocity: 0.5 });
    }

    /// Sets a parameter to a value of its own range.
    pub fn set(&mut self, param: Param, value: f32) {
        self.send(EventKind::Param { param, value });
    }

    /// Queues any other event: bends, controllers, pedals.
    pub fn send(&mut self, kind: EventKind) {
        self.events.push(Event { frame: 0, part: 0, kind });
    }

    /// Renders the next frames. Never allocates, locks or waits.
    pub fn render(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.engine.render(&self.events, left, right);
        self.events.clear();
    }
}
