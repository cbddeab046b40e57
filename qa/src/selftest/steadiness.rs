//! Memory of host and device over many renders.

use myriad_engine::render::{Buses, Capacity, MAX_TICKS, Renderer, VoiceBlock};
use myriad_engine::spectrum::{Cloud, STARTS, TURN, Table};
use myriad_player::memory::resident_bytes;
use std::sync::Arc;

/// What the host may grow by: what its allocator keeps in hand.
const HOST_LIMIT: usize = 1 << 20;

const SLOTS: usize = 64;

/// Renders blocks of all sizes and compares memory after the first tenth with memory at the end.
pub(super) fn check<R: Renderer>(
    mut renderer: R,
    device_free: fn(&R) -> usize,
    renders: usize,
) -> Result<String, String> {
    let capacity = Capacity {
        slots: SLOTS,
        buses: 2,
    };
    renderer
        .prepare(capacity)
        .map_err(|error| error.to_string())?;
    let depth = renderer.depth();
    // Those that are under way, and the one that is being made.
    let mut blocks: Vec<_> = (0..=depth)
        .map(|_| Arc::new(VoiceBlock::new(SLOTS)))
        .collect();
    let mut buses = Buses::new(capacity.buses);
    let mut before = None;
    for render in 0..renders {
        let block = &mut blocks[render % (depth + 1)];
        fill(&mut VoiceBlock::reuse(block), render);
        let submitted = renderer.submit(block);
        submitted.map_err(|error| error.to_string())?;
        if render + 1 >= depth {
            let collected = renderer.collect(&mut buses);
            collected.map_err(|error| error.to_string())?;
        }
        if render == renders / 10 {
            before = Some((resident_bytes().unwrap_or(0), device_free(&renderer)));
        }
    }
    let (host_before, device_before) = before.unwrap_or_default();
    let host = resident_bytes().unwrap_or(0).saturating_sub(host_before);
    let device = device_before.saturating_sub(device_free(&renderer));
    let measured = format!("{renders} renders: host +{host}, device +{device} bytes");
    match host <= HOST_LIMIT && device == 0 {
        true => Ok(measured),
        false => Err(measured),
    }
}

/// A block whose size depends on its number.
pub(super) fn fill(block: &mut VoiceBlock, render: usize) {
    let (frame, morph) = Table::Saw.frame_at(0.8);
    block.clear();
    for _ in 0..1 + render % MAX_TICKS {
        block.start_tick();
        for slot in 0..1 + render / 7 % SLOTS {
            block.push(
                slot as u32,
                Cloud {
                    flags: if render.is_multiple_of(97) { STARTS } else { 0 },
                    bus: slot as u8 % 2,
                    table: Table::Saw.first_row(),
                    frame,
                    morph,
                    partials: (1 + render % 40) as f32,
                    increment: (100.0 + slot as f32) / 48_000.0 * TURN,
                    formant: 1.0,
                    gain_from: [0.01; 2],
                    gain_to: [0.01; 2],
                    ..Cloud::default()
                },
            );
        }
    }
}
