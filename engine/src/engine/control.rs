//! The ticks of a block: events, then modulation and clouds of all parts. See docs/design/control.md.

use super::Engine;
use super::chunks::EachPart;
use super::effects_job::EffectsJob;
use crate::disjoint::Disjoint;
use crate::event::EventKind;
use crate::modulation::CHUNK;
use crate::part::kit::Kit;
use crate::part::{Part, Run, Transport};
use crate::patch::Playable;
use crate::pool::Voices;
use crate::render::{MAX_TICKS, TICK};
use crate::trace::{self, Stage};

/// Clouds times ticks for each thread that computes their control: ten microseconds or so.
const CLOUD_TICKS_PER_THREAD: usize = 128;

/// Clouds times ticks of all threads for which sleeping workers are woken. To wake them for less takes longer than it
/// saves, and they spin for a while after it, which other instruments would have use for.
const WORTH_WAKING: usize = 1_024;

impl Engine {
    /// Wakes workers when the next `ticks` ticks need them, so that they are awake when the first part is modulated.
    pub(super) fn expect_helpers(&self, ticks: usize) {
        let work = self.pool.sounding() * ticks;
        if work >= WORTH_WAKING {
            self.workers.expect((work / CLOUD_TICKS_PER_THREAD).min(self.most_helpers));
        }
    }

    /// Whether the next tick takes no slots unless events come.
    pub(super) fn is_steady(&self) -> bool {
        let kits = self.patches.iter().filter_map(Playable::kit);
        self.parts.iter().chain(kits.flat_map(Kit::parts)).all(Part::is_steady)
    }

    /// Applies the collected events and adds one tick of clouds to the block.
    pub(super) fn compute_tick(&mut self) {
        let _stage = trace::stage(Stage::Modulation);
        self.advance_transport();
        for (part, patch) in self.parts.iter().zip(&mut self.patches) {
            if let Some(kit) = patch.kit_mut() {
                kit.follow(part);
            }
        }
        for index in 0..self.pending.store().len() {
            let event = self.pending.store()[index];
            if let EventKind::Transport { bpm, beat } = event.kind {
                let frames = TICK as u32 - event.frame;
                let seconds = frames as f32 / self.config.sample_rate;
                self.transport = Transport::at(bpm, beat, seconds);
            } else if let Some(part) = self.parts.get_mut(usize::from(event.part)) {
                let kit = self.patches[usize::from(event.part)].kit_mut();
                let is_kit = kit.is_some();
                if let Some(kit) = kit {
                    kit.handle(event.kind, event.frame, &mut self.pool);
                }
                match event.kind {
                    // A kit sounds in its key zones alone.
                    EventKind::NoteOn { .. } if is_kit => part.sound_again(),
                    kind => part.handle(kind, event.frame, &mut self.pool),
                }
            }
        }
        self.pending.store_mut().clear();
        for (part, patch) in self.parts.iter_mut().zip(&mut self.patches) {
            part.advance_controls();
            part.start_voices(self.transport, &mut self.pool);
            if let Some(kit) = patch.kit_mut() {
                kit.advance_controls();
                kit.start_voices(self.transport, &mut self.pool);
            }
        }
        self.compute_parts(&[self.transport], |_, _| {});
    }

    /// Adds so many ticks without events to the block.
    pub(super) fn compute_steady_ticks(&mut self, ticks: usize) {
        if ticks == 0 {
            return;
        }
        let _stage = trace::stage(Stage::Modulation);
        let mut transports = [self.transport; MAX_TICKS];
        for transport in &mut transports[..ticks] {
            self.advance_transport();
            *transport = self.transport;
        }
        self.compute_parts(&transports[..ticks], begin_steady_tick);
    }

    fn advance_transport(&mut self) {
        self.transport.advance(TICK as f32 / self.config.sample_rate);
    }

    /// How many workers help with so much work, in clouds times ticks.
    pub(super) fn helpers(&self, work: usize) -> usize {
        (work / CLOUD_TICKS_PER_THREAD).min(self.most_helpers(work))
    }

    /// How many may help with it at most.
    fn most_helpers(&self, work: usize) -> usize {
        match work < WORTH_WAKING {
            true => self.most_helpers.min(self.workers.awake()),
            false => self.most_helpers,
        }
    }

