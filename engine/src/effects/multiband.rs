//! The multiband compressor: three bands, each with its own threshold and gain.
//!
//! The bands are split by Linkwitz-Riley crossovers of fourth order (two Butterworth filters one after
//! the other). The low band also passes the phase of the upper crossover, so that the bands add up to
//! the input's level at every frequency.

use super::compressor::{DB_PER_LOG2, excess};
use super::ramp::{Glide, Ramp, amplitude};
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;
use std::f32::consts::{PI, SQRT_2};

const BANDS: usize = 3;
const KNEE_DB: f32 = 6.0;

const THRESHOLDS: [Param; BANDS] =
    [Param::MultibandLowThreshold, Param::MultibandMidThreshold, Param::MultibandHighThreshold];
const GAINS: [Param; BANDS] =
    [Param::MultibandLowGain, Param::MultibandMidGain, Param::MultibandHighGain];

/// The state of a Butterworth filter of second order (Simper 2013, as in `eq.rs`).
#[derive(Clone, Copy, Debug, Default)]
struct Filter([f32; 2]);

impl Filter {
    /// Low-pass, band-pass and high-pass of a sample.
    #[inline(always)]
    fn run(&mut self, sample: f32, g: f32) -> [f32; 3] {
        let a1 = 1.0 / (1.0 + g * (g + SQRT_2));
        let [first, second] = &mut self.0;
        let v3 = sample - *second;
        let v1 = a1 * (*first + g * v3);
        let v2 = *second + g * v1;
        (*first, *second) = (2.0 * v1 - *first, 2.0 * v2 - *second);
        [v2, v1, sample - SQRT_2 * v1 - v2]
    }

    /// The phase of a crossover at its full level: low-pass and high-pass added up.
    #[inline(always)]
    fn allpass(&mut self, sample: f32, g: f32) -> f32 {
        let [_, band, _] = self.run(sample, g);
        sample - 2.0 * SQRT_2 * band
    }
}

/// A crossover: the low and the high half, each filtered twice.
#[derive(Clone, Copy, Debug, Default)]
struct Crossover {
    first: Filter,
    low: Filter,
    high: Filter,
}

impl Crossover {
    #[inline(always)]
    fn split(&mut self, sample: f32, g: f32) -> [f32; 2] {
        let [low, _, high] = self.first.run(sample, g);
        [self.low.run(low, g)[0], self.high.run(high, g)[2]]
    }
}

/// The gain reduction of a band in decibels, with the release alone and with the attack too.
#[derive(Clone, Copy, Debug, Default)]
struct Reduction {
    releasing: f32,
    now: f32,
}

#[derive(Debug)]
pub(super) struct Multiband {
    // Signal state, of left and right.
    lower: [Crossover; 2],
    upper: [Crossover; 2],
    phase: [Filter; 2],
    reductions: [Reduction; BANDS],
    // Parameters.
    splits: [Glide; 2],
    gains: [Glide; BANDS],
    mix: Glide,
    sample_rate: f32,
}

