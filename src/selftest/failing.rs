//! A card that fails for real.

use super::steadiness::fill;
use myriad_engine::render::cuda::CudaRenderer;
use myriad_engine::render::{Buses, Capacity, DeviceError, PrepareError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::time::Instant;

/// Renders, has a kernel trap, and tries to start again in the same process.
pub(super) fn check(device: usize) -> Result<String, String> {
    let capacity = Capacity {
        slots: 64,
        buses: 2,
    };
    let mut renderer = CudaRenderer::new(device);
    let mut block = VoiceBlock::new(capacity.slots);
    fill(&mut block, 0);
    let block = Arc::new(block);
    let render = |renderer: &mut CudaRenderer| -> Result<Vec<u32>, String> {
        let mut buses = Buses::new(capacity.buses);
        let rendered = renderer.render(&block, &mut buses);
        rendered.map_err(|error| error.to_string())?;
        Ok(buses.bus(0)[0].iter().map(|x| x.to_bits()).collect())
    };
    renderer
        .prepare(capacity)
        .map_err(|error| error.to_string())?;
    let expected = render(&mut renderer)?;
    renderer
        .provoke_failure()
        .map_err(|error| error.to_string())?;
    let Err(reason) = render(&mut renderer) else {
        return Err("a kernel that traps went unnoticed".into());
    };
    let start = Instant::now();
    match renderer.prepare(capacity) {
        Ok(()) => {}
        Err(PrepareError::Device(DeviceError::NeedsRestart { .. })) => {
            return Ok(format!("{reason}; the driver asks for a restart"));
        }
        Err(error) => return Err(format!("{reason}; then {error}")),
    }
    let milliseconds = start.elapsed().as_millis();
    match render(&mut renderer)? == expected {
        true => Ok(format!("{reason}; back within {milliseconds} ms")),
        false => Err(format!("{reason}; then it sounds different")),
    }
}
