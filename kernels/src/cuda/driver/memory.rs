//! Host memory that the device can access.

use super::context::{Context, Handle};
use super::{Failed, call};
use cudarc::driver::sys;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

/// Types of four bytes for which every bit pattern is valid.
pub(in crate::cuda) trait Word: Copy {}
impl Word for u32 {}
impl Word for f32 {}

/// Pinned host memory, as words. The context owns and frees it.
#[derive(Debug)]
pub(in crate::cuda) struct Pinned {
    pointer: *mut u32,
    words: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn new(pointer: *mut u32, words: usize) -> Self {
        Self { pointer, words }
    }

    pub(in crate::cuda) fn words(&self) -> &[u32] {
        // SAFETY: that many words, zeroed when allocated. The owner keeps the context alive and
        // reads only when the device does not write.
        unsafe { std::slice::from_raw_parts(self.pointer, self.words) }
    }

    pub(in crate::cuda) fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above, and the owner writes only when the device does not read.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.words) }
    }

    /// The word at `index`, which the device may be writing. What the device wrote before that word
    /// is visible too.
    pub(in crate::cuda) fn load(&self, index: usize) -> u32 {
        assert!(index < self.words);
        // SAFETY: within the allocation and aligned; the device writes whole words.
        let word = unsafe { AtomicU32::from_ptr(self.pointer.add(index)) };
        word.load(Ordering::Acquire)
    }

    pub(in crate::cuda) fn address(&self) -> *mut c_void {
        self.pointer.cast()
    }
}

/// Pinned host memory that belongs to another owner, so that the device can read it. The owner drops
/// this before the memory.
#[derive(Debug)]
pub(in crate::cuda) struct Registered {
    memory: *mut c_void,
    /// The device's address of it.
    pub(in crate::cuda) address: sys::CUdeviceptr,
    /// When the context is dropped, the registration ends.
    context: Weak<Handle>,
    /// Shows through a weak reference whether the memory is still pinned.
    life: Arc<()>,
}

// SAFETY: only addresses, which are handed to the driver.
unsafe impl Send for Registered {}

impl Registered {
    /// Pins `bytes` bytes. The context is current.
    pub(in crate::cuda) fn new(
        context: &Context,
        (memory, bytes): (*const u8, usize),
    ) -> Result<Self, Failed> {
        let memory = memory.cast_mut().cast();
        call!(cuMemHostRegister_v2(memory, bytes, sys::CU_MEMHOSTREGISTER_DEVICEMAP))?;
        let mut registered = Self {
            memory,
            address: 0,
            context: Arc::downgrade(&context.handle),
            life: Arc::new(()),
        };
        call!(cuMemHostGetDevicePointer_v2(&mut registered.address, memory, 0))?;
        Ok(registered)
    }

    /// Dead once the memory is no longer pinned.
    pub(in crate::cuda) fn watch(&self) -> Weak<()> {
        Arc::downgrade(&self.life)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let Some(context) = self.context.upgrade() else {
            return;
        };
        if context.is_gone() {
            return;
        }
        // Nothing can be done about a failure.
        if let Ok(_current) = context.make_current() {
            let _ = call!(cuMemHostUnregister(self.memory));
        }
    }
}
