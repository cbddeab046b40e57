//! The whole engine, everything moving, on one core: what it holds, and its worst block.
//!
//! Blocks are of 64 frames, as in live play; a block's deadline is the time it takes to play it.

use myriad_engine::EngineError;
use myriad_engine::render::CpuRenderer;
use myriad_qa::bench::scenario;
use std::time::Instant;

const BLOCK: usize = 64;
const RATE: f64 = 48_000.0;
const ROUNDS: usize = 5;

fn main() -> Result<(), EngineError> {
    println!(
        "whole engine, one core, 48 kHz, blocks of {BLOCK} frames, pitch, morph, tilt and filter moving"
    );
    println!(
        "{:>16}  {:>10}  {:>9}  {:>9}  {:>10}  {:>12}",
        "voices × partials", "sounding", "real time", "held", "mean block", "worst block"
    );
    for (voices, partials) in [(64, 512), (1024, 32), (8, 1024), (256, 64), (16, 256)] {
        let run = measure(voices, partials)?;
        println!(
            "{:>17}  {:>10}  {:>8.1}×  {:>9.0}  {:>7.0} µs  {:>4.0} µs, {:>3.0}%",
            format!("{voices} × {partials}"),
            run.sounding,
            run.real_time(),
            run.sounding as f64 * run.real_time(),
            run.mean * 1e6,
            run.worst * 1e6,
            run.worst / deadline() * 100.0,
        );
    }
    let (few, many) = (measure(1, 1)?, measure(1024, 1)?);
    let per_voice = (many.mean - few.mean) / 1023.0 / (BLOCK / 32) as f64;
    println!(
        "a voice of one partial costs {:.0} ns a tick",
        per_voice * 1e9
    );
    Ok(())
}

struct Run {
    sounding: usize,
    /// Seconds of the mean block, in the best round.
    mean: f64,
    /// Seconds of the worst block, in the best round: other work on the machine shows least.
    worst: f64,
}

impl Run {
    fn real_time(&self) -> f64 {
        deadline() / self.mean
    }
}

fn deadline() -> f64 {
    BLOCK as f64 / RATE
}

fn measure(voices: usize, partials: usize) -> Result<Run, EngineError> {
    let mut engine = scenario::holding(voices, partials, Box::new(CpuRenderer::new(1)))?;
    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let (mut mean, mut worst) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let mut times = Vec::new();
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < 0.2 {
            let block = Instant::now();
            engine.render(&[], &mut left, &mut right);
            times.push(block.elapsed().as_secs_f64());
        }
        mean = mean.min(times.iter().sum::<f64>() / times.len() as f64);
        worst = worst.min(times.iter().copied().fold(0.0, f64::max));
    }
    Ok(Run {
        sounding: engine.counters().partials,
        mean,
        worst,
    })
}
