//! Choosing between the CPU and a card: measured once on each machine, decided for every block.

mod cache;
mod chooser;
mod machine;
mod model;

pub use cache::{folder, load, store};
pub use chooser::{Chooser, Piece, faster_for};
pub use machine::Key;
pub use model::{CostModel, measure};

use super::supervised::watchdog::{WatchdogConfig, WatchdogRenderer};
use super::supervised::{GpuLocation, MakeGpuRenderer};
use super::{Capacity, CpuRenderer, DeviceError, PrepareError, Renderer};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What renderers cost on a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// The CPU.
    pub cpu: CostModel,
    /// The card.
    pub card: CostModel,
    /// Seconds until the card can render.
    pub card_starts: f64,
}

/// Clouds and partials in each that the CPU is measured with, and the card: enough to see what
/// one more costs, and little enough for a moment.
const CPU_LOAD: (usize, usize) = (256, 256);
const CARD_LOAD: (usize, usize) = (1_024, 512);

/// What was measured on this machine, now or earlier. Takes up to a second the first time; not for
/// threads that are in a hurry.
///
/// # Errors
/// When there is no card to choose, or it cannot be measured.
pub fn calibration(
    device: usize,
    threads: usize,
    make: &MakeGpuRenderer,
    again: bool,
) -> Result<Calibration, PrepareError> {
    // Two measuring at once would disturb each other; the second finds what the first has found.
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
        // Where it cannot be kept it is measured again next time.
        let _ = store(&folder, &key, &calibration);
    }
    Ok(calibration)
}

/// Measures both renderers.
fn calibrate(threads: usize, make: &MakeGpuRenderer) -> Result<Calibration, PrepareError> {
    let start = Instant::now();
    let clock = || start.elapsed();
    let mut cpu = CpuRenderer::new(threads);
    cpu.prepare(capacity(CPU_LOAD.0))?;
    let cpu = measure(&mut cpu, CPU_LOAD.0, CPU_LOAD.1, &clock)?;
    let card = make(GpuLocation::InProcess).ok_or(DeviceError::NotBuilt)?;
    // As it will be used: on a thread of its own.
    let mut card = WatchdogRenderer::new(card, WatchdogConfig::default());
    let before = clock();
    card.prepare(capacity(CARD_LOAD.0))?;
    let card_starts = (clock() - before).as_secs_f64();
    let card = measure(&mut card, CARD_LOAD.0, CARD_LOAD.1, &clock)?;
    Ok(Calibration {
        cpu,
        card,
        card_starts,
    })
}

fn capacity(slots: usize) -> Capacity {
    Capacity { slots, buses: 1 }
}
