//! The stage: where the engine's audio side waits for whatever device is there to play it.
//!
//! Devices come and go: they are unplugged, their server is restarted. So a device does not own
//! the sound. Its callback takes the [`AudioCallback`] off the stage, fills a block, and puts it back; all
//! of that is a few atomic operations. A device that finds the stage empty plays silence.
//!
//! Only one device is admitted at a time: one that is being opened, or comes back from the dead,
//! must not take blocks away from the one that plays.

use super::callback::AudioCallback;
use crossbeam_queue::ArrayQueue;
use std::sync::atomic::{AtomicU64, Ordering};

/// What tells devices apart.
pub type DeviceId = u64;

/// Holds the feed while no callback is using it.
pub struct CallbackHandoff {
    callback: ArrayQueue<Box<AudioCallback>>,
    /// The device that may play.
    admitted: AtomicU64,
}

impl CallbackHandoff {
    /// An empty stage, for the device with ticket 0.
    pub fn new() -> Self {
        Self {
            callback: ArrayQueue::new(1),
            admitted: AtomicU64::new(0),
        }
    }

    /// From now on only the device with this ticket plays.
    pub fn admit(&self, device_id: DeviceId) {
        self.admitted.store(device_id, Ordering::Release);
    }

    /// Puts the feed where devices find it.
    pub fn enter(&self, callback: Box<AudioCallback>) {
        // There is one feed, so there is room. Were there another, the stranger would be freed.
        drop(self.callback.push(callback));
    }

    /// Takes the feed away from devices; none while a callback is using it.
    pub fn leave(&self) -> Option<Box<AudioCallback>> {
        self.callback.pop()
    }

    /// For callbacks: lets `play` have the feed for a block. False when there is none, or for
    /// devices that are not admitted.
    pub fn perform(&self, device_id: DeviceId, play: impl FnOnce(&mut AudioCallback)) -> bool {
        if self.admitted.load(Ordering::Acquire) != device_id {
            return false;
        }
        match self.callback.pop() {
            Some(mut callback) => {
                play(&mut callback);
                self.enter(callback);
                true
            }
            None => false,
        }
    }
}
