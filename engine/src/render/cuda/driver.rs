//! The few calls of the CUDA driver that we need, each checked.
//!
//! A [`Context`] of our own, not the process's primary one: whatever goes wrong in it, other
//! users of CUDA in the same host are not concerned, and dropping it cleans everything up.

use super::kernels;
use crate::render::{DeviceError, RenderError};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A call that failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed {
    call: &'static str,
    code: CUresult,
}

impl Failed {
    fn reason(self) -> &'static str {
        let mut name = std::ptr::null();
        // SAFETY: writes a pointer to a string that lives as long as the driver is loaded, which
        // is until the process ends.
        let code = unsafe { sys::cuGetErrorName(self.code, &mut name) };
        if code != CUresult::CUDA_SUCCESS || name.is_null() {
            return "an error that the driver cannot name";
        }
        // SAFETY: the driver gave us a terminated string, see above.
        let name = unsafe { CStr::from_ptr(name) };
        name.to_str().unwrap_or("an error with a strange name")
    }

    /// Whether it is the failure of a kernel, which makes a process unfit for CUDA.
    fn is_sticky(self) -> bool {
        use CUresult as Code;
        matches!(
            self.code,
            Code::CUDA_ERROR_ILLEGAL_ADDRESS
                | Code::CUDA_ERROR_LAUNCH_TIMEOUT
                | Code::CUDA_ERROR_ASSERT
                | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
                | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
                | Code::CUDA_ERROR_MISALIGNED_ADDRESS
                | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
                | Code::CUDA_ERROR_INVALID_PC
                | Code::CUDA_ERROR_LAUNCH_FAILED
                | Code::CUDA_ERROR_ECC_UNCORRECTABLE
        )
    }

    pub(super) fn is_out_of_memory(self) -> bool {
        self.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }
}

impl From<Failed> for DeviceError {
    fn from(failed: Failed) -> Self {
        let (call, reason) = (failed.call, failed.reason());
        match failed.is_sticky() {
            true => DeviceError::NeedsRestart { reason },
            false => DeviceError::Call { call, reason },
        }
    }
}

impl From<Failed> for RenderError {
    fn from(failed: Failed) -> Self {
        RenderError::Call {
            call: failed.call,
            reason: failed.reason(),
        }
    }
}

/// Calls a function of the driver by name and checks its result.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: arguments are valid for the call: handles are alive, pointers point to memory of
        // the size given, and the context is current where one is needed.
        let code = unsafe { cudarc::driver::sys::$function($($argument),*) };
        $crate::render::cuda::driver::checked(stringify!($function), code)
    }};
}
pub(super) use call;

pub(super) fn checked(call: &'static str, code: CUresult) -> Result<(), Failed> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Failed { call, code }),
    }
}

/// A card, found fit.
#[derive(Clone, Debug)]
pub(super) struct Card {
    handle: sys::CUdevice,
    pub(super) name: String,
    pub(super) capability: (u32, u32),
    pub(super) processors: u32,
    /// The most cycles a second, in thousands.
    pub(super) kilohertz: u32,
    /// The CUDA version of the driver: 1000 × major + 10 × minor.
    pub(super) driver: u32,
}

