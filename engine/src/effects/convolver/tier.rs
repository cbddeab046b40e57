//! Convolution with the partitions of one length: overlap-save with a history of spectra.
//!
//! The blocks of a tick are computed at once. Longer ones are computed while the next block comes in, a share in
//! every tick, so that no tick has much more work than another.

use super::super::line::touched;
use super::Stereo;
use crate::dsp::FADE;
use crate::impulse::{BLOCKS, Kernel, Responses, plan};
use crate::render::TICK;
use realfft::num_complex::Complex;

/// Which response is heard, and how much of its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) response: usize,
    /// 0 to 1: the response decays this much faster.
    pub(super) length: f32,
}

/// Partitions that are fainter by this factor are left out: -110 dB.
const FAINTEST: f32 = 3e-6;

impl Setting {
    /// The gain of a partition: a response that falls by 60 dB to its end does so in `length` of that time.
    #[inline(always)]
    fn gain(self, kernel: &Kernel, tier: usize, partition: usize) -> f32 {
        match self.length < 1.0 {
            true => (-6.9078 * (1.0 / self.length - 1.0) * kernel.middle(tier, partition)).exp(),
            false => 1.0,
        }
    }
}

/// Memory for transforms, shared by all tiers.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    time: Vec<f32>,
    bins: Vec<Complex<f32>>,
    transform: Vec<Complex<f32>>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let largest = BLOCKS[BLOCKS.len() - 1];
        let plans = (0..BLOCKS.len()).map(plan);
        let transform =
            plans.map(|plan| plan.forward.get_scratch_len().max(plan.back.get_scratch_len()));
        Self {
            time: vec![0.0; 2 * largest],
            bins: vec![Complex::default(); largest + 1],
            transform: vec![Complex::default(); transform.max().unwrap_or(0)],
        }
    }
}

/// The partitions of one length.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    index: usize,
    /// Spectra of the last blocks of each side, in a ring.
    history: [Vec<f32>; 2],
    slots: usize,
    newest: usize,
    /// Blocks since the last reset, at most as many as there are slots. Older ones count as silence.
    filled: usize,
    /// Three blocks of input of each side: one is coming in, the two before it are being computed.
    input: [Vec<f32>; 2],
    incoming: usize,
    /// The tick of the block.
    tick: usize,
    /// Whether there is a complete block to compute.
    computing: bool,
    /// Sums of products, for each setting and side.
    sums: [[Vec<f32>; 2]; 2],
    /// The block that is played, and the one that is being computed.
    output: [Vec<f32>; 2],
    next: [Vec<f32>; 2],
    /// The crossfade from one setting to another: its progress at both ends of the block that is being computed.
    settings: Option<[Setting; 2]>,
    progress: [f32; 2],
    /// Products of the last tick, for tests.
    #[cfg(test)]
    pub(super) products: usize,
}

