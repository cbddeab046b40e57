//! A GPU that fails for real.

use super::steadiness::fill;
use myriad_engine::render::{Buses, Capacity, Remedy, RenderError, Renderer, VoiceBlock};
use myriad_kernels::cuda::CudaRenderer;
use std::sync::Arc;
use std::time::Instant;

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
    let capacity = Capacity {
        slots: 64,
        buses: 2,
    };
    let mut renderer = CudaRenderer::new(device);
    let mut block = VoiceBlock::new(capacity.slots);
    fill(&mut block, 0);
    let block = Arc::new(block);
    let render = |renderer: &mut CudaRenderer| -> Result<Vec<u32>, RenderError> {
        let mut buses = Buses::new(capacity.buses);
        renderer.render(&block, &mut buses)?;
        Ok(buses.bus(0)[0].iter().map(|x| x.to_bits()).collect())
    };
    let text = |error: RenderError| error.to_string();
    renderer
        .prepare(capacity)
        .map_err(|error| error.to_string())?;
    let expected = render(&mut renderer).map_err(text)?;
    fail(&mut renderer).map_err(text)?;
    let Err(reason) = render(&mut renderer) else {
        return Err("the failure went unnoticed".into());
    };
    let start = Instant::now();
    match renderer.prepare(capacity) {
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
