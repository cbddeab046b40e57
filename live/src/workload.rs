//! Synthetic blocks, to test and measure renderers.

use super::supervised::Load;
use myriad_engine::render::VoiceBlock;
use myriad_engine::spectrum::{Cloud, Filter, FilterKind, STARTS, TURN, Table};

/// A block with room for `slots` clouds and the load `load`: filtered saws, as in most patches, all on
/// the first bus. `starts` when the clouds are new to the renderer.
pub(crate) fn workload(slots: usize, load: Load, starts: bool) -> VoiceBlock {
    let (frame, morph) = Table::Saw.frame_at(0.8);
    let clouds = load.clouds.min(slots);
    let partials = load.partials as f32 / clouds.max(1) as f32;
    let mut block = VoiceBlock::new(slots);
    for tick in 0..load.ticks {
        block.start_tick();
        for slot in 0..clouds as u32 {
            // Low and close together, so that no partial is above Nyquist and left out.
            let increment = (20.0 + 0.001 * slot as f32) / 48_000.0 * TURN;
            let cloud = Cloud {
                flags: if starts && tick == 0 { STARTS } else { 0 },
                seed: slot,
                scatter: 65_535,
                table: Table::Saw.first_row(),
                frame,
                morph,
                partials,
                increment,
                formant: 1.0,
                tilt: -0.1,
                filters: [
                    Filter::poles(FilterKind::Low12, 1.0 / (20.0 * increment), 1.0),
                    Filter::default(),
                ],
                gain_from: [0.01; 2],
                gain_to: [0.01; 2],
                ..Cloud::default()
            };
            block.push(slot, cloud);
        }
    }
    block
}
