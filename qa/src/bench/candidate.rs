//! Who is measured: the renderers of this machine.

use myriad_engine::render::{Buses, Capacity, CpuRenderer, PrepareError, Renderer, VoiceBlock};
use myriad_kernels::cuda::{CudaCounters, CudaOptions, CudaRenderer};
use myriad_player::failure::Failure;
use std::sync::Arc;

/// A renderer that can be prepared as often as one likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// So many threads of the processor.
    Cpu { threads: usize },
    /// A GPU, and how it is used.
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

    /// As it is before it is made ready.
    pub(super) fn rig(&self) -> Rig {
        match *self {
            Candidate::Cpu { threads } => Rig::Cpu(Box::new(CpuRenderer::new(threads))),
            Candidate::Cuda { device, options } => {
                Rig::Cuda(Box::new(CudaRenderer::with_options(device, options)))
            }
        }
    }

    /// Makes it ready.
    ///
    /// # Errors
    /// When it cannot be used here, or not for so much.
    pub(super) fn prepare(&self, capacity: Capacity) -> Result<Rig, PrepareError> {
        let mut rig = self.rig();
        rig.prepare(capacity)?;
        Ok(rig)
    }
}

/// What people call the renderer that JSON calls `id`.
pub(super) fn name(id: &str, cores: usize) -> String {
    match id {
        "cpu-1" => "CPU, 1 core".to_owned(),
        "cpu-all" => format!("CPU, {cores} cores"),
        "cuda" => "CUDA".to_owned(),
        "cuda-no-graph" => "CUDA, no graph".to_owned(),
        other => other.to_owned(),
    }
}

/// A candidate with hands and feet.
pub(super) enum Rig {
    Cpu(Box<CpuRenderer>),
    Cuda(Box<CudaRenderer>),
}

impl Rig {
    fn renderer(&mut self) -> &mut dyn Renderer {
        match self {
            Rig::Cpu(renderer) => &mut **renderer,
            Rig::Cuda(renderer) => &mut **renderer,
        }
    }

    /// Makes it ready for something else. What it was ready for is gone, also when this fails.
    ///
    /// # Errors
    /// When there is not room for so much.
    pub(super) fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.renderer().prepare(capacity)
    }

    /// For who only renders.
    pub(super) fn into_renderer(self) -> Box<dyn Renderer> {
        match self {
            Rig::Cpu(renderer) => renderer,
            Rig::Cuda(renderer) => renderer,
        }
    }

    /// Renders a block. Returns the partials that it sounded.
    ///
    /// # Errors
    /// When a device fails.
    pub(super) fn render(
        &mut self,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, Failure> {
        let rendered = self.renderer().render(block, buses);
        rendered.map_err(Failure::failed)
    }

    /// What a GPU holds and has done.
    pub(super) fn counters(&self) -> Option<&CudaCounters> {
        match self {
            Rig::Cpu(_) => None,
            Rig::Cuda(renderer) => renderer.counters(),
        }
    }
}
