//! How long an engine takes for a block besides rendering: control of all voices, on so many threads. Its renderer renders nothing.

use clap::Parser;
use myriad_engine::params::Param;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, factory};
use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Holds voices in each of some parts, and prints what a block takes: its median, tenth and 99th percentile.
#[derive(Parser)]
struct Arguments {
    /// Parts that play.
    #[arg(long, default_value_t = 15)]
    parts: usize,
    /// Voices of each part.
    #[arg(long, default_value_t = 20)]
    voices: usize,
    /// The factory patch of all of them.
    #[arg(long, default_value = "Aurora")]
    patch: String,
    /// Threads, the caller's included.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Frames of a block.
    #[arg(long, default_value_t = 256)]
    frames: usize,
    /// Blocks that are measured.
    #[arg(long, default_value_t = 2_000)]
    blocks: usize,
    /// Waits for the time that each block sounds, as when playing.
    #[arg(long)]
    paced: bool,
}

const RATE: f32 = 48_000.0;

/// Takes blocks like a device that has rendered them at once.
#[derive(Default)]
struct NoRenderer {
    in_flight: VecDeque<Arc<VoiceBlock>>,
}

impl Renderer for NoRenderer {
    fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
        Ok(())
    }

    fn reset(&mut self) {
        self.in_flight.clear();
    }

    fn depth(&self) -> usize {
        3
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.in_flight.push_back(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, _: &mut Buses) -> Result<usize, RenderError> {
        self.in_flight.pop_front().map(|_| 0).ok_or(RenderError::OutOfTurn)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { parts, voices, patch, threads, frames, blocks, paced } = Arguments::parse();
    let mut patch = factory::find(&patch).ok_or("there is no such patch")?;
    patch.values.set(Param::VoiceLimit, voices as f32);
    let config = EngineConfig {
        parts,
        voices: 1_024,
        // Each voice may have as many copies as there can be.
        clouds: (parts * voices * 16).clamp(1, 65_536),
        threads,
        ..EngineConfig::default()
    };
    let mut engine = Engine::with_renderer(&config, Box::new(NoRenderer::default()))?;
    let [mut left, mut right] = [(); 2].map(|()| vec![0.0; frames]);
    for part in 0..parts {
        engine.set_patch(part, &patch);
        for voice in 0..voices {
            let kind = EventKind::NoteOn { key: 36 + (voice % 48) as u8, velocity: 0.8 };
            let event = Event { frame: 0, part: part as u8, kind };
            engine.render(&[event], &mut left[..1], &mut right[..1]);
        }
    }
    let pause = match paced {
        true => Duration::from_secs_f32(frames as f32 / RATE),
        false => Duration::ZERO,
    };
    let mut times = Vec::with_capacity(blocks);
    for _ in 0..blocks {
        let start = Instant::now();
        engine.render(&[], &mut left, &mut right);
        times.push(start.elapsed());
        while start.elapsed() < pause {
            std::hint::spin_loop();
        }
    }
    times.sort_unstable();
    let counters = engine.counters();
    if counters.voices != parts * voices {
        return Err(format!("{} voices sound, not {}", counters.voices, parts * voices).into());
    }
    let at = |share: f64| match times.get((share * blocks as f64) as usize) {
        Some(time) => time.as_secs_f64() * 1e6,
        None => 0.0,
    };
    println!(
        "{} voices, {} clouds, {frames} frames, {threads} threads: {:.1} µs (10%: {:.1}, 99%: {:.1})",
        counters.voices,
        counters.clouds,
        at(0.5),
        at(0.1),
        at(0.99)
    );
    Ok(())
}
