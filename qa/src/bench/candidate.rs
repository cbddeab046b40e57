//! The renderers of this machine that are measured.

use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_kernels::cuda::{CudaOptions, CudaRenderer};
use myriad_live::supervised::watchdog::{WatchdogConfig, WatchdogRenderer};

/// A renderer that can be made as often as it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    Cpu { threads: usize },
    Cuda { device: usize, options: CudaOptions },
}

impl Candidate {
    /// Its name in JSON: the same on every machine.
    pub(super) fn id(&self) -> &'static str {
        match self {
            Candidate::Cpu { threads: 1 } => "cpu-1",
            Candidate::Cpu { .. } => "cpu-all",
            Candidate::Cuda { options, .. } if !options.graph => "cuda-no-graph",
            Candidate::Cuda { .. } => "cuda",
        }
    }

    pub(super) fn is_cuda(&self) -> bool {
        matches!(self, Candidate::Cuda { .. })
    }

    /// A renderer that is not prepared yet.
    pub(super) fn renderer(&self) -> Box<dyn Renderer> {
        match *self {
            Candidate::Cpu { threads } => Box::new(CpuRenderer::new(threads)),
            Candidate::Cuda { device, options } => {
                Box::new(CudaRenderer::with_options(device, options))
            }
        }
    }

    /// The same as `myriad render` has it: a GPU on a thread of its own.
    pub(super) fn watched_renderer(&self) -> Box<dyn Renderer> {
        match self.is_cuda() {
            true => Box::new(WatchdogRenderer::new(self.renderer(), WatchdogConfig::default())),
            false => self.renderer(),
        }
    }
}
