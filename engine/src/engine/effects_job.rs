//! The effects of a rendered chunk, a task for each part.

use super::chunks::{Chunk, EachPart};
use crate::disjoint::Disjoint;
use crate::effects::PartEffects;

/// Ticks of a part's effects for each thread. Waking a worker for less takes longer than it saves.
const TICKS_PER_THREAD: usize = 4;

/// Sends every part's sound through its effects.
pub(super) struct EffectsJob<'a> {
    effects: Disjoint<'a, PartEffects>,
    chunk: EachPart<'a>,
    /// How many tasks there are: one for each part.
    pub(super) tasks: usize,
    /// How many threads are worth waking for them.
    pub(super) helpers: usize,
}

impl<'a> EffectsJob<'a> {
    pub(super) fn new(effects: &'a mut [PartEffects], chunk: &'a mut Chunk) -> Self {
        let tasks = effects.len();
        let used = effects.iter().zip(&chunk.all_effect_params);
        let used = used.filter(|(effects, params)| params.used || !effects.is_silent()).count();
        let helpers = (used * chunk.ticks() / TICKS_PER_THREAD).min(used.saturating_sub(1));
        Self { effects: Disjoint::new(effects), chunk: chunk.each_part(), tasks, helpers }
    }

    /// The task of a part.
    ///
    /// # Safety
    /// Each part is run once.
    pub(super) unsafe fn run(&self, part: usize) {
        // SAFETY: the caller guarantees it.
        unsafe { self.chunk.render_effects(part, self.effects.get(part)) };
    }
}
