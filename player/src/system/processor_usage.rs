//! Processor time of this process, and time that the hypervisor took away. Linux only.

use std::time::Instant;

/// Measures processor time between two readings.
pub(crate) struct ProcessorUsage {
    last: Instant,
    used: Option<f64>,
    stolen: Option<f64>,
}

/// Averages since the last reading; none where the system does not report them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Cores in use by this process.
    pub cpu: Option<f32>,
    /// Cores taken away by the hypervisor.
    pub steal: Option<f32>,
}

/// The unit of processor time in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

impl ProcessorUsage {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now(), used: process_seconds(), stolen: stolen_seconds() }
    }

    pub(crate) fn read(&mut self) -> Usage {
        let seconds = self.last.elapsed().as_secs_f64().max(1e-3);
        self.last = Instant::now();
        let share = |now: Option<f64>, before: &mut Option<f64>| {
            let difference = now? - std::mem::replace(before, now)?;
            Some((difference / seconds) as f32)
        };
        Usage {
            cpu: share(process_seconds(), &mut self.used),
            steal: share(stolen_seconds(), &mut self.stolen),
        }
    }
}

fn process_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, the name in brackets, may contain spaces and brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

fn stolen_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}
