//! Eight times oversampling, for waveshapers.
//!
//! Half-band filters made of two chains of allpass sections, after Valenzuela and Constantinides
//! (1983), designed as Laurent de Soras' HIIR does. Their delay is a few samples, so the
//! instrument's latency does not change.

use std::f64::consts::PI;

/// Oversampling factor.
pub(super) const FACTOR: usize = 8;

/// Sections of each doubling, and the width of its transition as a fraction of the higher rate. The
/// first must separate 20 kHz from its image; later ones need less.
const DOUBLINGS: [(usize, f64); 3] = [(8, 0.04), (4, 0.25), (3, 0.375)];

/// The filters of one channel, for either direction.
#[derive(Clone, Debug)]
pub(super) struct Resampler {
    doublings: [Allpasses; 3],
}

impl Resampler {
    pub(super) fn new() -> Self {
        let doubling = |(sections, transition)| Allpasses::new(sections, transition);
        Self { doublings: DOUBLINGS.map(doubling) }
    }

    pub(super) fn reset(&mut self) {
        self.doublings.iter_mut().for_each(Allpasses::reset);
    }

    #[inline(always)]
    pub(super) fn up(&mut self, sample: f32) -> [f32; FACTOR] {
        let [first, second, third] = &mut self.doublings;
        let mut out = [0.0; FACTOR];
        for (half, x) in first.run(sample, sample).into_iter().enumerate() {
            for (quarter, x) in second.run(x, x).into_iter().enumerate() {
                let at = 4 * half + 2 * quarter;
                [out[at], out[at + 1]] = third.run(x, x);
            }
        }
        out
    }

    #[inline(always)]
    pub(super) fn down(&mut self, samples: [f32; FACTOR]) -> f32 {
        let [first, second, third] = &mut self.doublings;
        let halve = |stage: &mut Allpasses, early: f32, late: f32| {
            let [a, b] = stage.run(late, early);
            0.5 * (a + b)
        };
        let mut halves = [0.0; 2];
        for (half, samples) in samples.chunks_exact(4).enumerate() {
            let early = halve(third, samples[0], samples[1]);
            let late = halve(third, samples[2], samples[3]);
            halves[half] = halve(second, early, late);
        }
        halve(first, halves[0], halves[1])
    }
}

/// Twice the sample rate, for what moves frequencies but makes no harmonics: the filters of one channel,
/// for either direction.
#[derive(Clone, Debug)]
pub(super) struct Doubler(Allpasses);

impl Doubler {
    pub(super) fn new() -> Self {
        let (sections, transition) = DOUBLINGS[0];
        Self(Allpasses::new(sections, transition))
    }

    pub(super) fn reset(&mut self) {
        self.0.reset();
    }

    #[inline(always)]
    pub(super) fn up(&mut self, sample: f32) -> [f32; 2] {
        self.0.run(sample, sample)
    }

    #[inline(always)]
    pub(super) fn down(&mut self, [early, late]: [f32; 2]) -> f32 {
        let [a, b] = self.0.run(late, early);
        0.5 * (a + b)
    }
}

/// The most sections of a chain.
const MOST: usize = 4;

/// Two chains of allpass sections; unused sections have a coefficient of zero.
#[derive(Clone, Debug)]
struct Allpasses {
    // Parameters: pairs of sections, one of each chain.
    coefficients: [[f32; 2]; MOST],
    pairs: usize,
    // Signal state: last inputs and outputs.
    before: [[f32; 2]; MOST],
    after: [[f32; 2]; MOST],
}

impl Allpasses {
    fn new(sections: usize, transition: f64) -> Self {
        let designed = design(sections, transition);
        let mut coefficients = [[0.0; 2]; MOST];
        for (index, coefficient) in designed.into_iter().enumerate() {
            coefficients[index / 2][index % 2] = coefficient as f32;
        }
        Self {
            coefficients,
            pairs: sections / 2,
            before: [[0.0; 2]; MOST],
            after: [[0.0; 2]; MOST],
        }
    }

    fn reset(&mut self) {
        self.before = [[0.0; 2]; MOST];
        self.after = [[0.0; 2]; MOST];
    }

    #[inline(always)]
    fn run(&mut self, even: f32, odd: f32) -> [f32; 2] {
        let mut x = [even, odd];
        for pair in 0..self.pairs {
            for (chain, x) in x.iter_mut().enumerate() {
                let input = *x;
                let y = self.coefficients[pair][chain] * (input - self.after[pair][chain])
                    + self.before[pair][chain];
                (self.before[pair][chain], self.after[pair][chain]) = (input, y);
                *x = y;
            }
        }
        x
    }
}

/// Coefficients of an elliptic half-band filter with this many sections, by its theta series.
pub(super) fn design(sections: usize, transition: f64) -> Vec<f64> {
    let k = ((1.0 - 2.0 * transition) * PI / 4.0).tan().powi(2);
    let root = (1.0 - k * k).powf(0.25);
    let e = 0.5 * (1.0 - root) / (1.0 + root);
    let e4 = e.powi(4);
    let q = e * (1.0 + e4 * (2.0 + e4 * (15.0 + 150.0 * e4)));
    let order = (2 * sections + 1) as f64;
    let coefficient = |section: usize| {
        let angle = (section + 1) as f64 * PI / order;
        let sign = |i: i32| if i % 2 == 0 { 1.0 } else { -1.0 };
        let above: f64 = (0..8)
            .map(|i| sign(i) * q.powi(i * (i + 1)) * (f64::from(2 * i + 1) * angle).sin())
            .sum();
        let below: f64 =
            (1..8).map(|i| sign(i) * q.powi(i * i) * (f64::from(2 * i) * angle).cos()).sum();
        let w = (above * q.powf(0.25) / (below + 0.5)).powi(2);
        let x = ((1.0 - w * k) * (1.0 - w / k)).sqrt() / (1.0 + w);
        (1.0 - x) / (1.0 + x)
    };
    (0..sections).map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level of a sine at `hertz` of 48 kHz after going up and down again.
    fn level(hertz: f32) -> f32 {
        let (mut up, mut down) = (Resampler::new(), Resampler::new());
        let (mut power, mut count) = (0.0, 0);
        for t in 0..9_600 {
            let x = (std::f32::consts::TAU * hertz / 48_000.0 * t as f32).sin();
            let y = down.down(up.up(x));
            if t >= 4_800 {
                power += y * y;
                count += 1;
            }
        }
        (2.0 * power / count as f32).sqrt()
    }

    #[test]
    fn audible_frequencies_pass_at_unity_gain() {
        for hertz in [100.0, 1_000.0, 10_000.0, 18_000.0, 20_000.0] {
            assert!((level(hertz) - 1.0).abs() < 0.005, "{hertz}");
        }
    }

    #[test]
    fn images_are_below_100_db() {
        let mut up = Resampler::new();
        let step = std::f64::consts::TAU * 5_000.0 / 48_000.0;
        let (mut sines, mut cosines) = (0.0, 0.0);
        // The first image of 5 kHz lies at 43 kHz.
        let image = std::f64::consts::TAU * 43_000.0 / 384_000.0;
        let mut n = 0.0;
        for t in 0..48_000 {
            for y in up.up((step * f64::from(t)).sin() as f32) {
                if t >= 9_600 {
                    sines += f64::from(y) * (image * n).sin();
                    cosines += f64::from(y) * (image * n).cos();
                }
                n += 1.0;
            }
        }
        let level = 2.0 * f64::hypot(sines, cosines) / (38_400.0 * FACTOR as f64);
        assert!(level < 1e-5, "{level}");
    }
}
