//! Chunks: a block of output on its way through the renderer, of which several may be in flight. Each is submitted,
//! collected, and mixed after its effects.

use super::Engine;
use super::effects_job::EffectsJob;
use crate::effects::EffectParams;
use crate::render::{MAX_TICKS, TICK, VoiceBlock};
use crate::trace::{self, Stage};
use std::ops::Range;
use std::sync::Arc;

/// Clouds times ticks of a block that is sent to a device in two chunks. Each chunk takes it some tens of microseconds besides
/// its clouds. With more than so many it is the device that takes time, and two chunks take it longer than one.
const WORTH_DIVIDING: Range<usize> = 2_048..24_576;

/// A chunk of the output that is not rendered yet.
pub(super) struct PendingChunk {
    /// Its block; `None` when the renderer refused it or there is nothing to render.
    pub(super) block: Option<Arc<VoiceBlock>>,
    pub(super) ticks: usize,
    /// Frames of the output that it completes.
    pub(super) frames: usize,
    /// Effect parameters of each tick, part by part.
    pub(super) all_effect_params: Vec<EffectParams>,
}

/// A chunk that is rendered; its sound is in the buses.
pub(super) struct RenderedChunk {
    pub(super) ticks: usize,
    pub(super) frames: usize,
    pub(super) all_effect_params: Vec<EffectParams>,
    /// Whether the sound has been through the effects.
    pub(super) has_effects: bool,
}

impl Engine {
    /// Frames of the next chunk of a block of so many `frames`, of which some are `done`. A large load in a block of one chunk, as
    /// when playing live, is sent in two, so that a device renders one while the other is made.
    pub(super) fn chunk(&self, frames: usize, done: usize) -> usize {
        let most = MAX_TICKS * TICK;
        let work = self.pool.sounding() * (frames / TICK);
        match self.depth > 1 && frames <= most && WORTH_DIVIDING.contains(&work) {
            true => frames.div_ceil(2).next_multiple_of(TICK).min(frames - done),
            false => most.min(frames - done),
        }
    }

    /// Sends the block's ticks to the renderer; they complete `frames` more of the output.
    pub(super) fn submit(&mut self, frames: usize) {
        let _stage = trace::stage(Stage::Submit);
        let ticks = self.pool.ticks();
        let mut block = None;
        if ticks > 0
            && let Some(mut shared) = self.idle.pop()
        {
            self.pool.swap_block(&mut VoiceBlock::reuse(&mut shared));
            match self.renderer.submit(&shared) {
                Ok(()) => block = Some(shared),
                Err(error) => {
                    self.render_error = Some(error);
                    self.idle.push(shared);
                }
            }
        }
        // There are enough, so there is always one.
        let all_effect_params = self.idle_effect_params.pop().unwrap_or_default();
        self.in_flight.push_back(PendingChunk {
            block,
            ticks,
            frames,
            all_effect_params: std::mem::replace(&mut self.all_effect_params, all_effect_params),
        });
    }

    /// Collects the oldest chunk in flight, if there is one. The chunk before it is mixed already.
    pub(super) fn collect(&mut self) {
        let Some(PendingChunk { block, ticks, frames, all_effect_params }) =
            self.in_flight.pop_front()
        else {
            return;
        };
        let has_effects = ticks == 0;
        self.rendered = Some(RenderedChunk { ticks, frames, all_effect_params, has_effects });
        if ticks == 0 {
            return;
        }
        let _stage = trace::stage(Stage::Collect);
        let collected = block.is_some().then(|| self.renderer.collect(&mut self.buses));
        self.idle.extend(block);
        match collected {
            Some(Ok(partials)) => self.partials = partials,
            failed => {
                if let Some(Err(error)) = failed {
                    self.render_error = Some(error);
                }
                // Silence instead of what a failed device left in the buffers.
                self.buses.clear();
                self.partials = 0;
                self.renders_failed += 1;
            }
        }
    }

    /// Passes the chunk in the buses, if there is one, to the master. Returns the frames it completes.
    pub(super) fn mix(&mut self) -> usize {
        let Some(RenderedChunk { ticks, frames, all_effect_params, has_effects }) =
            self.rendered.take()
        else {
            return 0;
        };
        let _stage = trace::stage(Stage::Mix);
        if !has_effects {
            let job = EffectsJob::new(
                &mut self.effects,
                &mut self.buses,
                &all_effect_params[..ticks * self.config.parts],
            );
            // SAFETY: every index is used once.
            let run = |part| unsafe { job.run(part) };
            self.workers.run(job.helpers().min(self.most_helpers), job.tasks(), &run);
        }
        self.idle_effect_params.push(all_effect_params);
        if ticks > 0 {
            self.master.push(&self.buses, ticks * TICK);
        }
        frames
    }
}
