//! The master bus: sums the parts, limits the sum to full scale, and outputs it.

use super::{Engine, EngineConfig};
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
    /// The same for the outputs besides the main one, whose buses follow those of the parts.
    outputs: Vec<(Line, [Vec<f32>; 2])>,
    parts: usize,
    /// The sum of the parts, the sum of everything where there are other outputs, and the gains of the
    /// limiter.
    sum: [Vec<f32>; 2],
    whole: [Vec<f32>; 2],
    gains: Vec<f32>,
    /// Frames since the last one that was not zero.
    quiet: usize,
}

impl Master {
    /// Frames that the limiter looks ahead.
    pub(super) const LATENCY: usize = Limiter::LOOK_AHEAD;

    pub(super) fn new(config: &EngineConfig) -> Self {
        let block = |frames: usize| std::array::from_fn(|_| Vec::with_capacity(frames));
        let line = || (Line::new(), block(Engine::MAX_STEM_FRAMES));
        let output = || (Line::new(), block(Engine::MAX_OUTPUT_FRAMES));
        Self {
            limiter: Limiter::new(config.sample_rate),
            mix: Line::new(),
            stems: (0..if config.stems { config.parts } else { 0 }).map(|_| line()).collect(),
            outputs: (0..config.output_buses()).map(|_| output()).collect(),
            parts: config.parts,
            whole: std::array::from_fn(|_| vec![0.0; Buses::FRAMES]),
            sum: std::array::from_fn(|_| vec![0.0; Buses::FRAMES]),
            gains: vec![1.0; Buses::FRAMES],
            quiet: usize::MAX,
        }
    }

    pub(super) fn reset(&mut self) {
        self.limiter.reset();
        self.mix.reset();
        for (line, block) in self.stems.iter_mut().chain(&mut self.outputs) {
            line.reset();
            block.iter_mut().for_each(Vec::clear);
        }
        self.quiet = usize::MAX;
    }

    /// Processes the first `frames` of the buses; whole ticks.
    pub(super) fn push(&mut self, buses: &Buses, frames: usize) {
        for (side, sum) in self.sum.iter_mut().enumerate() {
            sum.fill(0.0);
            for part in 0..self.parts {
                let bus = buses.bus(part)[side];
                sum.iter_mut().zip(bus).for_each(|(sum, sample)| *sum += sample);
            }
        }
        let whole = match self.outputs.is_empty() {
            true => &self.sum,
            false => {
                for (side, whole) in self.whole.iter_mut().enumerate() {
                    whole.copy_from_slice(&self.sum[side]);
                    for bus in self.parts..buses.count() {
                        let bus = buses.bus(bus)[side];
                        whole.iter_mut().zip(bus).for_each(|(whole, sample)| *whole += sample);
                    }
                }
                &self.whole
            }
        };
        let [left, right] = [&whole[0][..frames], &whole[1][..frames]];
        for ((gain, left), right) in self.gains.iter_mut().zip(left).zip(right) {
            let peak = left.abs().max(right.abs());
            *gain = self.limiter.gain(peak);
            self.quiet = if peak == 0.0 { self.quiet.saturating_add(1) } else { 0 };
        }
        let gains = &self.gains[..frames];
        self.mix.push([&self.sum[0][..frames], &self.sum[1][..frames]], gains);
        for (part, (line, _)) in self.stems.iter_mut().enumerate() {
            line.push(buses.bus(part), gains);
        }
        for (output, (line, _)) in self.outputs.iter_mut().enumerate() {
            line.push(buses.bus(self.parts + output), gains);
        }
    }

    /// Clears the stems of the last block.
    pub(super) fn start_block(&mut self) {
        let lines = self.stems.iter_mut().chain(&mut self.outputs);
        lines.flat_map(|(_, block)| block).for_each(Vec::clear);
    }

    /// Outputs the next frames.
    pub(super) fn pop(&mut self, left: &mut [f32], right: &mut [f32]) {
        let frames = left.len();
        for (line, block) in self.stems.iter_mut().chain(&mut self.outputs) {
            for (queue, block) in line.ready.iter_mut().zip(block) {
                let popped = queue.drain(..frames.min(queue.len()));
                let room = block.capacity() - block.len();
                block.extend(popped.take(room));
            }
        }
        for (queue, out) in self.mix.ready.iter_mut().zip([left, right]) {
            let (out, missing) = out.split_at_mut(queue.len().min(frames));
            let ready = queue.drain(..out.len());
            out.iter_mut().zip(ready).for_each(|(out, sample)| *out = sample);
            missing.fill(0.0);
        }
    }

    pub(super) fn stem(&self, part: usize) -> [&[f32]; 2] {
        last_block(&self.stems, part)
    }

    pub(super) fn output(&self, output: usize) -> [&[f32]; 2] {
        last_block(&self.outputs, output)
    }

    pub(super) fn is_silent(&self) -> bool {
        self.quiet >= Self::LATENCY + TICK
    }
}

/// The frames that a line has output last; empty if there is no such line.
fn last_block(lines: &[(Line, [Vec<f32>; 2])], index: usize) -> [&[f32]; 2] {
    match lines.get(index) {
        Some((_, [left, right])) => [left, right],
        None => [&[], &[]],
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
        for ((bus, waiting), ready) in bus.into_iter().zip(&mut self.waiting).zip(&mut self.ready) {
            // Ticks are multiples of the look-ahead.
            let pieces = bus.as_chunks::<{ Limiter::LOOK_AHEAD }>().0.iter();
            for (piece, gains) in pieces.zip(gains.as_chunks().0) {
                let delayed = std::mem::replace(waiting, *piece);
                let gains: &[f32; Limiter::LOOK_AHEAD] = gains;
                ready.extend(delayed.iter().zip(gains).map(|(sample, gain)| sample * gain));
            }
        }
    }
}

const _: () = assert!(TICK.is_multiple_of(Limiter::LOOK_AHEAD));
