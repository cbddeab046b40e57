//! The CUDA renderer: all clouds of a block in one batch on an NVIDIA card.
//!
//! Nothing of CUDA is touched before `prepare`, not even its library. `prepare` allocates
//! everything; `render` lists what sounds, replays a graph (fetch the clouds from the block, render
//! them, mix into the host's memory) and waits. Large blocks travel in pieces instead, so that
//! copying and computing overlap. The first time that a block is seen its memory is pinned.

mod device;
mod driver;
mod graph;
mod kernels;
mod upload;
pub mod yardstick;

use super::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use device::Device;
use std::sync::Arc;
use std::time::Duration;

/// How a renderer goes about its work; the defaults are for playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// Submit blocks as graphs; otherwise call by call.
    pub graph: bool,
    /// Measure the device's stages. Costs a few microseconds a block.
    pub stage_times: bool,
    /// How long a block may take before the device counts as lost.
    pub deadline: Duration,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self {
            graph: true,
            stage_times: false,
            deadline: Duration::from_secs(1),
        }
    }
}

/// What the renderer holds and has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CudaCounters {
    /// What the card calls itself.
    pub card: String,
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

/// Renders on an NVIDIA card.
#[derive(Debug)]
pub struct CudaRenderer {
    index: usize,
    options: CudaOptions,
    device: Option<Device>,
    /// Set by the first failure: what the device remembers cannot be trusted any more.
    failed: Option<RenderError>,
    submitted: Option<Arc<VoiceBlock>>,
}

impl CudaRenderer {
    /// A renderer for card number `device`. Touches nothing yet.
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
            submitted: None,
        }
    }

    /// What it holds and has done, once prepared.
    pub fn counters(&self) -> Option<&CudaCounters> {
        self.device.as_ref().map(Device::counters)
    }

    /// Free memory of the card, in bytes.
    pub fn free_bytes(&self) -> usize {
        self.device.as_ref().map_or(0, Device::free_bytes)
    }

    /// Has the device fail for real: for tests. The next render reports it. `prepare` starts anew,
    /// unless the driver now refuses this process ([`super::DeviceError::NeedsRestart`]), as those
    /// we have seen do.
    ///
    /// # Errors
    /// When not even that can be submitted.
    pub fn provoke_failure(&mut self) -> Result<(), RenderError> {
        let device = self.device.as_ref().ok_or(RenderError::NotPrepared)?;
        device.provoke_failure()
    }

    fn let_go(&mut self) {
        // Whatever we would call would wait for what does not come: leave it to the system.
        if let (Some(device), Some(RenderError::Late { .. })) = (&self.device, self.failed) {
            device.give_up();
        }
        (self.device, self.failed, self.submitted) = (None, None, None);
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
        if let Some(device) = &mut self.device {
            device.reset();
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.device.is_none() {
            return Err(RenderError::NotPrepared);
        }
        if self.submitted.is_some() {
            return Err(RenderError::OutOfTurn);
        }
        self.submitted = Some(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.submitted.take().ok_or(RenderError::OutOfTurn)?;
        let device = self.device.as_mut().ok_or(RenderError::NotPrepared)?;
        let rendered = device.render(&block, buses);
        self.failed = rendered.err();
        rendered
    }
}

#[cfg(test)]
mod tests;
