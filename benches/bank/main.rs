//! The sine bank against a hand-tuned loop, and the cost of each step around it.
//!
//! All rows are measured in turns in one run, so that noise of the machine affects them alike; the best
//! round of each counts. The unit is partials in real time on one core at 48 kHz.

#[cfg(target_arch = "x86_64")]
mod baseline;

use myriad_engine::render::cpu::benchmark::{BankAlone, PARTIALS};
use myriad_engine::render::{Buses, Capacity, CpuRenderer, MAX_TICKS, Renderer, TICK, VoiceBlock};
use myriad_engine::simd::{LANES, Level};
use myriad_engine::spectrum::{Cloud, Filter, FilterKind, STARTS, TURN, Table, fraction};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const GROUPS: usize = PARTIALS / LANES;
const ROUNDS: usize = 60;
/// Ticks of one round: a few milliseconds.
const TICKS: usize = 160;

/// A name, and a function that renders [`TICKS`] ticks of 1,024 partials.
type Row<'a> = (&'static str, Box<dyn FnMut() + 'a>);

fn main() {
    for level in Level::available().into_iter().rev() {
        println!("{}: partials in real time on one core", level.name());
        report(&mut rows(level));
    }
}

/// Runs the rows in turns and prints the best of each, and its share of the first.
fn report(rows: &mut [Row<'_>]) {
    let mut best = vec![f64::INFINITY; rows.len()];
    for _ in 0..ROUNDS {
        for (best, (_, run)) in best.iter_mut().zip(rows.iter_mut()) {
            let start = Instant::now();
            run();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    let held = |seconds: f64| (PARTIALS * TICKS * TICK) as f64 / 48_000.0 / seconds;
    for ((name, _), seconds) in rows.iter().zip(&best) {
        let share = best[0] / seconds * 100.0;
        println!("  {name:<44} {:>9.0}  {share:>5.1}%", held(*seconds));
    }
}

fn rows(level: Level) -> Vec<Row<'static>> {
    let mut rows: Vec<Row<'static>> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if level == Level::Avx512 || level == Level::Avx2 {
        let mut groups: Vec<_> = (0..GROUPS).map(baseline::Group::new).collect();
        let mut sum = [[0.0; 16]; baseline::FRAMES];
        rows.push((
            "baseline: bare delta-form loop",
            Box::new(move || {
                for _ in 0..TICKS {
                    // SAFETY: the level is available, and there are 64 groups.
                    unsafe {
                        match level {
                            Level::Avx512 => baseline::avx512(&mut groups, &mut sum),
                            _ => baseline::avx2(&mut groups, &mut sum),
                        }
                    }
                    black_box(&mut sum);
                }
            }),
        ));
    }
    rows.push(("bank: advance", Box::new(move || level.dispatch(bank(false)))));
    rows.push(("bank: seed and advance", Box::new(move || level.dispatch(bank(true)))));
    let still = |_| cloud();
    rows.push(("renderer: table only, nothing moves", renderer(level, still)));
    let moving = |tick: usize| {
        let (frame, morph) = Table::Saw.frame_at(0.9 + 0.05 * (tick as f32 * 0.01).sin());
        Cloud {
            frame,
            morph,
            increment: cloud().increment * (1.0 + 1e-3 * (tick as f32 * 0.02).sin()),
            tilt: -0.1,
            filters: [
                // High enough that no partial is culled.
                Filter::poles(FilterKind::Low24, 1.0 / (9_000.0 / 48_000.0 * TURN), 2.0),
                Filter::default(),
            ],
            ..cloud()
        }
    };
    rows.push(("renderer: pitch, morph, tilt and filter move", renderer(level, moving)));
    let everything = move |tick: usize| Cloud {
        stretch: 0.001,
        inharmonicity: 1e-7,
        damping: 0.01,
        damping_slope: 0.5,
        width_from: fraction(0.5),
        width_to: fraction(0.5),
        ..moving(tick)
    };
    rows.push(("renderer: everything moves", renderer(level, everything)));
    rows
}

fn bank(seeding: bool) -> BankAlone {
    BankAlone { ticks: TICKS, seeding }
}

fn cloud() -> Cloud {
    let (frame, morph) = Table::Saw.frame_at(0.9);
    Cloud {
        table: Table::Saw.first_row(),
        frame,
        morph,
        partials: PARTIALS as f32,
        increment: 20.0 / 48_000.0 * TURN,
        formant: 1.0,
        parity: fraction(0.1),
        gain_from: [0.1; 2],
        gain_to: [0.1; 2],
        ..Cloud::default()
    }
}

/// One cloud of 1,024 partials through the whole renderer.
fn renderer(level: Level, cloud: impl Fn(usize) -> Cloud + 'static) -> Box<dyn FnMut()> {
    let mut renderer = CpuRenderer::with_level(1, level);
    if let Err(error) = renderer.prepare(Capacity { slots: 1, buses: 1 }) {
        eprintln!("{error}");
    }
    let mut shared = Arc::new(VoiceBlock::new(1));
    let mut buses = Buses::new(1);
    let mut tick = 0;
    Box::new(move || {
        for _ in 0..TICKS / MAX_TICKS {
            let mut block = VoiceBlock::reuse(&mut shared);
            for _ in 0..MAX_TICKS {
                block.start_tick();
                let flags = if tick == 0 { STARTS } else { 0 };
                block.push(0, Cloud { flags, ..cloud(tick) });
                tick += 1;
            }
            drop(block);
            if let Err(error) = renderer.render(&shared, &mut buses) {
                panic!("{error}");
            }
        }
    })
}
