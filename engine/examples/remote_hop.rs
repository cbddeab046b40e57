//! What a process of its own costs a renderer: the same blocks here and there.
//!
//!     cargo run --release -p myriad-engine --example remote_hop

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("renderers have processes of their own on Linux only");
}

#[cfg(target_os = "linux")]
mod linux {
    use myriad_engine::render::remote::{RemoteCommand, RemoteRenderer, SUBCOMMAND, serve};
    use myriad_engine::render::{Buses, Capacity, CpuRenderer, RenderError, Renderer, VoiceBlock};
    use myriad_engine::spectrum::{Cloud, TURN, Table};
    use std::error::Error;
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::thread;
    use std::time::{Duration, Instant};

    const CAPACITY: Capacity = Capacity {
        slots: 1_024,
        buses: 1,
    };

    /// Ticks of a block, and how often one is due.
    const TICKS: usize = 2;
    const PERIOD: Duration = Duration::from_micros(1_333);

    pub(super) fn main() -> Result<(), Box<dyn Error>> {
        // This program is also the one that it starts.
        if std::env::args().any(|argument| argument == SUBCOMMAND) {
            let socket = std::io::stdin().as_fd().try_clone_to_owned()?;
            return Ok(serve(socket, || Box::new(CpuRenderer::new(1)))?);
        }
        let command = RemoteCommand {
            program: std::env::current_exe()?,
            arguments: vec![SUBCOMMAND.into()],
        };
        let mut here = CpuRenderer::new(1);
        let mut there = RemoteRenderer::new(command);
        here.prepare(CAPACITY)?;
        let start = Instant::now();
        there.prepare(CAPACITY)?;
        println!("ready after {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        println!("blocks of 64 frames, microseconds          here             there");
        println!("                                       p50     p99       p50     p99");
        for clouds in [0, 1, 64, 1_024] {
            let block = block(clouds);
            for (name, pause) in [("back to back", Duration::ZERO), ("paced", PERIOD)] {
                let [a, b] = measure(&mut here, &block, pause)?;
                let [c, d] = measure(&mut there, &block, pause)?;
                println!("{clouds:5} clouds of 16, {name:<12} {a:8.1}{b:8.1}  {c:8.1}{d:8.1}");
            }
        }
        Ok(())
    }

    fn block(clouds: usize) -> Arc<VoiceBlock> {
        let mut block = VoiceBlock::new(CAPACITY.slots);
        let (frame, morph) = Table::Saw.frame_at(0.8);
        for _ in 0..TICKS {
            block.start_tick();
            for slot in 0..clouds {
                let cloud = Cloud {
                    table: Table::Saw.first_row(),
                    frame,
                    morph,
                    partials: 15.0,
                    increment: (50 + slot) as f32 / 48_000.0 * TURN,
                    formant: 1.0,
                    gain_from: [1e-3; 2],
                    gain_to: [1e-3; 2],
                    ..Cloud::default()
                };
                block.push(slot as u32, cloud);
            }
        }
        Arc::new(block)
    }

    /// The median and the slowest hundredth of many renders.
    fn measure(
        renderer: &mut dyn Renderer,
        block: &Arc<VoiceBlock>,
        pause: Duration,
    ) -> Result<[f64; 2], RenderError> {
        let mut buses = Buses::new(CAPACITY.buses);
        let mut times = Vec::new();
        for _ in 0..1_000 {
            thread::sleep(pause);
            let start = Instant::now();
            renderer.render(block, &mut buses)?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        times.sort_by(f64::total_cmp);
        Ok([times[times.len() / 2], times[times.len() * 99 / 100]])
    }
}
