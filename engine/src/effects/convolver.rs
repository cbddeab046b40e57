//! The convolver: plays sound through an impulse response, computed or imported.
//!
//! The responses and their memory come with the patch ([`Convolution`]); without them the dry sound passes.

mod convolution;
mod tier;

pub(crate) use convolution::Convolution;

use super::crossfaded_tap::CrossfadedTap;
use super::ramp::{Glide, balance};
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::dsp::{FADE, fade_in};
use crate::impulse::BLOCKS;
use crate::params::Param;
use std::f32::consts::TAU;
use tier::Setting;

#[derive(Debug)]
pub(super) struct Convolver {
    // Signal state.
    convolution: Option<Box<Convolution>>,
    pre_delay: CrossfadedTap,
    /// State of the low cut and of the tone, left and right.
    lows: [f32; 2],
    highs: [f32; 2],
    /// Frames since sound first reached a convolution that came while the effect was playing.
    entered: usize,
    rendered: bool,
    // Parameters.
    width: Glide,
    mix: Glide,
    sample_rate: f32,
}

impl Convolver {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            convolution: None,
            pre_delay: CrossfadedTap::new(),
            lows: [0.0; 2],
            highs: [0.0; 2],
            entered: FADE,
            rendered: false,
            width: Glide::default(),
            mix: Glide::default(),
            sample_rate,
        }
    }
}

impl Effect for Convolver {
    fn reset(&mut self) {
        if let Some(convolution) = &mut self.convolution {
            convolution.reset();
        }
        self.pre_delay.reset();
        (self.lows, self.highs) = ([0.0; 2], [0.0; 2]);
        (self.entered, self.rendered) = (FADE, false);
        [&mut self.width, &mut self.mix].into_iter().for_each(Glide::reset);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        self.rendered = true;
        let Some(convolution) = &mut self.convolution else { return };
        let share = |hertz: f32| 1.0 - (-TAU * hertz / self.sample_rate).exp();
        let cut = share(values[Param::ConvolverLowCut]);
        // At the ends of their ranges the filters change nothing.
        let (lowest, _) = Param::ConvolverLowCut.info().kind.range();
        let cuts = f32::from(u8::from(values[Param::ConvolverLowCut] > lowest));
        let (_, open) = Param::ConvolverTone.info().kind.range();
        let tone = match values[Param::ConvolverTone] < open {
            true => share(values[Param::ConvolverTone]),
            false => 1.0,
        };
        self.pre_delay.set_delay((values[Param::ConvolverWait] * self.sample_rate) as usize);
        let dry = *sound;
        let [left, right] = &mut *sound;
        for (left, right) in left.iter_mut().zip(right) {
            let enter = if self.entered < FADE { fade_in(self.entered) } else { 1.0 };
            self.entered = (self.entered + 1).min(FADE);
            for (side, sample) in [left, right].into_iter().enumerate() {
                let (low, high) = (&mut self.lows[side], &mut self.highs[side]);
                *low += (cuts * *sample - *low) * cut;
                *high += (*sample - *low - *high) * tone;
                let line = &mut convolution.waits[side];
                line.push(enter * *high);
                *sample = self.pre_delay.read(|ago| line.tap(ago));
            }
            self.pre_delay.step();
        }
        convolution.convolve(sound, setting(values));
        let mut width = self.width.ramp(values[Param::ConvolverWidth]);
        let mut mix = self.mix.ramp(values[Param::ConvolverMix]);
        let [left, right] = sound;
        for (frame, (left, right)) in left.iter_mut().zip(right).enumerate() {
            let (width, mix) = (width.next(), mix.next());
            let (middle, side) = (0.5 * (*left + *right), 0.5 * width * (*left - *right));
            *left = balance(dry[0][frame], middle + side, mix);
            *right = balance(dry[1][frame], middle - side, mix);
        }
    }

    fn memory(&self, values: &EffectValues) -> usize {
        let Some(convolution) = &self.convolution else { return 0 };
        // A crossfade from a longer response may still be on its way.
        let crossfade = 4 * BLOCKS[BLOCKS.len() - 1];
        let wait = self.pre_delay.furthest();
        convolution.frames(setting(values).response) + wait + crossfade
    }

    fn convolution(&self) -> u64 {
        self.convolution.as_ref().map_or(0, |convolution| convolution.number())
    }

    fn exchange_convolution(&mut self, convolution: &mut Option<Box<Convolution>>) {
        std::mem::swap(&mut self.convolution, convolution);
        if let Some(convolution) = &mut self.convolution {
            convolution.reset();
            self.pre_delay.reset();
            // In the middle of a sound it is faded in, since a response would repeat a sudden start.
            self.entered = if self.rendered { 0 } else { FADE };
        }
    }
}

fn setting(values: &EffectValues) -> Setting {
    Setting {
        response: values[Param::ConvolverResponse] as usize,
        length: values[Param::ConvolverLength],
    }
}

#[cfg(test)]
mod tests;
