//! Finds out why frames came too late.
//!
//! The render side notes what it did since it was last on time, which says most: whether it
//! computed, slept for longer than it wanted to, or was ready and had to wait for a processor. What
//! a hypervisor has taken, the system knows: the control side asks it now and then, since that
//! takes too long for a thread in a hurry.

mod processor;
mod queueing;

use super::underrun::Cause;
pub(super) use processor::Processor;
pub(super) use queueing::Queueing;
use std::time::{Duration, Instant};

/// What happened from when the render side was last on time until it was too late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateness {
    /// The cause, if the render side knows it.
    pub(super) known: Option<Cause>,
    /// Time in between.
    gap: Duration,
    /// How much of it the render thread was computing,
    computing: Duration,
    /// how much longer it slept than it wanted to,
    overslept: Duration,
    /// and how long it was ready and somebody else had the processor, if the system tells.
    queued: Option<Duration>,
}

impl Lateness {
    /// Whether the thread slept for too long although nobody else had the processor.
    fn slept_alone(&self) -> bool {
        let queued = self.queued.unwrap_or(self.overslept);
        !self.overslept.is_zero() && queued < self.overslept / 2
    }
}

/// The render side's notes.
#[derive(Debug)]
pub(super) struct Watch {
    /// When it was last on time, and how much the thread had computed and queued until then.
    on_time: Instant,
    computed: Duration,
    queued: Option<Duration>,
    /// How much longer it has slept since then than it wanted to.
    pub(super) overslept: Duration,
    queueing: Queueing,
    /// The most events that were handed to the engine at once since then.
    pub(super) events: usize,
}

/// What the line looked like when it was too late.
pub(super) struct Scene {
    /// Frames asked for since the line was connected.
    pub(super) age: u64,
    pub(super) block: usize,
    pub(super) depth: usize,
    pub(super) sample_rate: f32,
    /// More events at once than this are a flood.
    pub(super) flood: usize,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            on_time: Instant::now(),
            computed: thread_time(),
            queued: None,
            overslept: Duration::ZERO,
            queueing: Queueing::default(),
            events: 0,
        }
    }

    /// Begins on this thread, of which `queueing` tells.
    pub(super) fn begin(&mut self, queueing: Queueing) {
        self.queueing = queueing;
        self.is_on_time();
    }

    /// Everything that can be rendered has been.
    pub(super) fn is_on_time(&mut self) {
        (self.on_time, self.computed) = (Instant::now(), thread_time());
        self.queued = self.queueing.time();
        (self.overslept, self.events) = (Duration::ZERO, 0);
    }

    /// Says why it is too late.
    pub(super) fn explain(&self, scene: &Scene) -> Lateness {
        let gap = self.on_time.elapsed();
        let computing = thread_time().saturating_sub(self.computed);
        let queued = self.queueing.time().zip(self.queued);
        Lateness {
            known: self.known(gap, scene),
            gap,
            computing,
            overslept: self.overslept,
            queued: queued.map(|(now, before)| now.saturating_sub(before)),
        }
    }

    /// The cause, if it can be told from here.
    fn known(&self, gap: Duration, scene: &Scene) -> Option<Cause> {
        // Callbacks that keep time: one at once, and one for every block that has passed.
        let passed = gap.as_secs_f32() * scene.sample_rate / scene.block.max(1) as f32;
        let due = (1 + passed as usize) * scene.block;
        if scene.block > scene.depth {
            Some(Cause::LargeBlock)
        } else if scene.age <= 2 * scene.depth as u64 {
            Some(Cause::Start)
        } else if due <= scene.depth {
            // In that time no more than what was ready was due.
            Some(Cause::Burst)
        } else if self.events >= scene.flood {
            Some(Cause::EventFlood)
        } else {
            None
        }
    }
}

/// Processor time of this thread.
fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

#[cfg(test)]
mod tests;
