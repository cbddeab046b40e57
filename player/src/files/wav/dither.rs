//! Triangular dither: noise two quantisation steps wide that makes the rounding error independent of
//! the signal.
//!
//! Lipshitz, Wannamaker, Vanderkooy, "Quantization and Dither: A Theoretical Survey", JAES 1992.

/// Quantises to 16 bits. The noise is the same on every run, so that renders repeat.
pub(crate) struct Dither {
    state: u32,
}

impl Dither {
    pub(crate) fn new(seed: u32) -> Self {
        // The state must not be 0.
        Self { state: seed.wrapping_mul(0x9E37_79B9) | 1 }
    }

    pub(crate) fn quantise(&mut self, sample: f32) -> i16 {
        // Digital silence stays silent.
        if sample == 0.0 {
            return 0;
        }
        let noise = self.uniform() - self.uniform();
        (sample * 32768.0 + noise).round().clamp(-32768.0, 32767.0) as i16
    }

    /// A random number from 0 to 1, from the upper bits of Marsaglia's xorshift.
    fn uniform(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        (self.state >> 8) as f32 / (1 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_below_one_step_survives_on_average() {
        let mut dither = Dither::new(1);
        let count = 100_000;
        let sum: i64 = (0..count).map(|_| i64::from(dither.quantise(0.3 / 32768.0))).sum();
        let mean = sum as f64 / f64::from(count);
        assert!((mean - 0.3).abs() < 0.02, "{mean}");
    }

    #[test]
    fn full_scale_does_not_wrap() {
        let mut dither = Dither::new(1);
        for _ in 0..1000 {
            assert!(dither.quantise(1.0) > 32000);
            assert!(dither.quantise(-1.0) < -32000);
        }
    }
}
