//! The choice of a renderer, and the report of which one is in use.

use super::auto::{self, Chooser, Piece, faster_for};
use super::fault::{Fault, FaultRenderer, Faults, simulated_gpu};
use super::supervised::watchdog::WatchdogConfig;
use super::supervised::{
    FailoverReport, MakeGpuRenderer, MakePolicy, SupervisedRenderer, wall_clock,
};
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_kernels::SUBCOMMAND;
use myriad_kernels::cuda::{CudaOptions, CudaRenderer};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The renderers that a user can choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// The CPU while it is fast enough, otherwise a GPU that is faster.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU, or an error when there is none. The CPU replaces one that is lost later.
    Cuda,
    /// A GPU that the CPU simulates: to test the loss of a GPU on a machine without one.
    StandIn,
    /// The same in the render service.
    StandInService,
}

/// The purpose of a renderer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purpose {
    /// Live playing: blocks have deadlines.
    Live {
        /// Frames a second.
        sample_rate: f32,
        /// The policy of the threads that render.
        thread_policy: ThreadPolicy,
    },
    /// Offline rendering of a piece, complete and as fast as possible.
    Piece(Piece),
}

/// All settings of a renderer. Making one touches no device; `prepare` does.
#[derive(Clone, Debug, PartialEq)]
pub struct RendererChoice {
    /// The kind.
    pub kind: RendererKind,
    /// The number of the GPU. Without one, the service chooses the least busy, and otherwise it is the first.
    pub device: Option<usize>,
    /// Threads that the CPU renderer uses, the caller's included.
    pub threads: usize,
    /// The purpose.
    pub purpose: Purpose,
    /// Whether to measure this machine again although it was measured before.
    pub recalibrate: bool,
    /// The render service, which all who play on a GPU share. Without it the GPU is used in this process, and
    /// stays lost when the driver refuses the process after a failure.
    pub service: Option<ServiceProgram>,
}

/// A program that contains the render service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceProgram {
    /// The program.
    pub path: PathBuf,
    /// The arguments that make it the service.
    pub arguments: Vec<OsString>,
}

impl ServiceProgram {
    /// This program, which is `myriad`.
    pub fn myriad() -> Option<Self> {
        let arguments = vec![SUBCOMMAND.into()];
        Some(Self { path: std::env::current_exe().ok()?, arguments })
    }
}

/// The renderer in use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RendererReport {
    /// `cpu`, `cuda`, or `stand-in`.
    pub using: &'static str,
    /// The reason, in one sentence.
    pub why: String,
    /// Losses and returns of a GPU.
    pub failover: FailoverReport,
}

/// Reports on a renderer from any thread, also after it was dropped.
#[derive(Clone, Debug)]
pub struct RendererHandle {
    kind: RendererKind,
    failover: Option<Arc<Mutex<FailoverReport>>>,
    faults: Arc<Faults>,
}

impl RendererChoice {
    /// Makes the renderer, and a handle for its report.
    pub fn make(&self) -> (Box<dyn Renderer>, RendererHandle) {
        let faults = Arc::default();
        self.make_around(self.gpu(&faults), faults)
    }

