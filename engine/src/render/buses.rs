//! The buses that renderers mix into.

use super::{MAX_TICKS, TICK};
use crate::disjoint::Disjoint;
use crate::dsp::{FADE, fade_in};

/// Buses that threads write to, each to its own.
pub(crate) struct EachBus<'a>(Disjoint<'a, [f32; 2 * Buses::FRAMES]>);

impl EachBus<'_> {
    /// Left and right of `bus`.
    ///
    /// # Safety
    /// Nobody else uses this bus.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, bus: usize) -> [&mut [f32]; 2] {
        // SAFETY: the caller guarantees it.
        let (left, right) = unsafe { self.0.get(bus) }.split_at_mut(Buses::FRAMES);
        [left, right]
    }
}

/// Ticks of buses that threads write to, each to its own.
pub(crate) struct EachTick<'a>(Disjoint<'a, [f32; TICK]>);

impl EachTick<'_> {
    /// One side of one tick of `bus`.
    ///
    /// # Safety
    /// Nobody else uses this side of this tick.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, bus: usize, side: usize, tick: usize) -> &mut [f32; TICK] {
        // SAFETY: the caller guarantees it.
        unsafe { self.0.get((2 * bus + side) * MAX_TICKS + tick) }
    }
}

/// Stereo buses of a few ticks.
#[derive(Debug)]
pub struct Buses {
    samples: Vec<f32>,
}

impl Buses {
    /// Frames of a bus.
    pub const FRAMES: usize = MAX_TICKS * TICK;

    /// Silent buses.
    pub fn new(buses: usize) -> Self {
        Self { samples: vec![0.0; buses * 2 * Self::FRAMES] }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.samples.len() / (2 * Self::FRAMES)
    }

    /// Left and right of `bus`.
    pub fn bus(&self, bus: usize) -> [&[f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at(Self::FRAMES);
        [left, right]
    }

    /// Left and right of `bus`, to write to.
    pub fn bus_mut(&mut self, bus: usize) -> [&mut [f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at_mut(Self::FRAMES);
        [left, right]
    }

    /// All buses, for several threads to write to, each to its own.
    pub(crate) fn each(&mut self) -> EachBus<'_> {
        EachBus(Disjoint::new(self.samples.as_chunks_mut().0))
    }

    /// All ticks of all buses, for several threads to write to, each to its own.
    pub(crate) fn each_tick(&mut self) -> EachTick<'_> {
        EachTick(Disjoint::new(self.samples.as_chunks_mut().0))
    }

    /// Crossfades the first `frames` frames of every bus from those of `old`; `faded` frames of the
    /// crossfade came before.
    pub fn fade_from(&mut self, old: &Buses, faded: usize, frames: usize) {
        // After its end nothing of the old sound is left, not even rounding.
        let frames = frames.min(FADE.saturating_sub(faded));
        for index in 0..2 * self.count() {
            let old = &old.bus(index / 2)[index % 2][..frames];
            let new = &mut self.bus_mut(index / 2)[index % 2][..frames];
            for (frame, (new, old)) in new.iter_mut().zip(old).enumerate() {
                *new = old + (*new - old) * fade_in(faded + frame);
            }
        }
    }

    /// Silences every bus.
    pub fn clear(&mut self) {
        self.samples.fill(0.0);
    }
}
