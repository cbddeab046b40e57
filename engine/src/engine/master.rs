//! The master bus: sums the parts, limits the sum to full scale, and outputs it.

use super::Engine;
use crate::dsp::Limiter;
use crate::render::{Buses, TICK};
use std::collections::VecDeque;

/// Everything after the renderer.
pub(super) struct Master {
    limiter: Limiter,
    mix: Line,
    /// The parts by themselves, with the limiter's gain, so that they add up to the mix; empty
    /// unless stems are needed. With each, the frames that were output last.
    stems: Vec<(Line, [Vec<f32>; 2])>,
    /// The sum of the parts, and the gains of the limiter.
    sum: [Vec<f32>; 2],
    gains: Vec<f32>,
    /// Frames since the last one that was not zero.
    quiet: usize,
}

impl Master {
    /// Frames that the limiter looks ahead.
    pub(super) const LATENCY: usize = Limiter::LOOK_AHEAD;

    pub(super) fn new(stems: usize, sample_rate: f32) -> Self {
        let block = || std::array::from_fn(|_| Vec::with_capacity(Engine::MAX_STEM_FRAMES));
        Self {
            limiter: Limiter::new(sample_rate),
            mix: Line::new(),
            stems: (0..stems).map(|_| (Line::new(), block())).collect(),
            sum: std::array::from_fn(|_| vec![0.0; Buses::FRAMES]),
            gains: vec![1.0; Buses::FRAMES],
            quiet: usize::MAX,
        }
    }

    pub(super) fn reset(&mut self) {
        self.limiter.reset();
        self.mix.reset();
        for (line, block) in &mut self.stems {
            line.reset();
            block.iter_mut().for_each(Vec::clear);
        }
        self.quiet = usize::MAX;
    }

    /// Processes the first `frames` of the buses; whole ticks.
    pub(super) fn push(&mut self, buses: &Buses, frames: usize) {
        for (side, sum) in self.sum.iter_mut().enumerate() {
            sum.fill(0.0);
            for part in 0..buses.count() {
                let bus = buses.bus(part)[side];
                sum.iter_mut().zip(bus).for_each(|(sum, sample)| *sum += sample);
            }
        }
        let [left, right] = [&self.sum[0][..frames], &self.sum[1][..frames]];
        for ((gain, left), right) in self.gains.iter_mut().zip(left).zip(right) {
            let peak = left.abs().max(right.abs());
            *gain = self.limiter.gain(peak);
            self.quiet = if peak == 0.0 { self.quiet.saturating_add(1) } else { 0 };
        }
        let gains = &self.gains[..frames];
        self.mix.push([left, right], gains);
        for (part, (line, _)) in self.stems.iter_mut().enumerate() {
            line.push(buses.bus(part), gains);
        }
    }

    /// Clears the stems of the last block.
    pub(super) fn start_block(&mut self) {
        self.stems.iter_mut().flat_map(|(_, block)| block).for_each(Vec::clear);
    }

    /// Outputs the next frames.
    pub(super) fn pop(&mut self, left: &mut [f32], right: &mut [f32]) {
        let frames = left.len();
        for (line, block) in &mut self.stems {
            for (queue, block) in line.ready.iter_mut().zip(block) {
                let popped = queue.drain(..frames.min(queue.len()));
                let room = block.capacity() - block.len();
                block.extend(popped.take(room));
            }
        }
        for (queue, out) in self.mix.ready.iter_mut().zip([left, right]) {
            out.fill_with(|| queue.pop_front().unwrap_or(0.0));
        }
    }

    pub(super) fn stem(&self, part: usize) -> [&[f32]; 2] {
        match self.stems.get(part) {
            Some((_, [left, right])) => [left, right],
            None => [&[], &[]],
        }
    }

    pub(super) fn is_silent(&self) -> bool {
        self.quiet >= Self::LATENCY + TICK
    }
}

/// Delays stereo sound by the limiter's look-ahead, then queues it until it is output.
struct Line {
    waiting: [[f32; Limiter::LOOK_AHEAD]; 2],
    ready: [VecDeque<f32>; 2],
}

impl Line {
    fn new() -> Self {
        let mut line = Self {
            waiting: [[0.0; Limiter::LOOK_AHEAD]; 2],
            ready: std::array::from_fn(|_| VecDeque::with_capacity(Buses::FRAMES + 2 * TICK)),
        };
        line.reset();
        line
    }

    fn reset(&mut self) {
        self.waiting = [[0.0; Limiter::LOOK_AHEAD]; 2];
        for queue in &mut self.ready {
            queue.clear();
            // Silence while the first tick is being collected.
            queue.extend([0.0; TICK]);
        }
    }

    fn push(&mut self, bus: [&[f32]; 2], gains: &[f32]) {
        for (side, bus) in bus.into_iter().enumerate() {
            for (frame, (&sample, gain)) in bus.iter().zip(gains).enumerate() {
                // Ticks are multiples of the look-ahead, so the index is the same in every tick.
                let place = &mut self.waiting[side][frame % Limiter::LOOK_AHEAD];
                let delayed = std::mem::replace(place, sample);
                self.ready[side].push_back(delayed * gain);
            }
        }
    }
}

const _: () = assert!(TICK.is_multiple_of(Limiter::LOOK_AHEAD));
