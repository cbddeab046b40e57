//! From the audible groups of clouds to sums of lanes: seeds oscillators and runs the bank.

use super::bank::{self, MAX_SIDE_BY_SIDE, Oscillators};
use super::stereo::CopySums;
use crate::render::TICK;
use crate::simd::{F32x16, LANES, Simd, U32x16};

/// What the bank needs to know of a group of partials that is loud enough to be rendered.
#[derive(Clone, Debug)]
pub(crate) struct AudibleGroup {
    /// At the tick's start.
    pub(crate) phase: U32x16,
    pub(crate) increment: U32x16,
    /// Levels at both ends of the tick.
    pub(crate) from: F32x16,
    pub(crate) to: F32x16,
}

/// The audible groups of a cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Audible<'a> {
    pub(crate) groups: &'a [AudibleGroup],
    /// One over the frames that the cloud sounds.
    pub(crate) step: f32,
    /// The groups of the cloud, with those that are not audible.
    pub(crate) of: usize,
}

/// So many audible groups of a cloud of `groups`, or fewer, are rendered in halves, side by side: they are too few where so
/// many are advanced side by side.
#[inline(always)]
fn few<S: Simd>(groups: usize) -> usize {
    if groups <= 2 { 2 } else { S::GROUPS / 4 }
}

impl AudibleGroup {
    pub(crate) const SILENCE: Self = Self {
        phase: U32x16([0; LANES]),
        increment: U32x16([0; LANES]),
        from: F32x16([0.0; LANES]),
        to: F32x16([0.0; LANES]),
    };

    #[inline(always)]
    pub(crate) fn store<S: Simd>(
        &mut self,
        s: S,
        (phase, increment): (S::U, S::U),
        (from, to): (S::F, S::F),
    ) {
        s.store_u(phase, &mut self.phase);
        s.store_u(increment, &mut self.increment);
        s.store(from, &mut self.from);
        s.store(to, &mut self.to);
    }

    /// Its oscillators, and the steepest step between two samples.
    #[inline(always)]
    fn seed<S: Simd>(&self, s: S, step: f32) -> (Oscillators<S>, S::F) {
        let (phase, increment) = (s.load_u(&self.phase), s.load_u(&self.increment));
        let [from, to] = [s.load(&self.from), s.load(&self.to)];
        Oscillators::seed(s, phase, increment, from, to, s.splat(step))
    }

    /// Its oscillators at the start of the tick and in its middle.
    #[inline(always)]
    fn seed_halves<S: Simd>(&self, s: S, step: f32) -> [Oscillators<S>; 2] {
        let (seeded, slope) = self.seed(s, step);
        let increment = s.load_u(&self.increment);
        let half_turn = s.shl_u::<{ TICK.ilog2() as i32 - 1 }>(increment);
        let phase = s.add_u(s.load_u(&self.phase), half_turn);
        [seeded, seeded.half_a_tick_later(s, phase, increment, slope)]
    }
}

/// Plays clouds. Copies of a voice are played two by two where both have few groups: so few recurrences do not hide
/// their latency.
pub(crate) struct Player<S: Simd> {
    /// Groups that are played together.
    oscillators: [Oscillators<S>; MAX_SIDE_BY_SIDE],
    /// How many of them belong to a copy that waits for a mirrored one to be played with.
    waiting: usize,
    /// The same half a tick later, of a cloud whose tick is rendered in halves.
    later: [Oscillators<S>; 2],
    /// Of a cloud whose groups are added one by one: how many have been added, and how many of them are in `oscillators`.
    added: usize,
    queued: usize,
    /// See [`few`]: the first ones wait for another one.
    few: usize,
    first: [AudibleGroup; 2],
}

impl<S: Simd> Player<S> {
    #[inline(always)]
    pub(crate) fn new(s: S) -> Self {
        let silent = Oscillators::silent(s);
        Self {
            oscillators: [silent; MAX_SIDE_BY_SIDE],
            waiting: 0,
            later: [silent; 2],
            added: 0,
            queued: 0,
            few: 0,
            first: [AudibleGroup::SILENCE; 2],
        }
    }

    /// Replaces `sum` by the sound of a cloud, if there is any.
    #[inline(always)]
    pub(crate) fn play(&mut self, s: S, audible: Audible<'_>, sum: &mut [F32x16; TICK]) {
        let Self { oscillators, later, .. } = self;
        let Audible { groups, step, of } = audible;
        if groups.len() <= few::<S>(of) {
            play_halves(s, groups, step, (oscillators, later), sum);
            return;
        }
        for (index, groups) in groups.chunks(S::GROUPS).enumerate() {
            seed(s, groups, step, oscillators);
            let oscillators = &oscillators[..groups.len()];
            match index {
                0 => bank::advance::<S, true>(s, oscillators, sum),
                _ => bank::advance::<S, false>(s, oscillators, sum),
            }
        }
    }

