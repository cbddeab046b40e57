//! Everything that runs on or talks to an NVIDIA GPU: the CUDA kernels (sources in `cuda/`, built code
//! in `built/`), the driver calls, the renderer, and the child process that it can run in.

pub mod cuda;
mod error;
#[cfg(target_os = "linux")]
pub mod remote;

pub use error::GpuError;
