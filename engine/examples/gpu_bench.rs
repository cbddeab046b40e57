//! What a CUDA card holds and how quickly it answers: `gpu_bench [PART]...`, where a part is
//! `start`, `bank`, `engine`, `latency` or `played`; `profile` is a few renders for a profiler.
//! Tables on standard output; run it on an otherwise idle machine.

use myriad_engine::render::cuda::{CudaOptions, CudaRenderer, yardstick};
use myriad_engine::render::{Buses, Capacity, MAX_TICKS, Renderer, TICK, VoiceBlock};
use myriad_engine::spectrum::{Cloud, Filter, STARTS, TURN, Table};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, params::Param};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RATE: f32 = 48_000.0;

type Outcome = Result<(), Box<dyn Error>>;
type Part = (&'static str, fn() -> Outcome);

fn main() -> Outcome {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted == ["profile"] {
        return profile();
    }
    let all: [Part; 5] = [
        ("start", start_up),
        ("bank", bank),
        ("engine", engine),
        ("latency", latency),
        ("played", played),
    ];
    for (name, run) in all {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            run()?;
            println!();
        }
    }
    Ok(())
}

/// From nothing to the first block.
fn start_up() -> Outcome {
    println!("start-up: prepare for 2,048 slots, then the first block of 1,024 x 64");
    for time in ["first", "second", "third"] {
        let start = Instant::now();
        let mut renderer = CudaRenderer::new(0);
        renderer.prepare(Capacity {
            slots: 2_048,
            buses: 1,
        })?;
        let prepared = start.elapsed();
        let block = load(1_024, 64.0, 2, Spectrum::Full, true);
        let ready = Instant::now();
        renderer.render(&block, &mut Buses::new(1))?;
        let counters = renderer.counters().cloned().unwrap_or_default();
        println!(
            "  {time}: prepare {:.0} ms, first block {:.0} us; {} running {}, {} MiB device, {} MiB pinned",
            prepared.as_secs_f64() * 1e3,
            ready.elapsed().as_secs_f64() * 1e6,
            counters.card,
            counters.code,
            counters.device_bytes >> 20,
            counters.pinned_bytes >> 20
        );
    }
    Ok(())
}

/// The bank kernel alone.
fn bank() -> Outcome {
    println!("bank alone, 128 frames, levels moving");
    println!("  partials      us a render   M in real time   error dB");
    for millions in [2, 8, 33, 67, 100] {
        let run = yardstick::bank_alone(0, millions << 20, 4, 40)?;
        println!(
            "  {:>10}   {:>11.1}   {:>14.1}   {:>8.1}",
            run.partials,
            run.seconds * 1e6,
            run.in_real_time(f64::from(RATE)) / 1e6,
            run.error_db
        );
    }
    Ok(())
}

/// A few renders of each kernel.
fn profile() -> Outcome {
    yardstick::bank_alone(0, 33 << 20, 4, 2)?;
    for spectrum in [Spectrum::Plain, Spectrum::Usual, Spectrum::Full] {
        let clouds = 2_048;
        let mut renderer = CudaRenderer::new(0);
        renderer.prepare(Capacity {
            slots: clouds,
            buses: 1,
        })?;
        for starts in [true, false, false] {
            let block = load(clouds, 1_024.0, 4, spectrum, starts);
            renderer.render(&block, &mut Buses::new(1))?;
        }
    }
    Ok(())
}

/// What the clouds of a load use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spectrum {
    /// A table that morphs, and gains that move.
    Plain,
    /// Tilt, damping and a filter besides.
    Usual,
    /// Everything: stretch, stiffness, formants, width.
    Full,
}

