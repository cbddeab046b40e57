//! The CUDA driver calls that the renderer needs, each with its result checked.
//!
//! Each renderer has a [`Context`] of its own and does not use the process's primary one: a failure
//! in it does not affect other users of CUDA in the same host, and dropping it frees everything.

mod context;
mod gpu;
mod memory;
mod queue;

pub(super) use context::Context;
pub(super) use gpu::Gpu;
pub use gpu::identity;
pub(super) use memory::{Pinned, Registered};
pub(super) use queue::{Event, Function, Module, Rows, Shape, Stream};

use crate::GpuError;
use cudarc::driver::sys::{self, CUresult};
use myriad_engine::render::RenderError;
use std::ffi::CStr;

/// A failed call.
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

    /// Whether a kernel has failed, after which the driver refuses this process.
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

impl From<Failed> for GpuError {
    fn from(failed: Failed) -> Self {
        let (call, reason) = (failed.call, failed.reason());
        match failed.is_sticky() {
            true => GpuError::NeedsRestart { reason },
            false => GpuError::Call { call, reason },
        }
    }
}

impl From<Failed> for RenderError {
    fn from(failed: Failed) -> Self {
        RenderError::Call { call: failed.call, reason: failed.reason() }
    }
}

/// Calls a function of the driver by name and checks its result.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: arguments are valid for the call: handles are alive, pointers point to memory of
        // the size given, and the context is current where one is needed.
        let code = unsafe { cudarc::driver::sys::$function($($argument),*) };
        $crate::cuda::driver::checked(stringify!($function), code)
    }};
}
pub(super) use call;

pub(super) fn checked(call: &'static str, code: CUresult) -> Result<(), Failed> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Failed { call, code }),
    }
}
