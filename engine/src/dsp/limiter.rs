//! A look-ahead limiter: its output never exceeds the ceiling, and quieter sound passes unchanged.
//!
//! The gain that each sample needs is held at its minimum over the look-ahead and then averaged
//! over the same time, so that it is fully down when the peak arrives; it recovers exponentially.

const RELEASE_SECONDS: f32 = 0.08;

/// Computes the gain; the caller delays the sound by [`Limiter::LOOK_AHEAD`] and multiplies.
#[derive(Clone, Debug)]
pub struct Limiter {
    // Signal state.
    /// A ring of the gains that the last samples need.
    needed: [f32; Self::LOOK_AHEAD],
    /// The lowest of those since the ring began anew.
    lowest: f32,
    /// From each place on, the lowest that the ring held when it began anew.
    lowest_from: [f32; Self::LOOK_AHEAD + 1],
    /// The held minima that are being averaged.
    held: [f32; Self::LOOK_AHEAD],
    sum: f64,
    at: usize,
    recovering: f32,
    // Parameters.
    recovery: f32,
}

impl Limiter {
    /// The highest output level: -0.3 dBFS.
    pub const CEILING: f32 = 0.966;

    /// Frames between a sample and its gain.
    pub const LOOK_AHEAD: usize = 32;

    /// A limiter at rest.
    pub fn new(sample_rate: f32) -> Self {
        Self {
            needed: [1.0; Self::LOOK_AHEAD],
            lowest: 1.0,
            lowest_from: [1.0; Self::LOOK_AHEAD + 1],
            held: [1.0; Self::LOOK_AHEAD],
            sum: Self::LOOK_AHEAD as f64,
            at: 0,
            recovering: 1.0,
            recovery: 1.0 - (-1.0 / (RELEASE_SECONDS * sample_rate)).exp(),
        }
    }

    /// Returns to rest.
    pub fn reset(&mut self) {
        let recovery = self.recovery;
        *self = Self { recovery, ..Self::new(1.0) };
    }

    /// Takes the peak of the channels of one frame; returns the gain of the frame
    /// [`Limiter::LOOK_AHEAD`] earlier.
    #[inline]
    pub fn gain(&mut self, peak: f32) -> f32 {
        // At rest, which is most of the time, all gains are one.
        if peak <= Self::CEILING && self.recovering == 1.0 && self.sum == Self::LOOK_AHEAD as f64 {
            return 1.0;
        }
        self.needed[self.at] = if peak > Self::CEILING { Self::CEILING / peak } else { 1.0 };
        self.lowest = self.lowest.min(self.needed[self.at]);
        let lowest = self.lowest.min(self.lowest_from[self.at + 1]);
        self.recovering += (1.0 - self.recovering) * self.recovery;
        // Single precision would never reach one from here.
        if self.recovering > 0.9998 {
            self.recovering = 1.0;
        }
        self.recovering = self.recovering.min(lowest);
        self.sum += f64::from(self.recovering) - f64::from(self.held[self.at]);
        self.held[self.at] = self.recovering;
        self.at += 1;
        if self.at == Self::LOOK_AHEAD {
            self.begin_anew();
        }
        (self.sum / Self::LOOK_AHEAD as f64) as f32
    }
}

impl Limiter {
    /// Starts at the first place of the ring again.
    fn begin_anew(&mut self) {
        let mut lowest = 1.0_f32;
        for (from, &needed) in self.lowest_from.iter_mut().zip(&self.needed).rev() {
            lowest = lowest.min(needed);
            *from = lowest;
        }
        (self.at, self.lowest) = (0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(input: &[f32]) -> Vec<f32> {
        let mut limiter = Limiter::new(48_000.0);
        let delayed = |i: usize| i.checked_sub(Limiter::LOOK_AHEAD).map_or(0.0, |i| input[i]);
        let gain = |(i, x): (usize, &f32)| limiter.gain(x.abs()) * delayed(i);
        input.iter().enumerate().map(gain).collect()
    }

    #[test]
    fn nothing_exceeds_the_ceiling() {
        for seed in 0..20 {
            let input: Vec<f32> = (0..4_000)
                .map(|i| {
                    let noise = crate::dsp::hash(i + 7_919 * seed) as f32 / u32::MAX as f32;
                    let burst = if (i / 300) % 3 == 0 { 12.0 } else { 0.5 };
                    (2.0 * noise - 1.0) * burst
                })
                .collect();
            let loudest = run(&input).into_iter().fold(0.0_f32, |top, x| top.max(x.abs()));
            assert!(loudest <= Limiter::CEILING * 1.0001, "{loudest}");
        }
    }

    #[test]
    fn quiet_sound_passes_bit_for_bit_again_after_a_loud_one() {
        let mut input: Vec<f32> = (0..96_000).map(|i| 0.5 * (i as f32 * 0.03).sin()).collect();
        input[1_000..1_200].iter_mut().for_each(|x| *x *= 6.0);
        let output = run(&input);
        assert!(output[5_000] != input[5_000 - 32], "it recovers slowly");
        assert!(output[90_000..] == input[90_000 - 32..96_000 - 32]);
        assert!(output[32..900] == input[..900 - 32]);
    }

    #[test]
    fn the_gain_glides() {
        let mut limiter = Limiter::new(48_000.0);
        let mut last = 1.0;
        for i in 0..10_000 {
            let gain = limiter.gain(if i == 5_000 { 8.0 } else { 0.1 });
            assert!((gain - last).abs() < 1.0 / 32.0);
            last = gain;
        }
    }
}
