//! What renderers are measured with: clouds of which everything moves.

use myriad_engine::render::VoiceBlock;
use myriad_engine::spectrum::{Cloud, Filter, FilterKind, STARTS, TURN, Table, fraction};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::RATE;

/// What the clouds of a load use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Spectrum {
    /// A table that morphs; pitch and gains that move.
    Table,
    /// Tilt, damping and a filter besides: a usual patch.
    Filtered,
    /// Everything: stretch, stiffness, formants and width besides.
    Everything,
}

/// Clouds that all sound all of their partials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) clouds: usize,
    /// Of each cloud.
    pub(super) partials: usize,
    pub(super) spectrum: Spectrum,
}

impl Load {
    /// Replaces what is in `block` by the `number`th block of this load, `ticks` ticks long. The
    /// first one starts the clouds.
    pub(super) fn fill(&self, block: &mut Arc<VoiceBlock>, ticks: usize, number: usize) {
        let mut block = VoiceBlock::reuse(block);
        for tick in 0..ticks {
            block.start_tick();
            let now = number * ticks + tick;
            let starts = if now == 0 { STARTS } else { 0 };
            for slot in 0..self.clouds {
                block.push(
                    slot as u32,
                    self.cloud(slot, starts, way(now), way(now + 1)),
                );
            }
        }
    }

    /// The cloud in `slot` while everything that moves goes from one place of its way to another.
    fn cloud(&self, slot: usize, flags: u8, from: f32, to: f32) -> Cloud {
        const HIGHEST_HERTZ: f32 = 21_000.0;
        let spread = slot as f32 / self.clouds as f32;
        let hertz =
            HIGHEST_HERTZ / self.partials as f32 * (0.8 + 0.15 * spread) * (1.0 + 0.002 * to);
        let (frame, _) = Table::Saw.frame_at(0.9);
        let mut cloud = Cloud {
            flags,
            seed: slot as u32,
            scatter: 65_535,
            table: Table::Saw.first_row(),
            frame,
            morph: 0.2 + 0.5 * to,
            partials: self.partials as f32,
            increment: hertz / RATE as f32 * TURN,
            formant: 1.0,
            gain_from: [0.1 + 0.01 * from, 0.11 - 0.01 * from],
            gain_to: [0.1 + 0.01 * to, 0.11 - 0.01 * to],
            ..Cloud::default()
        };
        if self.spectrum != Spectrum::Table {
            cloud.tilt = -0.1 - 0.05 * to;
            cloud.damping = 0.01 * to;
            cloud.damping_slope = 0.5;
            let inverse_cutoff = 1.0 / ((0.25 + 0.05 * to) * TURN);
            cloud.filters[0] = Filter::poles(FilterKind::Low12, inverse_cutoff, 1.0);
        }
        if self.spectrum == Spectrum::Everything {
            cloud.stretch = -0.01 - 0.001 * to;
            cloud.inharmonicity = 1e-8 * (1.0 + to);
            cloud.formant = 1.05 + 0.01 * to;
            cloud.width_from = fraction(0.5 - 0.1 * from);
            cloud.width_to = fraction(0.5 - 0.1 * to);
        }
        cloud
    }
}

/// A way from 0 to 1 and back, so that what follows it never jumps.
fn way(tick: usize) -> f32 {
    const LENGTH: usize = 64;
    1.0 - (2.0 * (tick % LENGTH) as f32 / LENGTH as f32 - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::render::{Buses, Capacity, CpuRenderer, Renderer};

    /// Were partials silent or above Nyquist, we would measure less than we say.
    #[test]
    fn every_partial_sounds() {
        for spectrum in [Spectrum::Table, Spectrum::Filtered, Spectrum::Everything] {
            for partials in [16, 64, 1024] {
                let load = Load {
                    clouds: 8,
                    partials,
                    spectrum,
                };
                let mut renderer = CpuRenderer::new(1);
                renderer.prepare(Capacity { slots: 8, buses: 1 }).unwrap();
                let (mut block, mut buses) = (Arc::new(VoiceBlock::new(8)), Buses::new(1));
                for number in 0..40 {
                    load.fill(&mut block, 4, number);
                    let sounded = renderer.render(&block, &mut buses).unwrap();
                    let wanted = 8 * partials;
                    assert!(
                        sounded * 100 >= wanted * 97,
                        "{load:?}: {sounded} of {wanted}"
                    );
                }
            }
        }
    }
}
