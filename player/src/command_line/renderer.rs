//! `--renderer` and `--device`: the options that choose the renderer.

use crate::failure::Failure;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::Renderer;
use myriad_engine::{EngineError, render::PrepareError};
use myriad_live::auto::Piece;
use myriad_live::supervised::MakeGpuRenderer;
use myriad_live::{
    Purpose, RendererChoice, RendererHandle, RendererKind, RendererReport, ServiceProgram,
};
use serde::Serialize;
use std::fmt::Display;

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RendererArgs {
    /// What renders the sound
    #[arg(long, value_enum, default_value_t = Kind::Auto)]
    pub renderer: Kind,

    /// The number of the GPU, where there are several [default: live the least busy, else the first]
    #[arg(long, value_name = "N")]
    pub device: Option<usize>,

    /// Measure this machine again instead of using earlier measurements
    #[arg(long)]
    pub recalibrate: bool,
}

/// What `--renderer` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// The processor, or an NVIDIA GPU where it is faster
    Auto,
    /// The processor
    Cpu,
    /// An NVIDIA GPU
    Cuda,
    /// The processor in place of a GPU, to test the loss of one
    #[value(hide = true)]
    StandIn,
    /// The same in the render service, to test what all players and plugins share
    #[value(hide = true)]
    StandInService,
}

impl RendererArgs {
    /// Whether a GPU was asked for by name.
    pub fn wants_gpu(&self) -> bool {
        !matches!(self.renderer, Kind::Auto | Kind::Cpu)
    }

    /// The GPU that may render, if any.
    pub fn may_use_gpu(&self) -> Option<usize> {
        (self.renderer != Kind::Cpu).then_some(self.device.unwrap_or(0))
    }

    /// A renderer for live playing, not prepared yet, and a handle for its reports.
    pub fn live(
        &self,
        threads: usize,
        sample_rate: u32,
        thread_policy: ThreadPolicy,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let purpose = Purpose::Live { sample_rate: sample_rate as f32, thread_policy };
        self.choice(threads, purpose).make()
    }

    /// A renderer for offline rendering, as fast as possible.
    pub fn for_piece(&self, threads: usize, piece: Piece) -> (Box<dyn Renderer>, RendererHandle) {
        self.choice(threads, Purpose::Piece(piece)).make()
    }

    /// Makes the GPU's renderer, whatever `--renderer` says.
    pub fn gpu(&self) -> MakeGpuRenderer {
        let purpose =
            Purpose::Live { sample_rate: 48_000.0, thread_policy: ThreadPolicy::RealTime };
        self.choice(1, purpose).make_gpu()
    }

    /// The choice that these options make.
    pub fn choice(&self, threads: usize, purpose: Purpose) -> RendererChoice {
        RendererChoice {
            kind: match self.renderer {
                Kind::Auto => RendererKind::Auto,
                Kind::Cpu => RendererKind::Cpu,
                Kind::Cuda => RendererKind::Cuda,
                Kind::StandIn => RendererKind::StandIn,
                Kind::StandInService => RendererKind::StandInService,
            },
            device: self.device,
            threads,
            purpose,
            recalibrate: self.recalibrate,
            // A song is rendered faster without copies to another process.
            service: match purpose {
                Purpose::Live { .. } => ServiceProgram::myriad(),
                Purpose::Piece(_) => None,
            },
        }
    }
}

/// The error of an engine that does not start: a GPU's own message, otherwise one about `what`.
pub fn failure(what: &dyn Display, error: &EngineError) -> Failure {
    match error {
        EngineError::Renderer(PrepareError::Device { source: reason, .. }) => {
            Failure::failed(format!("--renderer cuda: {reason}"))
        }
        _ => Failure::failed(format!("{what}: {error}")),
    }
}

/// The renderer's report in `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct RendererFacts {
    /// `cpu` or `cuda`.
    using: &'static str,
    why: String,
    losses: u64,
    returns: u64,
    switches: u64,
    /// The most partials that load shedding left out at once.
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
            thinned: report.failover.most_partials_shed,
            lost_because: report.failover.lost_because,
            refused_because: report.failover.refused_because,
        }
    }
}
