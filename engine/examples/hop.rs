//! What it costs to have a renderer on a thread of its own: the same small blocks with and without,
//! back to back and paced as in live play.
//!
//!     cargo run --release -p myriad-engine --example hop

use myriad_engine::render::supervised::watchdog::{WatchdogConfig, WatchdogRenderer};
use myriad_engine::render::{Buses, Capacity, CpuRenderer, Renderer, VoiceBlock};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BLOCKS: usize = 2_000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("microseconds a block           p50    p95    p99  p99.9    max");
    let config = WatchdogConfig::default();
    for (pacing, period) in [("back to back", 0), ("every 1.33 ms", 1_333)] {
        let cpu = || Box::new(CpuRenderer::new(1));
        measure(&format!("here, {pacing}"), cpu(), period)?;
        let watched = WatchdogRenderer::new(cpu(), config);
        measure(&format!("watched, {pacing}"), Box::new(watched), period)?;
    }
    Ok(())
}

fn measure(
    name: &str,
    mut renderer: Box<dyn Renderer>,
    period_us: u64,
) -> Result<(), Box<dyn Error>> {
    let capacity = Capacity {
        slots: 64,
        buses: 2,
    };
    renderer.prepare(capacity)?;
    let mut block = VoiceBlock::new(capacity.slots);
    block.start_tick();
    let (block, mut buses) = (Arc::new(block), Buses::new(capacity.buses));
    let mut times = Vec::with_capacity(BLOCKS);
    let period = Duration::from_micros(period_us);
    let start = Instant::now();
    for number in 0..BLOCKS as u32 {
        let due = start + number * period;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let submitted = Instant::now();
        renderer.render(&block, &mut buses)?;
        times.push(submitted.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((BLOCKS - 1) as f64 * share) as usize];
    println!(
        "{name:<26} {:7.1}{:7.1}{:7.1}{:7.1}{:7.1}",
        at(0.5),
        at(0.95),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}
