//! Names of the processor, the operating system and the driver.

use myriad_engine::simd::Level;
use std::fs;

/// How many threads can run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub fn processor() -> String {
    cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Processor and system in one line.
pub fn line() -> String {
    format!("{}, {} cores, {}; {}", processor(), cores(), Level::best().name(), system())
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
    Some(String::from_utf8(output.ok()?.stdout).ok()?.trim().to_owned())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn cpu() -> Option<String> {
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

/// The operating system's name and, on Linux, its kernel.
pub fn system() -> String {
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

/// The NVIDIA driver's version, on Linux.
pub fn nvidia_driver() -> Option<String> {
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
    fn driver_version_is_found_in_its_description() {
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs)";
        assert_eq!(version_in(open).as_deref(), Some("580.65.06"));
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 2024";
        assert_eq!(version_in(closed).as_deref(), Some("535.183.01"));
        assert_eq!(version_in("no version"), None);
    }
}
