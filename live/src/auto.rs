//! The automatic choice between CPU and GPU: measured once on each machine, decided for every block.

mod cache;
mod chooser;
mod host;
mod machine;

pub use crate::cost_model::{CostModel, measure, measure_cpu, one_thread};
pub use cache::{folder, load, store};
pub use chooser::{Chooser, Piece, faster_for};
pub use host::HostCost;
pub use machine::Key;

use super::supervised::MakeGpuRenderer;
use super::supervised::watchdog::{WatchdogConfig, watched};
use myriad_engine::render::{Capacity, PrepareError};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What playing costs on a machine: control, and one of both renderers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Control, whoever renders.
    pub host: HostCost,
    /// The CPU.
    pub cpu: CostModel,
    /// The GPU.
    pub gpu: CostModel,
    /// Seconds until the GPU can render.
    pub gpu_starts: f64,
}

/// Clouds, and partials of each, that a GPU is measured with: enough for the cost of one more, and few enough to be quick.
const GPU_LOAD: (usize, usize) = (1_024, 512);

/// The calibration of this machine, measured now or earlier. Takes up to a second the first time; not
/// for real-time threads.
///
/// # Errors
/// When there is no GPU to choose, or it cannot be measured.
pub fn calibration(
    device: usize,
    threads: usize,
    make: &MakeGpuRenderer,
    again: bool,
) -> Result<Calibration, PrepareError> {
    // Two measurements at once would disturb each other; the second reads the result of the first.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = Key::of(device, threads)?;
    let folder = folder();
    let known = folder.as_deref().and_then(|folder| load(folder, &key));
    if let (Some(known), false) = (known, again) {
        return Ok(known);
    }
    let calibration = calibrate(threads, make)?;
    if let Some(folder) = folder {
        // If it cannot be stored, it is measured again next time.
        let _ = store(&folder, &key, &calibration);
    }
    Ok(calibration)
}

/// Measures control and both renderers.
fn calibrate(threads: usize, make: &MakeGpuRenderer) -> Result<Calibration, PrepareError> {
    let start = Instant::now();
    let clock = || start.elapsed();
    let host = host::measure(threads, &clock)?;
    let cpu = measure_cpu(threads, &clock)?;
    // As it will be used.
    let mut gpu = watched(make(), WatchdogConfig::default());
    let before = clock();
    gpu.prepare(Capacity { slots: GPU_LOAD.0, buses: 1 })?;
    let gpu_starts = (clock() - before).as_secs_f64();
    let gpu = measure(&mut *gpu, GPU_LOAD.0, GPU_LOAD.1, &clock)?;
    Ok(Calibration { host, cpu, gpu, gpu_starts })
}
