//! The whole renderer, with as many large clouds as it can just about render in time.

use super::{Holding, TICKS};
use crate::bench::candidate::{Candidate, Rig};
use crate::bench::figure::median;
use crate::bench::load::{Load, Spectrum};
use crate::bench::pace::{Pace, timed};
use crate::bench::period;
use myriad_engine::render::{Buses, Capacity, Remedy, VoiceBlock};
use myriad_player::failure::Failure;
use std::sync::Arc;
use std::time::Duration;

/// Partials of a cloud: the most there are, so that few clouds make many.
const PARTIALS: usize = 1_024;

/// The most clouds that are tried: 134 million partials.
const MOST: usize = 1 << 17;

/// The most times that the load changes.
const STEPS: usize = 10;

/// How far from the deadline a load may be, as a factor.
const NEAR: f64 = 1.15;

/// A renderer, prepared, with a load.
pub(super) struct Clouds {
    load: Load,
    rig: Rig,
    /// Clouds that it is prepared for.
    capacity: usize,
    block: Arc<VoiceBlock>,
    buses: Buses,
    /// Partials that really sound.
    sounded: usize,
    memory_limited: bool,
}

impl Clouds {
    /// Finds the load. Every step goes where the last one points to, at most sixteen times as far.
    ///
    /// # Errors
    /// When the renderer fails.
    pub(super) fn search(candidate: &Candidate, spectrum: Spectrum) -> Result<Self, Failure> {
        let clouds = if candidate.is_cuda() { 4_096 } else { 16 };
        let load = Load {
            clouds,
            partials: PARTIALS,
            spectrum,
        };
        let mut found = Self {
            load,
            rig: candidate
                .prepare(capacity(clouds))
                .map_err(Failure::failed)?,
            capacity: clouds,
            block: Arc::new(VoiceBlock::new(clouds)),
            buses: Buses::new(1),
            sounded: 0,
            memory_limited: false,
        };
        for _ in 0..STEPS {
            found.begin()?;
            let share = found.time(Duration::ZERO)? / period(TICKS).as_secs_f64();
            found.memory_limited &= share * NEAR < 1.0;
            if (1.0 / NEAR..NEAR).contains(&share) {
                break;
            }
            let step = (1.0 / share).clamp(1.0 / 16.0, 16.0);
            let clouds = found.load.clouds;
            found.resize(((clouds as f64 * step) as usize).clamp(1, MOST))?;
            if found.load.clouds == clouds {
                break;
            }
        }
        found.begin()?;
        Ok(found)
    }

    /// Changes the load to `clouds` clouds, or to about as many as there is memory for.
    fn resize(&mut self, clouds: usize) -> Result<(), Failure> {
        let mut clouds = clouds;
        while clouds > self.capacity {
            match self.rig.prepare(capacity(clouds)) {
                Ok(()) => {
                    self.capacity = clouds;
                    self.block = Arc::new(VoiceBlock::new(clouds));
                }
                Err(error) if error.remedy() == Remedy::FewerClouds => {
                    self.memory_limited = true;
                    // Half way by ratio, until that is as good as where we are.
                    let fewer = (clouds as f64 * self.capacity as f64).sqrt() as usize;
                    clouds = fewer;
                    if (fewer as f64) < NEAR * self.capacity as f64 {
                        clouds = self.capacity;
                        let before = self.rig.prepare(capacity(clouds));
                        before.map_err(Failure::failed)?;
                    }
                }
                Err(error) => return Err(Failure::failed(error)),
            }
        }
        self.load.clouds = clouds;
        Ok(())
    }

    /// Starts the clouds, and goes on to the block that will be timed.
    fn begin(&mut self) -> Result<(), Failure> {
        for number in 0..2 {
            self.load.fill(&mut self.block, TICKS, number);
            self.sounded = self.rig.render(&self.block, &mut self.buses)?;
        }
        Ok(())
    }

    /// Seconds of the median block, of three at least.
    fn time(&mut self, length: Duration) -> Result<f64, Failure> {
        let mut times = Vec::new();
        while times.len() < 3 {
            times.extend(Pace::BackToBack.run(period(TICKS), length, || {
                let (seconds, rendered) = timed(|| self.rig.render(&self.block, &mut self.buses));
                rendered.map(|_| seconds)
            })?);
        }
        Ok(median(&times).unwrap_or(f64::INFINITY))
    }
}

fn capacity(clouds: usize) -> Capacity {
    Capacity {
        slots: clouds,
        buses: 1,
    }
}

impl Holding for Clouds {
    fn held(&mut self, length: Duration) -> Result<f64, Failure> {
        let seconds = self.time(length)?;
        let held = self.sounded as f64 * period(TICKS).as_secs_f64() / seconds;
        // What has no room cannot be held, however much time is left.
        Ok(match self.memory_limited {
            true => held.min(self.sounded as f64),
            false => held,
        })
    }

    fn load(&self) -> usize {
        self.sounded
    }

    fn memory_limited(&self) -> bool {
        self.memory_limited
    }
}
