//! The time that a hypervisor steals, as Linux counts it.

use super::DeadlineMiss;
use crate::stream::underrun::Cause;
use std::time::{Duration, Instant};

/// Reads the stolen time now and then, and decides the cause of deadline misses.
#[derive(Debug)]
pub(in crate::stream) struct StealMonitor {
    /// The last readings of the stolen time of every CPU, oldest first.
    readings: [Vec<Duration>; 3],
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
            readings: [stolen_now(), stolen_now(), stolen_now()],
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
        // The thread was on one of the CPUs: a little from each of them explains nothing.
        let stolen = now.iter().zip(before).map(|(now, before)| now.saturating_sub(*before));
        let stolen = stolen.max().unwrap_or_default();
        // At least half of the gap. CPU time includes the stolen time.
        if stolen >= miss.gap / 2 && !stolen.is_zero() {
            Cause::Steal
        } else if miss.computing >= miss.gap / 2 {
            Cause::RenderTime
        } else if miss.waited() >= miss.gap / 2 {
            match miss.used_device {
                true => Cause::Renderer,
                false => Cause::RenderTime,
            }
        } else if self.is_virtual && miss.woke_late_without_contention() {
            Cause::Steal
        } else {
            Cause::Scheduling
        }
    }
}

/// Time that the hypervisor has taken from each CPU since the machine started.
fn stolen_now() -> Vec<Duration> {
    stolen(&read("/proc/stat"))
}

/// The eighth number of the line of each CPU of Linux' `/proc/stat`, in hundredths of a second.
fn stolen(text: &str) -> Vec<Duration> {
    let of_cpu = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next()?.strip_prefix("cpu")?;
        let hundredths: u64 = words.nth(7)?.parse().ok()?;
        (!number.is_empty()).then(|| Duration::from_millis(10 * hundredths))
    };
    text.lines().filter_map(of_cpu).collect()
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
            readings: [vec![Duration::ZERO; 2], Vec::new(), vec![Duration::ZERO, stolen]],
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
        let text = "cpu  1206982 151394 139782 919723 2765 0 774 3468 0 0\n\
                    cpu0 1 2 3 4 5 6 7 3000 9 10\ncpu1 1 2 3 4 5 6 7 468 9 10\nctxt 7";
        assert_eq!(stolen(text), [30_000, 4_680].map(Duration::from_millis));
        assert_eq!(stolen("nonsense"), []);
        assert_eq!(stolen("cpu0  1 2"), []);
    }

    #[test]
    fn hypervisor_flag_is_parsed_from_cpuinfo() {
        assert!(is_virtual("flags\t\t: fpu vme hypervisor lahf_lm\n"));
        assert!(!is_virtual("model name: hypervisor\nflags\t\t: fpu vme\n"));
    }
}