impl Multiband {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            lower: Default::default(),
            upper: Default::default(),
            phase: Default::default(),
            reductions: Default::default(),
            splits: Default::default(),
            gains: Default::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

/// Output level of a band for a steady input level, in decibels; `value` gives the parameters.
pub(crate) fn level(value: impl Fn(Param) -> f32, band: usize, level_db: f32) -> f32 {
    let slope = 1.0 - 1.0 / value(Param::MultibandRatio);
    let reduced = excess(level_db - value(THRESHOLDS[band]), slope, KNEE_DB);
    level_db - reduced + value(GAINS[band])
}

impl Effect for Multiband {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        let slope = 1.0 - 1.0 / values[Param::MultibandRatio];
        let step = |seconds: f32| 1.0 - (-1.0 / (seconds * self.sample_rate)).exp();
        let attack = step(values[Param::MultibandAttack]);
        let release = step(values[Param::MultibandRelease]);
        let thresholds = THRESHOLDS.map(|param| values[param]);
        let mut gains: [Ramp; BANDS] =
            std::array::from_fn(|band| self.gains[band].ramp(amplitude(values[GAINS[band]])));
        let g = |hertz: f32| (PI * (hertz / self.sample_rate).min(0.45)).tan();
        let [low_split, high_split] = &mut self.splits;
        let mut low_split = low_split.ramp(g(values[Param::MultibandLowSplit]));
        let mut high_split = high_split.ramp(g(values[Param::MultibandHighSplit]));
        let mut mix = self.mix.ramp(values[Param::MultibandMix]);
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let (low_split, high_split) = (low_split.next(), high_split.next());
            let mut bands = [[0.0; 2]; BANDS];
            for (side, sample) in [*left, *right].into_iter().enumerate() {
                let [low, rest] = self.lower[side].split(sample, low_split);
                let [middle, high] = self.upper[side].split(rest, high_split);
                let low = self.phase[side].allpass(low, high_split);
                (bands[0][side], bands[1][side], bands[2][side]) = (low, middle, high);
            }
            // The dry share has the same phase, so that the mix has no notches.
            let (mut dry, mut wet) = ([0.0; 2], [0.0; 2]);
            for (band, sides) in bands.into_iter().enumerate() {
                let peak = sides[0].abs().max(sides[1].abs()).max(1e-9);
                let over = DB_PER_LOG2 * peak.log2() - thresholds[band];
                let wanted = excess(over, slope, KNEE_DB);
                let reduction = &mut self.reductions[band];
                reduction.releasing += (wanted - reduction.releasing) * release;
                reduction.releasing = reduction.releasing.max(wanted);
                reduction.now += (reduction.releasing - reduction.now) * attack;
                let gain = gains[band].next() * (-reduction.now / DB_PER_LOG2).exp2();
                for (side, sample) in sides.into_iter().enumerate() {
                    dry[side] += sample;
                    wet[side] += gain * sample;
                }
            }
            let mix = mix.next();
            *left = dry[0] + (wet[0] - dry[0]) * mix;
            *right = dry[1] + (wet[1] - dry[1]) * mix;
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        // Poles of Butterworth filters decay with their frequency over the square root of two.
        -super::GONE.ln() * SQRT_2 / (2.0 * PI * values[Param::MultibandLowSplit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With nothing above the thresholds, every frequency passes at its level.
    #[test]
    fn the_bands_add_up_to_the_input() {
        let values = EffectValues::off();
        for hertz in [40.0, 150.0, 600.0, 2_500.0, 9_000.0] {
            let mut effect = Multiband::new(48_000.0);
            let (mut power, mut count) = (0.0, 0);
            for tick in 0..1_500 {
                let sine = |frame: usize| {
                    let time = (tick * TICK + frame) as f32 / 48_000.0;
                    1e-3 * (2.0 * PI * hertz * time).sin()
                };
                let mut sound: Stereo = [std::array::from_fn(sine); 2];
                effect.render(&mut sound, &values, EffectContext { bpm: 120.0, beat: None });
                if tick >= 750 {
                    power += sound[0].iter().map(|x| x * x).sum::<f32>();
                    count += TICK;
                }
            }
            let level = (2.0 * power / count as f32).sqrt() / 1e-3;
            assert!((level - 1.0).abs() < 0.01, "{level} at {hertz} Hz");
        }
    }

    /// A loud bass does not pull down the treble, which one band for all would.
    #[test]
    fn bands_are_compressed_by_themselves() {
        let mut values = EffectValues::off();
        values.set(Param::MultibandRatio, 20.0);
        let mut effect = Multiband::new(48_000.0);
        let mut heard = [[0.0f32; 2]; 2];
        for tick in 0..1_500 {
            let angle = |frame: usize, hertz: f32| {
                2.0 * PI * hertz * ((tick * TICK + frame) as f32 / 48_000.0)
            };
            let both = |frame| 0.5 * angle(frame, 60.0).sin() + 0.01 * angle(frame, 6_000.0).sin();
            let mut sound: Stereo = [std::array::from_fn(both); 2];
            effect.render(&mut sound, &values, EffectContext { bpm: 120.0, beat: None });
            // Half a second: whole cycles of both.
            for (heard, hertz) in heard.iter_mut().zip([60.0, 6_000.0]).filter(|_| tick >= 750) {
                for (frame, sample) in sound[0].iter().enumerate() {
                    let (sine, cosine) = angle(frame, hertz).sin_cos();
                    heard[0] += sample * sine / 12_000.0;
                    heard[1] += sample * cosine / 12_000.0;
                }
            }
        }
        let [bass, treble] = heard.map(|[sine, cosine]| sine.hypot(cosine));
        assert!(bass < 0.2, "{bass}");
        assert!((0.009..0.011).contains(&treble), "{treble}");
    }
}
