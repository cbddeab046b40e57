//! A renderer that stalls on request.

use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Requests a stall, from any thread.
#[derive(Clone, Default)]
pub(in crate::soak) struct Stall {
    microseconds: Arc<AtomicU64>,
}

impl Stall {
    /// The next block takes longer by `time`.
    pub(in crate::soak) fn request(&self, time: Duration) {
        let microseconds = time.as_micros() as u64;
        self.microseconds.store(microseconds, Ordering::Relaxed);
    }
}

/// A renderer whose blocks are late on request.
pub(in crate::soak) struct Stalling {
    pub(in crate::soak) renderer: Box<dyn Renderer>,
    pub(in crate::soak) stall: Stall,
}

impl Renderer for Stalling {
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
        let microseconds = &self.stall.microseconds;
        if microseconds.load(Ordering::Relaxed) > 0 {
            let time = microseconds.swap(0, Ordering::Relaxed);
            std::thread::sleep(Duration::from_micros(time));
        }
        self.renderer.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.renderer.collect(buses)
    }
}