impl Card {
    /// Looks for the driver and for card number `index`.
    pub(super) fn find(index: usize) -> Result<Self, DeviceError> {
        // SAFETY: loads the driver's library, whose initialisers are made to run in any process.
        if !unsafe { sys::is_culib_present() } {
            return Err(DeviceError::NoDriver);
        }
        match call!(cuInit(0)) {
            Ok(()) => {}
            // The library without a kernel module, or without a card.
            Err(Failed {
                code:
                    CUresult::CUDA_ERROR_NO_DEVICE
                    | CUresult::CUDA_ERROR_STUB_LIBRARY
                    | CUresult::CUDA_ERROR_SYSTEM_NOT_READY,
                ..
            }) => return Err(DeviceError::NoDriver),
            Err(failed) => return Err(failed.into()),
        }
        let mut version = 0;
        call!(cuDriverGetVersion(&mut version))?;
        let found = version as u32;
        if found < kernels::NEEDED_VERSION {
            return Err(DeviceError::DriverTooOld {
                found,
                needed: kernels::NEEDED_VERSION,
            });
        }
        let mut count = 0;
        call!(cuDeviceGetCount(&mut count))?;
        let count = count as usize;
        if index >= count {
            return Err(DeviceError::NoDevice { index, count });
        }
        let mut handle = 0;
        call!(cuDeviceGet(&mut handle, index as i32))?;
        let mut name = [0; 256];
        call!(cuDeviceGetName(
            name.as_mut_ptr(),
            name.len() as i32,
            handle
        ))?;
        // SAFETY: the driver has written a terminated string.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        let attribute = |which| {
            let mut value = 0;
            call!(cuDeviceGetAttribute(&mut value, which, handle)).map(|()| value as u32)
        };
        use sys::CUdevice_attribute as Attribute;
        let card = Card {
            handle,
            name: name.to_string_lossy().into_owned(),
            capability: (
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            processors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            kilohertz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            driver: found,
        };
        if card.capability < kernels::NEEDED_CAPABILITY {
            return Err(DeviceError::CardTooOld {
                name: card.name,
                found: card.capability,
            });
        }
        Ok(card)
    }
}

/// A context, destroyed with the last one who holds it.
#[derive(Debug)]
struct Handle {
    context: sys::CUcontext,
    /// Set when the device hangs: whatever we would call would wait for it.
    hangs: AtomicBool,
    /// Set when the context has been destroyed, and everything in it with it.
    lost: AtomicBool,
}

// SAFETY: a context may be used from any thread; it is made current for each use.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    fn is_gone(&self) -> bool {
        self.hangs.load(Ordering::Relaxed) || self.lost.load(Ordering::Relaxed)
    }

    fn make_current(&self) -> Result<Current, Failed> {
        if self.lost.load(Ordering::Relaxed) {
            // What a driver says of a context that no longer exists, said without asking it: 580
            // takes the dead handle, and corrupts the process's memory.
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

/// A context on a card, with everything allocated in it.
#[derive(Debug)]
pub(super) struct Context {
    handle: Arc<Handle>,
    device_memory: Vec<sys::CUdeviceptr>,
    host_memory: Vec<*mut c_void>,
    pub(super) device_bytes: usize,
    pub(super) host_bytes: usize,
}

// SAFETY: a context may be used from any thread, one at a time; it is made current for each use.
unsafe impl Send for Context {}

/// Makes a context current on this thread, and the one before it again when dropped.
#[derive(Debug)]
pub(super) struct Current;

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = null_mut();
        // Nothing can be done about a failure, and the next push will report it.
        let _ = call!(cuCtxPopCurrent_v2(&mut context));
    }
}

impl Context {
    /// A context, current on this thread until the guard is dropped.
    pub(super) fn new(card: &Card) -> Result<(Self, Current), Failed> {
        let mut context = null_mut();
        let flags = sys::CUctx_flags::CU_CTX_SCHED_SPIN as c_uint;
        call!(cuCtxCreate_v2(&mut context, flags, card.handle))?;
        let handle = Handle {
            context,
            hangs: AtomicBool::new(false),
            lost: AtomicBool::new(false),
        };
        let context = Self {
            handle: Arc::new(handle),
            device_memory: Vec::new(),
            host_memory: Vec::new(),
            device_bytes: 0,
            host_bytes: 0,
        };
        Ok((context, Current))
    }

    pub(super) fn make_current(&self) -> Result<Current, Failed> {
        self.handle.make_current()
    }

    /// Says that the device hangs: from now on nothing is freed any more.
    pub(super) fn give_up(&self) {
        self.handle.hangs.store(true, Ordering::Relaxed);
    }

    /// Destroys the context, as a driver that is reset does: for tests.
    pub(super) fn lose(&self) -> Result<(), Failed> {
        if self.handle.lost.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        call!(cuCtxDestroy_v2(self.handle.context))
    }

    /// Whether nothing in it may be touched or freed any more.
    pub(super) fn is_gone(&self) -> bool {
        self.handle.is_gone()
    }

    /// Device memory for `words` words of four bytes, zeroed.
    pub(super) fn device_words(&mut self, words: usize) -> Result<sys::CUdeviceptr, Failed> {
        let (mut pointer, words) = (0, words.max(1));
        call!(cuMemAlloc_v2(&mut pointer, 4 * words))?;
        self.device_memory.push(pointer);
        self.device_bytes += 4 * words;
        call!(cuMemsetD32_v2(pointer, 0, words))?;
        Ok(pointer)
    }

