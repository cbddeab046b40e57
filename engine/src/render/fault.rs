//! A renderer that fails on purpose, so that surviving it can be tested without breaking a card.

use super::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Passes everything on to another renderer, until told to fail.
pub struct FaultRenderer {
    inner: Box<dyn Renderer>,
    fails: Arc<AtomicBool>,
    /// Like a lost context, a failure lasts until the renderer is prepared anew.
    broken: bool,
}

impl FaultRenderer {
    /// Wraps `inner`; fails while `fails` is set, in `render` and in `prepare`.
    pub fn new(inner: Box<dyn Renderer>, fails: Arc<AtomicBool>) -> Self {
        Self {
            inner,
            fails,
            broken: false,
        }
    }
}

impl Renderer for FaultRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(PrepareError::Device(super::DeviceError::NoDriver));
        }
        self.broken = false;
        self.inner.prepare(capacity)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.inner.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.broken |= self.fails.load(Ordering::Relaxed);
        if self.broken {
            let reason = "a fault was injected";
            return Err(RenderError::Call {
                call: "render",
                reason,
            });
        }
        self.inner.collect(buses)
    }
}