impl Tier {
    pub(super) fn new(index: usize, responses: &Responses) -> Self {
        let block = BLOCKS[index];
        let slots = responses.most_partitions(index);
        let memory = |frames: usize| [touched(frames, 0.0), touched(frames, 0.0)];
        Self {
            index,
            history: memory(slots * 2 * block),
            slots,
            newest: 0,
            filled: 0,
            input: memory(3 * block),
            incoming: 0,
            tick: 0,
            computing: false,
            sums: [memory(2 * block), memory(2 * block)],
            output: memory(block),
            next: memory(block),
            settings: None,
            progress: [1.0; 2],
            #[cfg(test)]
            products: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        let buffers = self.input.iter_mut().chain(&mut self.output).chain(&mut self.next);
        buffers.for_each(|buffer| buffer.fill(0.0));
        (self.newest, self.filled, self.incoming, self.tick) = (0, 0, 0, 0);
        (self.computing, self.settings, self.progress) = (false, None, [1.0; 2]);
    }

    /// Takes a tick of input and adds a tick to `out`.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        input: &Stereo,
        out: &mut Stereo,
        wanted: Setting,
        responses: &Responses,
        scratch: &mut Scratch,
    ) {
        if self.slots == 0 {
            return;
        }
        let block = BLOCKS[self.index];
        let ticks = block / TICK;
        let place = self.incoming * block + self.tick * TICK;
        for (memory, input) in self.input.iter_mut().zip(input) {
            memory[place..place + TICK].copy_from_slice(input);
        }
        if ticks == 1 {
            self.advance_input();
            self.begin(wanted);
            (0..2).for_each(|side| self.transform(side, scratch));
            self.multiply(0, 1, responses);
            (0..2).for_each(|side| self.transform_back(side, scratch));
            std::mem::swap(&mut self.output, &mut self.next);
        } else if self.tick == 0 {
            std::mem::swap(&mut self.output, &mut self.next);
            self.begin(wanted);
        }
        let play = if ticks == 1 { 0 } else { self.tick * TICK };
        for (out, block) in out.iter_mut().zip(&self.output) {
            out.iter_mut().zip(&block[play..]).for_each(|(out, sample)| *out += sample);
        }
        if ticks == 1 {
            return;
        }
        if self.computing {
            // Two ticks for the transforms, two for those back, all others for the products.
            let products = ticks - 4;
            match self.tick {
                side @ 0..=1 => self.transform(side, scratch),
                tick if tick < ticks - 2 => self.multiply(tick - 2, products, responses),
                tick => self.transform_back(tick + 2 - ticks, scratch),
            }
        }
        self.tick += 1;
        if self.tick == ticks {
            self.tick = 0;
            self.advance_input();
        }
    }

    /// A block of input is complete.
    #[inline(always)]
    fn advance_input(&mut self) {
        self.incoming = (self.incoming + 1) % 3;
        self.computing = true;
    }

    /// Begins to compute a block, with the settings that it is for.
    #[inline(always)]
    fn begin(&mut self, wanted: Setting) {
        if !self.computing {
            return;
        }
        self.newest = (self.newest + 1) % self.slots;
        self.filled = (self.filled + 1).min(self.slots);
        let [_, now] = *self.settings.get_or_insert([wanted; 2]);
        self.progress[0] = self.progress[1];
        if self.progress[0] == 1.0 {
            // A crossfade in progress is completed first.
            self.settings = Some([now, wanted]);
            self.progress[0] = if now == wanted { 1.0 } else { 0.0 };
        }
        let step = BLOCKS[self.index] as f32 / FADE as f32;
        self.progress[1] = (self.progress[0] + step).min(1.0);
        self.sums.iter_mut().flatten().for_each(|sums| sums.fill(0.0));
    }

    /// The settings that are heard in the block: one, or the two of a crossfade.
    #[inline(always)]
    fn heard(&self) -> &[Setting] {
        match &self.settings {
            Some(settings) if self.progress[0] < 1.0 => settings,
            Some(settings) => &settings[1..],
            None => &[],
        }
    }

    /// Transforms the last two blocks of input of one side.
    #[inline(always)]
    fn transform(&mut self, side: usize, scratch: &mut Scratch) {
        let block = BLOCKS[self.index];
        let Scratch { time, bins, transform } = scratch;
        let (time, bins) = (&mut time[..2 * block], &mut bins[..=block]);
        for (half, ago) in [(0, 2), (1, 1)] {
            let from = (self.incoming + 3 - ago) % 3 * block;
            let input = &self.input[side][from..from + block];
            time[half * block..(half + 1) * block].copy_from_slice(input);
        }
        let forward = &plan(self.index).forward;
        let transform = &mut transform[..forward.get_scratch_len()];
        // Lengths are those of the plan, so it cannot fail.
        let _ = forward.process_with_scratch(time, bins, transform);
        let slot = self.newest * 2 * block;
        let (real, imaginary) = self.history[side][slot..slot + 2 * block].split_at_mut(block);
        for ((real, imaginary), bin) in real.iter_mut().zip(&mut *imaginary).zip(&*bins) {
            (*real, *imaginary) = (bin.re, bin.im);
        }
        // The highest bin is real, as the lowest.
        imaginary[0] = bins[block].re;
    }

