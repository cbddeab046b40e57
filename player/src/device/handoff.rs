//! Hands the one [`AudioCallback`] from device to device.
//!
//! Devices come and go: they are unplugged, their server is restarted. So a device does not own the
//! callback. It takes it out for each block and puts it back, which is a few atomic operations. A device
//! that finds no callback plays silence.
//!
//! Only one device is active at a time: one that is being opened, or that answers again after it was
//! given up, must not take blocks away from the one that plays.

use super::callback::AudioCallback;
use crossbeam_queue::ArrayQueue;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies a device.
pub type DeviceId = u64;

/// Holds the callback while no device uses it.
pub struct CallbackHandoff {
    callback: ArrayQueue<Box<AudioCallback>>,
    active: AtomicU64,
}

impl Default for CallbackHandoff {
    /// Empty; device 0 is active.
    fn default() -> Self {
        Self { callback: ArrayQueue::new(1), active: AtomicU64::new(0) }
    }
}

impl CallbackHandoff {
    /// From now on, only this device plays.
    pub fn set_active(&self, device_id: DeviceId) {
        self.active.store(device_id, Ordering::Release);
    }

    pub fn put(&self, callback: Box<AudioCallback>) {
        // There is only one callback, so there is room.
        drop(self.callback.push(callback));
    }

    /// None while a device uses it.
    pub fn take(&self) -> Option<Box<AudioCallback>> {
        self.callback.pop()
    }

    /// Lets a device use the callback for a block. Returns false when there is none, or the device is
    /// not the active one.
    pub fn with_callback(
        &self,
        device_id: DeviceId,
        play: impl FnOnce(&mut AudioCallback),
    ) -> bool {
        if self.active.load(Ordering::Acquire) != device_id {
            return false;
        }
        match self.callback.pop() {
            Some(mut callback) => {
                play(&mut callback);
                self.put(callback);
                true
            }
            None => false,
        }
    }
}