    /// Makes the renderer with another GPU renderer, for tests.
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
                .with_load_shedding(sample_rate, wall_clock())
                .with_wait_limit(sample_rate, auto::one_thread);
        }
        renderer = match self.kind {
            RendererKind::Cuda | RendererKind::StandIn | RendererKind::StandInService => {
                renderer.require_gpu()
            }
            RendererKind::Auto | RendererKind::Cpu => renderer.with_policy(self.make_policy()),
        };
        handle.failover = Some(renderer.report());
        (Box::new(renderer), handle)
    }

    /// A policy by what was measured on this machine.
    fn make_policy(&self) -> MakePolicy {
        let choice = self.clone();
        Box::new(move |_| {
            let RendererChoice { device, threads, .. } = choice;
            let make = choice.make_gpu();
            let device = device.unwrap_or(0);
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

    /// Makes the GPU renderer without supervision.
    pub fn make_gpu(&self) -> MakeGpuRenderer {
        self.gpu(&Arc::default())
    }

    /// Makes the GPU renderer, which loses its context when `faults` say so.
    fn gpu(&self, faults: &Arc<Faults>) -> MakeGpuRenderer {
        if self.kind == RendererKind::StandIn {
            return simulated_gpu(self.threads, faults);
        }
        let (kind, device, faults) = (self.kind, self.device, Arc::clone(faults));
        let service = self.service.clone();
        let purpose = self.purpose;
        Arc::new(move || {
            if let Some(service) = &service
                && let Some(renderer) = in_service(service, kind, device, purpose, &faults)
            {
                return renderer;
            }
            let options = CudaOptions {
                // A trace contains the stages of the GPU, which costs a little.
                stage_times: myriad_engine::trace::is_on(),
                ..CudaOptions::default()
            };
            let cuda = Box::new(CudaRenderer::with_options(device.unwrap_or(0), options));
            let renderer = FaultRenderer::new(cuda, Arc::clone(&faults));
            Box::new(renderer.breaking(CudaRenderer::lose_context))
        })
    }
}

/// A renderer in the render service, on systems that have it.
#[cfg(target_os = "linux")]
fn in_service(
    service: &ServiceProgram,
    kind: RendererKind,
    device: Option<usize>,
    purpose: Purpose,
    faults: &Arc<Faults>,
) -> Option<Box<dyn Renderer>> {
    use super::supervised::watchdog::SPIN;
    use myriad_kernels::service::{
        Served, ServiceCommand, ServiceOptions, ServiceRenderer, all_gpus,
    };
    let ServiceProgram { path, arguments } = service.clone();
    let served = match (kind, device) {
        (RendererKind::StandInService, device) => vec![Served::StandIn(device.unwrap_or(0))],
        (_, Some(device)) => vec![Served::Cuda(device)],
        (_, None) => all_gpus(),
    };
    let command = ServiceCommand::new(path, arguments, served);
    let mut options = ServiceOptions { is_live: false, ..ServiceOptions::default() };
    if let Purpose::Live { thread_policy, .. } = purpose {
        options.is_live = true;
        if thread_policy == ThreadPolicy::Spinning {
            options.spin = SPIN;
        }
    }
    let renderer = Box::new(ServiceRenderer::new(command, options));
    let renderer = FaultRenderer::new(renderer, Arc::clone(faults));
    Some(Box::new(renderer.breaking(ServiceRenderer::kill_service)))
}

#[cfg(not(target_os = "linux"))]
fn in_service(
    _: &ServiceProgram,
    _: RendererKind,
    _: Option<usize>,
    _: Purpose,
    _: &Arc<Faults>,
) -> Option<Box<dyn Renderer>> {
    None
}

/// How busy the render service of a GPU is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceLoad {
    /// Its clients.
    pub clients: usize,
    /// The share of the time in which the GPU renders for them, 0 to 1.
    pub busy: f64,
}

/// The load of the service of GPU number `device`; `None` where none runs.
pub fn service_load(device: usize) -> Option<ServiceLoad> {
    #[cfg(target_os = "linux")]
    {
        use myriad_kernels::service::{Served, default_folder, status};
        use std::time::Duration;
        // Short, because it is asked for while one plays.
        let timeout = Duration::from_millis(100);
        let status = status(&default_folder(), Served::Cuda(device), timeout).ok()??;
        Some(ServiceLoad { clients: status.clients.len(), busy: status.busy })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = device;
        None
    }
}

impl RendererHandle {
    /// Loses the GPU for real before its next block, for tests with a GPU: its service is killed, or its
    /// context destroyed.
    pub fn lose_gpu(&self) {
        self.faults.set_once(Fault::Fail);
    }

    /// The renderer in use now.
    pub fn report(&self) -> RendererReport {
        let failover = match &self.failover {
            Some(report) => report.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => FailoverReport::default(),
        };
        let using = match (failover.on_gpu, self.kind) {
            (false, _) => "cpu",
            (true, RendererKind::StandIn | RendererKind::StandInService) => "stand-in",
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
