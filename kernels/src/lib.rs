//! Everything that runs on or talks to an NVIDIA GPU: the CUDA kernels (sources in `cuda/`, built code
//! in `built/`), the driver calls, the renderer, and the service that renders for all clients of a user.

pub mod cuda;
mod error;
#[cfg(target_os = "linux")]
pub mod service;

pub use error::GpuError;

/// The subcommand of `myriad` that is the render service.
pub const SUBCOMMAND: &str = "render-service";
