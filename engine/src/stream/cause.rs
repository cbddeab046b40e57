//! Finds out why frames came too late.
//!
//! The render side notes what it did since it was last on time, which says most. Whether
//! somebody else had the processor, the system knows: the control side asks it now and then, since
//! reading its files takes too long for a thread in a hurry.

use super::underrun::Cause;
use std::time::{Duration, Instant};

/// What happened from when the render side was last on time until it was too late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateness {
    /// The cause, if the render side knows it.
    pub(super) known: Option<Cause>,
    /// Time in between.
    gap: Duration,
    /// How much of it the render thread was computing.
    computing: Duration,
}

/// The render side's notes.
#[derive(Debug)]
pub(super) struct Watch {
    /// When it was last on time, and how much the thread had computed until then.
    on_time: Instant,
    computed: Duration,
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
            events: 0,
        }
    }

    /// Everything that can be rendered has been.
    pub(super) fn is_on_time(&mut self) {
        *self = Self::new();
    }

    /// Says why it is too late.
    pub(super) fn explain(&self, scene: &Scene) -> Lateness {
        let computing = thread_time().saturating_sub(self.computed);
        self.explain_times(self.on_time.elapsed(), computing, scene)
    }

    fn explain_times(&self, gap: Duration, computing: Duration, scene: &Scene) -> Lateness {
        let passed = gap.as_secs_f32() * scene.sample_rate;
        let known = if scene.block > scene.depth {
            Some(Cause::LargeBlock)
        } else if scene.age <= 2 * scene.depth as u64 {
            Some(Cause::Start)
        } else if passed + (scene.block as f32) < scene.depth as f32 {
            // In that time no more than what was ready can have been due.
            Some(Cause::Burst)
        } else if self.events >= scene.flood {
            Some(Cause::EventFlood)
        } else {
            None
        };
        Lateness {
            known,
            gap,
            computing,
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

/// What the system says about who had the processor.
#[derive(Debug)]
pub(super) struct Processor {
    /// Readings of the last moments, oldest first.
    readings: [Reading; 3],
    /// When the last one took its place.
    rested: Instant,
}

/// The least time between readings that are kept, so that the first was made before what has just
/// happened and the last after it.
const APART: Duration = Duration::from_millis(40);

#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// Time that the hypervisor took from this machine, all processors together.
    stolen: Duration,
}

impl Processor {
    pub(super) fn new() -> Self {
        Self {
            readings: [Reading::now(); 3],
            rested: Instant::now(),
        }
    }

    /// Reads anew.
    pub(super) fn read(&mut self) {
        if self.rested.elapsed() >= APART {
            self.readings.rotate_left(1);
            self.rested = Instant::now();
        }
        self.readings[2] = Reading::now();
    }

    /// Decides what the render side could not.
    pub(super) fn decide(&self, lateness: &Lateness) -> Cause {
        if let Some(cause) = lateness.known {
            return cause;
        }
        let [before, .., now] = &self.readings;
        let stolen = now.stolen.saturating_sub(before.stolen);
        // Half of the time it had, at least: computing includes what was stolen meanwhile.
        if stolen >= lateness.gap / 2 && !stolen.is_zero() {
            Cause::Steal
        } else if lateness.computing >= lateness.gap / 2 {
            Cause::RenderTime
        } else {
            Cause::Scheduling
        }
    }
}

impl Reading {
    fn now() -> Self {
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        Self {
            stolen: stolen(&text).unwrap_or_default(),
        }
    }
}

/// The eighth number of the first line of Linux' `/proc/stat`, in hundredths of a second.
fn stolen(text: &str) -> Option<Duration> {
    let total = text.lines().next()?.strip_prefix("cpu ")?;
    let hundredths: u64 = total.split_whitespace().nth(7)?.parse().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: Scene = Scene {
        age: 100_000,
        block: 64,
        depth: 96,
        sample_rate: 48_000.0,
        flood: 1_024,
    };

    fn processor(stolen_ms: u64) -> Processor {
        let stolen = Duration::from_millis(stolen_ms);
        let mut readings = [Reading::default(); 3];
        readings[2] = Reading { stolen };
        Processor {
            readings,
            rested: Instant::now(),
        }
    }

    fn cause(
        gap_ms: u64,
        computing_ms: u64,
        stolen_ms: u64,
        scene: &Scene,
        events: usize,
    ) -> Cause {
        let mut watch = Watch::new();
        watch.events = events;
        let [gap, computing] = [gap_ms, computing_ms].map(Duration::from_millis);
        processor(stolen_ms).decide(&watch.explain_times(gap, computing, scene))
    }

    #[test]
    fn every_cause_is_told_from_the_others() {
        assert_eq!(cause(20, 18, 0, &SCENE, 0), Cause::RenderTime);
        assert_eq!(cause(20, 1, 0, &SCENE, 0), Cause::Scheduling);
        assert_eq!(cause(20, 1, 20, &SCENE, 0), Cause::Steal);
        assert_eq!(cause(20, 18, 20, &SCENE, 0), Cause::Steal);
        assert_eq!(cause(20, 18, 0, &SCENE, 2_048), Cause::EventFlood);
        assert_eq!(cause(0, 0, 0, &SCENE, 0), Cause::Burst);
        let early = Scene { age: 100, ..SCENE };
        assert_eq!(cause(20, 18, 0, &early, 0), Cause::Start);
        let large = Scene {
            block: 128,
            ..SCENE
        };
        assert_eq!(cause(20, 18, 0, &large, 0), Cause::LargeBlock);
    }

    #[test]
    fn stolen_time_is_read_from_the_system() {
        let text = "cpu  1206982 151394 139782 919723 2765 0 774 3468 0 0\ncpu0 1 2 3";
        assert_eq!(stolen(text), Some(Duration::from_millis(34_680)));
        assert_eq!(stolen("nonsense"), None);
        assert_eq!(stolen("cpu  1 2"), None);
    }
}