    /// Adds the products of share `step` of `steps` of all partitions.
    #[inline(always)]
    fn multiply(&mut self, step: usize, steps: usize, responses: &Responses) {
        let mut counts = [0; 2];
        for (count, setting) in counts.iter_mut().zip(self.heard()) {
            let partitions = responses.get(setting.response).map_or(0, |kernel| {
                let all = kernel.partitions(self.index).min(self.filled);
                let faint =
                    |partition: usize| setting.gain(kernel, self.index, partition) < FAINTEST;
                // They become fainter with their distance.
                (0..all).rev().find(|&partition| !faint(partition)).map_or(0, |last| last + 1)
            });
            *count = partitions;
        }
        let total = 2 * (counts[0] + counts[1]);
        for row in step * total / steps..(step + 1) * total / steps {
            let (which, row) = match row < 2 * counts[0] {
                true => (0, row),
                false => (1, row - 2 * counts[0]),
            };
            let (side, partition) = (row / counts[which], row % counts[which]);
            let setting = self.heard()[which];
            let Some(kernel) = responses.get(setting.response) else { continue };
            let gain = setting.gain(kernel, self.index, partition);
            let size = 2 * BLOCKS[self.index];
            let slot = (self.newest + self.slots - partition) % self.slots * size;
            let input = &self.history[side][slot..slot + size];
            let response = kernel.spectrum(self.index, side, partition);
            add_product(&mut self.sums[which][side], input, response, gain);
            #[cfg(test)]
            {
                self.products += 1;
            }
        }
    }

    /// Makes the sound of one side from the sums.
    #[inline(always)]
    fn transform_back(&mut self, side: usize, scratch: &mut Scratch) {
        let block = BLOCKS[self.index];
        let Scratch { time, bins, transform } = scratch;
        let (time, bins) = (&mut time[..2 * block], &mut bins[..=block]);
        let back = &plan(self.index).back;
        let transform = &mut transform[..back.get_scratch_len()];
        let heard = self.heard().len();
        let (from, to) = (self.progress[0], self.progress[1]);
        for which in 0..heard {
            let (real, imaginary) = self.sums[which][side].split_at(block);
            for ((bin, &re), &im) in bins.iter_mut().zip(real).zip(imaginary) {
                *bin = Complex { re, im };
            }
            bins[0].im = 0.0;
            bins[block] = Complex { re: imaginary[0], im: 0.0 };
            // Lengths are those of the plan and the ends are real, so it cannot fail.
            let _ = back.process_with_scratch(bins, time, transform);
            let fresh = &time[block..];
            let next = &mut self.next[side];
            if which == 0 {
                next.copy_from_slice(fresh);
                continue;
            }
            for (frame, (next, fresh)) in next.iter_mut().zip(fresh).enumerate() {
                let x = from + (to - from) * (frame + 1) as f32 / block as f32;
                *next += (fresh - *next) * (x * x * (3.0 - 2.0 * x));
            }
        }
    }
}

/// Adds the product of two spectra, times `gain`, to `sum`.
#[inline(always)]
fn add_product(sum: &mut [f32], input: &[f32], response: &[f32], gain: f32) {
    let block = sum.len() / 2;
    let ends = [
        sum[0] + gain * input[0] * response[0],
        sum[block] + gain * input[block] * response[block],
    ];
    let (sum_re, sum_im) = sum.split_at_mut(block);
    let (in_re, in_im) = input.split_at(block);
    let (by_re, by_im) = response.split_at(block);
    for bin in 0..block {
        let (re, im) = (gain * by_re[bin], gain * by_im[bin]);
        sum_re[bin] += in_re[bin] * re - in_im[bin] * im;
        sum_im[bin] += in_re[bin] * im + in_im[bin] * re;
    }
    // Both are real, and share a place.
    (sum_re[0], sum_im[0]) = (ends[0], ends[1]);
}
