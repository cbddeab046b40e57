//! Resampling for devices that cannot run at the engine's sample rate.

use audioadapter_buffers::direct::SequentialSliceOfVecs;
use rubato::{Async, FixedAsync, Resampler as _, SincInterpolationParameters, WindowFunction};

/// Resamples stereo in small chunks, without allocating.
pub(super) struct Resampler {
    inner: Async<f32>,
    input: [Vec<f32>; 2],
    output: [Vec<f32>; 2],
    /// Frames of `output` that were already taken.
    taken: usize,
}

impl Resampler {
    /// Frames made at a time; they add to the latency.
    pub(super) const CHUNK: usize = 32;

    /// Length of the filter in frames; half of it is delay.
    const FILTER: usize = 128;

    /// From `from` to `to` frames a second, both positive.
    pub(super) fn new(from: u32, to: u32) -> Self {
        let parameters =
            SincInterpolationParameters::new(Self::FILTER, WindowFunction::BlackmanHarris2);
        let ratio = f64::from(to) / f64::from(from);
        let inner = Async::new_sinc(ratio, 1.0, &parameters, Self::CHUNK, 2, FixedAsync::Output)
            .unwrap_or_else(|_| unreachable!("every positive ratio is accepted"));
        let most = inner.input_frames_max();
        Self {
            inner,
            input: [vec![0.0; most], vec![0.0; most]],
            output: [vec![0.0; Self::CHUNK], vec![0.0; Self::CHUNK]],
            taken: Self::CHUNK,
        }
    }

    /// Frames by which its output lags, at most.
    pub(super) fn delay(&self) -> usize {
        self.inner.output_delay() + Self::CHUNK
    }

    /// Copies frames that are ready; returns how many.
    pub(super) fn take(&mut self, left: &mut [f32], right: &mut [f32]) -> usize {
        let count = left.len().min(Self::CHUNK - self.taken);
        let ready = self.taken..self.taken + count;
        left[..count].copy_from_slice(&self.output[0][ready.clone()]);
        right[..count].copy_from_slice(&self.output[1][ready]);
        self.taken += count;
        count
    }

    /// Buffers for the input of the next [`run`](Self::run).
    pub(super) fn input(&mut self) -> [&mut [f32]; 2] {
        let frames = self.inner.input_frames_next();
        self.input.each_mut().map(|channel| &mut channel[..frames])
    }

    /// Makes the next chunk from the input.
    pub(super) fn run(&mut self) {
        let frames = self.inner.input_frames_next();
        let input = SequentialSliceOfVecs::new(&self.input, 2, frames);
        let output = SequentialSliceOfVecs::new_mut(&mut self.output, 2, Self::CHUNK);
        if let (Ok(input), Ok(mut output)) = (input, output) {
            // Does not fail: both have the required length.
            let _ = self.inner.process_into_buffer(&input, &mut output, None);
        }
        self.taken = 0;
    }
}
