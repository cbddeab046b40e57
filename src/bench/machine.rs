//! The machine that was measured. Figures without it mean nothing.

use myriad_engine::render::cuda::CudaCounters;
use myriad_engine::simd::Level;
use serde::{Deserialize, Serialize};
use std::fs;

use super::RATE;

/// Where the figures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// What the processor calls itself.
    pub(crate) cpu: String,
    /// Threads that can run at once.
    pub(crate) cores: usize,
    /// The widest instructions that are used.
    pub(crate) simd: String,
    pub(crate) os: String,
    /// The card, if one was measured.
    pub(crate) card: Option<Card>,
}

/// A graphics card and its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Card {
    pub(crate) name: String,
    /// The driver's version; none where the system does not tell.
    pub(crate) driver: Option<String>,
    /// The CUDA version that the driver has.
    pub(crate) cuda: String,
    pub(crate) capability: String,
    /// Multiprocessors.
    pub(crate) processors: u32,
    /// FP32 units of one of them.
    pub(crate) lanes: u32,
    /// The highest.
    pub(crate) clock_mhz: u32,
}

impl Machine {
    pub(super) fn new(cores: usize, card: Option<Card>) -> Self {
        Self {
            cpu: cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores,
            simd: Level::best().name().to_owned(),
            os: os(),
            card,
        }
    }

    /// In one line, for captions.
    pub(super) fn line(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        let cpu = format!("{}, {} {cores}, {}", self.cpu, self.cores, self.simd);
        match &self.card {
            Some(card) => format!("{cpu}; {}", card.line()),
            None => cpu,
        }
    }
}

impl Card {
    pub(super) fn new(counters: &CudaCounters) -> Self {
        let (major, minor) = counters.capability;
        Self {
            name: counters.card.clone(),
            driver: driver(),
            cuda: format!("{}.{}", counters.driver / 1000, counters.driver % 1000 / 10),
            capability: format!("{major}.{minor}"),
            processors: counters.processors,
            lanes: lanes(counters.capability),
            clock_mhz: counters.kilohertz / 1000,
        }
    }

    /// In a few words.
    pub(super) fn line(&self) -> String {
        match &self.driver {
            Some(driver) => format!("{}, driver {driver}", self.name),
            None => format!("{}, CUDA {}", self.name, self.cuda),
        }
    }

    /// Partials in real time if every FP32 unit issued an instruction each cycle of the highest
    /// clock, four a partial and frame (the delta form), and did nothing else.
    pub(super) fn most_partials(&self) -> f64 {
        const INSTRUCTIONS: f64 = 4.0;
        let units = f64::from(self.processors) * f64::from(self.lanes);
        units * f64::from(self.clock_mhz) * 1e6 / (INSTRUCTIONS * RATE)
    }
}

/// FP32 units of a multiprocessor, as the CUDA programming guide lists them.
fn lanes(capability: (u32, u32)) -> u32 {
    match capability {
        (6, 0) | (7, _) | (8, 0) => 64,
        _ => 128,
    }
}

#[cfg(target_os = "linux")]
fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(target_os = "macos")]
fn cpu() -> Option<String> {
    let mut command = std::process::Command::new("sysctl");
    let output = command.args(["-n", "machdep.cpu.brand_string"]).output();
    Some(
        String::from_utf8(output.ok()?.stdout)
            .ok()?
            .trim()
            .to_owned(),
    )
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn cpu() -> Option<String> {
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

/// The system's name and, on Linux, its kernel.
fn os() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    match fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(kernel) => format!("{name}, kernel {}", kernel.trim()),
        Err(_) => name.to_owned(),
    }
}

/// The NVIDIA driver's version, which Linux tells.
fn driver() -> Option<String> {
    version_in(&fs::read_to_string("/proc/driver/nvidia/version").ok()?)
}

/// The first word that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        parts.clone().count() > 1 && parts.all(|part| part.parse::<u32>().is_ok())
    };
    text.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_tells_its_version() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs)";
        assert_eq!(version_in(open).as_deref(), Some("580.65.06"));
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 2024";
        assert_eq!(version_in(closed).as_deref(), Some("535.183.01"));
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn this_machine_has_a_name() {
        let machine = Machine::new(2, None);
        assert!(!machine.cpu.is_empty() && !machine.os.is_empty());
        assert!(machine.line().contains("2 cores"));
    }
}
