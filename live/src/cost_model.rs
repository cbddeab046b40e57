//! The cost model of a renderer: three numbers.

use crate::supervised::Load;
use crate::workload::workload;
use myriad_engine::render::cpu::GRAIN;
use myriad_engine::render::{Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer};
use myriad_engine::simd::LANES;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The time of a block: `fixed`, and for every tick the cost of each cloud and each partial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    /// Seconds of a block in which nothing sounds.
    pub fixed: f64,
    /// Seconds of a cloud in a tick, without its partials.
    pub per_cloud: f64,
    /// Seconds of a partial in a tick.
    pub per_partial: f64,
}

/// Ticks of the blocks that are measured.
const TICKS: usize = 4;

/// Partials of each cloud that the CPU is measured with: enough for the cost of one more.
const CPU_PARTIALS: usize = 256;

/// Repetitions of each measurement. The median counts, so that short disturbances do not.
const TIMES: usize = 11;

impl CostModel {
    /// Seconds that a block takes.
    pub fn seconds(&self, load: Load) -> f64 {
        let tick = self.per_cloud * load.clouds as f64 + self.per_partial * load.partials as f64;
        self.fixed + tick * load.ticks as f64
    }

    /// Whether a machine can have these numbers.
    pub fn is_sane(&self) -> bool {
        let parts = [self.fixed, self.per_cloud, self.per_partial];
        parts.iter().all(|part| part.is_finite() && *part >= 0.0) && self.per_partial > 0.0
    }
}

/// Measures the CPU with so many threads. Takes some milliseconds.
///
/// # Errors
/// When memory or threads are refused.
pub fn measure_cpu(
    threads: usize,
    clock: &dyn Fn() -> Duration,
) -> Result<CostModel, PrepareError> {
    // Fewer would be left to fewer threads when they have few partials, and each would seem to cost more.
    let clouds = threads * GRAIN.div_ceil(TICKS * (LANES - 1));
    let mut cpu = CpuRenderer::new(threads);
    cpu.prepare(Capacity { slots: clouds, buses: 1 })?;
    Ok(measure(&mut cpu, clouds, CPU_PARTIALS, clock)?)
}

/// One thread of the CPU, measured at the first call, because a host prepares many instances one after the other; none if it
/// cannot be measured.
pub fn one_thread() -> Option<CostModel> {
    static MEASURED: OnceLock<Option<CostModel>> = OnceLock::new();
    *MEASURED.get_or_init(|| {
        let start = Instant::now();
        measure_cpu(1, &|| start.elapsed()).ok().filter(CostModel::is_sane)
    })
}

/// Measures a renderer that has been prepared for at least `clouds` clouds and one bus.
///
/// # Errors
/// When it cannot render.
pub fn measure(
    renderer: &mut dyn Renderer,
    clouds: usize,
    partials_each: usize,
    clock: &dyn Fn() -> Duration,
) -> Result<CostModel, RenderError> {
    let mut buses = Buses::new(1);
    let mut time = |clouds: usize, partials: usize| -> Result<f64, RenderError> {
        let load = Load { ticks: TICKS, clouds, partials: clouds * partials };
        let first = Arc::new(workload(clouds, load, true));
        let block = Arc::new(workload(clouds, load, false));
        renderer.render(&first, &mut buses)?;
        renderer.render(&block, &mut buses)?;
        let mut times = [0.0; TIMES];
        for time in &mut times {
            let start = clock();
            renderer.render(&block, &mut buses)?;
            *time = clock().saturating_sub(start).as_secs_f64();
        }
        times.sort_by(f64::total_cmp);
        Ok(times[TIMES / 2])
    };
    // Partials come in groups: fewer than a group cost as much as one.
    let (nothing, few, many) =
        (time(0, 0)?, time(clouds, LANES - 1)?, time(clouds, partials_each - 1)?);
    let (ticks, clouds, lanes) = (TICKS as f64, clouds as f64, LANES as f64);
    let per_partial = (many - few) / (ticks * clouds * (partials_each as f64 - lanes));
    // Never zero, even if a measurement says so.
    let per_partial = per_partial.max(1e-15);
    let per_cloud = ((few - nothing) / (ticks * clouds) - lanes * per_partial).max(0.0);
    Ok(CostModel { fixed: nothing.max(0.0), per_cloud, per_partial })
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::render::{Capacity, PrepareError, VoiceBlock};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A renderer that takes the time of a model, on a simulated clock.
    struct Modelled {
        model: CostModel,
        now: Arc<AtomicU64>,
    }

    impl Renderer for Modelled {
        fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
            Ok(())
        }
        fn reset(&mut self) {}
        fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
            let seconds = self.model.seconds(Load::of(block));
            self.now.fetch_add((seconds * 1e12) as u64, Ordering::Relaxed);
            Ok(())
        }
        fn collect(&mut self, _: &mut Buses) -> Result<usize, RenderError> {
            Ok(0)
        }
    }

    #[test]
    fn measuring_recovers_the_model() {
        let now = Arc::new(AtomicU64::new(0));
        for model in [
            CostModel { fixed: 40e-6, per_cloud: 10e-9, per_partial: 1e-9 },
            CostModel { fixed: 0.0, per_cloud: 0.0, per_partial: 5e-9 },
        ] {
            let mut renderer = Modelled { model, now: Arc::clone(&now) };
            // A thousandth of the time that it is told, so that picoseconds can be counted.
            let clock = || Duration::from_nanos(now.load(Ordering::Relaxed));
            let measured = measure(&mut renderer, 64, 512, &clock).unwrap();
            assert!(measured.is_sane());
            for (measured, model) in [
                (measured.fixed, model.fixed),
                (measured.per_cloud, model.per_cloud),
                (measured.per_partial, model.per_partial),
            ] {
                let error = (measured / 1_000.0 - model).abs();
                assert!(error < 1e-12, "{measured} for {model}");
            }
        }
    }
}
