//! A context on a GPU, and the memory allocated in it.

use super::gpu::Gpu;
use super::memory::{Pinned, Word};
use super::{Failed, call, checked};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A context, destroyed with the last reference to it.
#[derive(Debug)]
pub(super) struct Handle {
    context: sys::CUcontext,
    /// Set when the device hangs: every driver call would then block.
    hangs: AtomicBool,
    /// Set when the context has been destroyed, and everything in it with it.
    lost: AtomicBool,
}

// SAFETY: a context may be used from any thread; it is made current for each use.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    pub(super) fn is_gone(&self) -> bool {
        self.hangs.load(Ordering::Relaxed) || self.lost.load(Ordering::Relaxed)
    }

    pub(super) fn make_current(&self) -> Result<Current, Failed> {
        if self.lost.load(Ordering::Relaxed) {
            // The driver is not called: version 580 accepts the dead handle and corrupts the
            // process's memory.
            let code = CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED;
            checked("cuCtxPushCurrent_v2", code)?;
        }
        call!(cuCtxPushCurrent_v2(self.context))?;
        Ok(Current)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.is_gone() {
            // Nothing can be done about a failure.
            let _ = call!(cuCtxDestroy_v2(self.context));
        }
    }
}

/// A context on a GPU, with everything allocated in it.
#[derive(Debug)]
pub(in crate::cuda) struct Context {
    pub(super) handle: Arc<Handle>,
    device_memory: Vec<sys::CUdeviceptr>,
    host_memory: Vec<*mut c_void>,
    /// Destroys a context that is being lost.
    destroyer: Option<JoinHandle<()>>,
    pub(in crate::cuda) device_bytes: usize,
    pub(in crate::cuda) host_bytes: usize,
}

// SAFETY: a context may be used from any thread, one at a time; it is made current for each use.
unsafe impl Send for Context {}

/// Makes a context current on this thread, and the one before it again when dropped.
#[derive(Debug)]
pub(in crate::cuda) struct Current;

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = null_mut();
        // Nothing can be done about a failure, and the next push will report it.
        let _ = call!(cuCtxPopCurrent_v2(&mut context));
    }
}

impl Context {
    /// A context, current on this thread until the guard is dropped.
    pub(in crate::cuda) fn new(gpu: &Gpu) -> Result<(Self, Current), Failed> {
        let mut context = null_mut();
        let flags = sys::CUctx_flags::CU_CTX_SCHED_SPIN as c_uint;
        call!(cuCtxCreate_v2(&mut context, flags, gpu.handle))?;
        let handle =
            Handle { context, hangs: AtomicBool::new(false), lost: AtomicBool::new(false) };
        let context = Self {
            handle: Arc::new(handle),
            device_memory: Vec::new(),
            host_memory: Vec::new(),
            destroyer: None,
            device_bytes: 0,
            host_bytes: 0,
        };
        Ok((context, Current))
    }

    pub(in crate::cuda) fn make_current(&self) -> Result<Current, Failed> {
        self.handle.make_current()
    }

    /// Marks the device as hanging: from now on nothing is freed.
    pub(in crate::cuda) fn give_up(&self) {
        self.handle.hangs.store(true, Ordering::Relaxed);
    }

    /// Destroys the context from another thread, as a driver reset does: for tests. The next call
    /// fails; destroying takes a while.
    pub(in crate::cuda) fn lose(&mut self) {
        if !self.handle.lost.swap(true, Ordering::Relaxed) {
            let handle = Arc::clone(&self.handle);
            self.destroyer = Some(std::thread::spawn(move || {
                // Nothing can be done about a failure.
                let _ = call!(cuCtxDestroy_v2(handle.context));
            }));
        }
    }

    /// Whether nothing in it may be used or freed any more.
    pub(in crate::cuda) fn is_gone(&self) -> bool {
        self.handle.is_gone()
    }

    /// Device memory for `words` words of four bytes, zeroed.
    pub(in crate::cuda) fn device_words(
        &mut self,
        words: usize,
    ) -> Result<sys::CUdeviceptr, Failed> {
        let (mut pointer, words) = (0, words.max(1));
        call!(cuMemAlloc_v2(&mut pointer, 4 * words))?;
        self.device_memory.push(pointer);
        self.device_bytes += 4 * words;
        call!(cuMemsetD32_v2(pointer, 0, words))?;
        Ok(pointer)
    }

    /// Pinned host memory for `words` words, zeroed.
    pub(in crate::cuda) fn pinned_words(&mut self, words: usize) -> Result<Pinned, Failed> {
        let (mut pointer, words) = (null_mut(), words.max(1));
        call!(cuMemHostAlloc(&mut pointer, 4 * words, 0))?;
        self.host_memory.push(pointer);
        self.host_bytes += 4 * words;
        let pointer = pointer.cast::<u32>();
        // SAFETY: the driver gave us that many words.
        unsafe { pointer.write_bytes(0, words) };
        Ok(Pinned::new(pointer, words))
    }

    /// Writes to device memory, and waits. The context is current.
    pub(in crate::cuda) fn write<T: Word>(to: sys::CUdeviceptr, words: &[T]) -> Result<(), Failed> {
        let bytes = size_of_val(words);
        call!(cuMemcpyHtoD_v2(to, words.as_ptr().cast(), bytes))?;
        // From memory that is not pinned, the call may return before the copy has ended; our queues do
        // not wait for the default queue, which does the copy.
        call!(cuStreamSynchronize(null_mut()))
    }

    /// Reads from device memory, and waits. The context is current.
    pub(in crate::cuda) fn read<T: Word>(
        from: sys::CUdeviceptr,
        words: &mut [T],
    ) -> Result<(), Failed> {
        let bytes = size_of_val(words);
        call!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), from, bytes))
    }

    /// Free device memory, in bytes.
    pub(in crate::cuda) fn free_bytes(&self) -> usize {
        let (mut free, mut total) = (0, 0);
        match call!(cuMemGetInfo_v2(&mut free, &mut total)) {
            Ok(()) => free,
            Err(_) => 0,
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(destroyer) = self.destroyer.take() {
            // The owner of the context then frees what the device reads. A panic there would have
            // been a failure, about which nothing can be done.
            let _ = destroyer.join();
        }
        if self.is_gone() {
            return;
        }
        // After a failure that destroyed the context these calls fail too, and nothing is left to free.
        if let Ok(_current) = self.make_current() {
            for &pointer in &self.device_memory {
                let _ = call!(cuMemFree_v2(pointer));
            }
            for &pointer in &self.host_memory {
                let _ = call!(cuMemFreeHost(pointer));
            }
        }
    }
}
