//! Random numbers that repeat: a hash of a seed, a purpose and a counter.

use myriad_engine::dsp::hash;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    seed: u32,
    thrown: u32,
}

impl Dice {
    /// Numbers for one purpose; those for another one are independent of how many are used here.
    pub(super) fn new(seed: u32, purpose: u32) -> Self {
        Self { seed: hash(seed ^ hash(purpose.wrapping_add(0x9E37_79B9))), thrown: 0 }
    }

    /// A number from 0 up to 1, without 1 itself.
    pub(super) fn unit(&mut self) -> f32 {
        self.thrown += 1;
        let bits = hash(self.seed.wrapping_add(self.thrown.wrapping_mul(0x85EB_CA6B)));
        (bits >> 8) as f32 / (1 << 24) as f32
    }

    /// A number from -1 to 1; those near 0 are more frequent.
    pub(super) fn around_zero(&mut self) -> f32 {
        self.unit() + self.unit() - 1.0
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// One of several; `None` of none.
    pub(super) fn one_of<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let index = (self.unit() * items.len() as f32) as usize;
        items.get(index.min(items.len().saturating_sub(1))).copied()
    }
}
