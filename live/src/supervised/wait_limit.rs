//! How long to wait for a GPU that plays live: as long as the CPU can still take over before sound is missing.

use super::load_shedding::Clock;
use super::{Concealment, Load};
use crate::cost_model::{CostModel, measure};
use myriad_engine::render::{CpuRenderer, Renderer, TICK};
use std::time::Duration;

/// Clouds that the CPU renders to be measured, and partials of each.
const MEASURED: (usize, usize) = (64, 256);

/// What a takeover takes at first: threads wake up, and nothing is in caches. Callbacks may also come a little early.
const START: Duration = Duration::from_micros(1_000);

/// What it takes to predict a channel that sounds.
const PREDICTION: Duration = Duration::from_micros(100);

/// So many times as long as measured may blocks take on a machine that does other things as well.
const MARGIN: f64 = 2.0;

/// Every GPU gets so much time: nearly all blocks take less, and one that comes a little late is no reason to leave it.
const SHORTEST: Duration = Duration::from_micros(1_500);

/// Decides it by what was measured of the CPU.
pub(super) struct WaitLimit {
    cpu: CostModel,
    sample_rate: f32,
}

impl WaitLimit {
    /// Measures the CPU, which is prepared for so many slots and is reset afterwards. None if it cannot be measured.
    pub(super) fn measure(
        cpu: &mut CpuRenderer,
        slots: usize,
        sample_rate: f32,
        clock: &Clock,
    ) -> Option<Self> {
        let (clouds, partials) = MEASURED;
        let measured = measure(cpu, clouds.min(slots), partials, &**clock);
        cpu.reset();
        let cpu = measured.ok().filter(CostModel::is_sane)?;
        Some(Self { cpu, sample_rate })
    }

    /// How long to wait for the first of `blocks`, all of which the CPU would have to render, when their sound is needed in `left`;
    /// `longest` where it cannot hold them anyway.
    pub(super) fn of(
        &self,
        left: Duration,
        blocks: impl Iterator<Item = Load>,
        channels: &[Concealment],
        longest: Duration,
    ) -> Duration {
        let (mut rendering, mut ticks) = (0.0, 0);
        for load in blocks {
            rendering += MARGIN * self.cpu.seconds(load);
            ticks += load.ticks;
        }
        if rendering > (ticks * TICK) as f64 / f64::from(self.sample_rate) {
            return longest;
        }
        let sounding = channels.iter().filter(|channel| !channel.is_silent()).count();
        let takeover = START + sounding as u32 * PREDICTION + Duration::from_secs_f64(rendering);
        left.saturating_sub(takeover).max(SHORTEST).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(40);
    const BLOCK: Load = Load { ticks: 2, clouds: 128, partials: 8_192 };

    /// Of a CPU that takes so many seconds for a partial and tick.
    fn limit(per_partial: f64, left: Duration, blocks: usize, sounding: usize) -> Duration {
        let cpu = CostModel { fixed: 0.0, per_cloud: 0.0, per_partial };
        let mut channels = vec![Concealment::new(); 32];
        channels[..sounding].iter_mut().for_each(|channel| channel.remember(&[0.1]));
        let limit = WaitLimit { cpu, sample_rate: 48_000.0 };
        limit.of(left, std::iter::repeat_n(BLOCK, blocks), &channels, LONGEST)
    }

    #[test]
    fn what_a_takeover_takes_is_left_for_it() {
        let left = Duration::from_millis(10);
        let of = |blocks, sounding| limit(3e-9, left, blocks, sounding);
        // 2 x 49 us a block.
        let rendering = |blocks: u32| Duration::from_nanos(98_304) * blocks;
        assert_eq!(of(1, 0), left - START - rendering(1));
        assert_eq!(of(3, 4), left - START - 4 * PREDICTION - rendering(3));
        assert_eq!(of(40, 0), left - START - rendering(40));
    }

    #[test]
    fn a_gpu_gets_some_time_and_not_too_much() {
        assert_eq!(limit(3e-9, Duration::ZERO, 1, 2), SHORTEST);
        assert_eq!(limit(3e-9, Duration::from_secs(1), 1, 2), LONGEST);
    }

    /// It would leave out partials, or come too late as well.
    #[test]
    fn a_cpu_that_cannot_hold_the_load_is_no_reason_to_hurry() {
        let left = Duration::from_millis(3);
        assert!(limit(30e-9, left, 1, 2) < LONGEST);
        assert_eq!(limit(50e-9, left, 1, 2), LONGEST);
    }

    #[test]
    fn a_channel_is_silent_when_nothing_is_left_to_continue() {
        let mut channel = Concealment::new();
        assert!(channel.is_silent());
        channel.remember(&[0.0, 0.1, 0.0]);
        assert!(!channel.is_silent());
        (0..100).for_each(|_| channel.remember(&[0.0; 64]));
        assert!(channel.is_silent());
    }
}
