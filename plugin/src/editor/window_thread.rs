//! Makes closing a window wait for the end of the window's thread.
//!
//! On X11 a window has a thread of its own. A window of baseview 0.4.2 that is dropped asks it for a last answer,
//! and forgets the thread if that ends without one. It may then still close the display while the host exits or
//! unloads the plugin, which crashes.

use nice_plug::editor::dpi::Size;
use nice_plug::editor::{HostCallbacks, HostMethods};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::error::Error;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

thread_local! {
    /// Dropped when the thread ends, after all that the thread owned.
    static ALIVE: RefCell<Option<Sender<()>>> = const { RefCell::new(None) };
}

/// The thread of a window, for those who wait for its end.
#[derive(Clone, Default)]
pub(super) struct WindowThread(Arc<Mutex<Option<Receiver<()>>>>);

impl WindowThread {
    /// The calling thread is the window's.
    pub(super) fn entered(&self) {
        let (alive, ended) = channel();
        ALIVE.set(Some(alive));
        *self.0.lock() = Some(ended);
    }

    /// Returns once the thread has ended; at once if there never was one.
    fn wait_for_end(&self) {
        if let Some(ended) = self.0.lock().take() {
            // Nothing is ever sent: this fails when the sender is dropped.
            let _ = ended.recv();
        }
    }
}

/// What the window calls in the host. The window drops it last, on the thread of the host that closes it.
struct WaitingCallbacks {
    host: Box<dyn HostCallbacks>,
    thread: WindowThread,
}

impl HostCallbacks for WaitingCallbacks {
    fn request_resize(&mut self, size: Size, scale_factor: f64) -> Result<(), Box<dyn Error>> {
        self.host.request_resize(size, scale_factor)
    }

    fn destroyed(&mut self) {
        self.host.destroyed();
    }
}

impl Drop for WaitingCallbacks {
    fn drop(&mut self) {
        self.thread.wait_for_end();
    }
}

/// The same methods of the host, for a window whose closing waits for its thread.
pub(super) fn waiting(host: HostMethods, thread: WindowThread) -> HostMethods {
    let callbacks = Box::new(WaitingCallbacks { host: host.callbacks, thread });
    HostMethods { callbacks, ..host }
}
