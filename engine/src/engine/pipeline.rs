//! A long stretch without events, as offline rendering has many of: control of the next chunks, rendering on a device, effects of
//! those that are rendered and the mix all overlap, and threads do not wait for each other at the end of a chunk.
//!
//! Every chunk has two tasks for each part: control of its ticks, and the effects of the sound that the chunk's memory still
//! holds. Threads take tasks in the order of chunks, each for some chunks in a row, so that what a part keeps stays in a core's
//! caches meanwhile. So the first chunks are complete long before the last. One thread, the lead, mixes and submits chunks that
//! are complete, collects those that are rendered, and opens them again; between that it takes tasks as well. Tasks of one kind
//! and part follow each other, so the result does not depend on the threads.

use super::Engine;
use super::chunks::{Chunk, Chunks, EachPart, Output, Sink};
use super::control::{Ticks, begin_steady_tick, is_large};
use crate::disjoint::Disjoint;
use crate::effects::PartEffects;
use crate::part::{Part, Transport};
use crate::patch::Playable;
use crate::pool::{PoolWriter, Voices};
use crate::render::{BLOCKS_AHEAD as RING, MAX_TICKS, MOST_IN_FLIGHT, TICK};
use crate::trace::{self, Stage};
use std::slice::from_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Frames of a chunk.
pub(super) const CHUNK_FRAMES: usize = MAX_TICKS * TICK;

/// Fewer chunks than these are computed one by one.
const WORTH_IT: usize = 4;

/// Chunks for which a thread takes a task. In a short stretch it is one: the first chunk would be complete later.
const CHUNKS_A_ROUND: usize = 3;

/// Fewer chunks than these are a short stretch.
const LONG: usize = 2 * RING;

// While the lead waits for a chunk, all chunks of its round are open.
const _: () = assert!(MOST_IN_FLIGHT + CHUNKS_A_ROUND <= RING);

/// A counter in cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Counter(AtomicUsize);

/// A chunk that is being computed.
struct OpenChunk<'a> {
    voices: Voices<'a>,
    parts: EachPart<'a>,
    transports: [Transport; MAX_TICKS],
}

/// What threads share that compute the chunks. These are numbered from the first one of the stretch.
struct Pipeline<'a> {
    parts: Disjoint<'a, Part>,
    patches: Disjoint<'a, Playable>,
    effects: Disjoint<'a, PartEffects>,
    /// Tasks of a chunk: of each part its control, then its effects.
    tasks: usize,
    /// By number modulo `RING`.
    open_chunks: Disjoint<'a, Option<OpenChunk<'a>>>,
    /// How many chunks there are, and how many of them have been opened.
    count: usize,
    opened: AtomicUsize,
    /// Chunks for which a thread takes a task.
    chunks_a_round: usize,
    /// The next task. All tasks of so many chunks are a round; rounds are numbered, and so are tasks in them.
    next: AtomicUsize,
    /// Of how many chunks each task is done.
    done_by_task: &'a [Counter],
    /// Tasks that are done of each open chunk.
    done_of_chunk: &'a [Counter; RING],
    has_failed: AtomicBool,
}

impl Pipeline<'_> {
    /// Takes tasks until all are taken.
    fn help(&self) {
        while self.next.load(Ordering::Relaxed)
            < self.count.div_ceil(self.chunks_a_round) * self.tasks
            && !self.has_failed.load(Ordering::Relaxed)
        {
            if !self.run_next() {
                idle();
            }
        }
    }

    /// Runs the next task for the chunks of a round; false if there is none in the rounds that are open.
    fn run_next(&self) -> bool {
        let opened = self.opened.load(Ordering::Acquire);
        let rounds = match opened == self.count {
            true => opened.div_ceil(self.chunks_a_round),
            false => opened / self.chunks_a_round,
        };
        let open = rounds * self.tasks;
        let next = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
            (next < open).then_some(next + 1)
        });
        let Ok(task) = next else {
            return false;
        };
        let failing = Failing(&self.has_failed);
        let first = task / self.tasks * self.chunks_a_round;
        let chunks = first..self.count.min(first + self.chunks_a_round);
        chunks.for_each(|number| self.run(number, task % self.tasks));
        std::mem::forget(failing);
        true
    }

    fn run(&self, number: usize, index: usize) {
        // Another thread may still have the same task of the last chunk.
        let done = &self.done_by_task[index].0;
        while done.load(Ordering::Acquire) != number {
            if self.has_failed.load(Ordering::Relaxed) {
                return;
            }
            std::hint::spin_loop();
        }
        let (index, is_control) = (index / 2, index.is_multiple_of(2));
        // SAFETY: the lead uses an open chunk when all its tasks are done. One thread at a time has this task of the part,
        // and the two tasks of a part use nothing in common.
        unsafe {
            let Some(chunk) = self.open_chunks.shared(number % RING) else {
                unreachable!("tasks are those of open chunks");
            };
            if is_control {
                let (part, patch) = (self.parts.get(index), self.patches.get(index));
                let (transports, begin) = (&chunk.transports, begin_steady_tick);
                let ticks = Ticks { first: 0, transports, begin };
                let run = |chunks, compute: &(dyn Fn(usize) + Sync)| (0..chunks).for_each(compute);
                ticks.compute((index, part, patch.kit_mut()), &chunk.voices, &chunk.parts, &run);
            } else {
                chunk.parts.render_effects(index, self.effects.get(index));
            }
        }
        done.store(number + 1, Ordering::Release);
        self.done_of_chunk[number % RING].0.fetch_add(1, Ordering::Release);
    }

    fn is_complete(&self, number: usize) -> bool {
        self.done_of_chunk[number % RING].0.load(Ordering::Acquire) == self.tasks
    }
}

