//! Phases of groups that no copy of a voice makes audible. Nothing else of them changes, so they are advanced once for
//! several ticks, which leaves three operations for a group and a tick.

use super::spectra::Spectra;
use super::state::CloudState;
use crate::render::{MAX_TICKS, TICK};
use crate::simd::Simd;
use crate::spectrum::{self, MAX_COPIES, MAX_GROUPS};

/// The ticks by which quiet groups of a voice are behind.
#[derive(Clone, Debug)]
pub(crate) struct QuietPhases {
    /// From this group on, groups wait; at [`MAX_GROUPS`] none does.
    from: usize,
    /// The copies of the voice, and the end of the groups of the one that has most.
    copies: usize,
    end: usize,
    /// How many ticks have passed, and what every copy did in them.
    ticks: usize,
    turns: [[Turn; MAX_TICKS]; MAX_COPIES],
}

/// A tick of a copy.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Phase per sample of ratio 1.
    increment: f32,
    /// Groups below this one turn, from the first that waits.
    groups: usize,
}

impl QuietPhases {
    pub(crate) const NONE: Self = Self {
        from: MAX_GROUPS,
        copies: 0,
        end: 0,
        ticks: 0,
        turns: [[Turn { increment: 0.0, groups: 0 }; MAX_TICKS]; MAX_COPIES],
    };

    /// Whether no tick has passed.
    pub(crate) fn is_empty(&self) -> bool {
        self.ticks == 0
    }

    /// Whether groups wait that begin in another place, or belong to another number of copies.
    pub(crate) fn differs(&self, from: usize, copies: usize) -> bool {
        !self.is_empty() && (from > self.from || copies != self.copies)
    }

    /// Starts a tick in which groups of so many copies are quiet from `from` on. Where some wait already, the others do not.
    pub(crate) fn start_tick(&mut self, from: usize, copies: usize) {
        if self.is_empty() {
            // One more is not made to wait: a filter that opens would need it, and copies need it that were louder before.
            (self.from, self.copies, self.end) = ((from + 1).min(MAX_GROUPS), copies, 0);
        }
    }

    /// Ends a tick in which all copies have been recorded.
    pub(crate) fn end_tick(&mut self) {
        if self.from < MAX_GROUPS {
            self.ticks += 1;
        }
    }

    /// From which group on the phases of a copy need not be advanced in this tick, of `groups` that turn by `increment`
    /// times their ratio, and of which `loud` are needed at once.
    #[inline(always)]
    pub(super) fn record<S: Simd>(
        &mut self,
        s: S,
        copy: usize,
        spectra: &Spectra,
        state: &mut CloudState,
        (increment, groups, loud): (f32, usize, usize),
    ) -> usize {
        if groups <= self.from {
            self.turns[copy][self.ticks] = Turn { increment, groups: 0 };
            return groups;
        }
        let waits = loud.min(groups) <= self.from;
        if !waits {
            self.catch_up_copy(s, copy, spectra, state);
            self.turns[copy][..self.ticks].iter_mut().for_each(|turn| turn.groups = 0);
        }
        let turning = if waits { groups } else { 0 };
        self.turns[copy][self.ticks] = Turn { increment, groups: turning };
        self.end = self.end.max(turning);
        if waits { self.from } else { groups }
    }

