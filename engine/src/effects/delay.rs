//! The delay: echoes by time or by tempo, filtered with each repeat, stereo or ping-pong.

use super::crossfaded_tap::CrossfadedTap;
use super::line::DelayLine;
use super::ramp::{Glide, balance};
use super::{Effect, EffectContext, EffectValues, Stereo, rounds};
use crate::modulation::beats_of_sync;
use crate::params::Param;
use crate::render::TICK;
use std::f32::consts::TAU;

/// The longest delay; longer synced times are halved until they fit.
const LONGEST_SECONDS: f32 = 2.0;

#[derive(Debug)]
pub(super) struct Delay {
    // Signal state.
    lines: [DelayLine; 2],
    low: [f32; 2],
    high: [f32; 2],
    echo: CrossfadedTap,
    // Parameters.
    feedback: Glide,
    cross: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Delay {
    pub(super) fn new(sample_rate: f32) -> Self {
        let longest = (LONGEST_SECONDS * sample_rate) as usize + 2;
        Self {
            lines: std::array::from_fn(|_| DelayLine::new(longest)),
            low: [0.0; 2],
            high: [0.0; 2],
            echo: CrossfadedTap::new(),
            feedback: Glide::default(),
            cross: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }

    fn frames(&self, values: &EffectValues, bpm: f32) -> usize {
        let seconds = seconds(|param| values[param], bpm);
        ((seconds * self.sample_rate) as usize).max(1)
    }
}

/// The delay time; `value` gives the parameters.
pub(crate) fn seconds(value: impl Fn(Param) -> f32, bpm: f32) -> f32 {
    let mut seconds = match beats_of_sync(value(Param::DelaySync)) {
        Some(beats) => beats as f32 * 60.0 / bpm,
        None => value(Param::DelayTime),
    };
    while seconds > LONGEST_SECONDS {
        seconds *= 0.5;
    }
    seconds
}

impl Effect for Delay {
    fn reset(&mut self) {
        self.lines.iter_mut().for_each(DelayLine::reset);
        [self.low, self.high] = [[0.0; 2]; 2];
        self.echo.reset();
        [&mut self.feedback, &mut self.cross, &mut self.mix].into_iter().for_each(Glide::reset);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, context: EffectContext) {
        self.echo.set_delay(self.frames(values, context.bpm));
        let step = |hertz: f32| 1.0 - (-TAU * hertz / self.sample_rate).exp();
        let thinner = step(values[Param::DelayLowCut]);
        let darker = step(values[Param::DelayHighCut]);
        let mut feedback = self.feedback.ramp(values[Param::DelayFeedback]);
        let mut cross = self.cross.ramp(values[Param::DelayPingPong]);
        let mut mix = self.mix.ramp(values[Param::DelayMix]);
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let mut wet = [0.0; 2];
            for (side, wet) in wet.iter_mut().enumerate() {
                let line = &self.lines[side];
                let echo = self.echo.read(|ago| line.tap(ago - 1));
                self.high[side] += (echo - self.high[side]) * darker;
                self.low[side] += (self.high[side] - self.low[side]) * thinner;
                *wet = self.high[side] - self.low[side];
            }
            self.echo.step();
            let (feedback, cross, mix) = (feedback.next(), cross.next(), mix.next());
            // In ping-pong mode everything starts on the left.
            let middle = 0.5 * (*left + *right);
            let into = [*left + (middle - *left) * cross, *right * (1.0 - cross)];
            let back = [wet[0] + (wet[1] - wet[0]) * cross, wet[1] + (wet[0] - wet[1]) * cross];
            for side in 0..2 {
                self.lines[side].push(into[side] + feedback * back[side]);
            }
            *left = balance(*left, wet[0], mix);
            *right = balance(*right, wet[1], mix);
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        self.echo.furthest() + TICK
    }

    fn ringing(&self, values: &EffectValues, context: EffectContext) -> f32 {
        let echo = self.frames(values, context.bpm) as f32 / self.sample_rate;
        (1.0 + rounds(values[Param::DelayFeedback])) * echo
    }
}
