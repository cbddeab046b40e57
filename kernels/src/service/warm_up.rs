//! The first use of a renderer, before any client is let in.

use myriad_engine::render::{Buses, RenderError, Renderer, Section, VoiceBlock};
use myriad_engine::spectrum::{Cloud, UnisonVoice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Renders a silent voice in every block. At its first use a GPU pins a block's memory and loads the kernels, which takes
/// some milliseconds; no client should wait for that. Returns what the quickest one took.
pub(super) fn warm_up(
    renderer: &mut dyn Renderer,
    blocks: &mut [Arc<VoiceBlock>],
    buses: usize,
) -> Result<Duration, RenderError> {
    /// Those of a block that is played live, and of half of one.
    const TICKS: [usize; 2] = [1, 2];
    let silent = Cloud { partials: 1.0, increment: 1e6, ..Cloud::default() };
    let silent = UnisonVoice::single(&silent).starting();
    let mut sound = Buses::new(buses);
    let mut quickest = Duration::MAX;
    for ticks in TICKS {
        for shared in &mut *blocks {
            let mut block = VoiceBlock::reuse(shared);
            let section = Section { first_slot: 0, first_bus: 0, buses: 1 };
            if block.start_section(section, ticks, 1) {
                for mut writer in block.section_writers() {
                    (0..ticks).for_each(|tick| {
                        writer.put(tick, 0, &silent);
                    });
                }
            }
            drop(block);
            let began = Instant::now();
            renderer.render(shared, &mut sound)?;
            quickest = quickest.min(began.elapsed());
        }
    }
    renderer.reset();
    Ok(quickest)
}