    /// Advances the phases of all copies, whose states are given one by one.
    #[inline(always)]
    pub(crate) fn catch_up<'a, S: Simd>(
        &mut self,
        s: S,
        spectra: &Spectra,
        state: impl Fn(usize) -> &'a mut CloudState,
    ) {
        if !self.is_empty() && self.end > self.from {
            for copy in 0..self.copies {
                self.catch_up_copy(s, copy, spectra, state(copy));
            }
        }
        (self.ticks, self.end) = (0, 0);
    }

    #[inline(always)]
    fn catch_up_copy<S: Simd>(&self, s: S, copy: usize, spectra: &Spectra, state: &mut CloudState) {
        let turns = &self.turns[copy][..self.ticks];
        let end = turns.iter().map(|turn| turn.groups).max().unwrap_or(0);
        // Up to here groups turn in every tick.
        let always = turns.iter().map(|turn| turn.groups).min().unwrap_or(0);
        let highest = turns.iter().fold(0.0, |highest: f32, turn| highest.max(turn.increment));
        for group in self.from..end {
            let ratio = s.load(&spectra.ratios[group]);
            let below_fade = spectrum::is_below_fade(s, s.mul(ratio, s.splat(highest)));
            let mut sum = s.splat_u(0);
            if below_fade && group < always {
                for turn in turns {
                    let frequency = s.mul(ratio, s.splat(turn.increment));
                    sum = s.add_u(sum, s.f_to_u(frequency));
                }
            } else {
                for turn in turns.iter().filter(|turn| group < turn.groups) {
                    let frequency = s.mul(ratio, s.splat(turn.increment));
                    sum = s.add_u(sum, spectrum::increment_or_rest(s, frequency));
                }
            }
            let phase = &mut state.groups[group].phase;
            let turn = s.shl_u::<{ TICK.ilog2() as i32 }>(sum);
            s.store_u(s.add_u(s.load_u(phase), turn), phase);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use crate::render::{Buses, Capacity, CpuRenderer, MAX_TICKS, Renderer, VoiceBlock};
    use crate::simd::{LANES, Level};
    use crate::spectrum::unison::{Mix, Unison};
    use crate::spectrum::{
        Cloud, Description, Filter, FilterKind, STARTS, TURN, Table, UnisonVoice,
    };
    use std::sync::Arc;

    const COPIES: usize = 3;
    const GROUPS: usize = 12;

    /// A voice whose pitch rises, so that its last groups reach Nyquist, and whose cutoff and gain move too. Its
    /// ratios change once.
    fn voice(tick: usize, filter: FilterKind) -> UnisonVoice {
        let inverse_cutoff = |hertz: f32| 48_000.0 / TURN / hertz;
        let moved = tick as f32 / 40.0;
        let cloud = Cloud {
            flags: if tick == 0 { STARTS } else { 0 },
            table: Table::Saw.first_row(),
            frame: Table::Saw.frame_at(1.0).0,
            partials: (GROUPS * LANES) as f32 - 20.0 * moved,
            scatter: 40_000,
            formant: 1.0,
            inharmonicity: if tick < 20 { 0.0 } else { 1e-7 },
            filters: [
                Filter::poles(filter, inverse_cutoff(100.0 + 4e3 * moved * moved), 0.7),
                Filter::default(),
            ],
            ..Cloud::default()
        };
        let mix = |gain| Mix { gain, pan: 0.0, spread: 1.0, entry: Mix::ALL_IN };
        let unison = Unison {
            shape: COPIES as u32,
            increment: (100.0 + 50.0 * moved) / 48_000.0 * TURN,
            detune: 0.01,
            from: mix(0.1 * moved),
            to: mix(0.1 * moved),
            ..Unison::default()
        };
        UnisonVoice::new(Description::of(&cloud), unison)
    }

    /// All phases after forty ticks in blocks of so many.
    fn phases(level: Level, ticks: usize, filter: FilterKind) -> Vec<[u32; LANES]> {
        let mut cpu = CpuRenderer::with_level(1, level);
        cpu.prepare(Capacity { slots: COPIES, buses: 1 }).unwrap();
        let buses = &mut Buses::new(1);
        for first in (0..40).step_by(ticks) {
            let voices = (first..first + ticks).map(|tick| voice(tick, filter));
            cpu.render(&VoiceBlock::of_voice(COPIES, voices), buses).unwrap();
        }
        let states = cpu.states[..COPIES].iter();
        states.flat_map(|state| state.groups[..GROUPS].iter().map(|group| group.phase.0)).collect()
    }

    /// A voice of fewer copies follows in the last slot. To look for as many states as the one before has would end the
    /// program, or change another voice.
    #[test]
    fn a_voice_does_not_touch_the_slots_behind_it() {
        let mut cpu = CpuRenderer::new(1);
        cpu.prepare(Capacity { slots: COPIES + 1, buses: 1 }).unwrap();
        let buses = &mut Buses::new(1);
        for first in [0, 2, 4] {
            let mut block = VoiceBlock::new(COPIES + 1);
            for tick in first..first + 2 {
                block.start_tick();
                let wide = voice(tick, FilterKind::Low24);
                block.push_voice(0, &wide);
                let unison = Unison { shape: 1, ..wide.unison };
                block.push_voice(COPIES, &UnisonVoice::new(wide.description, unison));
            }
            cpu.render(&Arc::new(block), buses).unwrap();
        }
    }

    /// A filter that opens would let partials in with other phases than they have on a GPU, or with other block sizes.
    #[test]
    fn phases_do_not_depend_on_the_filter() {
        for level in Level::available() {
            let expected = phases(level, 1, FilterKind::Open);
            for ticks in [1, 2, 5, MAX_TICKS] {
                let filtered = phases(level, ticks, FilterKind::Low24);
                assert!(filtered == expected, "{} and {ticks} ticks", level.name());
            }
        }
    }
}
