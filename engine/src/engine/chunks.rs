//! Chunks: blocks of output on their way. Each is written, submitted to the renderer, collected, sent through the effects and
//! mixed; several may be in flight.

use super::Engine;
use super::effects_job::EffectsJob;
use super::master::Master;
use crate::disjoint::Disjoint;
use crate::effects::{EffectParams, PartEffects};
use crate::render::block::BlockWriter;
use crate::render::buses::EachBus;
use crate::render::{Buses, MAX_TICKS, RenderError, Renderer, TICK, VoiceBlock};
use crate::trace::{self, Stage};
use std::mem::{swap, take};
use std::ops::Range;
use std::sync::Arc;

/// Clouds times ticks of a block that is sent to a device in two chunks. Each chunk takes it some tens of microseconds besides
/// its clouds. With more than so many it is the device that takes time, and two chunks take it longer than one.
const WORTH_DIVIDING: Range<usize> = 2_048..24_576;

/// A chunk of the output: its voices, and then its sound.
pub(super) struct Chunk {
    /// The renderer shares it while it is in flight.
    block: Arc<VoiceBlock>,
    /// Whether the renderer has taken the block; it may refuse one, and an empty one has nothing to render.
    is_submitted: bool,
    /// Ticks of its sound, and frames of the output that it completes.
    ticks: usize,
    frames: usize,
    /// Effect parameters of each tick of the sound, part by part, and those of the block that is being written.
    pub(super) all_effect_params: Vec<EffectParams>,
    next_effect_params: Vec<EffectParams>,
    buses: Buses,
    /// Whether its sound waits for the effects.
    pub(super) needs_effects: bool,
}

impl Chunk {
    fn new(block: VoiceBlock, parts: usize, buses: usize) -> Self {
        Self {
            block: Arc::new(block),
            is_submitted: false,
            ticks: 0,
            frames: 0,
            all_effect_params: vec![EffectParams::none(); MAX_TICKS * parts],
            next_effect_params: vec![EffectParams::none(); MAX_TICKS * parts],
            buses: Buses::new(buses),
            needs_effects: false,
        }
    }

    /// Empties the block, to be written. Nobody shares it any more.
    pub(super) fn open(&mut self) {
        VoiceBlock::reopen(&mut self.block);
    }

    /// The block, while it is open.
    pub(super) fn block(&mut self) -> &mut VoiceBlock {
        open_block(&mut self.block)
    }

    /// Ticks of its sound.
    pub(super) fn ticks(&self) -> usize {
        self.ticks
    }

    /// The same for several threads, with what parts have of the chunk.
    pub(super) fn writers(&mut self) -> (BlockWriter<'_>, EachPart<'_>) {
        let each_part = EachPart {
            parts: self.all_effect_params.len() / MAX_TICKS,
            ticks: if take(&mut self.needs_effects) { self.ticks } else { 0 },
            all_effect_params: Disjoint::new(&mut self.all_effect_params),
            next_effect_params: Disjoint::new(&mut self.next_effect_params),
            buses: self.buses.each(),
        };
        (open_block(&mut self.block).writer(), each_part)
    }

    /// Only what parts have of it, for threads that send its sound through the effects.
    pub(super) fn each_part(&mut self) -> EachPart<'_> {
        EachPart {
            parts: self.all_effect_params.len() / MAX_TICKS,
            ticks: if take(&mut self.needs_effects) { self.ticks } else { 0 },
            all_effect_params: Disjoint::new(&mut self.all_effect_params),
            next_effect_params: Disjoint::new(&mut []),
            buses: self.buses.each(),
        }
    }
}

fn open_block(block: &mut Arc<VoiceBlock>) -> &mut VoiceBlock {
    match Arc::get_mut(block) {
        Some(block) => block,
        None => unreachable!("an open block is not shared"),
    }
}

/// A chunk that several threads use, each another part of it.
pub(super) struct EachPart<'a> {
    parts: usize,
    /// Ticks of sound that waits for effects.
    ticks: usize,
    all_effect_params: Disjoint<'a, EffectParams>,
    /// Those of the open block.
    next_effect_params: Disjoint<'a, EffectParams>,
    buses: EachBus<'a>,
}

impl EachPart<'_> {
    /// The effect parameters of a part in a tick of the open block.
    ///
    /// # Safety
    /// Nobody else writes this part of the block.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn effect_params(&self, part: usize, tick: usize) -> &mut EffectParams {
        // SAFETY: the caller guarantees it.
        unsafe { self.next_effect_params.get(tick * self.parts + part) }
    }

    /// Sends the sound of a part through its effects.
    ///
    /// # Safety
    /// Nobody else uses the sound of this part.
    pub(super) unsafe fn render_effects(&self, part: usize, effects: &mut PartEffects) {
        // SAFETY: the caller guarantees it.
        let [left, right] = unsafe { self.buses.get(part) };
        for tick in 0..self.ticks {
            let frames = tick * TICK..(tick + 1) * TICK;
            // SAFETY: as above.
            let params = unsafe { self.all_effect_params.get(tick * self.parts + part) };
            effects.render(&mut left[frames.clone()], &mut right[frames], params);
        }
    }
}

/// Chunks that are used in turn. They are numbered from the first one on.
pub(super) struct Chunks {
    pub(super) ring: Vec<Chunk>,
    /// How many were submitted, which is the number of the one that is being written.
    pub(super) submitted: usize,
    pub(super) collected: usize,
    pub(super) mixed: usize,
}

impl Chunks {
    pub(super) fn new(
        count: usize,
        block: impl Fn() -> VoiceBlock,
        parts: usize,
        buses: usize,
    ) -> Self {
        let ring = (0..count).map(|_| Chunk::new(block(), parts, buses)).collect();
        Self { ring, submitted: 0, collected: 0, mixed: 0 }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.submitted - self.collected
    }

