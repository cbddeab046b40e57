//! Kernels, events, and the queues (CUDA streams) that run them.

use super::{Failed, call, checked};
use cudarc::driver::sys::{self, CUresult};
use myriad_engine::render::RenderError;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// A loaded image. It lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Module(sys::CUmodule);

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Function(pub(in crate::cuda) sys::CUfunction);

impl Function {
    /// How many of its blocks of so many threads a multiprocessor runs at once.
    pub(in crate::cuda) fn blocks_at_once(self, threads: u32) -> Result<u32, Failed> {
        let (mut blocks, threads) = (0, threads as c_int);
        call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.0, threads, 0))?;
        Ok(blocks as u32)
    }
}

// SAFETY: handles may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Send for Function {}

impl Module {
    pub(in crate::cuda) fn load(image: &'static [u8]) -> Result<Self, Failed> {
        let mut module = null_mut();
        call!(cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        Ok(Self(module))
    }

    pub(in crate::cuda) fn function(self, name: &CStr) -> Result<Function, Failed> {
        let mut function = null_mut();
        call!(cuModuleGetFunction(&mut function, self.0, name.as_ptr()))?;
        Ok(Function(function))
    }
}

/// An event. Lives as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Event(pub(in crate::cuda) sys::CUevent);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    pub(in crate::cuda) fn new() -> Result<Self, Failed> {
        let mut event = null_mut();
        call!(cuEventCreate(&mut event, 0))?;
        Ok(Self(event))
    }

    /// Microseconds from `self` to `later`, both of which have happened.
    pub(in crate::cuda) fn microseconds_to(self, later: Event) -> Result<f32, Failed> {
        let mut milliseconds = 0.0;
        call!(cuEventElapsedTime(&mut milliseconds, self.0, later.0))?;
        Ok(1000.0 * milliseconds)
    }

    /// Waits until it has happened, at most `deadline`.
    pub(in crate::cuda) fn wait(self, deadline: Duration) -> Result<(), RenderError> {
        until(deadline, "cuEventQuery", || {
            // SAFETY: the event is alive, and its context is current.
            unsafe { sys::cuEventQuery(self.0) }
        })
    }
}

/// A queue of work. Lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Stream(pub(in crate::cuda) sys::CUstream);

// SAFETY: handles may be used from any thread.
unsafe impl Send for Stream {}

/// Rows of memory, of so many bytes, which begin so many bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Rows {
    pub(in crate::cuda) count: usize,
    pub(in crate::cuda) bytes: usize,
    pub(in crate::cuda) apart: usize,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Shape {
    pub(in crate::cuda) grid: [u32; 3],
    pub(in crate::cuda) threads: u32,
}

impl Stream {
    pub(in crate::cuda) fn new() -> Result<Self, Failed> {
        let mut stream = null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        call!(cuStreamCreate(&mut stream, flags))?;
        Ok(Self(stream))
    }

    /// Starts a kernel. `arguments` point to values of the types that the kernel takes.
    pub(in crate::cuda) fn launch(
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
    pub(in crate::cuda) fn copy(
        self,
        to: sys::CUdeviceptr,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Failed> {
        call!(cuMemcpyHtoDAsync_v2(to, from, bytes, self.0))
    }

    /// Copies `rows.count` rows from pinned memory of the host to the device.
    pub(in crate::cuda) fn copy_rows(
        self,
        to: sys::CUdeviceptr,
        from: *const c_void,
        rows: Rows,
    ) -> Result<(), Failed> {
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: from,
            srcDevice: 0,
            srcArray: null_mut(),
            srcPitch: rows.apart,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstHost: null_mut(),
            dstDevice: to,
            dstArray: null_mut(),
            dstPitch: rows.apart,
            WidthInBytes: rows.bytes,
            Height: rows.count,
        };
        call!(cuMemcpy2DAsync_v2(&copy, self.0))
    }

    pub(in crate::cuda) fn record(self, event: Event) -> Result<(), Failed> {
        call!(cuEventRecord(event.0, self.0))
    }

    /// Work that is queued from now on waits for `event`.
    pub(in crate::cuda) fn wait_for(self, event: Event) -> Result<(), Failed> {
        call!(cuStreamWaitEvent(self.0, event.0, 0))
    }

    /// Reports a failure of queued work.
    pub(in crate::cuda) fn check(self) -> Result<(), Failed> {
        // SAFETY: the stream is alive, and its context is current.
        match unsafe { sys::cuStreamQuery(self.0) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(()),
            code => checked("cuStreamQuery", code),
        }
    }

    /// Waits until all queued work is done, at most `deadline`. Spins, because sleeping takes longer
    /// than most blocks.
    pub(in crate::cuda) fn finish(self, deadline: Duration) -> Result<(), RenderError> {
        until(deadline, "cuStreamQuery", || {
            // SAFETY: the stream is alive, and its context is current.
            unsafe { sys::cuStreamQuery(self.0) }
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
                return Err(RenderError::Late { milliseconds: deadline.as_millis() as u64 });
            }
            CUresult::CUDA_ERROR_NOT_READY => std::hint::spin_loop(),
            code => return Err(Failed { call, code }.into()),
        }
    }
}
