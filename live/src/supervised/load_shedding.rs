//! Load shedding: leaves out the quietest partials when the CPU is too slow, no more than needed.
//!
//! The time of every block is compared with how long it sounds. Above [`HIGH_LOAD`] the floor under
//! which partials fade rises, the faster the worse it is; below [`LOW_LOAD`] it sinks slowly, so
//! that it comes to rest in between.

use myriad_engine::render::{
    Buses, CpuRenderer, MAX_TICKS, RenderError, Renderer, TICK, VoiceBlock,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A clock: time since some moment. Tests inject their own.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The clock of the machine.
pub fn wall_clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || start.elapsed())
}

/// The share of a block's duration that rendering it may take; the rest is for modulation, for
/// effects, and for catching up.
const HIGH_LOAD: f32 = 0.7;

/// Below this there is room for more.
const LOW_LOAD: f32 = 0.5;

/// Where the floor starts from, in decibels of full scale: nothing below it is missed, so that a
/// single late block changes nothing that can be heard.
const LOWEST: f32 = -96.0;

/// Nothing louder is ever left out.
const HIGHEST: f32 = -20.0;

/// Decibels a tick by which the floor rises at most, and those by which it sinks: 30 a second.
const FASTEST_RISE: f32 = 6.0;
const FALL: f32 = 0.02;

/// Renders on the CPU within the time there is.
pub(super) struct LoadShedding {
    sample_rate: f32,
    clock: Clock,
    floor: Floor,
    real_time: bool,
}

/// The level under which partials fade, in decibels; none at [`LOWEST`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Floor {
    /// At the end of the last block.
    from: f32,
    /// At the end of the next.
    to: f32,
}

impl Floor {
    const NONE: Floor = Floor { from: LOWEST, to: LOWEST };

    /// Levels at the end of each of `ticks` ticks.
    fn levels(&self, ticks: usize) -> [f32; MAX_TICKS] {
        std::array::from_fn(|tick| {
            let way = (tick + 1).min(ticks) as f32 / ticks.max(1) as f32;
            match self.from + (self.to - self.from) * way {
                none if none <= LOWEST => 0.0,
                decibels => 10.0f32.powf(decibels / 20.0),
            }
        })
    }

    /// After a block of `ticks` that took `load` times as long as it sounds.
    fn adapt(&mut self, load: f32, ticks: usize) {
        let ticks = ticks as f32;
        let change = if load > HIGH_LOAD {
            (20.0 * (load / HIGH_LOAD).log10()).clamp(1.0, FASTEST_RISE * ticks)
        } else if load < LOW_LOAD {
            -FALL * ticks
        } else {
            0.0
        };
        self.from = self.to;
        self.to = (self.to + change).clamp(LOWEST, HIGHEST);
    }
}

impl LoadShedding {
    pub(super) fn new(sample_rate: f32, clock: Clock) -> Self {
        Self { sample_rate, clock, floor: Floor::NONE, real_time: true }
    }

    pub(super) fn reset(&mut self) {
        self.floor = Floor::NONE;
    }

    /// Says whether it matters how long the next blocks take. If not, nothing is left out.
    pub(super) fn set_real_time(&mut self, real_time: bool) {
        self.real_time = real_time;
        if !real_time {
            self.reset();
        }
    }

    /// Renders, and adapts the floor to how long it took.
    pub(super) fn render(
        &mut self,
        cpu: &mut CpuRenderer,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        cpu.set_floor(self.floor.levels(block.ticks()));
        if !self.real_time {
            return cpu.render(block, buses);
        }
        let start = (self.clock)();
        let partials = cpu.render(block, buses)?;
        let took = (self.clock)().saturating_sub(start).as_secs_f32();
        let sounds = (block.ticks() * TICK) as f32 / self.sample_rate;
        self.floor.adapt(took / sounds.max(1e-9), block.ticks());
        Ok(partials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that needs `cost` of a block's time when nothing is left out, and half as much
    /// for every 20 dB above -96.
    fn settle(floor: &mut Floor, cost: f32, blocks: usize) -> f32 {
        let load = |floor: &Floor| cost * 0.5f32.powf((floor.to - LOWEST) / 20.0);
        for _ in 0..blocks {
            floor.adapt(load(floor), 2);
        }
        load(floor)
    }

    #[test]
    fn the_floor_rises_as_far_as_needed_and_falls_again() {
        let mut floor = Floor::NONE;
        assert!(settle(&mut floor, 0.6, 1_000) == 0.6 && floor == Floor::NONE);
        let load = settle(&mut floor, 3.0, 60);
        assert!((LOW_LOAD..=HIGH_LOAD).contains(&load), "{load}");
        let load = settle(&mut floor, 1.5, 2_000);
        assert!((LOW_LOAD - 0.01..=HIGH_LOAD).contains(&load), "{load}");
        settle(&mut floor, 0.4, 5_000);
        assert_eq!(floor, Floor::NONE);
        // However large the load, the loud ones stay.
        settle(&mut floor, 1e6, 1_000);
        assert_eq!(floor.to, HIGHEST);
    }

    #[test]
    fn levels_are_continuous_between_blocks() {
        let floor = Floor { from: -60.0, to: -40.0 };
        let levels = floor.levels(4);
        assert!((levels[0] - 10f32.powf(-55.0 / 20.0)).abs() < 1e-6);
        assert!((levels[3] - 0.01).abs() < 1e-6 && levels[7] == levels[3]);
        assert_eq!(Floor::NONE.levels(8), [0.0; MAX_TICKS]);
    }
}