    /// The chunk that is being written.
    pub(super) fn current(&mut self) -> &mut Chunk {
        self.get(self.submitted)
    }

    /// The oldest chunk that has been collected and not mixed.
    fn waiting(&mut self) -> Option<&mut Chunk> {
        (self.mixed < self.collected).then(|| self.get(self.mixed))
    }

    /// Both of these.
    pub(super) fn current_and_waiting(&mut self) -> (&mut Chunk, Option<&mut Chunk>) {
        if self.mixed == self.collected {
            return (self.current(), None);
        }
        let count = self.ring.len();
        let places = [self.submitted % count, self.mixed % count];
        match self.ring.get_disjoint_mut(places) {
            Ok([current, waiting]) => (current, Some(waiting)),
            Err(_) => unreachable!("a chunk is mixed before it is written again"),
        }
    }

    fn get(&mut self, number: usize) -> &mut Chunk {
        let count = self.ring.len();
        &mut self.ring[number % count]
    }
}

/// What chunks pass on their way, besides effects.
pub(super) struct Output {
    pub(super) renderer: Box<dyn Renderer>,
    /// The most chunks in flight.
    pub(super) depth: usize,
    pub(super) master: Master,
    /// Partials of the last tick that was rendered.
    pub(super) partials: usize,
    pub(super) renders_failed: u64,
    pub(super) render_error: Option<RenderError>,
}

impl Output {
    /// Sends a chunk to the renderer; it completes `frames` more of the output.
    pub(super) fn submit(&mut self, chunk: &mut Chunk, frames: usize) {
        let _stage = trace::stage(Stage::Submit);
        (chunk.ticks, chunk.frames) = (chunk.block().ticks(), frames);
        (chunk.is_submitted, chunk.needs_effects) = (false, chunk.ticks > 0);
        swap(&mut chunk.all_effect_params, &mut chunk.next_effect_params);
        if chunk.ticks > 0 {
            chunk.block().clear_old();
            match self.renderer.submit(&chunk.block) {
                Ok(()) => chunk.is_submitted = true,
                Err(error) => self.render_error = Some(error),
            }
        }
    }

    /// Collects the sound of the oldest chunk in flight.
    pub(super) fn collect(&mut self, chunk: &mut Chunk) {
        if chunk.ticks == 0 {
            return;
        }
        let _stage = trace::stage(Stage::Collect);
        let collected = chunk.is_submitted.then(|| self.renderer.collect(&mut chunk.buses));
        match collected {
            Some(Ok(partials)) => self.partials = partials,
            failed => {
                if let Some(Err(error)) = failed {
                    self.render_error = Some(error);
                }
                // Silence instead of what a failed device left in the buffers.
                chunk.buses.clear();
                self.partials = 0;
                self.renders_failed += 1;
            }
        }
    }

    /// Passes a chunk, which has its effects, to the master and what is ready to `sink`.
    pub(super) fn mix(&mut self, chunk: &Chunk, sink: &mut Sink<'_>) {
        let _stage = trace::stage(Stage::Mix);
        if chunk.ticks > 0 {
            self.master.push(&chunk.buses, chunk.ticks * TICK);
        }
        let [left, right] = sink.next(chunk.frames);
        self.master.pop(left, right);
    }
}

/// Where the sound goes.
pub(super) struct Sink<'a> {
    left: &'a mut [f32],
    right: &'a mut [f32],
    written: usize,
}

impl<'a> Sink<'a> {
    pub(super) fn new(left: &'a mut [f32], right: &'a mut [f32]) -> Self {
        Self { left, right, written: 0 }
    }

    /// The next frames, left and right.
    fn next(&mut self, frames: usize) -> [&mut [f32]; 2] {
        let range = self.written..self.written + frames;
        self.written = range.end;
        [&mut self.left[range.clone()], &mut self.right[range]]
    }
}

impl Engine {
    /// Frames of the next chunk of a block of so many `frames`, of which some are `done`. A large load in a block of one chunk, as
    /// when playing live, is sent in two, so that a device renders one while the other is made.
    pub(super) fn chunk(&self, frames: usize, done: usize) -> usize {
        let most = MAX_TICKS * TICK;
        let work = self.pool.sounding() * (frames / TICK);
        match self.output.depth > 1 && frames <= most && WORTH_DIVIDING.contains(&work) {
            true => frames.div_ceil(2).next_multiple_of(TICK).min(frames - done),
            false => most.min(frames - done),
        }
    }

    /// Sends the chunk that was written to the renderer; it completes `frames` more of the output.
    pub(super) fn submit(&mut self, frames: usize) {
        self.output.submit(self.chunks.current(), frames);
        self.chunks.submitted += 1;
    }

    /// Collects the oldest chunk in flight, if there is one.
    pub(super) fn collect(&mut self) {
        if self.chunks.in_flight() > 0 {
            let number = self.chunks.collected;
            self.output.collect(self.chunks.get(number));
            self.chunks.collected += 1;
        }
    }

    /// Passes the chunks that were collected through their effects, if they need any, and to the output.
    pub(super) fn mix(&mut self, sink: &mut Sink<'_>) {
        while let Some(chunk) = self.chunks.waiting() {
            if chunk.needs_effects {
                let _stage = trace::stage(Stage::Mix);
                let job = EffectsJob::new(&mut self.effects, chunk);
                // SAFETY: every index is used once.
                let run = |part| unsafe { job.run(part) };
                self.workers.run(job.helpers.min(self.most_helpers), job.tasks, &run);
            }
            self.output.mix(chunk, sink);
            self.chunks.mixed += 1;
        }
    }
}
