//! Which renderer: asked for by a person, chosen by us, and what became of it.

use super::failover::{Failover, FailoverReport, MakePreferred};
use super::{CpuRenderer, Renderer};
use std::sync::{Arc, Mutex, PoisonError};

/// What can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// A card if there is one that is fit, the CPU otherwise.
    #[default]
    Auto,
    /// The CPU, whatever else there is.
    Cpu,
    /// An NVIDIA card, or an error when there is none. One that is lost later is stood in for.
    Cuda,
}

/// Everything that is needed to make a renderer. Making one touches no device: that is left to
/// `prepare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RendererChoice {
    /// Which.
    pub kind: RendererKind,
    /// The number of the card.
    pub device: usize,
    /// Threads that the CPU renderer uses, the caller's included.
    pub threads: usize,
}

/// What is in use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RendererReport {
    /// `cpu` or `cuda`.
    pub using: &'static str,
    /// One sentence.
    pub why: String,
    /// Losses and returns, when a card was asked for.
    pub failover: FailoverReport,
}

/// Tells what a renderer does, from any thread, as long as one likes.
#[derive(Clone, Debug)]
pub struct RendererHandle {
    kind: RendererKind,
    failover: Option<Arc<Mutex<FailoverReport>>>,
}

impl RendererChoice {
    /// The renderer, and a handle to ask about it later.
    pub fn make(&self) -> (Box<dyn Renderer>, RendererHandle) {
        let mut handle = RendererHandle {
            kind: self.kind,
            failover: None,
        };
        let cpu = CpuRenderer::new(self.threads);
        if self.kind == RendererKind::Cpu {
            return (Box::new(cpu), handle);
        }
        let mut failover = Failover::new(self.make_card(), cpu);
        if self.kind == RendererKind::Cuda {
            failover = failover.insisting();
        }
        handle.failover = Some(failover.report());
        (Box::new(failover), handle)
    }

    #[cfg(feature = "cuda")]
    fn make_card(&self) -> MakePreferred {
        let device = self.device;
        Arc::new(move || Box::new(super::cuda::CudaRenderer::new(device)))
    }

    #[cfg(not(feature = "cuda"))]
    fn make_card(&self) -> MakePreferred {
        Arc::new(|| Box::new(NotBuilt))
    }
}

impl RendererHandle {
    /// What is in use now.
    pub fn report(&self) -> RendererReport {
        let failover = match &self.failover {
            Some(report) => report
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            None => FailoverReport::default(),
        };
        let using = if failover.preferred { "cuda" } else { "cpu" };
        let why = match (&failover.lost_because, &failover.refused_because) {
            _ if self.kind == RendererKind::Cpu => "asked for".into(),
            _ if failover.preferred && self.kind == RendererKind::Cuda => "asked for".into(),
            _ if failover.preferred => "a card was found".into(),
            (Some(lost), _) => format!("the card was lost: {lost}"),
            (None, Some(refused)) => refused.clone(),
            (None, None) => "not prepared yet".into(),
        };
        RendererReport {
            using,
            why,
            failover,
        }
    }
}

/// Stands where the CUDA renderer would be.
#[cfg(not(feature = "cuda"))]
struct NotBuilt;

#[cfg(not(feature = "cuda"))]
impl Renderer for NotBuilt {
    fn prepare(&mut self, _: super::Capacity) -> Result<(), super::PrepareError> {
        Err(super::DeviceError::NotBuilt.into())
    }

    fn reset(&mut self) {}

    fn submit(&mut self, _: &Arc<super::VoiceBlock>) -> Result<(), super::RenderError> {
        Err(super::RenderError::NotPrepared)
    }

    fn collect(&mut self, _: &mut super::Buses) -> Result<usize, super::RenderError> {
        Err(super::RenderError::NotPrepared)
    }
}
