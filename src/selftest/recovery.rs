//! A card that fails for real, and comes back.

use super::steadiness::fill;
use myriad_engine::render::cuda::CudaRenderer;
use myriad_engine::render::{Buses, Capacity, Renderer, VoiceBlock};
use std::time::Instant;

/// Renders, has a kernel trap, and starts again in the same process.
pub(super) fn check(device: usize) -> Result<String, String> {
    let capacity = Capacity {
        slots: 64,
        buses: 2,
    };
    let mut renderer = CudaRenderer::new(device);
    let mut block = VoiceBlock::new(capacity.slots);
    fill(&mut block, 0);
    let render = |renderer: &mut CudaRenderer| -> Result<Vec<u32>, String> {
        let mut buses = Buses::new(capacity.buses);
        let rendered = renderer.render(&block, &mut buses);
        rendered.map_err(|error| error.to_string())?;
        Ok(buses.bus(0)[0].iter().map(|x| x.to_bits()).collect())
    };
    let prepare = |renderer: &mut CudaRenderer| {
        let prepared = renderer.prepare(capacity);
        prepared.map_err(|error| error.to_string())
    };
    prepare(&mut renderer)?;
    let expected = render(&mut renderer)?;
    renderer
        .provoke_failure()
        .map_err(|error| error.to_string())?;
    let Err(reason) = render(&mut renderer) else {
        return Err("a kernel that traps went unnoticed".into());
    };
    let start = Instant::now();
    prepare(&mut renderer).map_err(|error| format!("{reason}; then {error}"))?;
    let milliseconds = start.elapsed().as_millis();
    match render(&mut renderer)? == expected {
        true => Ok(format!("{reason}; back within {milliseconds} ms")),
        false => Err(format!("{reason}; then it sounds different")),
    }
}
