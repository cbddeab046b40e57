//! Why a GPU cannot render.

use myriad_engine::render::{PrepareError, Remedy};

/// What is wrong with a GPU or its driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// This build was made without the feature.
    #[error("this build of Myriad has no CUDA renderer")]
    NotBuilt,
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
    /// There are fewer GPUs than that.
    #[error("no CUDA device {index}: this machine has {count}")]
    NoDevice {
        /// The one asked for.
        index: usize,
        /// Those there are.
        count: usize,
    },
    /// The GPU cannot run our kernels.
    #[error("{name} is too old: it has compute capability {}.{}, and 6.0 is needed", found.0, found.1)]
    GpuTooOld {
        /// What the GPU calls itself.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
    },
    /// The GPU has less free memory than the renderer needs.
    #[error("{name} has {free} MiB free, and {slots} clouds need {needed} MiB")]
    OutOfMemory {
        /// What the GPU calls itself.
        name: String,
        /// Clouds asked for.
        slots: usize,
        /// MiB they need.
        needed: usize,
        /// MiB there are.
        free: usize,
    },
    /// A kernel has failed in this process, whoever's it was. From then on the driver refuses every
    /// new context in the same process with the same error, so trying again is no use.
    #[error("CUDA has failed in this program ({reason}); restart it to use the GPU again")]
    NeedsRestart {
        /// The driver's name for what happened.
        reason: &'static str,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// Which one.
        call: &'static str,
        /// The driver's name for what happened.
        reason: &'static str,
    },
}

impl GpuError {
    fn remedy(&self) -> Remedy {
        match self {
            GpuError::NotBuilt
            | GpuError::NoDriver
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
        PrepareError::Device {
            remedy: error.remedy(),
            source: Box::new(error),
        }
    }
}
