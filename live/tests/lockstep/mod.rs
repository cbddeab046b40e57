//! A stream that tests drive in lockstep, without a clock.

#![allow(dead_code, reason = "every test program uses its own part of this")]

use myriad_conformance::testing::{RATE, patch};
use myriad_engine::params::Param;
use myriad_engine::render::CpuRenderer;
use myriad_engine::{Event, EventKind, Patch};
use myriad_live::fault::{FaultRenderer, Faults};
use myriad_live::stream::{self, AudioSide, Control, RenderSide, StreamConfig};
use std::sync::Arc;

pub(crate) fn config(depth: usize) -> StreamConfig {
    // With a render log, which must not cost the render side an allocation either.
    StreamConfig { depth, log: true, ..StreamConfig::default() }
}

/// A stream without threads, and all its output.
pub(crate) struct Lockstep {
    pub(crate) control: Control,
    pub(crate) audio: AudioSide,
    pub(crate) render: RenderSide,
    pub(crate) heard: [Vec<f32>; 2],
}

impl Lockstep {
    pub(crate) fn new(depth: usize, patch: &Patch) -> Self {
        let cpu = Box::new(CpuRenderer::new(1));
        let (control, audio, mut render) = stream::build(&config(depth), cpu).unwrap();
        control.set_patch(0, patch.clone()).unwrap();
        render.step();
        Self { control, audio, render, heard: [Vec::new(), Vec::new()] }
    }

    /// The audio side asks for a block.
    pub(crate) fn ask(&mut self, events: &[(usize, EventKind)], frames: usize) {
        let start = self.heard[0].len();
        let events: Vec<Event> = events
            .iter()
            .filter(|(time, _)| (start..start + frames).contains(time))
            .map(|&(time, kind)| Event { frame: (time - start) as u32, part: 0, kind })
            .collect();
        let [left, right] = &mut self.heard;
        left.resize(start + frames, f32::NAN);
        right.resize(start + frames, f32::NAN);
        self.audio.process(&events, &mut left[start..], &mut right[start..]);
    }

    /// Blocks that are asked for on time, and rendered on time.
    pub(crate) fn play(
        &mut self,
        events: &[(usize, EventKind)],
        frames: usize,
        blocks: &mut dyn Iterator<Item = usize>,
    ) {
        let end = self.heard[0].len() + frames;
        while self.heard[0].len() < end {
            let block = blocks.next().unwrap_or(64);
            self.ask(events, block.min(end - self.heard[0].len()));
            self.render.step();
        }
    }

    pub(crate) fn play_64(&mut self, events: &[(usize, EventKind)], frames: usize) {
        self.play(events, frames, &mut std::iter::repeat(64));
    }
}

/// A sine alone, steady from the first hundredth of a second on.
pub(crate) fn sine() -> Patch {
    patch(&[(Param::SourcePartials, 1.0), (Param::Env1Sustain, 1.0), (Param::Env1Attack, 0.01)])
}

/// How far sound is from being a sine of that frequency, at worst: `x[n] - 2 cos(w) x[n-1] +
/// x[n-2]` is zero for a sine at any phase and level. A step shows as itself.
pub(crate) fn roughness(samples: &[f32], hertz: f32) -> f32 {
    let c = 2.0 * (std::f64::consts::TAU * f64::from(hertz) / RATE as f64).cos();
    let x = |i: usize| f64::from(samples[i]);
    (2..samples.len()).fold(0.0, |worst: f64, i| worst.max((x(i) - c * x(i - 1) + x(i - 2)).abs()))
        as f32
}

/// Above this, a sine has a click in it; a clean one has 1e-6.
pub(crate) const CLICK: f32 = 1e-3;

/// A CPU renderer with faults.
pub(crate) fn faulty() -> (Box<FaultRenderer<CpuRenderer>>, Arc<Faults>) {
    let faults: Arc<Faults> = Arc::default();
    let renderer = FaultRenderer::new(Box::new(CpuRenderer::new(1)), Arc::clone(&faults));
    (Box::new(renderer), faults)
}