/// `clouds` clouds of `partials` partials below Nyquist, all parameters moving.
fn load(
    clouds: usize,
    partials: f32,
    ticks: usize,
    spectrum: Spectrum,
    starts: bool,
) -> Arc<VoiceBlock> {
    let mut block = VoiceBlock::new(clouds);
    for tick in 0..ticks {
        block.start_tick();
        let time = tick as f32 / MAX_TICKS as f32;
        for slot in 0..clouds {
            let (frame, _) = Table::Saw.frame_at(0.9);
            let spread = slot as f32 / clouds as f32;
            let highest = 21_000.0;
            let base = highest / partials * (0.8 + 0.15 * spread) * (1.0 + 0.002 * time);
            let mut cloud = Cloud {
                flags: if starts && tick == 0 { STARTS } else { 0 },
                seed: slot as u32,
                scatter: 65_535,
                table: Table::Saw.first_row(),
                frame,
                morph: 0.2 + 0.5 * time,
                partials,
                increment: base / RATE * TURN,
                formant: 1.0,
                odd: 1.0,
                even: 1.0,
                gain_from: [0.1, 0.11],
                gain_to: [0.11, 0.1],
                ..Cloud::default()
            };
            if spectrum != Spectrum::Plain {
                cloud.tilt = -0.1 - 0.05 * time;
                cloud.damping = 0.01 * time;
                cloud.damping_slope = 0.5;
                cloud.filter = Filter {
                    poles: 2,
                    inverse_cutoff: 1.0 / ((0.25 + 0.05 * time) * TURN),
                    inverse_q2: 1.0,
                    pass: [1.0, 0.0, 0.0],
                };
            }
            if spectrum == Spectrum::Full {
                cloud.stretch = -0.01 - 0.001 * time;
                cloud.inharmonicity = 1e-8 * (1.0 + time);
                cloud.formant = 1.05 + 0.01 * time;
                cloud.width_from = 0.5;
                cloud.width_to = 0.4;
            }
            block.push(slot as u32, cloud);
        }
    }
    Arc::new(block)
}

/// The whole renderer, spectra evaluated on the card.
fn engine() -> Outcome {
    let ticks = 4;
    let period = (ticks * TICK) as f64 / f64::from(RATE);
    println!("whole renderer, 128 frames, all parameters moving; partials as the card counts them");
    println!(
        "  clouds x partials  spectrum   sounded M   render us p50   worst   submit   upload  compute   MB up   M in real time (device alone)"
    );
    for (clouds, partials, spectrum) in [
        (8_192, 1_024.0, Spectrum::Usual),
        (32_768, 1_024.0, Spectrum::Plain),
        (32_768, 1_024.0, Spectrum::Usual),
        (32_768, 1_024.0, Spectrum::Full),
        (48_900, 1_024.0, Spectrum::Usual),
        (48_900, 1_024.0, Spectrum::Full),
        (65_536, 1_024.0, Spectrum::Usual),
        (65_536, 256.0, Spectrum::Usual),
        (65_536, 64.0, Spectrum::Usual),
        (8_192, 64.0, Spectrum::Usual),
    ] {
        for stage_times in [false, true] {
            let options = CudaOptions {
                stage_times,
                ..CudaOptions::default()
            };
            let mut renderer = CudaRenderer::with_options(0, options);
            renderer.prepare(Capacity {
                slots: clouds,
                buses: 1,
            })?;
            let mut buses = Buses::new(1);
            renderer.render(&load(clouds, partials, ticks, spectrum, true), &mut buses)?;
            let block = load(clouds, partials, ticks, spectrum, false);
            let mut times = Vec::new();
            let mut device = Vec::new();
            let mut sounded = 0;
            for _ in 0..30 {
                let start = Instant::now();
                sounded = renderer.render(&block, &mut buses)?;
                times.push(start.elapsed().as_secs_f64());
                device.extend(renderer.counters().map(|counters| counters.times));
            }
            if !stage_times {
                times.sort_by(f64::total_cmp);
                let (p50, worst) = (times[times.len() / 2], times[times.len() - 1]);
                print!(
                    "  {clouds:>6} x {partials:<8}  {spectrum:<9?}  {:>9.2}   {:>13.0}   {:>5.0}",
                    sounded as f64 / 1e6,
                    p50 * 1e6,
                    worst * 1e6
                );
                print!(
                    "   [{:.1} M in real time]",
                    sounded as f64 * period / p50 / 1e6
                );
            } else {
                device.sort_by(|a, b| a.compute.total_cmp(&b.compute));
                let middle = device[device.len() / 2];
                let megabytes = renderer
                    .counters()
                    .map_or(0, |counters| counters.upload_bytes)
                    as f64
                    / 1e6;
                println!(
                    "   {:>6.0}   {:>6.1}   {:>6.0}   {megabytes:>6.2}   ({:.1})",
                    middle.submit,
                    middle.upload,
                    middle.compute,
                    sounded as f64 * period / (f64::from(middle.compute) * 1e-6) / 1e6
                );
            }
        }
    }
    Ok(())
}

/// Percentiles of microseconds.
fn percentiles(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] * 1e6;
    let shares = [0.5, 0.95, 0.99, 0.999, 1.0].map(|share| format!("{:>7.1}", at(share)));
    shares.join(" ")
}

