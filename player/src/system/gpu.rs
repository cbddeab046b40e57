//! State of NVIDIA GPUs through NVML, the library that `nvidia-smi` uses.
//!
//! It comes with the driver and is opened at run time. A query takes up to a few milliseconds, so it
//! must not be made on threads with deadlines.

mod nvml;

use nvml::Nvml;
use serde::{Deserialize, Serialize};

/// State of a GPU; values that the driver does not report are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuFigures {
    pub clock_mhz: Option<u32>,
    pub temperature_c: Option<u32>,
    pub power_w: Option<f64>,
    /// Share of the time in which a kernel ran, 0 to 1.
    pub utilisation: Option<f64>,
    /// Memory in use by all processes.
    pub memory_bytes: Option<u64>,
    /// Memory in use by this process; none in containers, where the driver sees other process ids.
    pub own_memory_bytes: Option<u64>,
}

/// Another process that uses a GPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuUser {
    pub pid: u32,
    pub name: Option<String>,
    pub memory_bytes: Option<u64>,
}

/// The open library.
pub struct Gpu {
    nvml: Nvml,
}

impl Gpu {
    /// Opens the library.
    ///
    /// # Errors
    /// The library's message when there is none, or it does not work.
    pub fn open() -> Result<Self, String> {
        Ok(Self { nvml: Nvml::open()? })
    }

    pub fn driver(&self) -> Option<String> {
        self.nvml.driver()
    }

    pub fn count(&self) -> u32 {
        self.nvml.count().unwrap_or(0)
    }

    pub fn name(&self, index: u32) -> Option<String> {
        self.nvml.gpu(index)?.name()
    }

    /// Memory in bytes: total and free.
    pub fn memory(&self, index: u32) -> Option<[u64; 2]> {
        let memory = self.nvml.gpu(index)?.memory()?;
        Some([memory.total, memory.free])
    }

    /// Whether the driver stays loaded while no process uses it, so that a start is quick; only Linux's
    /// driver says.
    pub fn is_persistent(&self, index: u32) -> Option<bool> {
        self.nvml.gpu(index)?.is_persistent()
    }

    pub fn highest_clock_mhz(&self, index: u32) -> Option<u32> {
        self.nvml.gpu(index)?.highest_clock_mhz()
    }

    pub fn users(&self, index: u32) -> Vec<GpuUser> {
        let Some(gpu) = self.nvml.gpu(index) else {
            return Vec::new();
        };
        let mut users: Vec<GpuUser> = Vec::new();
        for process in gpu.computing().into_iter().chain(gpu.drawing()) {
            let known = users.iter().any(|user| user.pid == process.pid);
            if process.pid == std::process::id() || known {
                continue;
            }
            let name = std::fs::read_to_string(format!("/proc/{}/comm", process.pid));
            users.push(GpuUser {
                pid: process.pid,
                name: name.ok().map(|name| name.trim().to_owned()),
                memory_bytes: process.memory(),
            });
        }
        users
    }

    pub fn figures(&self, index: u32) -> GpuFigures {
        let Some(gpu) = self.nvml.gpu(index) else {
            return GpuFigures::default();
        };
        let processes = gpu.computing();
        let own = processes.iter().find(|process| process.pid == std::process::id());
        GpuFigures {
            clock_mhz: gpu.clock_mhz(),
            temperature_c: gpu.temperature_c(),
            power_w: gpu.power_mw().map(|mw| f64::from(mw) / 1000.0),
            utilisation: gpu.utilisation().map(|percent| f64::from(percent.gpu) / 100.0),
            memory_bytes: gpu.memory().map(|memory| memory.used),
            own_memory_bytes: own.and_then(|process| process.memory()),
        }
    }
}
