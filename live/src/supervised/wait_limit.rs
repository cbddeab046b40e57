//! How long to wait for a GPU that plays live: as long as the CPU can still take over before sound is missing.

use super::Load;
use crate::cost_model::CostModel;
use myriad_engine::render::TICK;
use myriad_engine::render::cpu::GRAIN;
use std::time::Duration;

/// What a takeover takes at first: threads wake up, and nothing is in caches. Callbacks may also come a little early.
const START: Duration = Duration::from_micros(1_000);

/// What it takes to predict a channel that sounds. Threads share the channels.
const PREDICTION: Duration = Duration::from_micros(100);

/// So many times as long as measured may blocks take on a machine that does other things as well.
const MARGIN: f64 = 2.0;

/// Every GPU gets so much time: nearly all blocks take less, and one that comes a little late is no reason to leave it.
const SHORTEST: Duration = Duration::from_micros(1_500);

/// Decides it by what was measured of the CPU.
pub(super) struct WaitLimit {
    sample_rate: f32,
    measure: Box<dyn Fn() -> Option<CostModel> + Send>,
    threads: usize,
    /// Of one thread: others play while it is measured. None until then, and where that failed.
    cpu: Option<CostModel>,
}

impl WaitLimit {
    /// With what measures one thread of the CPU.
    pub(super) fn new(
        sample_rate: f32,
        measure: Box<dyn Fn() -> Option<CostModel> + Send>,
    ) -> Self {
        Self { sample_rate, measure, threads: 1, cpu: None }
    }

    /// Measures the CPU, which renders with so many threads.
    pub(super) fn prepare(&mut self, threads: usize) {
        (self.threads, self.cpu) = (threads, (self.measure)());
    }

    /// How long to wait for the first of `blocks`, all of which the CPU would have to render, when their sound is needed in `left`
    /// and so many channels are `sounding`; `longest` where it cannot hold them anyway, or nobody knows.
    pub(super) fn of(
        &self,
        left: Duration,
        blocks: impl Iterator<Item = Load>,
        sounding: usize,
        longest: Duration,
    ) -> Duration {
        let Some(cpu) = &self.cpu else {
            return longest;
        };
        let (mut rendering, mut ticks) = (0.0, 0);
        for load in blocks {
            let threads = self.threads.min(1 + load.partials * load.ticks / GRAIN);
            rendering += MARGIN * cpu.seconds(load) / threads as f64;
            ticks += load.ticks;
        }
        if rendering > (ticks * TICK) as f64 / f64::from(self.sample_rate) {
            return longest;
        }
        let predicting = sounding.div_ceil(self.threads) as u32 * PREDICTION;
        let takeover = START + predicting + Duration::from_secs_f64(rendering);
        left.saturating_sub(takeover).max(SHORTEST).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(40);
    const BLOCK: Load = Load { ticks: 2, clouds: 128, partials: 8_192 };

    fn unmeasured() -> WaitLimit {
        WaitLimit::new(48_000.0, Box::new(|| None))
    }

    /// A CPU that takes so many seconds for a partial and tick with one of its two threads.
    fn measured(per_partial: f64) -> WaitLimit {
        let cpu = CostModel { fixed: 0.0, per_cloud: 0.0, per_partial };
        WaitLimit { threads: 2, cpu: Some(cpu), ..unmeasured() }
    }

    fn limit(per_partial: f64, left: Duration, blocks: usize, sounding: usize) -> Duration {
        let blocks = std::iter::repeat_n(BLOCK, blocks);
        measured(per_partial).of(left, blocks, sounding, LONGEST)
    }

    #[test]
    fn what_a_takeover_takes_is_left_for_it() {
        let left = Duration::from_millis(10);
        let of = |blocks, sounding| limit(6e-9, left, blocks, sounding);
        // 2 x 49 us a block, which both threads share.
        let rendering = |blocks: u32| Duration::from_nanos(98_304) * blocks;
        assert_eq!(of(1, 0), left - START - rendering(1));
        assert_eq!(of(3, 4), left - START - 2 * PREDICTION - rendering(3));
        assert_eq!(of(3, 5), left - START - 3 * PREDICTION - rendering(3));
        assert_eq!(of(40, 0), left - START - rendering(40));
        // So few partials are left to one thread.
        let small = [Load { partials: 1_024, ..BLOCK }].into_iter();
        let rendering = Duration::from_nanos(2 * 2 * 1_024 * 6);
        assert_eq!(measured(6e-9).of(left, small, 0, LONGEST), left - START - rendering);
    }

    #[test]
    fn a_gpu_gets_some_time_and_not_too_much() {
        assert_eq!(limit(6e-9, Duration::ZERO, 1, 2), SHORTEST);
        assert_eq!(limit(6e-9, Duration::from_secs(1), 1, 2), LONGEST);
    }

    /// It would leave out partials, or come too late as well.
    #[test]
    fn a_cpu_that_cannot_hold_the_load_is_no_reason_to_hurry() {
        let left = Duration::from_millis(3);
        assert!(limit(60e-9, left, 1, 2) < LONGEST);
        assert_eq!(limit(100e-9, left, 1, 2), LONGEST);
        let unknown = unmeasured().of(left, [BLOCK].into_iter(), 2, LONGEST);
        assert_eq!(unknown, LONGEST);
    }
}