/// Waits for the moment as a render thread does: asleep, then awake a little early.
fn sleep_until(moment: Instant) {
    let early = Duration::from_micros(60);
    if let Some(rest) = moment.checked_duration_since(Instant::now() + early) {
        std::thread::sleep(rest);
    }
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
}

/// From submission to mixed audio in host memory.
fn latency() -> Outcome {
    println!("round trip in us: from the call to mixed audio in host memory");
    println!(
        "  load         frames  how            pace          p50     p95     p99   p99.9     max   (submit p50, resizes)"
    );
    let copy = CudaOptions::default();
    let ways = [
        ("graph", copy),
        (
            "no graph",
            CudaOptions {
                graph: false,
                ..copy
            },
        ),
        (
            "graph, timed",
            CudaOptions {
                stage_times: true,
                ..copy
            },
        ),
    ];
    for (clouds, partials, ticks, both) in [
        (1_024, 64.0, 1, false),
        (1_024, 64.0, 2, true),
        (1_024, 64.0, 4, false),
        (1_024, 64.0, 8, false),
        (64, 512.0, 2, false),
        (8, 1_024.0, 2, false),
    ] {
        for (how, options) in ways.iter().take(if both { 3 } else { 1 }) {
            let mut renderer = CudaRenderer::with_options(0, *options);
            renderer.prepare(Capacity {
                slots: 2_048,
                buses: 1,
            })?;
            let mut buses = Buses::new(1);
            let block = load(clouds, partials, ticks, Spectrum::Usual, false);
            renderer.render(
                &load(clouds, partials, ticks, Spectrum::Usual, true),
                &mut buses,
            )?;
            let period = Duration::from_secs_f64((ticks * TICK) as f64 / f64::from(RATE));
            for (pace, renders) in [("back to back", 20_000), ("paced", 4_000)] {
                let mut times = Vec::with_capacity(renders);
                let mut submits = Vec::with_capacity(renders);
                let begin = Instant::now();
                for render in 0..renders {
                    if pace == "paced" {
                        sleep_until(begin + period * render as u32);
                    }
                    let start = Instant::now();
                    renderer.render(&block, &mut buses)?;
                    times.push(start.elapsed().as_secs_f64());
                    submits.extend(renderer.counters().map(|counters| counters.times.submit));
                }
                submits.sort_by(f32::total_cmp);
                println!(
                    "  {clouds:>5} x {partials:<5} {:>5}  {how:<13}  {pace:<12} {}   ({:.1}, {})",
                    ticks * TICK,
                    percentiles(times),
                    submits[submits.len() / 2],
                    renderer.counters().map_or(0, |counters| counters.resizes)
                );
            }
            if options.stage_times {
                let times = renderer.counters().map(|counters| counters.times);
                println!("      last block: {:?}", times.unwrap_or_default());
            }
        }
    }
    Ok(())
}

/// The whole block as played: events, modulation on the host, the card, the limiter.
fn played() -> Outcome {
    let config = EngineConfig {
        parts: 16,
        voices: 64,
        clouds: 1_024,
        sample_rate: RATE,
        ..EngineConfig::default()
    };
    let mut engine = Engine::with_renderer(&config, Box::new(CudaRenderer::new(0)))?;
    let mut events = Vec::new();
    for part in 0..16 {
        engine.set_patch(usize::from(part), &Patch::new());
        events.push(Event {
            frame: 0,
            part,
            kind: EventKind::Param {
                param: Param::SourcePartials,
                value: 64.0,
            },
        });
        events.extend((20..84).map(|key| Event {
            frame: 0,
            part,
            kind: EventKind::NoteOn { key, velocity: 0.5 },
        }));
    }
    let (mut left, mut right) = ([0.0; 64], [0.0; 64]);
    engine.render(&events, &mut left, &mut right);
    let period = Duration::from_secs_f64(64.0 / f64::from(RATE));
    println!("whole block of 64 frames as played, in us: modulation, card, limiter; paced");
    let mut times = Vec::new();
    let begin = Instant::now();
    for render in 0..6_000 {
        sleep_until(begin + period * render);
        let start = Instant::now();
        engine.render(&[], &mut left, &mut right);
        times.push(start.elapsed().as_secs_f64());
    }
    println!("  {:?}", engine.counters());
    println!("  {}   (p50, p95, p99, p99.9, max)", percentiles(times));
    Ok(())
}