/// Waits for a moment. Yielding alone would keep the core busy with system calls, and the thread that shares it waits for that.
fn idle() {
    const PAUSES: usize = 32;
    (0..PAUSES).for_each(|_| std::hint::spin_loop());
    std::thread::yield_now();
}

/// Says that a task has panicked, unless it is forgotten: nobody waits for that task then.
struct Failing<'a>(&'a AtomicBool);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The thread that opens chunks and passes them on.
struct Lead<'a, 'b, 'c> {
    pipeline: &'b Pipeline<'a>,
    pool: &'a PoolWriter<'a>,
    ring: &'a Disjoint<'a, Chunk>,
    /// See [`Chunks`].
    submitted: &'b mut usize,
    collected: &'b mut usize,
    mixed: &'b mut usize,
    output: &'b mut Output,
    sink: &'b mut Sink<'c>,
    transport: &'b mut Transport,
    tick_seconds: f32,
}

impl<'a> Lead<'a, '_, '_> {
    fn run(&mut self) {
        let first = *self.submitted;
        self.open_chunks(first);
        for number in 0..self.pipeline.count {
            if !self.complete(number) {
                return;
            }
            // SAFETY: all its tasks are done.
            let chunk = unsafe { self.chunk(first + number) };
            if first + number >= *self.mixed + RING {
                self.output.mix(chunk, self.sink);
                *self.mixed += 1;
            }
            self.output.submit(chunk, CHUNK_FRAMES);
            *self.submitted += 1;
            if *self.submitted - *self.collected >= self.output.depth {
                // SAFETY: all its tasks are done.
                let oldest = unsafe { self.chunk(*self.collected) };
                self.output.collect(oldest);
                *self.collected += 1;
                self.open_chunks(first);
            }
        }
    }

    /// Takes tasks until those of a chunk are done. Returns whether they are; false when one has panicked.
    fn complete(&self, number: usize) -> bool {
        let _stage = trace::stage(Stage::Modulation);
        while !self.pipeline.is_complete(number) {
            if self.pipeline.has_failed.load(Ordering::Relaxed) {
                return false;
            }
            if !self.pipeline.run_next() {
                idle();
            }
        }
        true
    }

    /// Opens all chunks that no renderer has any more. Chunk `first` is the first of the stretch.
    fn open_chunks(&mut self, first: usize) {
        let opened = self.pipeline.opened.load(Ordering::Relaxed);
        let end = self.pipeline.count.min(*self.collected + RING - first);
        for number in opened..end {
            // SAFETY: no task uses it, and the renderer is done with it.
            let chunk = unsafe { self.chunk(first + number) };
            chunk.open();
            (0..MAX_TICKS).for_each(|_| chunk.block().start_tick());
            let (block, parts) = chunk.writers();
            let transports = std::array::from_fn(|_| {
                self.transport.advance(self.tick_seconds);
                *self.transport
            });
            let voices = Voices::new(self.pool, block);
            // SAFETY: as above.
            let place = unsafe { self.pipeline.open_chunks.get(number % RING) };
            *place = Some(OpenChunk { voices, parts, transports });
            self.pipeline.done_of_chunk[number % RING].0.store(0, Ordering::Relaxed);
            self.pipeline.opened.store(number + 1, Ordering::Release);
        }
    }

