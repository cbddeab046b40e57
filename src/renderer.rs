//! Who renders: `--renderer` and `--device`, the same for every command that makes sound.

mod expectation;

use crate::failure::Failure;
pub(crate) use expectation::expect;
use myriad_engine::Readiness;
use myriad_engine::render::auto::Piece;
use myriad_engine::render::supervised::MakeGpuRenderer;
use myriad_engine::render::{
    Purpose, Renderer, RendererChoice, RendererHandle, RendererKind, RendererReport,
};
use myriad_engine::{EngineError, render::PrepareError};
use serde::Serialize;
use std::fmt::Display;

/// Options to be flattened into those of a command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RendererArgs {
    /// Who renders
    #[arg(long, value_enum, default_value_t = Kind::Auto)]
    pub(crate) renderer: Kind,

    /// Which card, where there are several
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) device: usize,

    /// Measure this machine again before choosing, rather than rely on what was measured before
    #[arg(long)]
    pub(crate) recalibrate: bool,
}

/// What `--renderer` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// The processor where it holds the load, an NVIDIA card where that does better
    Auto,
    /// This machine's processor, with the widest instructions it has
    Cpu,
    /// An NVIDIA card
    Cuda,
    /// The processor in a card's place, to rehearse its loss
    #[value(hide = true)]
    StandIn,
}

impl RendererArgs {
    /// Whether a card was asked for by name.
    pub(crate) fn wants_card(&self) -> bool {
        matches!(self.renderer, Kind::Cuda | Kind::StandIn)
    }

    /// The card that may come to render, if any.
    pub(crate) fn may_use_card(&self) -> Option<usize> {
        (self.renderer != Kind::Cpu).then_some(self.device)
    }

    /// The renderer that was asked for, to play at `sample_rate` while somebody listens, and a
    /// handle to ask about it. Whoever uses it prepares it.
    pub(crate) fn live(
        &self,
        threads: usize,
        sample_rate: u32,
        readiness: Readiness,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        let purpose = Purpose::Live {
            sample_rate: sample_rate as f32,
            readiness,
        };
        self.make(threads, purpose)
    }

    /// The same, to render a piece as fast as can be.
    pub(crate) fn for_piece(
        &self,
        threads: usize,
        piece: Piece,
    ) -> (Box<dyn Renderer>, RendererHandle) {
        self.make(threads, Purpose::Piece(piece))
    }

    /// Makes the card's renderer, whoever was asked for.
    pub(crate) fn card(&self) -> MakeGpuRenderer {
        let purpose = Purpose::Live {
            sample_rate: 48_000.0,
            readiness: Readiness::Raised,
        };
        self.choice(1, purpose).make_card()
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

/// Says why an engine does not start: about a card in the card's words, otherwise about `what`.
pub(crate) fn failure(what: &dyn Display, error: &EngineError) -> Failure {
    match error {
        EngineError::Renderer(PrepareError::Device(reason)) => {
            Failure::failed(format!("--renderer cuda: {reason}"))
        }
        _ => Failure::failed(format!("{what}: {error}")),
    }
}

/// The renderer's part of `--json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RendererFacts {
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
            thinned: report.failover.most_partials_shed,
            lost_because: report.failover.lost_because,
            refused_because: report.failover.refused_because,
        }
    }
}
