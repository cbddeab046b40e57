//! What the convolver needs for a patch: the responses and memory. Made where patches are loaded, because effects never
//! allocate.

use super::super::line::DelayLine;
use super::Stereo;
use super::tier::{Scratch, Setting, Tier};
use crate::impulse::{BLOCKS, ImpulseResponse, Responses};
use crate::params::Param;
use crate::render::TICK;
use crate::simd::{Level, Simd, Work};
use std::sync::atomic::{AtomicU64, Ordering};

/// Responses at a sample rate, and the memory to play sound through one of them.
#[derive(Clone, Debug)]
pub(crate) struct Convolution {
    /// Unique, so that effects know which one a tick is for. Copies have the same.
    number: u64,
    sample_rate: f32,
    responses: Responses,
    tiers: [Tier; BLOCKS.len()],
    scratch: Scratch,
    /// The pre-delays of left and right.
    pub(super) waits: [DelayLine; 2],
    instructions: Level,
}

impl Convolution {
    /// Prepares the computed responses and the imported one of a patch. Takes a moment; not for the audio thread.
    pub(crate) fn new(imported: Option<&ImpulseResponse>, sample_rate: f32) -> Self {
        Self::with(Responses::new(imported, sample_rate), sample_rate)
    }

    pub(super) fn with(responses: Responses, sample_rate: f32) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let (_, longest) = Param::ConvolverWait.info().kind.range();
        let frames = (longest * sample_rate) as usize + TICK;
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            sample_rate,
            tiers: std::array::from_fn(|tier| Tier::new(tier, &responses)),
            responses,
            scratch: Scratch::new(),
            waits: [DelayLine::new(frames), DelayLine::new(frames)],
            instructions: Level::best(),
        }
    }

    /// Its number; 0 is none.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The sample rate that it is for.
    pub(crate) fn sample_rate(&self) -> f32 {
        self.sample_rate
    }

    pub(super) fn reset(&mut self) {
        self.tiers.iter_mut().for_each(Tier::reset);
        self.waits.iter_mut().for_each(DelayLine::reset);
    }

    /// Frames of a response.
    pub(super) fn frames(&self, response: usize) -> usize {
        self.responses.get(response).map_or(0, |kernel| kernel.frames())
    }

    /// Replaces a tick of sound by what comes back from the response.
    pub(super) fn convolve(&mut self, sound: &mut Stereo, wanted: Setting) {
        let instructions = self.instructions;
        instructions.dispatch(Tick { convolution: self, sound, wanted });
    }

    /// Products of spectra in the last tick, each counted by its bins.
    #[cfg(test)]
    pub(super) fn bins(&mut self) -> usize {
        let tiers = self.tiers.iter_mut().zip(BLOCKS);
        tiers.map(|(tier, block)| std::mem::take(&mut tier.products) * block).sum()
    }
}

/// Processes one tick, with the best SIMD level.
struct Tick<'a> {
    convolution: &'a mut Convolution,
    sound: &'a mut Stereo,
    wanted: Setting,
}

impl Work for Tick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Convolution { responses, tiers, scratch, .. } = self.convolution;
        let input = std::mem::replace(self.sound, [[0.0; TICK]; 2]);
        for tier in tiers {
            tier.run(&input, self.sound, self.wanted, responses, scratch);
        }
    }
}
