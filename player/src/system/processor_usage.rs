//! What playing costs the machine, as far as the system says.

use std::time::Instant;

/// Measures processor time between two looks.
pub(crate) struct ProcessorUsage {
    last: Instant,
    used: Option<f64>,
    stolen: Option<f64>,
}

/// Shares since the last look; none where the system does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Of one core, by this program.
    pub cpu: Option<f32>,
    /// Of all cores together, taken away by the hypervisor, in cores.
    pub steal: Option<f32>,
}

/// The system's unit of processor time, as `/proc` has it on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;

impl ProcessorUsage {
    pub(crate) fn new() -> Self {
        Self {
            last: Instant::now(),
            used: process_seconds(),
            stolen: stolen_seconds(),
        }
    }

    /// What was used since the last look.
    pub(crate) fn look(&mut self) -> Usage {
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

/// Processor time of this program so far.
fn process_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, the name, may hold anything but ends with the last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

/// Processor time that other guests of this machine's host took so far.
fn stolen_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = stat
        .lines()
        .next()?
        .split_whitespace()
        .nth(8)?
        .parse()
        .ok()?;
    Some(ticks / TICKS_PER_SECOND)
}
