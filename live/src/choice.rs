//! Which renderer: asked for by a person, chosen by us, and what became of it.

use super::attended::Deadlines;
use super::auto::{self, Chooser, Piece, faster_for};
use super::failover::{Failover, FailoverReport, MakePreferred, MakeWishes, wall_clock};
use super::fault::FaultRenderer;
use super::sabotage::Sabotaged;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{CpuRenderer, Renderer};
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
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
    lose: Arc<AtomicBool>,
}

impl RendererChoice {
    /// The renderer, and a handle to ask about it later.
    pub fn make(&self) -> (Box<dyn Renderer>, RendererHandle) {
        let lose = Arc::default();
        self.make_around(self.gpu(&lose), lose)
    }

    /// The same around something that stands for the GPU: for tests without one.
    pub fn make_with(&self, gpu: MakePreferred) -> (Box<dyn Renderer>, RendererHandle) {
        self.make_around(gpu, Arc::default())
    }

    fn make_around(
        &self,
        gpu: MakePreferred,
        lose: Arc<AtomicBool>,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let mut handle = RendererHandle {
            kind: self.kind,
            failover: None,
            lose,
        };
        let mut cpu = CpuRenderer::new(self.threads);
        if let Purpose::Live { .. } = self.purpose {
            cpu = cpu.raised();
        }
        if self.kind == RendererKind::Cpu {
            return (Box::new(cpu), handle);
        }
        let mut failover = Failover::new(gpu, cpu);
        if let Purpose::Live {
            sample_rate,
            thread_policy,
        } = self.purpose
        {
            failover = failover
                .within(Deadlines {
                    thread_policy,
                    ..Deadlines::LIVE
                })
                .live(sample_rate, wall_clock());
        }
        failover = match self.kind {
            RendererKind::Cuda | RendererKind::StandIn => failover.insisting(),
            RendererKind::Auto | RendererKind::Cpu => failover.wishing(self.make_wishes()),
        };
        handle.failover = Some(failover.report());
        (Box::new(failover), handle)
    }

    /// Chooses by what was measured on this machine.
    fn make_wishes(&self) -> MakeWishes {
        let choice = self.clone();
        Box::new(move |_| {
            let RendererChoice {
                device, threads, ..
            } = choice;
            let make = choice.make_gpu();
            let measured = auto::calibration(device, threads, &make, choice.recalibrate)?;
            Ok(match choice.purpose {
                Purpose::Live { sample_rate, .. } => {
                    let mut chooser = Chooser::new(&measured, sample_rate);
                    Box::new(move |load| chooser.wish(load))
                }
                Purpose::Piece(piece) => {
                    let wish = faster_for(piece, &measured);
                    Box::new(move |_| wish)
                }
            })
        })
    }

    /// Makes the GPU's renderer alone. When the driver refuses this process, only one that lives
    /// in another can help.
    pub fn make_gpu(&self) -> MakePreferred {
        self.gpu(&Arc::default())
    }

    /// The same, with a GPU that loses its context when `lose` says so.
    fn gpu(&self, lose: &Arc<AtomicBool>) -> MakePreferred {
        if self.kind == RendererKind::StandIn {
            return stand_in(self.threads, lose);
        }
        {
            use super::failover::Home;
            use myriad_kernels::cuda::{CudaOptions, CudaRenderer};
            let (device, lose) = (self.device, Arc::clone(lose));
            let server = self.server.clone();
            Arc::new(move |home| match home {
                Home::Here => Some(Box::new(Sabotaged::new(
                    CudaRenderer::with_options(
                        device,
                        CudaOptions {
                            // A trace shows what the GPU does; it costs a little.
                            stage_times: myriad_engine::trace::is_on(),
                            ..CudaOptions::default()
                        },
                    ),
                    CudaRenderer::lose_context,
                    Arc::clone(&lose),
                ))),
                Home::Apart => in_a_process_of(server.as_ref()?, device),
            })
        }
    }
}

/// A renderer of the CPU that fails as a GPU does when `lose` says so.
fn stand_in(threads: usize, lose: &Arc<AtomicBool>) -> MakePreferred {
    let lose = Arc::clone(lose);
    Arc::new(move |_| {
        let cpu = Box::new(CpuRenderer::new(threads));
        let fail = |gpu: &mut FaultRenderer| {
            gpu.fail();
            Ok(())
        };
        let gpu = FaultRenderer::new(cpu, 2, Arc::default());
        Some(Box::new(Sabotaged::new(gpu, fail, Arc::clone(&lose))))
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
        self.lose.store(true, Ordering::Relaxed);
    }

    /// What is in use now.
    pub fn report(&self) -> RendererReport {
        let failover = match &self.failover {
            Some(report) => report
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            None => FailoverReport::default(),
        };
        let using = match (failover.preferred, self.kind) {
            (false, _) => "cpu",
            (true, RendererKind::StandIn) => "stand-in",
            (true, _) => "cuda",
        };
        let why = match (&failover.lost_because, &failover.refused_because) {
            _ if self.kind == RendererKind::Cpu => "asked for".into(),
            _ if failover.preferred && self.kind == RendererKind::Auto => {
                "the load asks for it".into()
            }
            _ if failover.preferred => "asked for".into(),
            (Some(lost), _) => format!("the GPU was lost: {lost}"),
            (None, Some(refused)) => refused.clone(),
            (None, None) => "it holds the load".into(),
        };
        RendererReport {
            using,
            why,
            failover,
        }
    }
}
