//! The flanger: a short modulated delay with feedback.

use super::line::DelayLine;
use super::ramp::Glide;
use super::sweep::Sweep;
use super::{Effect, EffectContext, EffectValues, Stereo, rounds};
use crate::params::Param;

/// The longest delay: the knob's maximum with full modulation.
const LONGEST_SECONDS: f32 = 0.025;

#[derive(Debug)]
pub(super) struct Flanger {
    // Signal state.
    lines: [DelayLine; 2],
    sweep: Sweep,
    delays: [Glide; 2],
    // Parameters.
    feedback: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Flanger {
    pub(super) fn new(sample_rate: f32) -> Self {
        let longest = (LONGEST_SECONDS * sample_rate) as usize + 2;
        Self {
            lines: std::array::from_fn(|_| DelayLine::new(longest)),
            sweep: Sweep::default(),
            delays: Default::default(),
            feedback: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Flanger {
    fn reset(&mut self) {
        self.lines.iter_mut().for_each(DelayLine::reset);
        self.sweep = Sweep::default();
        self.delays = Default::default();
        self.feedback.reset();
        self.mix.reset();
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        self.sweep.tick(values[Param::FlangerRate], self.sample_rate);
        let feedback = self.feedback.ramp(values[Param::FlangerFeedback]);
        let mix = self.mix.ramp(values[Param::FlangerMix]);
        let octaves = octaves(values);
        for (side, sound) in sound.iter_mut().enumerate() {
            let turned = side as f32 * 0.25 * values[Param::FlangerWidth];
            let seconds = values[Param::FlangerDelay] * (octaves * self.sweep.at(turned)).exp2();
            let frames = (seconds.min(LONGEST_SECONDS) * self.sample_rate).max(2.0);
            let mut delay = self.delays[side].ramp(frames);
            let (mut feedback, mut mix, line) = (feedback, mix, &mut self.lines[side]);
            for sample in sound {
                // This reads before the sample is pushed, hence one less.
                let wet = line.tap_between(delay.next() - 1.0);
                line.push(*sample + feedback.next() * wet);
                *sample += (wet - *sample) * mix.next();
            }
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        (LONGEST_SECONDS * self.sample_rate) as usize
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        let longest = values[Param::FlangerDelay] * octaves(values).exp2();
        longest.min(LONGEST_SECONDS) * rounds(values[Param::FlangerFeedback])
    }
}

/// Depth of the sweep: a little more than an octave to either side, as with tape.
fn octaves(values: &EffectValues) -> f32 {
    1.3 * values[Param::FlangerDepth]
}