    /// Memory of the host that the device can reach, for `words` words, zeroed.
    pub(super) fn pinned_words(&mut self, words: usize) -> Result<Pinned, Failed> {
        let (mut pointer, words) = (null_mut(), words.max(1));
        call!(cuMemHostAlloc(&mut pointer, 4 * words, 0))?;
        self.host_memory.push(pointer);
        self.host_bytes += 4 * words;
        let pointer = pointer.cast::<u32>();
        // SAFETY: the driver gave us that many words.
        unsafe { pointer.write_bytes(0, words) };
        Ok(Pinned { pointer, words })
    }

    /// Writes to device memory, and waits. The context is current.
    pub(super) fn write<T: Word>(to: sys::CUdeviceptr, words: &[T]) -> Result<(), Failed> {
        let bytes = size_of_val(words);
        call!(cuMemcpyHtoD_v2(to, words.as_ptr().cast(), bytes))
    }

    /// Reads from device memory, and waits. The context is current.
    pub(super) fn read<T: Word>(from: sys::CUdeviceptr, words: &mut [T]) -> Result<(), Failed> {
        let bytes = size_of_val(words);
        call!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), from, bytes))
    }

    /// Free device memory, in bytes.
    pub(super) fn free_bytes(&self) -> usize {
        let (mut free, mut total) = (0, 0);
        match call!(cuMemGetInfo_v2(&mut free, &mut total)) {
            Ok(()) => free,
            Err(_) => 0,
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_gone() {
            return;
        }
        // After a failure that killed the context these calls fail too, and there is nothing
        // left to free; destroying it is then all there is to do.
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

/// Numbers of four bytes, of which every pattern of bits is one.
pub(super) trait Word: Copy {}
impl Word for u32 {}
impl Word for f32 {}

/// Pinned memory of the host, as words. Belongs to its context, which frees it.
#[derive(Debug)]
pub(super) struct Pinned {
    pointer: *mut u32,
    words: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn words(&self) -> &[u32] {
        // SAFETY: that many words, zeroed when allocated. The owner keeps the context alive and
        // looks only when the device does not write.
        unsafe { std::slice::from_raw_parts(self.pointer, self.words) }
    }

    pub(super) fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above, and the owner writes only when the device does not read.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.words) }
    }

    /// The word at `index`, which the device may be writing. What it wrote before that word is
    /// there too.
    pub(super) fn look(&self, index: usize) -> u32 {
        assert!(index < self.words);
        // SAFETY: within the allocation and aligned; the device writes whole words.
        let word = unsafe { AtomicU32::from_ptr(self.pointer.add(index)) };
        word.load(Ordering::Acquire)
    }

    pub(super) fn address(&self) -> *mut c_void {
        self.pointer.cast()
    }
}

/// Memory of the host that somebody else owns, pinned, so that the device can read it. Who owns
/// it drops this first.
#[derive(Debug)]
pub(super) struct Registered {
    memory: *mut c_void,
    /// Where the device sees it.
    pub(super) address: sys::CUdeviceptr,
    /// When the context is gone, so is the registration.
    context: Weak<Handle>,
    /// Lives as long as this does.
    life: Arc<()>,
}

// SAFETY: only addresses, which are handed to the driver.
unsafe impl Send for Registered {}

impl Registered {
    /// Pins `bytes` bytes. The context is current.
    pub(super) fn new(
        context: &Context,
        (memory, bytes): (*const u8, usize),
    ) -> Result<Self, Failed> {
        let memory = memory.cast_mut().cast();
        call!(cuMemHostRegister_v2(
            memory,
            bytes,
            sys::CU_MEMHOSTREGISTER_DEVICEMAP
        ))?;
        let mut registered = Self {
            memory,
            address: 0,
            context: Arc::downgrade(&context.handle),
            life: Arc::new(()),
        };
        call!(cuMemHostGetDevicePointer_v2(
            &mut registered.address,
            memory,
            0
        ))?;
        Ok(registered)
    }

