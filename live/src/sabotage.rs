//! A renderer that is broken for real when somebody asks for it: for tests with a real GPU.

use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Passes everything on, and breaks what it passes it on to before the next block once `now` is
/// set.
pub struct Sabotaged<R> {
    renderer: R,
    fail: fn(&mut R) -> Result<(), RenderError>,
    now: Arc<AtomicBool>,
}

impl<R> Sabotaged<R> {
    /// `fail` breaks `renderer` when `now` says so, each time anew.
    pub fn new(
        renderer: R,
        fail: fn(&mut R) -> Result<(), RenderError>,
        now: Arc<AtomicBool>,
    ) -> Self {
        Self {
            renderer,
            fail,
            now,
        }
    }
}

impl<R: Renderer> Renderer for Sabotaged<R> {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.renderer.prepare(capacity)
    }

    fn reset(&mut self) {
        self.renderer.reset();
    }

    fn depth(&self) -> usize {
        self.renderer.depth()
    }

    fn expect(&mut self) {
        self.renderer.expect();
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.now.load(Ordering::Relaxed) && self.now.swap(false, Ordering::Relaxed) {
            (self.fail)(&mut self.renderer)?;
        }
        self.renderer.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.renderer.collect(buses)
    }
}
