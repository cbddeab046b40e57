//! The frequency shifter: moves all frequencies by the same number of Hertz.
//!
//! Two chains of allpass sections make a copy of the sound that is a quarter turn ahead at every
//! frequency (the half-band filter of `oversample.rs`, rotated; see Laurent de Soras' HIIR). Multiplied by
//! a complex oscillator, only one sideband is left. That is done at twice the sample rate, so that what
//! is shifted beyond the highest frequency is removed and does not fold back.

use super::oversample::{Doubler, design};
use super::ramp::Glide;
use super::{Effect, EffectContext, EffectValues, Stereo, rounds};
use crate::params::Param;
use crate::render::TICK;
use std::f64::consts::TAU;

/// Sections of both chains together; the other sideband is more than 90 dB down.
const SECTIONS: usize = 20;
/// Twice the lowest frequency that is shifted cleanly, over the sample rate.
const TRANSITION: f64 = 0.000_8;

/// A pair of signals a quarter turn apart. In double precision, since the poles for the lowest
/// frequencies are very near the unit circle.
#[derive(Clone, Debug)]
struct QuarterTurn {
    // Parameters: pairs of sections, one of each chain.
    coefficients: [[f64; 2]; SECTIONS / 2],
    // Signal state: the last two inputs of every section and the last two outputs of the last one; the
    // inputs of a section are the outputs of the one before.
    delays: [[[f64; 2]; 2]; SECTIONS / 2 + 1],
    last: f64,
}

impl QuarterTurn {
    fn new() -> Self {
        let designed = design(SECTIONS, TRANSITION);
        let pair = |pair: usize| [designed[2 * pair], designed[2 * pair + 1]];
        Self {
            coefficients: std::array::from_fn(pair),
            delays: [[[0.0; 2]; 2]; SECTIONS / 2 + 1],
            last: 0.0,
        }
    }

    fn reset(&mut self) {
        self.delays = [[[0.0; 2]; 2]; SECTIONS / 2 + 1];
        self.last = 0.0;
    }

    #[inline(always)]
    fn run(&mut self, sample: f32) -> [f32; 2] {
        let sample = f64::from(sample);
        let mut x = [sample, std::mem::replace(&mut self.last, sample)];
        for section in 0..SECTIONS / 2 {
            for (chain, x) in x.iter_mut().enumerate() {
                let before = self.delays[section][chain];
                let after = self.delays[section + 1][chain];
                let y = self.coefficients[section][chain] * (*x + after[1]) - before[1];
                self.delays[section][chain] = [*x, before[0]];
                *x = y;
            }
        }
        for (delay, x) in self.delays[SECTIONS / 2].iter_mut().zip(x) {
            *delay = [x, delay[0]];
        }
        x.map(|x| x as f32)
    }
}

/// One channel.
#[derive(Clone, Debug)]
struct Channel {
    quarter_turn: QuarterTurn,
    up: [Doubler; 2],
    down: Doubler,
    /// The oscillator, in turns.
    phase: f64,
    returned: f32,
}

impl Channel {
    fn new() -> Self {
        Self {
            quarter_turn: QuarterTurn::new(),
            up: [Doubler::new(), Doubler::new()],
            down: Doubler::new(),
            phase: 0.0,
            returned: 0.0,
        }
    }

    /// Shifts a sample; `turns` of the oscillator pass in half a sample.
    #[inline(always)]
    fn run(&mut self, sample: f32, turns: f64) -> f32 {
        let [first, second] = self.quarter_turn.run(sample);
        let first = self.up[0].up(first);
        let second = self.up[1].up(second);
        let shifted = std::array::from_fn(|half| {
            self.phase += turns;
            self.phase -= self.phase.floor();
            let (sine, cosine) = (TAU * self.phase).sin_cos();
            first[half] * cosine as f32 - second[half] * sine as f32
        });
        self.down.down(shifted)
    }
}

