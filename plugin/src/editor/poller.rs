//! Lets a window look for requests to repaint, once it has been drawn.
//!
//! baseview 0.4.2 never draws a window on X11 if a repaint is requested before the host shows it: it asks
//! the display for a frame then, but hears of frames only from when the window is shown. Its own timer
//! would look after 16 ms, and hosts may take longer than that between creating an editor and showing it.

use nice_plug_egui::baseview::WindowWaker;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a window looks.
const INTERVAL: Duration = Duration::from_millis(15);

/// A thread that wakes the window until this is dropped.
pub(super) struct Poller {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Poller {
    /// None if the system has no thread to give; the editor then repaints when it is used.
    pub(super) fn start(waker: WindowWaker) -> Option<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new().name("myriad-repaint".into()).spawn(move || {
            while !stopped.load(Relaxed) {
                waker.request_poll();
                std::thread::park_timeout(INTERVAL);
            }
        });
        Some(Self { stop, thread: Some(thread.ok()?) })
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It never waits for anything. A host may unload this code right afterwards.
            let _ = thread.join();
        }
    }
}
