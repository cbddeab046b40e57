//! The bank alone, on cores and on a GPU.

use super::{Holding, TICKS};
use crate::bench::figure::median;
use crate::bench::pace::timed;
use crate::bench::{RATE, period};
use myriad_engine::render::TICK;
use myriad_engine::render::cpu::benchmark::{BankAlone, PARTIALS};
use myriad_engine::simd::Level;
use myriad_kernels::cuda::benchmark::BankAlone as GpusBank;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use std::time::{Duration, Instant};

/// Every thread has a bank of its own; what they hold together counts.
pub(super) struct CpuBank {
    threads: usize,
}

impl CpuBank {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads }
    }

    /// Seconds that all threads need for `ticks` ticks each, and the seconds these play.
    fn time(&self, ticks: usize) -> (f64, f64) {
        let work = BankAlone {
            ticks,
            seeding: true,
        };
        let (seconds, ()) = timed(|| {
            std::thread::scope(|scope| {
                for _ in 1..self.threads {
                    scope.spawn(move || Level::best().dispatch(work));
                }
                Level::best().dispatch(work);
            });
        });
        (seconds, (ticks * TICK) as f64 / RATE)
    }
}

impl Holding for CpuBank {
    fn held(&mut self, length: Duration) -> Result<f64, Failure> {
        const FIRST_TICKS: usize = 1_000;
        let (seconds, _) = self.time(FIRST_TICKS);
        // One long stretch: starting the threads must not count.
        let ticks = FIRST_TICKS as f64 * length.as_secs_f64() / seconds;
        let (seconds, played) = self.time((ticks as usize).max(FIRST_TICKS));
        Ok(self.load() as f64 * played / seconds)
    }

    fn load(&self) -> usize {
        self.threads * PARTIALS
    }
}

/// As many partials on a GPU as it can just about render in time.
pub(super) struct CudaBank {
    bank: GpusBank,
}

impl CudaBank {
    /// # Errors
    /// When the GPU fails.
    pub(super) fn search(device: usize) -> Result<Self, Failure> {
        const FIRST: usize = 8 << 20;
        let new = |partials| GpusBank::new(device, partials, TICKS);
        let mut bank = new(FIRST).map_err(Failure::failed)?;
        // A large bank may fit better, so that the first guess is too low.
        for _ in 0..2 {
            let seconds = bank.render().map_err(Failure::failed)?;
            let partials = bank.partials() as f64 * period(TICKS).as_secs_f64() / seconds;
            match new(partials as usize) {
                Ok(larger) => bank = larger,
                // No room: what fits tells the speed as well.
                Err(_) => break,
            }
        }
        Ok(Self { bank })
    }
}

impl Holding for CudaBank {
    fn held(&mut self, length: Duration) -> Result<f64, Failure> {
        let start = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || (start.elapsed() < length && !interrupt::requested()) {
            times.push(self.bank.render().map_err(Failure::failed)?);
        }
        let seconds = median(&times).unwrap_or(f64::INFINITY);
        Ok(self.load() as f64 * period(TICKS).as_secs_f64() / seconds)
    }

    fn load(&self) -> usize {
        self.bank.partials()
    }

    fn error_db(&self) -> Option<f64> {
        Some(self.bank.error_db())
    }
}