    /// Plays the copy that was added to `sums` last, with the next one where that is faster and there is a next one. Before
    /// one that is not mirrored is added, and before the sums are taken, [`Player::finish`] is called.
    #[inline(always)]
    pub(crate) fn play_copy(
        &mut self,
        s: S,
        audible: Audible<'_>,
        (is_mirrored, is_last): (bool, bool),
        sums: &mut CopySums,
    ) {
        let Audible { groups, step, .. } = audible;
        let has_few = 2 * groups.len() <= S::GROUPS;
        let (first, second) = self.oscillators.split_at_mut(MAX_SIDE_BY_SIDE / 2);
        match (has_few, is_mirrored) {
            (true, false) if !is_last => {
                seed(s, groups, step, first);
                self.waiting = groups.len();
            }
            (true, true) if self.waiting > 0 => {
                seed(s, groups, step, second);
                let count = self.waiting.max(groups.len());
                first[self.waiting..count].fill(Oscillators::silent(s));
                second[groups.len()..count].fill(Oscillators::silent(s));
                bank::advance_two(s, &first[..count], &second[..count], sums.newest());
                self.waiting = 0;
            }
            _ => {
                self.finish(s, sums);
                let [straight, mirrored] = sums.newest();
                self.play(s, audible, if is_mirrored { mirrored } else { straight });
            }
        }
    }

    /// Begins a cloud of so many groups, of which the audible ones are added one by one.
    #[inline(always)]
    pub(crate) fn begin(&mut self, groups: usize) {
        (self.added, self.queued, self.few) = (0, 0, few::<S>(groups));
    }

    /// Adds a group of that phase and increment, whose levels at both ends of the tick are given. What is played of the cloud already
    /// is in `sum`.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        s: S,
        (phase, increment): (S::U, S::U),
        (from, to): (S::F, S::F),
        step: f32,
        sum: &mut [F32x16; TICK],
    ) {
        if self.added < self.few {
            self.first[self.added].store(s, (phase, increment), (from, to));
        } else {
            if self.added == self.few {
                seed(s, &self.first[..self.few], step, &mut self.oscillators);
                self.queued = self.few;
            }
            let (oscillators, _) = Oscillators::seed(s, phase, increment, from, to, s.splat(step));
            self.oscillators[self.queued] = oscillators;
            self.queued += 1;
        }
        self.added += 1;
        if self.queued == S::GROUPS {
            self.play_queued(s, sum);
        }
    }

    /// Ends the cloud. Returns how many groups have been added; without any `sum` is of no use.
    #[inline(always)]
    pub(crate) fn end(&mut self, s: S, step: f32, sum: &mut [F32x16; TICK]) -> usize {
        if self.added <= self.few {
            let Self { oscillators, later, first, .. } = self;
            play_halves(s, &first[..self.added], step, (oscillators, later), sum);
        } else if self.queued > 0 {
            self.play_queued(s, sum);
        }
        self.added
    }

    #[inline(always)]
    fn play_queued(&mut self, s: S, sum: &mut [F32x16; TICK]) {
        let oscillators = &self.oscillators[..self.queued];
        match self.added == self.queued {
            true => bank::advance::<S, true>(s, oscillators, sum),
            false => bank::advance::<S, false>(s, oscillators, sum),
        }
        self.queued = 0;
    }

    /// Plays a copy that waits.
    #[inline(always)]
    pub(crate) fn finish(&mut self, s: S, sums: &mut CopySums) {
        if self.waiting > 0 {
            let [straight, _] = sums.newest();
            bank::advance::<S, true>(s, &self.oscillators[..self.waiting], straight);
            self.waiting = 0;
        }
    }
}

/// Replaces `sum` by the sound of one or two groups.
#[inline(always)]
fn play_halves<S: Simd>(
    s: S,
    groups: &[AudibleGroup],
    step: f32,
    (oscillators, later): (&mut [Oscillators<S>; MAX_SIDE_BY_SIDE], &mut [Oscillators<S>; 2]),
    sum: &mut [F32x16; TICK],
) {
    for ((group, first), second) in groups.iter().zip(&mut *oscillators).zip(&mut *later) {
        [*first, *second] = group.seed_halves(s, step);
    }
    let count = groups.len();
    bank::advance_halves(s, &oscillators[..count], &later[..count], sum);
}

#[inline(always)]
fn seed<S: Simd>(s: S, groups: &[AudibleGroup], step: f32, into: &mut [Oscillators<S>]) {
    for (group, oscillators) in groups.iter().zip(into) {
        *oscillators = group.seed(s, step).0;
    }
}
