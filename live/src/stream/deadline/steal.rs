//! The time that a hypervisor steals, as Linux counts it.

use super::DeadlineMiss;
use crate::stream::underrun::Cause;
use std::time::{Duration, Instant};

/// Reads the stolen time now and then, and decides the cause of deadline misses.
#[derive(Debug)]
pub(in crate::stream) struct StealMonitor {
    /// The last readings of the stolen time, oldest first.
    readings: [Duration; 3],
    /// When the last reading was kept.
    kept: Instant,
    /// Whether there is a hypervisor.
    is_virtual: bool,
}

/// The least time between readings that are kept, so that the first was made before the last
/// deadline miss and the last one after it.
const INTERVAL: Duration = Duration::from_millis(40);

impl StealMonitor {
    pub(in crate::stream) fn new() -> Self {
        Self {
            readings: [stolen_now(); 3],
            kept: Instant::now(),
            is_virtual: is_virtual(&read("/proc/cpuinfo")),
        }
    }

    /// Takes a reading.
    pub(in crate::stream) fn read(&mut self) {
        if self.kept.elapsed() >= INTERVAL {
            self.readings.rotate_left(1);
            self.kept = Instant::now();
        }
        self.readings[2] = stolen_now();
    }

    /// The cause of a deadline miss.
    pub(in crate::stream) fn decide(&self, miss: &DeadlineMiss) -> Cause {
        if let Some(cause) = miss.known {
            return cause;
        }
        let [before, .., now] = &self.readings;
        let stolen = now.saturating_sub(*before);
        // At least half of the gap. CPU time includes the stolen time.
        if stolen >= miss.gap / 2 && !stolen.is_zero() {
            Cause::Steal
        } else if miss.computing >= miss.gap / 2 {
            Cause::RenderTime
        } else if self.is_virtual && miss.woke_late_without_contention() {
            Cause::Steal
        } else {
            Cause::Scheduling
        }
    }
}

/// Time that the hypervisor has taken from this machine since it started, all CPUs together.
fn stolen_now() -> Duration {
    stolen(&read("/proc/stat")).unwrap_or_default()
}

/// The eighth number of the first line of Linux' `/proc/stat`, in hundredths of a second.
fn stolen(text: &str) -> Option<Duration> {
    let total = text.lines().next()?.strip_prefix("cpu ")?;
    let hundredths: u64 = total.split_whitespace().nth(7)?.parse().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

/// Whether Linux' `/proc/cpuinfo` says that the CPUs are virtual.
fn is_virtual(text: &str) -> bool {
    let mut flags = text.lines().filter(|line| line.starts_with("flags"));
    flags.any(|line| line.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// A file of the system, empty where there is none.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
impl StealMonitor {
    /// A monitor whose last reading is `stolen`.
    pub(super) fn simulated(stolen: Duration, is_virtual: bool) -> Self {
        Self {
            readings: [Duration::ZERO, Duration::ZERO, stolen],
            kept: Instant::now(),
            is_virtual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_parsed_from_proc_stat() {
        let text = "cpu  1206982 151394 139782 919723 2765 0 774 3468 0 0\ncpu0 1 2 3";
        assert_eq!(stolen(text), Some(Duration::from_millis(34_680)));
        assert_eq!(stolen("nonsense"), None);
        assert_eq!(stolen("cpu  1 2"), None);
    }

    #[test]
    fn hypervisor_flag_is_parsed_from_cpuinfo() {
        assert!(is_virtual("flags\t\t: fpu vme hypervisor lahf_lm\n"));
        assert!(!is_virtual("model name: hypervisor\nflags\t\t: fpu vme\n"));
    }
}
