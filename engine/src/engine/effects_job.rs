//! The effects of a rendered chunk, a task for each part.

use crate::disjoint::Disjoint;
use crate::effects::{EffectParams, PartEffects};
use crate::render::buses::EachBus;
use crate::render::{Buses, TICK};

/// Ticks of a part's effects for each thread. Waking a worker for less takes longer than it saves.
const TICKS_PER_THREAD: usize = 4;

/// Sends every part's sound through its effects.
pub(super) struct EffectsJob<'a> {
    effects: Disjoint<'a, PartEffects>,
    buses: EachBus<'a>,
    /// Of each tick, part by part.
    all_effect_params: &'a [EffectParams],
    parts: usize,
    /// Parts that have something to do.
    used: usize,
}

impl<'a> EffectsJob<'a> {
    pub(super) fn new(
        effects: &'a mut [PartEffects],
        buses: &'a mut Buses,
        all_effect_params: &'a [EffectParams],
    ) -> Self {
        let used = effects.iter().zip(all_effect_params);
        let used = used.filter(|(effects, params)| params.used || !effects.is_silent()).count();
        let parts = effects.len();
        Self {
            effects: Disjoint::new(effects),
            buses: buses.each(),
            all_effect_params,
            parts,
            used,
        }
    }

    /// How many tasks there are: one for each part.
    pub(super) fn tasks(&self) -> usize {
        self.parts
    }

    /// How many threads are worth waking for it.
    pub(super) fn helpers(&self) -> usize {
        let ticks = self.all_effect_params.len() / self.parts;
        (self.used * ticks / TICKS_PER_THREAD).min(self.used.saturating_sub(1))
    }

    /// The task of a part.
    ///
    /// # Safety
    /// Each part is run once.
    pub(super) unsafe fn run(&self, part: usize) {
        // SAFETY: the caller guarantees it.
        let (effects, [left, right]) = unsafe { (self.effects.get(part), self.buses.get(part)) };
        for (tick, params) in self.all_effect_params.chunks(self.parts).enumerate() {
            let frames = tick * TICK..(tick + 1) * TICK;
            effects.render(&mut left[frames.clone()], &mut right[frames], &params[part]);
        }
    }
}
