//! Why a GPU cannot render.

use myriad_engine::render::{PrepareError, Remedy};

/// What is wrong with a GPU or its driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The driver's library is not there, or finds no GPU at all.
    #[error("no NVIDIA driver found on this machine")]
    NoDriver,
    /// The driver cannot run our kernels.
    #[error(
        "the NVIDIA driver is too old: it has CUDA {}.{}, and {}.{} is needed (driver 530 or newer)",
        found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10
    )]
    DriverTooOld {
        /// The CUDA version it has, as the driver counts: 1000 × major + 10 × minor.
        found: u32,
        /// The one our kernels need.
        needed: u32,
    },
    /// No GPU has this index.
    #[error("no CUDA device {index}: this machine has {count}")]
    NoDevice {
        /// The requested index.
        index: usize,
        /// The number of GPUs.
        count: usize,
    },
    /// The GPU cannot run our kernels.
    #[error("{name} is too old: it has compute capability {}.{}, and 6.0 is needed", found.0, found.1)]
    GpuTooOld {
        /// The GPU's name.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
    },
    /// The GPU has less free memory than the renderer needs.
    #[error("{name} has {free} MiB free, and {slots} clouds need {needed} MiB")]
    OutOfMemory {
        /// The GPU's name.
        name: String,
        /// Requested clouds.
        slots: usize,
        /// MiB that these clouds need.
        needed: usize,
        /// MiB that are free.
        free: usize,
    },
    /// A kernel has failed in this process, ours or another library's. The driver then refuses every
    /// new context in the same process with the same error, so a retry here is useless.
    #[error("CUDA has failed in this program ({reason}); restart it to use the GPU again")]
    NeedsRestart {
        /// The driver's name for the error.
        reason: &'static str,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// The driver function.
        call: &'static str,
        /// The driver's name for the error.
        reason: &'static str,
    },
}

impl GpuError {
    fn remedy(&self) -> Remedy {
        match self {
            GpuError::NoDriver
            | GpuError::DriverTooOld { .. }
            | GpuError::NoDevice { .. }
            | GpuError::GpuTooOld { .. } => Remedy::Nothing,
            GpuError::NeedsRestart { .. } => Remedy::AnotherProcess,
            GpuError::OutOfMemory { .. } => Remedy::FewerClouds,
            GpuError::Call { .. } => Remedy::Retry,
        }
    }
}

impl From<GpuError> for PrepareError {
    fn from(error: GpuError) -> Self {
        PrepareError::Device { remedy: error.remedy(), source: Box::new(error) }
    }
}