#[derive(Debug)]
pub(super) struct Shifter {
    // Signal state, of left and right.
    channels: [Channel; 2],
    // Parameters.
    shifts: [Glide; 2],
    feedback: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Shifter {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            channels: [Channel::new(), Channel::new()],
            shifts: Default::default(),
            feedback: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Shifter {
    fn reset(&mut self) {
        for channel in &mut self.channels {
            channel.quarter_turn.reset();
            channel.up.iter_mut().chain([&mut channel.down]).for_each(Doubler::reset);
            (channel.phase, channel.returned) = (0.0, 0.0);
        }
        self.shifts.iter_mut().for_each(Glide::reset);
        [&mut self.feedback, &mut self.mix].into_iter().for_each(Glide::reset);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        let hertz = values[Param::ShifterShift] + values[Param::ShifterFine];
        let feedback = self.feedback.ramp(values[Param::ShifterFeedback]);
        let mix = self.mix.ramp(values[Param::ShifterMix]);
        for (side, sound) in sound.iter_mut().enumerate() {
            let share = 1.0 - 2.0 * side as f32 * values[Param::ShifterWidth];
            let mut turns = self.shifts[side].ramp(0.5 * share * hertz / self.sample_rate);
            let (mut feedback, mut mix) = (feedback, mix);
            let channel = &mut self.channels[side];
            for sample in sound {
                let input = *sample + feedback.next() * channel.returned;
                let wet = channel.run(input, f64::from(turns.next()));
                channel.returned = wet;
                *sample += (wet - *sample) * mix.next();
            }
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        8 * TICK
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        // The lowest frequencies are delayed the longest, by about a cycle in each round.
        let round = 2.0 / (TRANSITION as f32 * self.sample_rate);
        (1.0 + rounds(values[Param::ShifterFeedback].max(1e-3))) * round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level of `hertz` in a recorded second, in decibels.
    fn level(samples: &[f32], hertz: f64) -> f64 {
        let count = samples.len() as f64;
        let (mut sines, mut cosines) = (0.0, 0.0);
        for (n, &x) in samples.iter().enumerate() {
            // Hann's window: whole Hertz do not leak into others.
            let window = 1.0 - (TAU * n as f64 / count).cos();
            let (sine, cosine) = (TAU * hertz * n as f64 / 48_000.0).sin_cos();
            sines += window * f64::from(x) * sine;
            cosines += window * f64::from(x) * cosine;
        }
        20.0 * (2.0 * sines.hypot(cosines) / count).log10()
    }

    fn shifted(hertz: f64, by: f32) -> Vec<f32> {
        let mut values = EffectValues::off();
        values.set(Param::ShifterShift, by);
        values.set(Param::ShifterFine, 0.0);
        let mut effect = Shifter::new(48_000.0);
        let mut heard = Vec::new();
        for tick in 0..3_000 {
            let sine =
                |frame: usize| (TAU * hertz * (tick * TICK + frame) as f64 / 48_000.0).sin() as f32;
            let mut sound: Stereo = [std::array::from_fn(sine); 2];
            effect.render(&mut sound, &values, EffectContext { bpm: 120.0, beat: None });
            heard.extend(sound[0]);
        }
        heard.split_off(48_000)
    }

    /// Only the wanted sideband is left: not the input, not the other sideband, and nothing folds back.
    #[test]
    fn one_sideband_is_left() {
        for (hertz, by) in [
            (60.0, 30.0),
            (440.0, 100.0),
            (440.0, -300.0),
            (5_000.0, 2_000.0),
            (15_000.0, -1_500.0),
        ] {
            let out = shifted(hertz, by);
            let by = f64::from(by);
            assert!(level(&out, hertz + by).abs() < 0.1, "{hertz} by {by}");
            for other in [hertz, (hertz - by).abs(), 2.0 * hertz + by] {
                assert!(level(&out, other) < -90.0, "{hertz} by {by}: {other}");
            }
        }
        // At the edge of what is heard, too.
        let out = shifted(21_000.0, 2_000.0);
        let audible = (1..20).map(|k| level(&out, 1_000.0 * f64::from(k)));
        assert!(audible.fold(f64::MIN, f64::max) < -90.0);
    }
}