    /// Tells whether the memory is still pinned.
    pub(super) fn watch(&self) -> Weak<()> {
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

/// A loaded image. Lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module(sys::CUmodule);

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function(pub(super) sys::CUfunction);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Send for Function {}

impl Module {
    pub(super) fn load(image: &'static [u8]) -> Result<Self, Failed> {
        let mut module = null_mut();
        call!(cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        Ok(Self(module))
    }

    pub(super) fn function(self, name: &CStr) -> Result<Function, Failed> {
        let mut function = null_mut();
        call!(cuModuleGetFunction(&mut function, self.0, name.as_ptr()))?;
        Ok(Function(function))
    }
}

/// An event. Lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event(pub(super) sys::CUevent);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    pub(super) fn new() -> Result<Self, Failed> {
        let mut event = null_mut();
        call!(cuEventCreate(&mut event, 0))?;
        Ok(Self(event))
    }

    /// Microseconds from `self` to `later`; both have passed.
    pub(super) fn microseconds_to(self, later: Event) -> Result<f32, Failed> {
        let mut milliseconds = 0.0;
        call!(cuEventElapsedTime(&mut milliseconds, self.0, later.0))?;
        Ok(1000.0 * milliseconds)
    }
}

/// A queue of work. Lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream(pub(super) sys::CUstream);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Stream {}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) grid: [u32; 3],
    pub(super) threads: u32,
}

impl Stream {
    pub(super) fn new() -> Result<Self, Failed> {
        let mut stream = null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        call!(cuStreamCreate(&mut stream, flags))?;
        Ok(Self(stream))
    }

    /// Starts a kernel. `arguments` point to values of the types that the kernel takes.
    pub(super) fn launch(
        self,
        function: Function,
        shape: Shape,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Failed> {
        let [x, y, z] = shape.grid;
        call!(cuLaunchKernel(
            function.0,
            x,
            y,
            z,
            shape.threads,
            1,
            1,
            0,
            self.0,
            arguments.as_mut_ptr(),
            null_mut(),
        ))
    }

    /// Copies `bytes` bytes from pinned memory of the host to the device.
    pub(super) fn copy(
        self,
        to: sys::CUdeviceptr,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Failed> {
        call!(cuMemcpyHtoDAsync_v2(to, from, bytes, self.0))
    }

    pub(super) fn record(self, event: Event) -> Result<(), Failed> {
        call!(cuEventRecord(event.0, self.0))
    }

    /// Has what is queued from now on wait for `event`.
    pub(super) fn wait_for(self, event: Event) -> Result<(), Failed> {
        call!(cuStreamWaitEvent(self.0, event.0, 0))
    }

    /// Whether what is queued has failed.
    pub(super) fn check(self) -> Result<(), Failed> {
        // SAFETY: the stream is alive, and its context is current.
        match unsafe { sys::cuStreamQuery(self.0) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(()),
            code => checked("cuStreamQuery", code),
        }
    }

    /// Waits until all is done, at most `deadline`. Looks all the time: sleeping would cost
    /// longer than most blocks take.
    pub(super) fn finish(self, deadline: Duration) -> Result<(), RenderError> {
        until(deadline, "cuStreamQuery", || {
            // SAFETY: the stream is alive, and its context is current.
            unsafe { sys::cuStreamQuery(self.0) }
        })
    }
}

impl Event {
    /// Waits until it has passed, at most `deadline`.
    pub(super) fn wait(self, deadline: Duration) -> Result<(), RenderError> {
        until(deadline, "cuEventQuery", || {
            // SAFETY: the event is alive, and its context is current.
            unsafe { sys::cuEventQuery(self.0) }
        })
    }
}

fn until(
    deadline: Duration,
    call: &'static str,
    query: impl Fn() -> CUresult,
) -> Result<(), RenderError> {
    let start = Instant::now();
    loop {
        match query() {
            CUresult::CUDA_SUCCESS => return Ok(()),
            CUresult::CUDA_ERROR_NOT_READY if start.elapsed() > deadline => {
                return Err(RenderError::Late {
                    milliseconds: deadline.as_millis() as u64,
                });
            }
            CUresult::CUDA_ERROR_NOT_READY => std::hint::spin_loop(),
            code => return Err(Failed { call, code }.into()),
        }
    }
}
