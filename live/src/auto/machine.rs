//! The key of a machine: everything that its speed depends on.

use myriad_engine::simd::Level;
use myriad_kernels::GpuError;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Everything that a measurement depends on. It is measured again when any of it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    text: String,
}

impl Key {
    /// The key of this machine, with GPU number `device` and this many threads on the CPU.
    ///
    /// # Errors
    /// When there is no such GPU.
    pub fn of(device: usize, threads: usize) -> Result<Self, GpuError> {
        let parts = [
            concat!("Myriad ", env!("CARGO_PKG_VERSION")).to_owned(),
            processor(),
            Level::best().name().to_owned(),
            format!("{threads} threads of {}", cores()),
            gpu(device)?,
        ];
        Ok(Self::from_text(parts.join(" | ")))
    }

    pub(super) fn from_text(text: String) -> Self {
        // The cache writes it into one line.
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Self { text: text.chars().map(plain).collect() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number in the file name.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        hasher.finish()
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The model name of the CPU, if the system tells.
fn processor() -> String {
    let linux = || -> Option<String> {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok();
    linux().or_else(windows).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn gpu(device: usize) -> Result<String, GpuError> {
    myriad_kernels::cuda::identity(device)
}
