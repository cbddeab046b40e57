//! State of NVIDIA GPUs through NVML, the library that `nvidia-smi` uses.
//!
//! It comes with the driver and is opened at run time. A query takes up to a few milliseconds, so it
//! must not be made on threads with deadlines.

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::enums::device::UsedGpuMemory;
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
        let nvml = Nvml::init().map_err(|error| error.to_string())?;
        Ok(Self { nvml })
    }

    pub fn driver(&self) -> Option<String> {
        self.nvml.sys_driver_version().ok()
    }

    pub fn count(&self) -> u32 {
        self.nvml.device_count().unwrap_or(0)
    }

    pub fn name(&self, index: u32) -> Option<String> {
        self.nvml.device_by_index(index).ok()?.name().ok()
    }

    /// Memory in bytes: total and free.
    pub fn memory(&self, index: u32) -> Option<[u64; 2]> {
        let memory = self.nvml.device_by_index(index).ok()?.memory_info().ok()?;
        Some([memory.total, memory.free])
    }

    /// Whether the driver stays loaded while no process uses it, so that a start is quick; only Linux's
    /// driver says.
    #[cfg(target_os = "linux")]
    pub fn is_persistent(&self, index: u32) -> Option<bool> {
        let device = self.nvml.device_by_index(index).ok()?;
        device.is_in_persistent_mode().ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn is_persistent(&self, _index: u32) -> Option<bool> {
        None
    }

    pub fn highest_clock_mhz(&self, index: u32) -> Option<u32> {
        let device = self.nvml.device_by_index(index).ok()?;
        device.max_clock_info(Clock::SM).ok()
    }

    pub fn users(&self, index: u32) -> Vec<GpuUser> {
        let Ok(device) = self.nvml.device_by_index(index) else {
            return Vec::new();
        };
        let computing = device.running_compute_processes().unwrap_or_default();
        let drawing = device.running_graphics_processes().unwrap_or_default();
        let mut users: Vec<GpuUser> = Vec::new();
        for process in computing.into_iter().chain(drawing) {
            let known = users.iter().any(|user| user.pid == process.pid);
            if process.pid == std::process::id() || known {
                continue;
            }
            let name = std::fs::read_to_string(format!("/proc/{}/comm", process.pid));
            users.push(GpuUser {
                pid: process.pid,
                name: name.ok().map(|name| name.trim().to_owned()),
                memory_bytes: used(&process.used_gpu_memory),
            });
        }
        users
    }

    pub fn figures(&self, index: u32) -> GpuFigures {
        let Ok(device) = self.nvml.device_by_index(index) else {
            return GpuFigures::default();
        };
        let processes = device.running_compute_processes().unwrap_or_default();
        let own = processes.iter().find(|process| process.pid == std::process::id());
        GpuFigures {
            clock_mhz: device.clock_info(Clock::SM).ok(),
            temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
            power_w: device.power_usage().ok().map(|mw| f64::from(mw) / 1000.0),
            utilisation: device.utilization_rates().ok().map(|rates| f64::from(rates.gpu) / 100.0),
            memory_bytes: device.memory_info().ok().map(|memory| memory.used),
            own_memory_bytes: own.and_then(|process| used(&process.used_gpu_memory)),
        }
    }
}

fn used(memory: &UsedGpuMemory) -> Option<u64> {
    match memory {
        UsedGpuMemory::Used(bytes) => Some(*bytes),
        UsedGpuMemory::Unavailable => None,
    }
}
