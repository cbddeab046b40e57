//! The whole renderer, with about as many large clouds as it can render in time.

use super::{Holding, TICKS};
use crate::bench::candidate::Candidate;
use crate::bench::figure::median;
use crate::bench::load::{Load, Loaded, Spectrum};
use crate::bench::rounds::{Pace, period};
use myriad_engine::render::Remedy;
use myriad_player::failure::Failure;
use std::time::Duration;

/// Partials of a cloud: the most that one can have.
const PARTIALS: usize = 1_024;

/// The most clouds that are tried: 134 million partials.
const MOST: usize = 1 << 17;

/// How often the load may change.
const STEPS: usize = 10;

/// How far from the deadline a load may be, as a factor.
const NEAR: f64 = 1.15;

/// A renderer in search of its load.
pub(super) struct Clouds {
    loaded: Loaded,
    load: Load,
    /// Clouds that the renderer is prepared for.
    capacity: usize,
    memory_limited: bool,
}

impl Clouds {
    /// Finds the load. Every step goes to where the last one points, at most by a factor of 16.
    pub(super) fn search(candidate: &Candidate, spectrum: Spectrum) -> Result<Holding, Failure> {
        let clouds = if candidate.is_cuda() { 4_096 } else { 16 };
        let load = Load { clouds, partials: PARTIALS, spectrum };
        let mut found = Self {
            loaded: Loaded::new(candidate.renderer(), load, clouds).map_err(Failure::failed)?,
            load,
            capacity: clouds,
            memory_limited: false,
        };
        for _ in 0..STEPS {
            found.loaded.start(found.load, TICKS)?;
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
        let partials = found.loaded.start(found.load, TICKS)?;
        let memory_limited = found.memory_limited;
        Ok(Holding {
            measure: Box::new(move |length| {
                let seconds = found.time(length)?;
                let held = partials as f64 * period(TICKS).as_secs_f64() / seconds;
                // Partials for which there is no memory cannot be held, however much time is left.
                Ok(match memory_limited {
                    true => held.min(partials as f64),
                    false => held,
                })
            }),
            partials,
            error_db: None,
            memory_limited,
        })
    }

    /// Changes the load to `clouds` clouds, or to about as many as there is memory for.
    fn resize(&mut self, mut clouds: usize) -> Result<(), Failure> {
        while clouds > self.capacity {
            match self.loaded.prepare(clouds) {
                Ok(()) => self.capacity = clouds,
                Err(error) if error.remedy() == Remedy::FewerClouds => {
                    self.memory_limited = true;
                    // The geometric mean, until that is hardly more than the capacity.
                    clouds = (clouds as f64 * self.capacity as f64).sqrt() as usize;
                    if (clouds as f64) < NEAR * self.capacity as f64 {
                        clouds = self.capacity;
                        self.loaded.prepare(clouds).map_err(Failure::failed)?;
                    }
                }
                Err(error) => return Err(Failure::failed(error)),
            }
        }
        self.load.clouds = clouds;
        Ok(())
    }

    /// Seconds of the median block, of three at least.
    fn time(&mut self, length: Duration) -> Result<f64, Failure> {
        let mut times = Vec::new();
        while times.len() < 3 {
            let render = || Ok(self.loaded.render()?.0);
            times.extend(Pace::BackToBack.run(period(TICKS), length, render)?);
        }
        Ok(median(&times))
    }
}
