//! What the system says about who had the processor.

use super::Lateness;
use crate::stream::underrun::Cause;
use std::time::{Duration, Instant};

/// What the system says about who had the processor.
#[derive(Debug)]
pub(in crate::stream) struct Processor {
    /// Readings of the last moments, oldest first.
    readings: [Reading; 3],
    /// When the last one took its place.
    rested: Instant,
    /// Whether there is a hypervisor.
    is_virtual: bool,
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
    pub(in crate::stream) fn new() -> Self {
        Self {
            readings: [Reading::now(); 3],
            rested: Instant::now(),
            is_virtual: is_virtual(&read("/proc/cpuinfo")),
        }
    }

    /// Reads anew.
    pub(in crate::stream) fn read(&mut self) {
        if self.rested.elapsed() >= APART {
            self.readings.rotate_left(1);
            self.rested = Instant::now();
        }
        self.readings[2] = Reading::now();
    }

    /// Decides what the render side could not.
    pub(in crate::stream) fn decide(&self, lateness: &Lateness) -> Cause {
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
        } else if self.is_virtual && lateness.slept_alone() {
            Cause::Steal
        } else {
            Cause::Scheduling
        }
    }
}

impl Reading {
    fn now() -> Self {
        Self {
            stolen: stolen(&read("/proc/stat")).unwrap_or_default(),
        }
    }
}

/// The eighth number of the first line of Linux' `/proc/stat`, in hundredths of a second.
fn stolen(text: &str) -> Option<Duration> {
    let total = text.lines().next()?.strip_prefix("cpu ")?;
    let hundredths: u64 = total.split_whitespace().nth(7)?.parse().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

/// Whether Linux' `/proc/cpuinfo` says that the processors are virtual ones.
fn is_virtual(text: &str) -> bool {
    let mut flags = text.lines().filter(|line| line.starts_with("flags"));
    flags.any(|line| line.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// A file of the system, empty where there is none.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
impl Processor {
    /// One that has seen so much stolen a moment ago.
    pub(super) fn imagined(stolen: Duration, is_virtual: bool) -> Self {
        let mut readings = [Reading::default(); 3];
        readings[2] = Reading { stolen };
        Self {
            readings,
            rested: Instant::now(),
            is_virtual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_read_from_the_system() {
        let text = "cpu  1206982 151394 139782 919723 2765 0 774 3468 0 0\ncpu0 1 2 3";
        assert_eq!(stolen(text), Some(Duration::from_millis(34_680)));
        assert_eq!(stolen("nonsense"), None);
        assert_eq!(stolen("cpu  1 2"), None);
    }

    #[test]
    fn virtual_processors_are_known_by_their_flags() {
        assert!(is_virtual("flags\t\t: fpu vme hypervisor lahf_lm\n"));
        assert!(!is_virtual("model name: hypervisor\nflags\t\t: fpu vme\n"));
    }
}
