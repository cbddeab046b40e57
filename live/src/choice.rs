//! Which renderer: asked for by a person, chosen by us, and what became of it.

use super::auto::{self, Chooser, Piece, faster_for};
use super::fault::{Fault, FaultRenderer, Faults};
use super::supervised::watchdog::WatchdogConfig;
use super::supervised::{
    FailoverReport, GpuLocation, MakeGpuRenderer, MakePolicy, SupervisedRenderer, wall_clock,
};
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_kernels::cuda::{CudaOptions, CudaRenderer};
use std::path::Path;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// The CPU where it holds the load, a GPU where there is one that does better.
    #[default]
    Auto,
    /// The CPU, whatever else there is.
    Cpu,
    /// An NVIDIA GPU, or an error when there is none. One that is lost later is stood in for.
    Cuda,
    /// A GPU whose part the CPU plays: to rehearse, on a machine without one, what happens when
    /// it is lost.
    StandIn,
}

/// What the renderer is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// Somebody listens while it plays, at this sample rate: blocks must be on time.
    Live {
        /// Frames a second.
        sample_rate: f32,
        /// That of the threads that render.
        thread_policy: ThreadPolicy,
    },
    /// A piece is rendered as fast as can be, and whole.
    Piece(Piece),
}

/// Everything that is needed to make a renderer. Making one touches no device: that is left to
/// `prepare`.
#[derive(Clone, Debug, PartialEq)]
pub struct RendererChoice {
    /// Which.
    pub kind: RendererKind,
    /// The number of the GPU.
    pub device: usize,
    /// Threads that the CPU renderer uses, the caller's included.
    pub threads: usize,
    /// What for.
    pub purpose: Purpose,
    /// Whether to measure this machine again, whatever is known of it.
    pub recalibrate: bool,
    /// The `myriad` program, whose process renders when the driver refuses this one; without it a
    /// GPU that such a driver has given up is not had back.
    pub server: Option<PathBuf>,
}

/// What is in use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RendererReport {
    /// `cpu`, `cuda`, or `stand-in`.
    pub using: &'static str,
    /// One sentence.
    pub why: String,
    /// Losses and returns, when a GPU was asked for.
    pub failover: FailoverReport,
}

/// Tells what a renderer does, from any thread, as long as one likes.
#[derive(Clone, Debug)]
pub struct RendererHandle {
    kind: RendererKind,
    failover: Option<Arc<Mutex<FailoverReport>>>,
    faults: Arc<Faults>,
}

impl RendererChoice {
    /// The renderer, and a handle to ask about it later.
    pub fn make(&self) -> (Box<dyn Renderer>, RendererHandle) {
        let faults = Arc::default();
        self.make_around(self.gpu(&faults), faults)
    }

    /// The same around something that stands for the GPU: for tests without one.
    pub fn make_with(&self, gpu: MakeGpuRenderer) -> (Box<dyn Renderer>, RendererHandle) {
        self.make_around(gpu, Arc::default())
    }

    fn make_around(
        &self,
        gpu: MakeGpuRenderer,
        faults: Arc<Faults>,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let mut handle = RendererHandle { kind: self.kind, failover: None, faults };
        let cpu = CpuRenderer::new(self.threads);
        if self.kind == RendererKind::Cpu {
            return (Box::new(cpu), handle);
        }
        let mut renderer = SupervisedRenderer::new(gpu, cpu);
        if let Purpose::Live { sample_rate, thread_policy } = self.purpose {
            renderer = renderer
                .with_watchdog(WatchdogConfig { thread_policy, ..WatchdogConfig::LIVE })
                .with_load_shedding(sample_rate, wall_clock());
        }
        renderer = match self.kind {
            RendererKind::Cuda | RendererKind::StandIn => renderer.require_gpu(),
            RendererKind::Auto | RendererKind::Cpu => renderer.with_policy(self.make_policy()),
        };
        handle.failover = Some(renderer.report());
        (Box::new(renderer), handle)
    }

