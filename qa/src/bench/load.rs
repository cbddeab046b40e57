//! What renderers are measured with: clouds whose parameters all move.

use super::RATE;
use super::rounds::timed;
use myriad_engine::render::{Buses, Capacity, PrepareError, Renderer, VoiceBlock};
use myriad_engine::spectrum::{Cloud, Filter, FilterKind, STARTS, TURN, Table, fraction};
use myriad_player::failure::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The features that the clouds of a load use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Spectrum {
    /// A table that morphs, with moving pitch and gains.
    Table,
    /// Also tilt, damping and a filter, as a usual patch has.
    Filtered,
    /// Also stretch, stiffness, formants and width.
    Everything,
}

/// Clouds of which all partials sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) clouds: usize,
    /// Of each cloud.
    pub(super) partials: usize,
    pub(super) spectrum: Spectrum,
}

impl Load {
    /// 1,024 voices of a usual patch.
    pub(super) const USUAL: Self =
        Self { clouds: 1_024, partials: 64, spectrum: Spectrum::Filtered };

    /// The slots that an engine for [`Self::USUAL`] prepares its renderer for.
    pub(super) const USUAL_SLOTS: usize = 2_048;

    /// Replaces the content of `block` by block `number` of this load, `ticks` ticks long. Block 0
    /// starts the clouds.
    pub(super) fn fill(&self, block: &mut Arc<VoiceBlock>, ticks: usize, number: usize) {
        let mut block = VoiceBlock::reuse(block);
        for tick in 0..ticks {
            block.start_tick();
            let now = number * ticks + tick;
            let starts = if now == 0 { STARTS } else { 0 };
            for slot in 0..self.clouds {
                block.push(slot as u32, self.cloud(slot, starts, triangle(now), triangle(now + 1)));
            }
        }
    }

    /// The cloud in `slot` for a tick in which every moving parameter goes from `from` to `to`, two
    /// values of [`triangle`].
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

/// A triangle wave from 0 to 1, so that no parameter jumps.
fn triangle(tick: usize) -> f32 {
    const LENGTH: usize = 64;
    1.0 - (2.0 * (tick % LENGTH) as f32 / LENGTH as f32 - 1.0).abs()
}

/// A prepared renderer with a load that it renders.
pub(super) struct Loaded<R: Renderer + ?Sized = dyn Renderer> {
    pub(super) renderer: Box<R>,
    load: Load,
    block: Arc<VoiceBlock>,
    buses: Buses,
    /// The number of the next block.
    number: usize,
}

impl<R: Renderer + ?Sized> Loaded<R> {
    /// Prepares `renderer` for `slots` clouds.
    pub(super) fn new(renderer: Box<R>, load: Load, slots: usize) -> Result<Self, PrepareError> {
        let mut loaded = Self {
            renderer,
            load,
            block: Arc::new(VoiceBlock::new(slots)),
            buses: Buses::new(1),
            number: 0,
        };
        loaded.prepare(slots)?;
        Ok(loaded)
    }

    /// Prepares the renderer for another number of clouds. When this fails it is not prepared.
    pub(super) fn prepare(&mut self, slots: usize) -> Result<(), PrepareError> {
        self.renderer.prepare(Capacity { slots, buses: 1 })?;
        self.block = Arc::new(VoiceBlock::new(slots));
        Ok(())
    }

    /// Starts a load, and writes the block after its first. Returns the partials that sound.
    pub(super) fn start(&mut self, load: Load, ticks: usize) -> Result<usize, Failure> {
        (self.load, self.number) = (load, 0);
        self.next(ticks)?;
        self.write(ticks);
        Ok(self.render()?.1)
    }

    /// Writes and renders the next block. Returns the seconds of the rendering alone.
    pub(super) fn next(&mut self, ticks: usize) -> Result<f64, Failure> {
        self.write(ticks);
        Ok(self.render()?.0)
    }

    fn write(&mut self, ticks: usize) {
        self.load.fill(&mut self.block, ticks, self.number);
        self.number += 1;
    }

    /// Renders the block that was written last. Returns the seconds, and the partials that sounded.
    pub(super) fn render(&mut self) -> Result<(f64, usize), Failure> {
        let (seconds, rendered) = timed(|| self.renderer.render(&self.block, &mut self.buses));
        Ok((seconds, rendered.map_err(Failure::failed)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::render::CpuRenderer;

    /// With silent partials, or partials above Nyquist, less would be measured than is reported.
    #[test]
    fn every_partial_sounds() {
        for spectrum in [Spectrum::Table, Spectrum::Filtered, Spectrum::Everything] {
            for partials in [16, 64, 1024] {
                let load = Load { clouds: 8, partials, spectrum };
                let renderer = Box::new(CpuRenderer::new(1));
                let mut loaded = Loaded::new(renderer, load, 8).unwrap();
                for _ in 0..40 {
                    loaded.write(4);
                    let (_, sounded) = loaded.render().unwrap();
                    let wanted = 8 * partials;
                    assert!(sounded * 100 >= wanted * 97, "{load:?}: {sounded} of {wanted}");
                }
            }
        }
    }
}
