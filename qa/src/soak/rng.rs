//! Random numbers that are the same on every machine for the same seed.

/// A generator ("SplitMix64", Steele, Lea and Flood 2014).
pub(super) struct Rng {
    state: u64,
}

impl Rng {
    /// The generator for item `index` of a sequence, so that an item does not depend on those before it.
    pub(super) fn new(seed: u64, index: u64) -> Self {
        let mut rng = Self { state: seed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03) };
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to 1, without 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From `low` to `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number below `most`.
    pub(super) fn below(&mut self, most: usize) -> usize {
        (self.unit() * most as f64) as usize
    }

    /// One of `things`, of which there is at least one.
    pub(super) fn pick<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_gives_others() {
        let row = |seed, index| {
            let mut rng = Rng::new(seed, index);
            [(); 4].map(|()| rng.below(1_000_000))
        };
        assert_eq!(row(1, 7), row(1, 7));
        assert_ne!(row(1, 7), row(1, 8));
        assert_ne!(row(1, 7), row(2, 7));
        let mut rng = Rng::new(3, 0);
        assert!((0..10_000).all(|_| (2.0..5.0).contains(&rng.between(2.0, 5.0))));
    }
}
