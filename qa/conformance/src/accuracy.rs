//! Sines against double precision.

use super::{MakeRenderer, below, prepared, relative_db};
use myriad_engine::render::{Buses, Renderer, TICK, VoiceBlock};
use myriad_engine::spectrum::{Cloud, STARTS, TURN, Table};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The largest error of sines.
const LIMIT_DB: f64 = -110.0;

/// A cloud of one partial.
fn sine(hertz: f32, sample_rate: f32) -> Cloud {
    let (frame, morph) = Table::Saw.frame_at(0.0);
    Cloud {
        table: Table::Saw.first_row(),
        frame,
        morph,
        partials: 1.0,
        increment: hertz / sample_rate * TURN,
        formant: 1.0,
        gain_from: [1.0; 2],
        gain_to: [1.0; 2],
        ..Cloud::default()
    }
}

/// Renders `ticks` ticks of `cloud`, left channel.
fn render(renderer: &mut dyn Renderer, cloud: Cloud, ticks: usize) -> Result<Vec<f32>, String> {
    let mut shared = Arc::new(VoiceBlock::new(1));
    let mut buses = Buses::new(1);
    let mut out = Vec::with_capacity(ticks * TICK);
    for tick in 0..ticks {
        let mut block = VoiceBlock::reuse(&mut shared);
        block.start_tick();
        let flags = if tick == 0 { STARTS } else { 0 };
        block.push(0, Cloud { flags, ..cloud });
        drop(block);
        renderer.render(&shared, &mut buses).map_err(|error| error.to_string())?;
        out.extend_from_slice(&buses.bus(0)[0][..TICK]);
    }
    Ok(out)
}

/// The same sine in double precision. Phases are integers on both sides, so the reference is
/// exact at every sample.
fn exact(cloud: &Cloud, frames: usize) -> Vec<f32> {
    let increment = cloud.increment as u32;
    let level = table_level();
    let phase = |frame: usize| (frame as u32).wrapping_mul(increment);
    let sine = |frame| level * (f64::from(phase(frame)) / f64::from(TURN) * TAU).sin();
    (0..frames).map(|frame| sine(frame) as f32).collect()
}

/// The first frame of the saw table is nearly a sine: its first partial's level.
fn table_level() -> f64 {
    let (frame, _) = Table::Saw.frame_at(0.0);
    f64::from(myriad_engine::spectrum::tables().row(frame)[0].0[0])
}

pub(super) fn sines_match_double_precision(make: MakeRenderer<'_>) -> Result<String, String> {
    let mut renderer = prepared(make, 1, 1)?;
    let mut worst = (f64::NEG_INFINITY, 0.0);
    for sample_rate in [44_100.0, 48_000.0, 96_000.0, 192_000.0] {
        for step in 0..=90 {
            let hertz = 20.0 * 1000.0_f32.powf(step as f32 / 90.0);
            let cloud = sine(hertz, sample_rate);
            let got = render(&mut *renderer, cloud, 96)?;
            let exact = exact(&cloud, got.len());
            let error: Vec<f32> = got.iter().zip(&exact).map(|(a, b)| a - b).collect();
            let db = relative_db(&error, &exact);
            if db > worst.0 {
                worst = (db, hertz);
            }
        }
    }
    let measured = format!("{:.1} dB at worst ({:.0} Hz)", worst.0, worst.1);
    below(LIMIT_DB, worst.0, measured)
}

pub(super) fn phases_never_drift(make: MakeRenderer<'_>) -> Result<String, String> {
    const SECONDS: usize = 60;
    let mut renderer = prepared(make, 1, 1)?;
    let cloud = sine(3_333.3, 48_000.0);
    let got = render(&mut *renderer, cloud, SECONDS * 48_000 / TICK)?;
    let exact = exact(&cloud, got.len());
    let tail = got.len() - 4_800..;
    let error: Vec<f32> =
        got[tail.clone()].iter().zip(&exact[tail.clone()]).map(|(a, b)| a - b).collect();
    let db = relative_db(&error, &exact[tail]);
    below(LIMIT_DB, db, format!("{db:.1} dB after {SECONDS} s"))
}