    /// Chooses by what was measured on this machine.
    fn make_policy(&self) -> MakePolicy {
        let choice = self.clone();
        Box::new(move |_| {
            let RendererChoice { device, threads, .. } = choice;
            let make = choice.make_gpu();
            let measured = auto::calibration(device, threads, &make, choice.recalibrate)?;
            Ok(match choice.purpose {
                Purpose::Live { sample_rate, .. } => {
                    let mut chooser = Chooser::new(&measured, sample_rate);
                    Box::new(move |load| chooser.prefer(load))
                }
                Purpose::Piece(piece) => {
                    let preference = faster_for(piece, &measured);
                    Box::new(move |_| preference)
                }
            })
        })
    }

    /// Makes the GPU's renderer alone. When the driver refuses this process, only one that lives
    /// in another can help.
    pub fn make_gpu(&self) -> MakeGpuRenderer {
        self.gpu(&Arc::default())
    }

    /// The same, with a GPU that loses its context when `faults` say so.
    fn gpu(&self, faults: &Arc<Faults>) -> MakeGpuRenderer {
        if self.kind == RendererKind::StandIn {
            return stand_in(self.threads, faults);
        }
        let (device, faults) = (self.device, Arc::clone(faults));
        let server = self.server.clone();
        Arc::new(move |location| match location {
            GpuLocation::InProcess => {
                let options = CudaOptions {
                    // A trace shows what the GPU does; it costs a little.
                    stage_times: myriad_engine::trace::is_on(),
                    ..CudaOptions::default()
                };
                let cuda = Box::new(CudaRenderer::with_options(device, options));
                let renderer = FaultRenderer::new(cuda, Arc::clone(&faults));
                Some(Box::new(renderer.breaking(CudaRenderer::lose_context)))
            }
            GpuLocation::OutOfProcess => in_a_process_of(server.as_ref()?, device),
        })
    }
}

/// A renderer of the CPU that fails as a GPU does when `faults` say so.
fn stand_in(threads: usize, faults: &Arc<Faults>) -> MakeGpuRenderer {
    let faults = Arc::clone(faults);
    Arc::new(move |_| {
        let cpu = Box::new(CpuRenderer::new(threads));
        Some(Box::new(FaultRenderer::new(cpu, Arc::clone(&faults))))
    })
}

/// A GPU in a process of `program`, where we know how to have one.
fn in_a_process_of(program: &Path, device: usize) -> Option<Box<dyn Renderer>> {
    #[cfg(target_os = "linux")]
    return Some(Box::new(myriad_kernels::remote::RemoteRenderer::cuda(
        program.to_owned(),
        device,
    )));
    #[cfg(not(target_os = "linux"))]
    return None;
}

impl RendererHandle {
    /// Has the GPU lose its context for real before its next block: for tests with a GPU.
    pub fn lose_gpu(&self) {
        self.faults.set_once(Fault::Fail);
    }

    /// What is in use now.
    pub fn report(&self) -> RendererReport {
        let failover = match &self.failover {
            Some(report) => report.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => FailoverReport::default(),
        };
        let using = match (failover.on_gpu, self.kind) {
            (false, _) => "cpu",
            (true, RendererKind::StandIn) => "stand-in",
            (true, _) => "cuda",
        };
        let why = match (&failover.lost_because, &failover.refused_because) {
            _ if self.kind == RendererKind::Cpu => "asked for".into(),
            _ if failover.on_gpu && self.kind == RendererKind::Auto => {
                "the load asks for it".into()
            }
            _ if failover.on_gpu => "asked for".into(),
            (Some(lost), _) => format!("the GPU was lost: {lost}"),
            (None, Some(refused)) => refused.clone(),
            (None, None) => "it holds the load".into(),
        };
        RendererReport { using, why, failover }
    }
}
