//! Who renders: `--renderer` and `--device`, the same for every command that makes sound.

use crate::failure::Failure;
use myriad_engine::render::{
    Renderer, RendererChoice, RendererHandle, RendererKind, RendererReport,
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
}

/// What `--renderer` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// An NVIDIA card where there is one that is fit, the processor otherwise
    Auto,
    /// This machine's processor, with the widest instructions it has
    Cpu,
    /// An NVIDIA card
    Cuda,
}

impl RendererArgs {
    /// The renderer that was asked for, to be prepared by whoever uses it, and a handle to ask
    /// about it.
    pub(crate) fn make(&self, threads: usize) -> (Box<dyn Renderer>, RendererHandle) {
        let kind = match self.renderer {
            Kind::Auto => RendererKind::Auto,
            Kind::Cpu => RendererKind::Cpu,
            Kind::Cuda => RendererKind::Cuda,
        };
        let choice = RendererChoice {
            kind,
            device: self.device,
            threads,
        };
        choice.make()
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
            lost_because: report.failover.lost_because,
            refused_because: report.failover.refused_because,
        }
    }
}
