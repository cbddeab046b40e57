//! The phaser: a chain of allpass filters, modulated, with feedback, mixed with the input.

use super::ramp::Glide;
use super::sweep::Sweep;
use super::{Effect, EffectContext, EffectValues, Stereo, rounds};
use crate::params::Param;
use crate::render::TICK;
use std::f32::consts::PI;

/// In the order of the parameter's names.
const STAGES: [usize; 4] = [4, 6, 8, 12];
const MOST: usize = 12;

#[derive(Debug)]
pub(super) struct Phaser {
    // Signal state, of left and right.
    stages: [[f32; MOST]; 2],
    returned: [f32; 2],
    sweep: Sweep,
    turns: [Glide; 2],
    // Parameters.
    feedback: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Phaser {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            stages: [[0.0; MOST]; 2],
            returned: [0.0; 2],
            sweep: Sweep::default(),
            turns: Default::default(),
            feedback: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Phaser {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        self.sweep.tick(values[Param::PhaserRate], self.sample_rate);
        let count = stages(values);
        let feedback = self.feedback.ramp(values[Param::PhaserFeedback]);
        let mix = self.mix.ramp(values[Param::PhaserMix]);
        let octaves = octaves(values);
        for (side, sound) in sound.iter_mut().enumerate() {
            let turned = side as f32 * 0.25 * values[Param::PhaserWidth];
            let hertz = values[Param::PhaserCentre] * (octaves * self.sweep.at(turned)).exp2();
            let g = (PI * (hertz / self.sample_rate).clamp(1e-4, 0.45)).tan();
            let mut coefficient = self.turns[side].ramp(g / (1.0 + g));
            let (mut feedback, mut mix) = (feedback, mix);
            let stages = &mut self.stages[side][..count];
            for sample in sound {
                let coefficient = coefficient.next();
                let mut x = *sample + feedback.next() * self.returned[side];
                for state in &mut *stages {
                    // Low-pass by trapezoidal integration; the allpass is twice that minus the
                    // input.
                    let step = (x - *state) * coefficient;
                    let low = step + *state;
                    *state = low + step;
                    x = 2.0 * low - x;
                }
                self.returned[side] = x;
                *sample += (x - *sample) * mix.next();
            }
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        8 * TICK
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        let lowest = values[Param::PhaserCentre] * (-octaves(values)).exp2();
        // Delay of the stages at the lowest frequencies; they decay in two such times themselves.
        let round = stages(values) as f32 / (PI * lowest);
        (2.0 + rounds(values[Param::PhaserFeedback])) * round
    }
}

fn stages(values: &EffectValues) -> usize {
    STAGES[values[Param::PhaserStages] as usize]
}

/// Depth of the sweep to either side.
fn octaves(values: &EffectValues) -> f32 {
    2.5 * values[Param::PhaserDepth]
}
