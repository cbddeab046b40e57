//! A stereo output of the audio side: what is done to the frames that were read, and instead of those that
//! are missing.

use crate::concealment::Concealment;
use myriad_engine::dsp::{FADE, fade_in};

/// How a block was read; the same for all outputs.
#[derive(Clone, Copy)]
pub(super) struct Read {
    /// Frames that were read; the rest is missing.
    pub(super) frames: usize,
    /// How many of them belong to the sound before a restart, and are silent.
    pub(super) cut: usize,
    /// How far the sound has faded in after an underrun, 0 to [`FADE`].
    pub(super) faded_in: usize,
    /// Whether the missing frames begin an underrun.
    pub(super) begins_underrun: bool,
}

/// Continues the sound that an underrun interrupts, left and right.
#[derive(Clone)]
pub(super) struct StereoOutput([Concealment; 2]);

impl StereoOutput {
    pub(super) fn new() -> Self {
        Self([Concealment::new(), Concealment::new()])
    }

    /// Fades in what was read, and conceals what is missing.
    pub(super) fn finish(&mut self, read: Read, left: &mut [f32], right: &mut [f32]) {
        for (concealment, samples) in self.0.iter_mut().zip([left, right]) {
            let frames = read.frames.min(samples.len());
            let (samples, missing) = samples.split_at_mut(frames);
            samples[..read.cut.min(frames)].fill(0.0);
            let gains = (read.faded_in..FADE).map(fade_in);
            samples.iter_mut().zip(gains).for_each(|(sample, gain)| *sample *= gain);
            conceal(concealment, samples);
            if read.begins_underrun {
                concealment.predict();
            }
            missing.fill(0.0);
            conceal(concealment, missing);
        }
    }
}

/// Adds the prediction of the sound that an underrun has interrupted, and remembers the result.
fn conceal(concealment: &mut Concealment, samples: &mut [f32]) {
    concealment.add_prediction(samples);
    concealment.remember(samples);
}