    /// Computes modulation, clouds and effect parameters of all parts, one tick for each of
    /// `transports`; `begin` begins a tick of a part and its kit. Parts are computed in parallel when there
    /// is enough to do, each through all ticks, and then chunks of voices of those parts that have many.
    /// Beside them the effects of the chunk before, if it waits for them.
    fn compute_parts(&mut self, transports: &[Transport], begin: Begin) {
        let (workers, part_count) = (&self.workers, self.config.parts);
        let sounding = self.pool.sounding();
        let work = sounding * transports.len();
        let most_helpers = self.most_helpers(work);
        // Large parts get helpers of their own.
        let has_others = self.parts.iter().zip(&self.patches).any(|(part, patch)| {
            !is_large(part, sounding) && (part.voices() > 0 || patch.kit().is_some())
        });
        let helpers = if has_others { work / CLOUD_TICKS_PER_THREAD } else { 0 };
        let (current, waiting) = self.chunks.current_and_waiting();
        let effects = waiting.filter(|waiting| waiting.needs_effects);
        let effects = effects.map(|waiting| EffectsJob::new(&mut self.effects, waiting));
        let effects_helpers = effects.as_ref().map_or(0, |effects| effects.helpers);
        // Effects are worth waking threads for, however few voices sound.
        let most_of_all = if effects_helpers > 0 { self.most_helpers } else { most_helpers };
        let helpers = (helpers + effects_helpers).min(most_of_all);
        let first = current.block().ticks();
        transports.iter().for_each(|_| current.block().start_tick());
        let pool = self.pool.writer();
        let (block, each_part) = current.writers();
        let voices = Voices::new(&pool, block);
        let ticks = Ticks { first, transports, begin };
        let (parts, patches) = (Disjoint::new(&mut self.parts), Disjoint::new(&mut self.patches));
        let compute = |index: usize, part: &mut Part, helpers: usize| {
            // SAFETY: no other part has these.
            unsafe {
                let kit = patches.get(index).kit_mut();
                ticks.compute((index, part, kit), &voices, &each_part, &|chunks, compute| {
                    workers.run(helpers, chunks, &|chunk| {
                        compute(chunk);
                        if helpers > 0 {
                            voices.settle();
                        }
                    });
                });
            }
        };
        // The effects of a part follow its control, so that one thread has both.
        let tasks = if effects.is_some() { 2 } else { 1 };
        workers.run(helpers, part_count * tasks, &|task| {
            let index = task / tasks;
            match &effects {
                // SAFETY: every task is run once.
                Some(effects) if task % tasks == 1 => unsafe { effects.run(index) },
                _ => {
                    // SAFETY: as above.
                    let part = unsafe { parts.get(index) };
                    if !is_large(part, sounding) {
                        compute(index, part, 0);
                    }
                }
            }
        });
        let large = self.parts.iter_mut().enumerate();
        for (index, part) in large.filter(|(_, part)| is_large(part, sounding)) {
            compute(index, part, (sounding / CLOUD_TICKS_PER_THREAD).min(most_helpers));
        }
        for tick in first..first + transports.len() {
            self.free_ended(tick);
            self.pool.fade_in_tick(self.chunks.current().block(), tick);
        }
        self.retired_tables.advance(transports.len());
    }

    /// Frees the slots of voices that have become silent in `tick` of a block.
    pub(super) fn free_ended(&mut self, tick: usize) {
        for (part, patch) in self.parts.iter_mut().zip(&mut self.patches) {
            part.free_ended(tick, &mut self.pool);
            if let Some(kit) = patch.kit_mut() {
                kit.free_ended(tick, &mut self.pool);
            }
        }
    }
}

/// Whether a part gets helpers of its own, when so many clouds sound.
pub(super) fn is_large(part: &Part, sounding: usize) -> bool {
    sounding >= CLOUD_TICKS_PER_THREAD && part.voices() > 2 * CHUNK
}

/// Begins a tick of a part and its kit.
type Begin = fn(&mut Part, Option<&mut Kit>);

/// Begins a tick in which nothing but time has passed.
pub(super) fn begin_steady_tick(part: &mut Part, kit: Option<&mut Kit>) {
    if let Some(kit) = kit {
        kit.follow(part);
        kit.advance_controls();
    }
    part.advance_controls();
}

/// Some ticks of a block.
pub(super) struct Ticks<'a> {
    /// The number of the first one.
    pub(super) first: usize,
    /// The song in each of them.
    pub(super) transports: &'a [Transport],
    pub(super) begin: Begin,
}

impl Ticks<'_> {
    /// Computes them for a part, which has a number and perhaps a kit: its voices and effect parameters.
    ///
    /// # Safety
    /// No other thread computes this part.
    pub(super) unsafe fn compute(
        &self,
        (index, part, mut kit): (usize, &mut Part, Option<&mut Kit>),
        voices: &Voices<'_>,
        chunk: &EachPart<'_>,
        run: Run<'_>,
    ) {
        for (tick, &transport) in (self.first..).zip(self.transports) {
            (self.begin)(part, kit.as_deref_mut());
            if let Some(kit) = &mut kit {
                kit.compute(transport, voices, tick);
            }
            part.compute(transport, voices, tick, run);
            // SAFETY: the caller guarantees it.
            part.effect_params(transport, unsafe { chunk.effect_params(index, tick) });
        }
        voices.settle();
    }
}
