//! The CUDA renderer: all clouds of a block in one batch on an NVIDIA GPU.
//!
//! No CUDA code runs before `prepare`, and its library is not loaded. `prepare` allocates
//! everything; `submit` lists what sounds and replays a graph (fetch the clouds from the block,
//! render them, mix into the host's memory); `collect` waits. Several blocks may be in flight. Large
//! blocks are sent in pieces instead, so that copies and kernels overlap. A block's memory is pinned
//! when it is first submitted.

pub mod benchmark;
mod device;
mod driver;
mod graph;
mod in_flight;
mod kernels;
mod launch;
mod memory;
mod setup;
mod transfer;
mod turn;
mod upload;

pub use driver::identity;

use device::Device;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::time::Duration;

/// Blocks in flight that overlap. Three are rendered, one is fetched and one mixed; while the host collects some and sends
/// others, the device must not wait.
const OVERLAPPING: usize = 8;

/// Options of a renderer; the defaults are for playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// Submit blocks as graphs; otherwise call by call.
    pub graph: bool,
    /// Have several blocks in flight, so that the host makes one while the device renders another and fetches the next.
    pub overlap: bool,
    /// Run the PTX, which the driver compiles, even where there is machine code for the GPU: for tests.
    pub portable: bool,
    /// Measure the device's stages. Costs a few microseconds a block.
    pub stage_times: bool,
    /// How long a block may take before the device counts as lost.
    pub deadline: Duration,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self {
            graph: true,
            overlap: true,
            portable: false,
            stage_times: false,
            deadline: Duration::from_secs(1),
        }
    }
}

impl CudaOptions {
    /// Blocks that may be in flight.
    fn depth(&self) -> usize {
        if self.overlap { OVERLAPPING } else { 1 }
    }
}

/// What the renderer has allocated and rendered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CudaCounters {
    /// The GPU's name.
    pub gpu: String,
    /// The code it runs: machine code for an architecture, or PTX that the driver compiled.
    pub code: &'static str,
    /// The CUDA version of its driver: 1000 × major + 10 × minor.
    pub driver: u32,
    /// Its compute capability.
    pub capability: (u32, u32),
    /// Its multiprocessors.
    pub processors: u32,
    /// Its highest clock rate.
    pub kilohertz: u32,
    /// Memory on the device.
    pub device_bytes: usize,
    /// Pinned memory of the host.
    pub pinned_bytes: usize,
    /// Blocks rendered.
    pub renders: u64,
    /// Pieces in which these were sent.
    pub pieces: u64,
    /// How often a graph was changed because the load had another size or the block before another slot.
    pub resizes: u64,
    /// Bytes uploaded for the last block.
    pub upload_bytes: usize,
    /// Bytes of mixed audio downloaded.
    pub download_bytes: usize,
    /// Times of the last block.
    pub times: StageTimes,
}

/// Microseconds of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Packing and submitting, on the host.
    pub submit: f32,
    /// Waiting for the device.
    pub wait: f32,
    /// Fetching clouds on the device; measured with [`CudaOptions::stage_times`].
    pub upload: f32,
    /// Rendering on the device, after which the next block may be rendered; measured with [`CudaOptions::stage_times`].
    pub render: f32,
    /// Rendering and mixing on the device; measured with [`CudaOptions::stage_times`].
    pub compute: f32,
}

/// Renders on an NVIDIA GPU.
#[derive(Debug)]
pub struct CudaRenderer {
    index: usize,
    options: CudaOptions,
    device: Option<Device>,
    /// Set by the first failure: the state on the device is then unknown.
    failed: Option<RenderError>,
}

impl CudaRenderer {
    /// A renderer for GPU number `device`. Makes no CUDA call before `prepare`.
    pub fn new(device: usize) -> Self {
        Self::with_options(device, CudaOptions::default())
    }

    /// The same with chosen options.
    pub fn with_options(device: usize, options: CudaOptions) -> Self {
        Self { index: device, options, device: None, failed: None }
    }

    /// Its counters, once prepared.
    pub fn counters(&self) -> Option<&CudaCounters> {
        self.device.as_ref().map(Device::counters)
    }

    /// Free memory of the GPU, in bytes.
    pub fn free_bytes(&self) -> usize {
        self.device.as_ref().map_or(0, Device::free_bytes)
    }

    /// Starts a kernel that fails: for tests. The next render reports it. `prepare` starts anew,
    /// unless the driver then refuses this process ([`crate::GpuError::NeedsRestart`]), as all known
    /// drivers do.
    ///
    /// # Errors
    /// When the kernel cannot be started.
    pub fn provoke_failure(&mut self) -> Result<(), RenderError> {
        let device = self.device.as_ref().ok_or(RenderError::NotPrepared)?;
        device.provoke_failure()
    }

    /// Destroys the device's context, as a driver reset does: for tests. The next call reports it,
    /// and `prepare` starts anew in the same process.
    ///
    /// # Errors
    /// When there is no context.
    pub fn lose_context(&mut self) -> Result<(), RenderError> {
        let device = self.device.as_mut().ok_or(RenderError::NotPrepared)?;
        device.lose_context();
        Ok(())
    }

    /// Uses the device, unless it has failed before; remembers a failure.
    fn attempt<T>(
        &mut self,
        what: impl FnOnce(&mut Device) -> Result<T, RenderError>,
    ) -> Result<T, RenderError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let device = self.device.as_mut().ok_or(RenderError::NotPrepared)?;
        let outcome = what(device);
        match outcome {
            Ok(_) => {}
            // A mistake of the caller; the device has not failed.
            Err(error) if error.is_misuse() => {}
            Err(error) => {
                // Blocks in flight are kept: other kernels may still read them.
                self.failed = Some(error);
            }
        }
        outcome
    }

    fn release(&mut self) {
        // A device that hangs would block every driver call, so its memory is left to the system.
        if let (Some(device), Some(RenderError::Late { .. })) = (&mut self.device, self.failed) {
            device.give_up();
        }
        (self.device, self.failed) = (None, None);
    }
}

impl Drop for CudaRenderer {
    fn drop(&mut self) {
        self.release();
    }
}

impl Renderer for CudaRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.release();
        self.device = Some(Device::new(self.index, capacity, self.options)?);
        Ok(())
    }

    fn reset(&mut self) {
        // A failure is remembered, and the next block reports it.
        let _ = self.attempt(Device::reset);
    }

    fn depth(&self) -> usize {
        self.options.depth()
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.attempt(|device| device.submit(block))
    }

    fn is_finished(&mut self) -> bool {
        // A failure is reported when the block is collected.
        self.device.as_ref().is_none_or(Device::is_finished)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.attempt(|device| device.collect(buses))
    }
}

#[cfg(test)]
mod tests;
