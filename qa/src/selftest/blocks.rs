//! Checks that render plain blocks: memory over many renders, and a GPU that fails.

use myriad_engine::render::{
    Buses, Capacity, MAX_TICKS, Remedy, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::spectrum::{Cloud, STARTS, TURN, Table};
use myriad_kernels::cuda::CudaRenderer;
use myriad_player::memory::resident_bytes;
use std::sync::Arc;
use std::time::Instant;

/// What the host may grow by: what its allocator keeps for later.
const HOST_LIMIT: usize = 1 << 20;

const CAPACITY: Capacity = Capacity { slots: 64, buses: 2 };

/// Renders blocks of all sizes, and compares memory after the first tenth with memory at the end.
pub(super) fn memory<R: Renderer>(
    mut renderer: R,
    device_free: fn(&R) -> usize,
    renders: usize,
) -> Result<String, String> {
    renderer.prepare(CAPACITY).map_err(|error| error.to_string())?;
    let depth = renderer.depth();
    // Those in flight, and the one that is being filled.
    let mut blocks: Vec<_> =
        (0..=depth).map(|_| Arc::new(VoiceBlock::new(CAPACITY.slots))).collect();
    let mut buses = Buses::new(CAPACITY.buses);
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

/// A kernel traps. Drivers may refuse this process afterwards.
pub(super) fn trap(device: usize) -> Result<String, String> {
    fail_and_start_anew(device, CudaRenderer::provoke_failure)
}

/// The context is destroyed. A new one must do.
pub(super) fn loss(device: usize) -> Result<String, String> {
    fail_and_start_anew(device, CudaRenderer::lose_context)
}

/// Renders, fails, and tries to start again in the same process.
fn fail_and_start_anew(
    device: usize,
    fail: fn(&mut CudaRenderer) -> Result<(), RenderError>,
) -> Result<String, String> {
    let mut renderer = CudaRenderer::new(device);
    let mut block = VoiceBlock::new(CAPACITY.slots);
    fill(&mut block, 0);
    let block = Arc::new(block);
    let render = |renderer: &mut CudaRenderer| -> Result<Vec<u32>, RenderError> {
        let mut buses = Buses::new(CAPACITY.buses);
        renderer.render(&block, &mut buses)?;
        Ok(buses.bus(0)[0].iter().map(|x| x.to_bits()).collect())
    };
    let text = |error: RenderError| error.to_string();
    renderer.prepare(CAPACITY).map_err(|error| error.to_string())?;
    let expected = render(&mut renderer).map_err(text)?;
    fail(&mut renderer).map_err(text)?;
    let Err(reason) = render(&mut renderer) else {
        return Err("the failure went unnoticed".into());
    };
    let start = Instant::now();
    match renderer.prepare(CAPACITY) {
        Ok(()) => {}
        Err(refused) if refused.remedy() == Remedy::AnotherProcess => {
            return Ok(format!("{reason}; the driver asks for a restart"));
        }
        Err(error) => return Err(format!("{reason}; then {error}")),
    }
    let milliseconds = start.elapsed().as_millis();
    match render(&mut renderer).map_err(text)? == expected {
        true => Ok(format!("{reason}; back within {milliseconds} ms")),
        false => Err(format!("{reason}; then it sounds different")),
    }
}

/// A block whose size depends on its number.
fn fill(block: &mut VoiceBlock, render: usize) {
    let (frame, morph) = Table::Saw.frame_at(0.8);
    block.clear();
    for _ in 0..1 + render % MAX_TICKS {
        block.start_tick();
        for slot in 0..1 + render / 7 % CAPACITY.slots {
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
