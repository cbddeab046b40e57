//! Which renderer: asked for by a person, chosen by us, and what became of it.

use super::attended::Deadlines;
use super::auto::{self, Chooser, Piece, faster_for};
use super::failover::{Failover, FailoverReport, MakePreferred, MakeWishes, wall_clock};
use super::fault::FaultRenderer;
use super::sabotage::Sabotaged;
use super::{CpuRenderer, Renderer};
use crate::Readiness;
#[cfg(feature = "cuda")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RendererKind {
    /// The CPU where it holds the load, a card where there is one that does better.
    #[default]
    Auto,
    /// The CPU, whatever else there is.
    Cpu,
    /// An NVIDIA card, or an error when there is none. One that is lost later is stood in for.
    Cuda,
    /// A card whose part the CPU plays: to rehearse, on a machine without one, what happens when
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
        readiness: Readiness,
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
    /// The number of the card.
    pub device: usize,
    /// Threads that the CPU renderer uses, the caller's included.
    pub threads: usize,
    /// What for.
    pub purpose: Purpose,
    /// Whether to measure this machine again, whatever is known of it.
    pub recalibrate: bool,
    /// The `myriad` program, whose process renders when the driver refuses this one; without it a
    /// card that such a driver has given up is not had back.
    pub server: Option<PathBuf>,
}

/// What is in use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RendererReport {
    /// `cpu`, `cuda`, or `stand-in`.
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
    lose: Arc<AtomicBool>,
}

impl RendererChoice {
    /// The renderer, and a handle to ask about it later.
    pub fn make(&self) -> (Box<dyn Renderer>, RendererHandle) {
        let lose = Arc::default();
        self.make_around(self.card(&lose), lose)
    }

    /// The same around something that stands for the card: for tests without one.
    pub fn make_with(&self, card: MakePreferred) -> (Box<dyn Renderer>, RendererHandle) {
        self.make_around(card, Arc::default())
    }

    fn make_around(
        &self,
        card: MakePreferred,
        lose: Arc<AtomicBool>,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let mut handle = RendererHandle {
            kind: self.kind,
            failover: None,
            lose,
        };
        let cpu = CpuRenderer::new(self.threads);
        if self.kind == RendererKind::Cpu {
            return (Box::new(cpu), handle);
        }
        let mut failover = Failover::new(card, cpu);
        if let Purpose::Live {
            sample_rate,
            readiness,
        } = self.purpose
        {
            failover = failover
                .within(Deadlines {
                    readiness,
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
            let make = choice.make_card();
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

    /// Makes the card's renderer alone. When the driver refuses this process, only one that lives
    /// in another can help.
    pub fn make_card(&self) -> MakePreferred {
        self.card(&Arc::default())
    }

    /// The same, with a card that loses its context when `lose` says so.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables))]
    fn card(&self, lose: &Arc<AtomicBool>) -> MakePreferred {
        if self.kind == RendererKind::StandIn {
            return stand_in(self.threads, lose);
        }
        #[cfg(feature = "cuda")]
        {
            use super::cuda::{CudaOptions, CudaRenderer};
            use super::failover::Home;
            let (device, lose) = (self.device, Arc::clone(lose));
            let server = self.server.clone();
            Arc::new(move |home| match home {
                Home::Here => Some(Box::new(Sabotaged::new(
                    CudaRenderer::with_options(
                        device,
                        CudaOptions {
                            // A trace shows what the card does; it costs a little.
                            stage_times: crate::trace::is_on(),
                            ..CudaOptions::default()
                        },
                    ),
                    CudaRenderer::lose_context,
                    Arc::clone(&lose),
                ))),
                Home::Apart => in_a_process_of(server.as_ref()?, device),
            })
        }
        #[cfg(not(feature = "cuda"))]
        Arc::new(|_| None)
    }
}

/// A renderer of the CPU that fails as a card does when `lose` says so.
fn stand_in(threads: usize, lose: &Arc<AtomicBool>) -> MakePreferred {
    let lose = Arc::clone(lose);
    Arc::new(move |_| {
        let cpu = Box::new(CpuRenderer::new(threads));
        let fail = |card: &mut FaultRenderer| {
            card.fail();
            Ok(())
        };
        let card = FaultRenderer::new(cpu, 2, Arc::default());
        Some(Box::new(Sabotaged::new(card, fail, Arc::clone(&lose))))
    })
}

/// A card in a process of `program`, where we know how to have one.
#[cfg(feature = "cuda")]
fn in_a_process_of(program: &Path, device: usize) -> Option<Box<dyn Renderer>> {
    #[cfg(target_os = "linux")]
    return Some(Box::new(super::remote::RemoteRenderer::cuda(
        program.to_owned(),
        device,
    )));
    #[cfg(not(target_os = "linux"))]
    return None;
}

impl RendererHandle {
    /// Has the card lose its context for real before its next block: for tests with a card.
    pub fn lose_card(&self) {
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
            (Some(lost), _) => format!("the card was lost: {lost}"),
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
