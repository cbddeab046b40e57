//! The report of the supervised renderer. It is changed only here.

use myriad_engine::render::{PrepareError, RenderError};
use std::sync::{Arc, Mutex, PoisonError};

/// Takeovers that a report keeps.
const MOST_TAKEOVERS: usize = 16;

/// Another renderer plays from a tick on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// Its first tick, counted from when the renderer was prepared.
    pub tick: u64,
    /// Which renderer, and why.
    pub kind: TakeoverKind,
}

/// Kinds of takeovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeoverKind {
    /// The GPU was lost: its sound is concealed, and the CPU plays.
    Lost,
    /// A crossfade to the CPU begins.
    ToCpu,
    /// A crossfade to the GPU begins.
    ToGpu,
}

/// The renderer in use, and its losses and returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailoverReport {
    /// Whether the GPU renders.
    pub on_gpu: bool,
    /// How often it was lost.
    pub losses: u64,
    /// How often it returned.
    pub returns: u64,
    /// How often the policy changed the renderer.
    pub switches: u64,
    /// Partials that the CPU leaves out now because it is too slow.
    pub partials_shed: usize,
    /// The most that it has left out.
    pub most_partials_shed: usize,
    /// Why the GPU was last lost.
    pub lost_because: Option<String>,
    /// Why the last attempt to prepare the GPU failed.
    pub refused_because: Option<String>,
    /// The last takeovers, the oldest first.
    pub takeovers: Vec<Takeover>,
}

/// Writes the report. It is locked only when something has changed; readers hold it for a moment.
#[derive(Default)]
pub(super) struct Reporter {
    report: Arc<Mutex<FailoverReport>>,
    on_gpu: bool,
    /// Whether the GPU has not rendered since it was lost.
    is_lost: bool,
    partials_shed: usize,
}

impl Reporter {
    pub(super) fn shared(&self) -> Arc<Mutex<FailoverReport>> {
        Arc::clone(&self.report)
    }

    fn change(&self, change: impl FnOnce(&mut FailoverReport)) {
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The renderer was prepared, with or without the GPU.
    pub(super) fn prepared(&mut self, on_gpu: bool, refused: Option<&PrepareError>) {
        (self.on_gpu, self.is_lost, self.partials_shed) = (on_gpu, false, 0);
        self.change(|report| {
            *report = FailoverReport {
                on_gpu,
                refused_because: refused.map(ToString::to_string),
                takeovers: Vec::with_capacity(MOST_TAKEOVERS),
                ..FailoverReport::default()
            };
        });
    }

    /// Reports the renderer outside a crossfade. Returns whether it has changed.
    pub(super) fn plays_on(&mut self, on_gpu: bool) -> bool {
        if self.on_gpu == on_gpu {
            return false;
        }
        self.on_gpu = on_gpu;
        let returns = on_gpu && std::mem::take(&mut self.is_lost);
        if on_gpu {
            self.partials_shed = 0;
        }
        self.change(|report| {
            report.on_gpu = on_gpu;
            report.partials_shed = self.partials_shed;
            match returns {
                true => report.returns += 1,
                false => report.switches += 1,
            }
        });
        true
    }

    /// The GPU has failed.
    pub(super) fn lost(&mut self, error: RenderError) {
        (self.on_gpu, self.is_lost) = (false, true);
        self.change(|report| {
            report.on_gpu = false;
            report.losses += 1;
            report.lost_because = Some(error.to_string());
        });
    }

    /// Another renderer takes over.
    pub(super) fn takes_over(&mut self, takeover: Takeover) {
        self.change(|report| {
            if report.takeovers.len() == MOST_TAKEOVERS {
                report.takeovers.remove(0);
            }
            report.takeovers.push(takeover);
        });
    }

    /// The GPU could not be prepared again.
    pub(super) fn refused(&mut self, error: &PrepareError) {
        self.change(|report| report.refused_because = Some(error.to_string()));
    }

    /// Reports the number of partials that the CPU leaves out. It changes often, so this does not wait
    /// for a reader.
    pub(super) fn sheds(&mut self, partials: usize) {
        if partials != self.partials_shed
            && let Ok(mut report) = self.report.try_lock()
        {
            self.partials_shed = partials;
            report.partials_shed = partials;
            report.most_partials_shed = report.most_partials_shed.max(partials);
        }
    }
}
