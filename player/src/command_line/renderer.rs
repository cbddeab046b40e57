//! Who renders: `--renderer` and `--device`, the same for every command that makes sound.

use crate::failure::Failure;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::Renderer;
use myriad_engine::{EngineError, render::PrepareError};
use myriad_live::auto::Piece;
use myriad_live::failover::MakePreferred;
use myriad_live::{Purpose, RendererChoice, RendererHandle, RendererKind, RendererReport};
use serde::Serialize;
use std::fmt::Display;

/// Options to be flattened into those of a command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RendererArgs {
    /// Who renders
    #[arg(long, value_enum, default_value_t = Kind::Auto)]
    pub renderer: Kind,

    /// Which GPU, where there are several
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: usize,

    /// Measure this machine again before choosing, rather than rely on what was measured before
    #[arg(long)]
    pub recalibrate: bool,
}

/// What `--renderer` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// The processor where it holds the load, an NVIDIA GPU where that does better
    Auto,
    /// This machine's processor, with the widest instructions it has
    Cpu,
    /// An NVIDIA GPU
    Cuda,
    /// The processor in a GPU's place, to rehearse its loss
    #[value(hide = true)]
    StandIn,
}

impl RendererArgs {
    /// Whether a GPU was asked for by name.
    pub fn wants_gpu(&self) -> bool {
        matches!(self.renderer, Kind::Cuda | Kind::StandIn)
    }

    /// The GPU that may come to render, if any.
    pub fn may_use_gpu(&self) -> Option<usize> {
        (self.renderer != Kind::Cpu).then_some(self.device)
    }

    /// The renderer that was asked for, to play at `sample_rate` while somebody listens, and a
    /// handle to ask about it. Whoever uses it prepares it.
    pub fn live(
        &self,
        threads: usize,
        sample_rate: u32,
        thread_policy: ThreadPolicy,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let purpose = Purpose::Live {
            sample_rate: sample_rate as f32,
            thread_policy,
        };
        self.make(threads, purpose)
    }

    /// The same, to render a piece as fast as can be.
    pub fn for_piece(&self, threads: usize, piece: Piece) -> (Box<dyn Renderer>, RendererHandle) {
        self.make(threads, Purpose::Piece(piece))
    }

    /// Makes the GPU's renderer, whoever was asked for.
    pub fn gpu(&self) -> MakePreferred {
        let purpose = Purpose::Live {
            sample_rate: 48_000.0,
            thread_policy: ThreadPolicy::RealTime,
        };
        self.choice(1, purpose).make_gpu()
    }

    fn make(&self, threads: usize, purpose: Purpose) -> (Box<dyn Renderer>, RendererHandle) {
        self.choice(threads, purpose).make()
    }

    fn choice(&self, threads: usize, purpose: Purpose) -> RendererChoice {
        RendererChoice {
            kind: match self.renderer {
                Kind::Auto => RendererKind::Auto,
                Kind::Cpu => RendererKind::Cpu,
                Kind::Cuda => RendererKind::Cuda,
                Kind::StandIn => RendererKind::StandIn,
            },
            device: self.device,
            threads,
            purpose,
            recalibrate: self.recalibrate,
            server: std::env::current_exe().ok(),
        }
    }
}

/// Says why an engine does not start: about a GPU in the GPU's words, otherwise about `what`.
pub fn failure(what: &dyn Display, error: &EngineError) -> Failure {
    match error {
        EngineError::Renderer(PrepareError::Device { source: reason, .. }) => {
            Failure::failed(format!("--renderer cuda: {reason}"))
        }
        _ => Failure::failed(format!("{what}: {error}")),
    }
}

/// The renderer's part of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct RendererFacts {
    /// `cpu` or `cuda`.
    using: &'static str,
    why: String,
    losses: u64,
    returns: u64,
    switches: u64,
    /// The most partials that were left out because there was no time for them.
    thinned: usize,
    lost_because: Option<String>,
    refused_because: Option<String>,
}

impl From<RendererReport> for RendererFacts {
    fn from(report: RendererReport) -> Self {
        Self {
            using: report.using,
            why: report.why,
            losses: report.failover.losses,
            returns: report.failover.returns,
            switches: report.failover.switches,
            thinned: report.failover.thinned_most,
            lost_because: report.failover.lost_because,
            refused_because: report.failover.refused_because,
        }
    }
}
