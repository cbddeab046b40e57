//! The machine that was measured.

use super::RATE;
use myriad_engine::simd::Level;
use myriad_kernels::cuda::CudaCounters;
use myriad_player::machine;
use serde::{Deserialize, Serialize};

/// The processor, and the GPU if one was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The name of the processor.
    pub cpu: String,
    /// Threads that can run at once.
    pub cores: usize,
    /// The widest instructions that are used.
    pub simd: String,
    pub os: String,
    /// The GPU, if one was measured.
    #[serde(rename = "card", alias = "gpu")]
    pub gpu: Option<Gpu>,
}

/// A GPU and its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gpu {
    pub name: String,
    /// The driver's version, where it is known.
    pub driver: Option<String>,
    /// The CUDA version that the driver has.
    pub cuda: String,
    pub capability: String,
    /// Multiprocessors.
    pub processors: u32,
    /// FP32 units of one of them.
    pub lanes: u32,
    /// The highest.
    pub clock_mhz: u32,
}

impl Machine {
    pub(super) fn new(cores: usize, gpu: Option<Gpu>) -> Self {
        Self {
            cpu: machine::processor(),
            cores,
            simd: Level::best().name().to_owned(),
            os: machine::system(),
            gpu,
        }
    }

    /// In one line, for captions.
    pub(super) fn line(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        let cpu = format!("{}, {} {cores}, {}", self.cpu, self.cores, self.simd);
        match &self.gpu {
            Some(gpu) => format!("{cpu}; {}", gpu.line()),
            None => cpu,
        }
    }
}

impl Gpu {
    pub(super) fn new(counters: &CudaCounters) -> Self {
        let (major, minor) = counters.capability;
        Self {
            name: counters.gpu.clone(),
            driver: machine::nvidia_driver(),
            cuda: format!("{}.{}", counters.driver / 1000, counters.driver % 1000 / 10),
            capability: format!("{major}.{minor}"),
            processors: counters.processors,
            lanes: lanes(counters.capability),
            clock_mhz: counters.kilohertz / 1000,
        }
    }

    /// Name and version in one line.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name() {
        let machine = Machine::new(2, None);
        assert!(!machine.cpu.is_empty() && !machine.os.is_empty());
        assert!(machine.line().contains("2 cores"));
    }
}
