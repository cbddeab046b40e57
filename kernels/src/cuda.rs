//! The CUDA renderer: all clouds of a block in one batch on an NVIDIA GPU.
//!
//! Nothing of CUDA is touched before `prepare`, not even its library. `prepare` allocates
//! everything; `submit` lists what sounds and replays a graph (fetch the clouds from the block,
//! render them, mix into the host's memory); `collect` waits. Two blocks may be under way. Large
//! ones travel in pieces instead, so that copying and computing overlap. The first time that a
//! block is seen its memory is pinned.

mod device;
mod driver;
mod graph;
mod identity;
mod in_flight;
mod kernels;
mod launch;
mod memory;
mod setup;
mod transfer;
mod upload;
pub mod yardstick;

pub use identity::identity;

use device::Device;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::time::Duration;

/// How a renderer goes about its work; the defaults are for playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// Submit blocks as graphs; otherwise call by call.
    pub graph: bool,
    /// Have two blocks under way, so that the host makes one while the device renders another.
    pub overlap: bool,
    /// Run the PTX that is for GPUs of no architecture we have machine code for, whatever the
    /// GPU: for tests. The driver compiles it.
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
    /// Blocks that may be under way at once.
    fn depth(&self) -> usize {
        if self.overlap { 2 } else { 1 }
    }
}

/// What the renderer holds and has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CudaCounters {
    /// What the GPU calls itself.
    pub gpu: String,
    /// The code it runs: machine code for an architecture, or PTX that the driver compiled.
    pub code: &'static str,
    /// The CUDA version of its driver: 1000 × major + 10 × minor.
    pub driver: u32,
    /// Its compute capability.
    pub capability: (u32, u32),
    /// Its multiprocessors.
    pub processors: u32,
    /// The most cycles a second that it runs at, in thousands.
    pub kilohertz: u32,
    /// Memory on the device.
    pub device_bytes: usize,
    /// Pinned memory of the host.
    pub pinned_bytes: usize,
    /// Blocks rendered.
    pub renders: u64,
    /// Pieces in which they travelled.
    pub pieces: u64,
    /// How often a graph had to be changed because the load had moved to another size.
    pub resizes: u64,
    /// Bytes uploaded for the last block.
    pub upload_bytes: usize,
    /// Bytes of mixed audio that came back.
    pub download_bytes: usize,
    /// Where the time of the last block went.
    pub times: StageTimes,
}

/// Microseconds of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Packing and submitting, on the host.
    pub submit: f32,
    /// Waiting for the device.
    pub wait: f32,
    /// On the device, when [`CudaOptions::stage_times`] asks: fetching clouds,
    pub upload: f32,
    /// and rendering and mixing, into the host's memory.
    pub compute: f32,
}

/// Renders on an NVIDIA GPU.
#[derive(Debug)]
pub struct CudaRenderer {
    index: usize,
    options: CudaOptions,
    device: Option<Device>,
    /// Set by the first failure: what the device remembers cannot be trusted any more.
    failed: Option<RenderError>,
}

impl CudaRenderer {
    /// A renderer for GPU number `device`. Touches nothing yet.
    pub fn new(device: usize) -> Self {
        Self::with_options(device, CudaOptions::default())
    }

    /// The same with chosen options.
    pub fn with_options(device: usize, options: CudaOptions) -> Self {
        Self {
            index: device,
            options,
            device: None,
            failed: None,
        }
    }

    /// What it holds and has done, once prepared.
    pub fn counters(&self) -> Option<&CudaCounters> {
        self.device.as_ref().map(Device::counters)
    }

    /// Free memory of the GPU, in bytes.
    pub fn free_bytes(&self) -> usize {
        self.device.as_ref().map_or(0, Device::free_bytes)
    }

    /// Has the device fail for real: for tests. The next render reports it. `prepare` starts anew,
    /// unless the driver now refuses this process ([`crate::GpuError::NeedsRestart`]), as those
    /// we have seen do.
    ///
    /// # Errors
    /// When not even that can be submitted.
    pub fn provoke_failure(&mut self) -> Result<(), RenderError> {
        let device = self.device.as_ref().ok_or(RenderError::NotPrepared)?;
        device.provoke_failure()
    }

    /// Loses the device's context for real, as when a driver is reset: for tests. The next call
    /// reports it, and `prepare` starts anew in the same process.
    ///
    /// # Errors
    /// When there is no context.
    pub fn lose_context(&mut self) -> Result<(), RenderError> {
        let device = self.device.as_mut().ok_or(RenderError::NotPrepared)?;
        device.lose_context();
        Ok(())
    }

    /// Uses the device, unless it has failed before; remembers when it fails.
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
            Err(error) if error.is_misuse() => {}
            Err(error) => {
                // What is under way is kept: other kernels may still read it.
                self.failed = Some(error);
            }
        }
        outcome
    }

    fn let_go(&mut self) {
        // Whatever we would call would wait for what does not come: leave it to the system.
        if let (Some(device), Some(RenderError::Late { .. })) = (&mut self.device, self.failed) {
            device.give_up();
        }
        (self.device, self.failed) = (None, None);
    }
}

impl Drop for CudaRenderer {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl Renderer for CudaRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.let_go();
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

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.attempt(|device| device.collect(buses))
    }
}

#[cfg(test)]
mod tests;