    /// # Safety
    /// No other reference to the chunk is used.
    unsafe fn chunk(&self, number: usize) -> &'a mut Chunk {
        // SAFETY: the caller guarantees it.
        unsafe { self.ring.get(number % RING) }
    }
}

impl Engine {
    /// Renders the next chunks of `frames` frames without events, if that is worth it. Returns how many frames were rendered.
    pub(super) fn render_ahead(&mut self, frames: usize, sink: &mut Sink<'_>) -> usize {
        let count = frames / CHUNK_FRAMES;
        let sounding = self.pool.sounding();
        let is_possible = self.renders_ahead()
            && count >= WORTH_IT
            && self.pending.store().is_empty()
            && !self.pool.is_fading()
            && !self.parts.iter().any(|part| is_large(part, sounding))
            && self.is_steady();
        if !is_possible {
            return 0;
        }
        let with_effects = self.effects.iter().filter(|effects| !effects.is_silent()).count();
        let helpers =
            self.helpers(sounding * MAX_TICKS).max(with_effects).min(2 * self.config.parts);
        let helpers = helpers.min(self.most_helpers);
        self.done_by_task.iter_mut().for_each(|done| *done.0.get_mut() = 0);
        let Chunks { ring, submitted, collected, mixed } = &mut self.chunks;
        let (ring, pool) = (Disjoint::new(ring), self.pool.writer());
        let mut open_chunks = [const { None }; RING];
        let done_of_chunk = Default::default();
        let pipeline = Pipeline {
            parts: Disjoint::new(&mut self.parts),
            patches: Disjoint::new(&mut self.patches),
            effects: Disjoint::new(&mut self.effects),
            tasks: self.done_by_task.len(),
            open_chunks: Disjoint::new(&mut open_chunks),
            count,
            opened: AtomicUsize::new(0),
            chunks_a_round: if count < LONG { 1 } else { CHUNKS_A_ROUND },
            next: AtomicUsize::new(0),
            done_by_task: &self.done_by_task,
            done_of_chunk: &done_of_chunk,
            has_failed: AtomicBool::new(false),
        };
        let mut lead = Lead {
            pipeline: &pipeline,
            pool: &pool,
            ring: &ring,
            submitted,
            collected,
            mixed,
            output: &mut self.output,
            sink,
            transport: &mut self.transport,
            tick_seconds: TICK as f32 / self.config.sample_rate,
        };
        let lead = Disjoint::new(from_mut(&mut lead));
        self.workers.run(helpers, helpers + 1, &|task| match task {
            // SAFETY: every task is run once.
            0 => unsafe { lead.get(0) }.run(),
            _ => pipeline.help(),
        });
        (0..MAX_TICKS).for_each(|tick| self.free_ended(tick));
        self.retired_tables.advance(count * MAX_TICKS);
        count * CHUNK_FRAMES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineConfig;
    use crate::event::{Event, EventKind};
    use crate::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
    use std::sync::Arc;

    /// Takes several blocks at once; its sound is silence.
    struct Silent;

    impl Renderer for Silent {
        fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
            Ok(())
        }

        fn reset(&mut self) {}

        fn depth(&self) -> usize {
            3
        }

        fn submit(&mut self, _: &Arc<VoiceBlock>) -> Result<(), RenderError> {
            Ok(())
        }

        fn collect(&mut self, _: &mut Buses) -> Result<usize, RenderError> {
            Ok(1)
        }
    }

    fn frames_ahead(offline: bool, events: &[Event], frames: usize) -> usize {
        let config = EngineConfig { offline, parts: 3, threads: 2, ..EngineConfig::default() };
        let mut engine = Engine::with_renderer(&config, Box::new(Silent)).unwrap();
        let (mut left, mut right) = (vec![0.0; TICK + 8], vec![0.0; TICK + 8]);
        engine.render(events, &mut left, &mut right);
        let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
        engine.render_ahead(frames, &mut Sink::new(&mut left, &mut right))
    }

    #[test]
    fn long_stretches_without_events_are_rendered_ahead() {
        let chunks = |count: usize| count * CHUNK_FRAMES;
        assert_eq!(frames_ahead(true, &[], chunks(30) + 100), chunks(30));
        assert_eq!(frames_ahead(true, &[], chunks(WORTH_IT) - 1), 0);
        assert_eq!(frames_ahead(false, &[], chunks(30)), 0);
        // An event waits for the end of its tick.
        let note = EventKind::NoteOn { key: 60, velocity: 0.5 };
        let event = Event { frame: TICK as u32 + 3, part: 0, kind: note };
        assert_eq!(frames_ahead(true, &[event], chunks(30)), 0);
    }
}
