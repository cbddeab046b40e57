//! Finds the cause of a missed deadline.
//!
//! The render side measures what its thread did since it was last on time: how long it rendered and computed, how
//! much longer it slept than intended, and how long it waited in the run queue. The control side reads
//! the time that a hypervisor has stolen, because that takes too long for the render thread.

mod run_delay;
mod steal;

use super::underrun::Cause;
pub(super) use run_delay::RunDelay;
use std::time::{Duration, Instant};
pub(super) use steal::StealMonitor;

/// What the render thread did from when it was last on time until it missed a deadline.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeadlineMiss {
    /// The cause, if the render side knows it.
    pub(super) known: Option<Cause>,
    /// The time in between.
    gap: Duration,
    /// Its CPU time.
    computing: Duration,
    /// How long it rendered.
    rendering: Duration,
    /// How much longer it slept than intended.
    overslept: Duration,
    /// How long it waited in the run queue, if the system counts that.
    run_delay: Option<Duration>,
    /// Whether a GPU rendered for it, if not to the end.
    used_device: bool,
}

impl DeadlineMiss {
    /// How long it rendered and neither computed nor waited for a CPU: it waited for a GPU, or for threads that share the work.
    fn waited(&self) -> Duration {
        let busy = self.computing + self.run_delay.unwrap_or_default();
        self.rendering.saturating_sub(busy)
    }

    /// Whether the thread woke up late although no other thread of this machine ran instead.
    fn woke_late_without_contention(&self) -> bool {
        let run_delay = self.run_delay.unwrap_or(self.overslept);
        !self.overslept.is_zero() && run_delay < self.overslept / 2
    }
}

/// Measures the render thread.
#[derive(Debug)]
pub(super) struct DeadlineMonitor {
    /// When it was last on time, and its CPU time and run delay until then.
    last_on_time: Instant,
    computed: Duration,
    run_delay_before: Option<Duration>,
    /// How long it has rendered since then, and how much longer it has slept than intended.
    pub(super) rendering: Duration,
    pub(super) overslept: Duration,
    run_delay: RunDelay,
    /// The most events of a batch since then.
    pub(super) events: usize,
    /// Whether a GPU has rendered since then.
    pub(super) used_device: bool,
}

/// The frame ring when a deadline was missed.
pub(super) struct RingState {
    /// Frames asked for since the ring was connected.
    pub(super) age: u64,
    pub(super) block: usize,
    pub(super) depth: usize,
    pub(super) sample_rate: f32,
    /// This many events in a batch are a flood.
    pub(super) flood: usize,
}

impl DeadlineMonitor {
    pub(super) fn new() -> Self {
        Self {
            last_on_time: Instant::now(),
            computed: thread_time(),
            run_delay_before: None,
            rendering: Duration::ZERO,
            overslept: Duration::ZERO,
            run_delay: RunDelay::default(),
            events: 0,
            used_device: false,
        }
    }

    /// Starts to measure the calling thread, whose run delay is `run_delay`.
    pub(super) fn begin(&mut self, run_delay: RunDelay) {
        self.run_delay = run_delay;
        self.on_time();
    }

    /// Records that all frames are rendered.
    pub(super) fn on_time(&mut self) {
        (self.last_on_time, self.computed) = (Instant::now(), thread_time());
        self.run_delay_before = self.run_delay.time();
        (self.rendering, self.overslept) = (Duration::ZERO, Duration::ZERO);
        (self.events, self.used_device) = (0, false);
    }

    /// Describes a missed deadline.
    pub(super) fn miss(&self, ring: &RingState) -> DeadlineMiss {
        let gap = self.last_on_time.elapsed();
        let computing = thread_time().saturating_sub(self.computed);
        let run_delay = self.run_delay.time().zip(self.run_delay_before);
        DeadlineMiss {
            known: self.known(gap, ring),
            gap,
            computing,
            rendering: self.rendering,
            overslept: self.overslept,
            run_delay: run_delay.map(|(now, before)| now.saturating_sub(before)),
            used_device: self.used_device,
        }
    }

    /// The cause, if the render side alone can tell.
    fn known(&self, gap: Duration, ring: &RingState) -> Option<Cause> {
        // The callbacks of a device on time: one at once, and one for every block that has passed.
        let passed = gap.as_secs_f32() * ring.sample_rate / ring.block.max(1) as f32;
        let due = (1 + passed as usize) * ring.block;
        if ring.block > ring.depth {
            Some(Cause::LargeBlock)
        } else if ring.age <= 2 * ring.depth as u64 {
            Some(Cause::Start)
        } else if due <= ring.depth {
            // In that time no more frames were due than were ready.
            Some(Cause::Burst)
        } else if self.events >= ring.flood {
            Some(Cause::EventFlood)
        } else {
            None
        }
    }
}

/// CPU time of this thread.
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
